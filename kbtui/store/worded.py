"""Worded: the passages that hold one question's words. One look at the best of all types answers for most of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from kbtui.store.ranking import Ranking

if TYPE_CHECKING:
    from kbtui.store.places import Numbers, Places

WIDE = 1000
"""Passages of the look at all types; a thousand cost hardly more than a hundred, a filter on types about as much."""

Search = Callable[[tuple[str, ...] | None, int], Ranking]
"""Types (None: all) and n to the best n of them."""


class Worded:
    """One question's best passages by words, remembered: the bounds ask for them, and the pools for parts of them."""

    def __init__(self, search: Search, places: Places) -> None:
        self._search, self._places = search, places

    def ask(self, source_types: tuple[str, ...], n: int) -> tuple[Ranking, bool]:
        """Return the best ``n`` of these types, and whether that is all there is."""
        import numpy as np

        wide, kinds = self._wide
        there = wide.where(np.isin(kinds, self._places.kinds_named(source_types)))
        if len(wide) < WIDE:
            return there.first(n), len(there) <= n
        if len(there) >= n:
            return there.first(n), False
        found = self._search(source_types, n)
        return found, len(found) < n

    @cached_property
    def _wide(self) -> tuple[Ranking, Numbers]:
        """The best of all types, and their types; a type's own best are those that come first among them."""
        wide = self._search(None, WIDE)
        return wide, self._places.kinds_of(wide.keys)
