"""Front matter: a bounded reading of the YAML block at the head of a document, in which all is text.

YAML's own types would turn ``no`` into False and ``12:30`` into 750, and its aliases and tags let a
few lines fill the memory or name a Python class. So the values are built from the parser's events:
strings, lists and mappings, no deeper and no more of them than here said; an alias is nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml

from kbtui.text import safe_line

Value: TypeAlias = "str | list[Value] | dict[str, Value]"

BLOCK_BYTES = 64_000
DEPTH = 16
VALUES = 10_000

_SUPERSEDED = "superseded"
_INACTIVE = frozenset((_SUPERSEDED, "deprecated", "rejected", "withdrawn"))
_STALE = frozenset(("stale", "outdated", "obsolete", "expired", "needs-review"))
_TRUE = frozenset(("true", "yes", "on", "1"))
_NOTHING = frozenset(("", "~", "null", "none"))
_KEY = re.compile(r"[\w.@\"'-][^:\n]{0,100}:(?:\s|$)|\{")
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The fields of a document's head; ``lines`` is how many lines of the file it takes, 0 for none.

    ``remark`` says in words what was wrong with it, "" when nothing was.
    """

    fields: dict[str, Value] = field(default_factory=dict)
    lines: int = 0
    remark: str = ""

    def text(self, *names: str) -> str:
        """Return the first of these fields that holds a text, on one safe line."""
        for name in names:
            value = self.fields.get(name)
            if isinstance(value, str) and value.strip().lower() not in _NOTHING:
                return safe_line(value)
        return ""

    def list(self, name: str) -> tuple[Value, ...]:
        """Return a field's items, a lone one as a list of it."""
        value = self.fields.get(name, "")
        items = value if isinstance(value, list) else [value]
        return tuple(item for item in items if not isinstance(item, str) or item.strip().lower() not in _NOTHING)

    @property
    def archived(self) -> bool:
        """Whether the document says that it is archived."""
        return self.text("archived").lower() in _TRUE or self.text("status").lower() == "archived"

    @property
    def inactive(self) -> bool:
        """Whether its status says that it no longer holds. A closed ticket still does."""
        return self.text("status").lower() in _INACTIVE

    @property
    def superseded(self) -> bool:
        """Whether it says itself that another document replaced it."""
        return self.text(_SUPERSEDED).lower() in _TRUE or self.text("status").lower() == _SUPERSEDED

    @property
    def stale(self) -> str:
        """By which of its fields it calls itself out of date, "" by none."""
        status = "-".join(self.text("status").lower().replace("_", " ").replace("-", " ").split())
        if status in _STALE:
            return f"status: {status}"
        return next((f"{name}: true" for name in ("stale", "outdated") if self.text(name).lower() in _TRUE), "")

    def date(self, *names: str) -> str:
        """Return the first of these fields that is an ISO date or time, "" when none is."""
        for name in names:
            written = self.text(name)
            if len(written) >= 10 and written[4] == written[7] == "-" and written[:10].replace("-", "").isdigit():
                return written[:30]
        return ""


def front_matter(lines: Sequence[str]) -> FrontMatter:
    """Read the block that a document starts with; a broken one costs its structure, never the document."""
    end = _end(lines)
    if end == 0:
        return FrontMatter()
    block = "".join(lines[1 : end - 1])
    if len(block) > BLOCK_BYTES:
        # so much is more likely text between two rules: it stays searchable
        remark = f"front matter read as text: more than {BLOCK_BYTES:,} characters"
        return FrontMatter(fields=dict(_plain_fields(block)), remark=remark)
    try:
        return FrontMatter(fields=_built(block), lines=end)
    except (yaml.YAMLError, _Refused) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        return FrontMatter(
            fields=dict(_plain_fields(block)), lines=end, remark=f"front matter is not valid YAML: {safe_line(reason)}"
        )


class _Refused(Exception):
    """The block is YAML, but more of it than is read."""


def _end(lines: Sequence[str]) -> int:
    """Return the number of lines up to and with the closing mark, 0 when there is no front matter."""
    if len(lines) < 3 or lines[0].rstrip() != "---":
        return 0
    started = False
    for number, line in enumerate(lines[1:], start=2):
        if line.startswith(("---", "...")) and line.rstrip() in ("---", "..."):
            return number
        if not started and line.strip() and not line.startswith("#"):
            started = True
            if not _KEY.match(line):
                return 0  # a rule above a paragraph
    return 0


def _built(block: str) -> dict[str, Value]:
    """Build the values from the parser's events, iteratively, within the bounds."""
    top: list[Value] = []
    open_: list[tuple[list[Value], bool]] = []
    for count, event in enumerate(yaml.parse(_parsable(block), Loader=_LOADER)):
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            open_.append(([], isinstance(event, yaml.MappingStartEvent)))
        elif isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
            value: Value = event.value if isinstance(event, yaml.ScalarEvent) else ""
            (open_[-1][0] if open_ else top).append(value)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            items, mapping = open_.pop()
            (open_[-1][0] if open_ else top).append(_paired(items) if mapping else items)
        if len(open_) > DEPTH or count > VALUES:
            raise _Refused("deeper or larger than is read")
    return top[0] if top and isinstance(top[0], dict) else {}


def _paired(items: list[Value]) -> dict[str, Value]:
    """Return keys and values in turn as a mapping; of a repeated key the last value counts."""
    return {key: value for key, value in zip(items[::2], items[1::2], strict=False) if isinstance(key, str)}


def _parsable(block: str) -> str:
    """Replace what YAML forbids in a stream (control characters, lone surrogates), so that the rest is read."""
    return _FORBIDDEN.sub(" ", block)


def _plain_fields(block: str) -> Iterator[tuple[str, Value]]:
    """Yield the one-line fields of a block that is no YAML, so that a stray colon does not unarchive it."""
    for line in block.splitlines():
        key, colon, value = line.partition(":")
        if (
            colon
            and key.replace("_", "").replace("-", "").isalnum()
            and value.strip()[:1] not in ("", "[", "{", "|", ">")
        ):
            yield key, value.strip().strip("'\"")
