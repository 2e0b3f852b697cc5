"""Remembered: rows that were read before need not be read again; a generation never changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

Key = TypeVar("Key", int, str)
Row = TypeVar("Row")

MOST = 20_000
"""Most rows that are remembered; then all are forgotten."""


class Remembered(Generic[Key, Row]):
    """Rows by their keys, read when they are first asked for. Safe to use from several threads."""

    def __init__(self, read: Callable[[list[Key]], dict[Key, Row]]) -> None:
        self._read: Callable[[list[Key]], dict[Key, Row]] = read
        self._known: dict[Key, Row] = {}

    def rows(self, keys: Iterable[Key]) -> dict[Key, Row]:
        """Return the rows of these keys, in their order whatever was remembered; a key that has none is left out."""
        wanted, known = tuple(keys), self._known
        found = {key: known[key] for key in wanted if key in known}
        missing = [key for key in wanted if key not in found]
        if missing:
            fresh = self._read(missing)
            read = found | fresh
            found = {key: read[key] for key in wanted if key in read}
            if len(known) + len(fresh) > MOST:
                self._known = dict(fresh)
            else:
                known.update(fresh)
        return found
