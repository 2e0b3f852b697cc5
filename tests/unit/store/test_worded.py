"""One look at the best of all types: whatever is asked of it, the answer is that of a search of these types alone."""

from __future__ import annotations

from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kbtui.store import worded
from kbtui.store.places import Places
from kbtui.store.ranking import Ranking
from kbtui.store.worded import Worded
from tests.unit.store.fakes import Raw, ranking

TYPES = ("blog", "guide", "ticket")

Asked = list[tuple[tuple[str, ...] | None, int]]


def over(kinds: list[int], raw: Raw, asked: Asked) -> Worded:
    """Return the best of a question whose passages are these, key by key of these types; searches are noted."""

    def search(source_types: tuple[str, ...] | None, n: int) -> Ranking:
        asked.append((source_types, n))
        names = TYPES if source_types is None else source_types
        return ranking([hit for hit in raw if TYPES[kinds[hit[0]]] in names][:n])

    numbers = np.arange(len(kinds), dtype=np.int32)
    return Worded(search, Places(numbers.astype(np.int64), numbers, numbers, np.array(kinds, np.int32), TYPES))


def test_what_the_first_look_holds_is_not_searched_again() -> None:
    """Two guides among the best four: two are there, for three the guides alone are searched."""
    asked: Asked = []
    with mock.patch.object(worded, "WIDE", 4):
        words = over([1, 2, 1, 2, 1], [(key, 9.0 - key) for key in range(5)], asked)
        assert words.ask(("guide",), 2)[0].keys.tolist() == [0, 2]
        assert words.ask(("guide", "ticket"), 3)[0].keys.tolist() == [0, 1, 2]
        assert words.ask(("guide",), 3)[0].keys.tolist() == [0, 2, 4]
    assert asked == [(None, 4), (("guide",), 3)]


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9)), max_size=20),
    st.lists(st.tuples(st.integers(1, 14), st.integers(1, 7)), min_size=1, max_size=4),
)
def test_the_answer_is_that_of_a_search_of_these_types(
    passages: list[tuple[int, int]], questions: list[tuple[int, int]]
) -> None:
    """Ties by key; exhausted if and only if nothing was left out."""
    raw: Raw = sorted(
        ((key, float(score)) for key, (_, score) in enumerate(passages)), key=lambda hit: (-hit[1], hit[0])
    )
    kinds = [kind for kind, _ in passages]
    with mock.patch.object(worded, "WIDE", 6):
        words = over(kinds, raw, [])
        for n, mask in questions:
            names = tuple(name for place, name in enumerate(TYPES) if mask >> place & 1)
            everything = [hit for hit in raw if TYPES[kinds[hit[0]]] in names]
            hits, exhausted = words.ask(names, n)
            assert list(hits) == everything[:n]
            assert not exhausted or len(everything) <= n
            assert exhausted or len(everything) >= n
