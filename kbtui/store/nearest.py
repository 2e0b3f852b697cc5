"""Nearest: the passages nearest to one question, type by type, each type asked only as deep as its hits reach."""

from __future__ import annotations

from collections.abc import Callable

from kbtui.store.ranking import Ranking, merged

Search = Callable[[tuple[str, ...], int], dict[str, Ranking]]
"""Types and n to the nearest n of each; a type with fewer has no more."""


class Nearest:
    """One question's nearest passages, remembered: the bounds ask every type, and the pools the same types again."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._known: dict[str, Ranking] = {}
        self._exhausted: set[str] = set()

    def ask(self, source_types: tuple[str, ...], n: int) -> tuple[Ranking, bool]:
        """Return the nearest ``n`` of these types together, and whether that is all there is."""
        self._deepen(tuple(name for name in source_types if name not in self._known), n)
        while True:
            together = merged([self._known[name] for name in source_types])
            short = tuple(name for name in source_types if self._may_hold_more(name, together, n))
            if not short:
                return together.first(n), len(together) <= n and self._exhausted.issuperset(source_types)
            self._deepen(short, n)

    def _deepen(self, source_types: tuple[str, ...], n: int) -> None:
        if source_types:
            found = self._search(source_types, n)
            for name in source_types:
                self._known[name] = found.get(name, merged(()))
                if len(self._known[name]) < n:
                    self._exhausted.add(name)

    def _may_hold_more(self, name: str, together: Ranking, n: int) -> bool:
        """Say whether all that is known of a type lies before the n-th of all, so that what follows it may, too."""
        if name in self._exhausted:
            return False
        if len(together) < n:
            return True
        known = self._known[name]
        last, cut = (-known.scores[-1], known.keys[-1]), (-together.scores[n - 1], together.keys[n - 1])
        return bool(last < cut)
