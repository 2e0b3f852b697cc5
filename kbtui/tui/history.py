"""The questions that were asked of a store in the app, across its runs: a small file in the user's state folder.

They are not read from the query log: that may be off, is pushed out by what agents ask, and holds every half-typed
question that the list followed. Here is what was confirmed, or left standing when the question was left.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from kbtui.config import NO_USER_CONFIG
from kbtui.model import Filters, Query
from kbtui.tui import only

HELD = 500
"""Most questions that are remembered, the newest."""


class History:
    """The questions, oldest first, each once; with no ``path`` they are remembered until the app ends."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.trouble = ""
        """Why the file could not be written, "" while it can."""
        self.questions: list[Query] = self._load()

    @classmethod
    def of(cls, store: Path, environ: Mapping[str, str]) -> History:
        """Return the history of a store: the user's own, unless the user's files are left out."""
        if environ.get(NO_USER_CONFIG):
            return cls(None)
        from platformdirs import user_state_path

        name = sha256(os.fsencode(store.absolute())).hexdigest()[:16]
        return cls(user_state_path("kbtui") / "questions" / f"{name}.jsonl")

    def keep(self, question: Query) -> None:
        """Take a question in as the newest, without what was added by hand; the last one is not taken in again."""
        question = replace(question, include=())
        if not question.text.strip() or self.questions[-1:] == [question]:
            return
        others = [each for each in self.questions if each != question]
        self.questions = [*others[1 - HELD :], question]
        if self._path is None:
            return
        line = json.dumps(_value(question)) + "\n"
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(descriptor, line.encode())
            finally:
                os.close(descriptor)
        except OSError as error:
            self.trouble = f"questions are not kept, {self._path} cannot be written: {error.strerror or error}"

    def _load(self) -> list[Query]:
        """Return what is remembered; a line that holds no question is left out, and a file grown long is cut."""
        if self._path is None:
            return []
        try:
            lines = self._path.read_bytes().splitlines()
        except OSError:
            return []
        found = dict.fromkeys(question for line in reversed(lines) if (question := _question(line)) is not None)
        questions = list(reversed(list(found)[:HELD]))
        if len(lines) > 2 * HELD:
            with suppress(OSError):
                fresh = self._path.with_suffix(".new")
                fresh.write_bytes(b"".join(line + b"\n" for line in lines[-HELD:]))
                fresh.chmod(0o600)
                fresh.replace(self._path)
        return questions


def _value(question: Query) -> dict[str, object]:
    """Return a question as it is written; of what it is limited to, only what it has."""
    filters = question.filters
    more = {"paths": list(filters.paths), "statuses": list(filters.statuses), "inactive": filters.inactive}
    held = {name: value for name, value in more.items() if value}
    return {"text": question.text, "types": list(question.source_types), **held}


def _question(line: bytes) -> Query | None:
    try:
        said = json.loads(line)
        words, types = said["text"], said["types"]
        lists = (types, said.get("paths", []), said.get("statuses", []))
        inactive = said.get("inactive", False)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    if not isinstance(words, str) or not isinstance(inactive, bool) or not all(map(_are_texts, lists)):
        return None
    source_types, paths, statuses = map(tuple, lists)
    filters = Filters(paths=paths, statuses=statuses, inactive=inactive)
    return only.safe(Query(text=words, source_types=source_types, filters=filters))


def _are_texts(names: object) -> bool:
    return isinstance(names, list) and all(isinstance(one, str) for one in names)
