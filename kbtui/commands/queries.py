"""``query --queries``: many queries in one process, each line of input one line of JSON, errors included."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from kbtui.config import Config
from kbtui.errors import KbtuiError, UsageError
from kbtui.model import Query
from kbtui.settings import KNOBS, Settings, check, knob_for

STANDARD_INPUT = "-"

Echo = dict[str, object]
"""What a line's answer says besides the answer itself: the line's ``_id``, and the keys that mean nothing here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line understood: what to ask, under which settings, and what its answer repeats."""

    query: Query
    settings: Settings
    echo: Echo


class BadLine(UsageError):
    """A line that cannot be asked; ``echo`` is what could be read of it."""

    def __init__(self, error: UsageError, echo: Echo) -> None:
        super().__init__(error.message, error.hint)
        self.echo = echo


@contextmanager
def lines_of(name: str) -> Iterator[BinaryIO]:
    """Open a file of queries, or standard input.

    Errors: UsageError for a file that cannot be read.
    """
    if name == STANDARD_INPUT:
        yield sys.stdin.buffer
        return
    if not Path(name).exists():
        raise UsageError(f"no file {name!r}", "--queries takes a file, or - for standard input.")
    try:
        with Path(name).open("rb") as stream:
            yield stream
    except OSError as error:
        raise UsageError(f"{name!r} cannot be read: {error.strerror}") from error


def understood(raw: bytes, query: Query, config: Config) -> Line:
    """Return what a line asks, on top of what the command line says; what starts with ``{`` is JSON, the rest text.

    Errors: BadLine for one that is no UTF-8, no JSON, has no text, or has a value that is wrong.
    """
    echo: Echo = {}
    try:
        said = _parsed(raw)
        echo |= _echo(said)
        return Line(query=_query(said, query), settings=_settings(said, config), echo=echo)
    except UsageError as error:
        raise BadLine(error, echo) from error


def error_object(number: int, error: KbtuiError, echo: Echo) -> Echo:
    """Return what stands in the place of an answer."""
    hint: Echo = {"hint": error.hint} if error.hint else {}
    said: Echo = {"message": error.message, **hint, "exit_code": error.exit_code}
    return echo | {"line": number, "error": said}


def _parsed(raw: bytes) -> dict[str, object]:
    try:
        line = raw.decode("utf-8-sig").strip()
        if not line.startswith("{"):
            return {"text": line}
        said: dict[str, object] = json.loads(line, parse_constant=_no_number)
    except UnicodeDecodeError:
        raise UsageError("the line is not UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the line is not JSON: {error}", "A line is text, or an object with a text.") from None
    return said


def _no_number(word: str) -> object:
    raise ValueError(f"{word} is no number")


def _echo(said: dict[str, object]) -> Echo:
    out: Echo = {}
    if "_id" in said:
        if isinstance(said["_id"], bool) or not isinstance(said["_id"], (str, int)):
            raise UsageError("_id takes a text or a whole number")
        out["_id"] = said["_id"]
    ignored = sorted(key for key in said if key not in _KEYS and not _is_setting(key))
    return out | ({"_ignored": ignored} if ignored else {})


def _query(said: dict[str, object], query: Query) -> Query:
    text = said.get("text")
    if not isinstance(text, str):
        raise UsageError("the line has no text", 'A line is text, or an object: {"text": "retry backoff"}')
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError("the text has half a surrogate pair") from None
    inactive = said.get("inactive", query.filters.inactive)
    if not isinstance(inactive, bool):
        raise UsageError("inactive takes true or false")
    filters = replace(
        query.filters,
        paths=_names(said, "paths", query.filters.paths),
        statuses=_names(said, "statuses", query.filters.statuses),
        inactive=inactive,
    )
    return Query(text=text, source_types=_names(said, "types", query.source_types), filters=filters)


def _names(said: dict[str, object], key: str, otherwise: tuple[str, ...]) -> tuple[str, ...]:
    given = said.get(key, list(otherwise))
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise UsageError(f"{key} takes a list of texts")
    return tuple(given)


def _settings(said: dict[str, object], config: Config) -> Settings:
    """Return the command line's settings, under the line's profile, under what else the line sets."""
    profile = said.get("profile", "")
    if not isinstance(profile, str):
        raise UsageError("profile takes the name of one")
    settings = config.settings.with_values(dict(config.named(profile).values)) if profile else config.settings
    values = {
        key: check(key, None if value == "none" else value)  # as in a file: the text "none" lifts a bound
        for key, value in said.items()
        if key not in _KEYS and _is_setting(key)
    }
    return settings.with_values(values) if values else settings


_KEYS = ("_id", "text", "types", "paths", "statuses", "inactive", "profile")


def _is_setting(key: str) -> bool:
    if "." not in key:
        return key in {knob.key for knob in KNOBS}
    try:
        knob_for(key)
    except UsageError:
        return False
    return True
