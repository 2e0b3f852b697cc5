"""Nearest: the passages nearest to one question, type by type, each type asked only as deep as its hits reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kbtui.store.retrieve import Raw

Search = Callable[[tuple[str, ...], int], dict[str, Raw]]
"""Types and n to the nearest n of each, best first, ties by key; a type with fewer has no more."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of a type: its nearest, and whether there is no more."""

    hits: Raw
    exhausted: bool


class Nearest:
    """One question's nearest passages, remembered: the bounds ask every type, and the pools the same types again."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._known: dict[str, _Known] = {}

    def ask(self, source_types: tuple[str, ...], n: int) -> tuple[Raw, bool]:
        """Return the nearest ``n`` of these types together, and whether that is all there is."""
        self._deepen(tuple(name for name in source_types if name not in self._known), n)
        while True:
            merged = self._merged(source_types)
            cut = _order(merged[n - 1]) if n <= len(merged) else None
            short = tuple(name for name in source_types if self._ends_within(name, cut))
            if not short:
                return merged[:n], len(merged) <= n and all(self._known[name].exhausted for name in source_types)
            self._deepen(short, n)

    def _deepen(self, source_types: tuple[str, ...], n: int) -> None:
        if source_types:
            found = self._search(source_types, n)
            for name in source_types:
                hits = found.get(name, [])
                self._known[name] = _Known(hits, exhausted=len(hits) < n)

    def _merged(self, source_types: tuple[str, ...]) -> Raw:
        return sorted((hit for name in source_types for hit in self._known[name].hits), key=_order)

    def _ends_within(self, name: str, cut: tuple[float, int] | None) -> bool:
        """Say whether all that is known of a type lies before the cut, so that what follows it may, too."""
        known = self._known[name]
        return not known.exhausted and (cut is None or _order(known.hits[-1]) < cut)


def _order(hit: tuple[int, float]) -> tuple[float, int]:
    return -hit[1], hit[0]
