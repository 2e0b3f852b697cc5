"""Types merged by how near their passages are: the true nearest of all, with as few questions as tell."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kbtui.store.nearest import Nearest
from kbtui.store.ranking import Ranking
from tests.unit.store.fakes import Raw, ranking

Asked = list[tuple[tuple[str, ...], int]]


def over(types: dict[str, Raw], asked: Asked) -> Nearest:
    """Return the nearest of a question whose passages are these; what is searched is noted."""

    def search(source_types: tuple[str, ...], n: int) -> dict[str, Ranking]:
        asked.append((source_types, n))
        return {name: ranking(types[name][:n]) for name in source_types if name in types}

    return Nearest(search)


def falling(first_key: int, best: float, count: int) -> Raw:
    return [(first_key + place, best - place / 1000) for place in range(count)]


def test_a_type_is_asked_deeper_only_where_more_of_it_may_count() -> None:
    """Guides fill the nearest four; of the tickets, all farther, two were known and are enough."""
    asked: Asked = []
    near = over({"guide": falling(0, 0.9, 9), "ticket": falling(100, 0.1, 9)}, asked)
    assert list(near.ask(("guide", "ticket"), 2)[0]) == falling(0, 0.9, 2)
    assert list(near.ask(("guide", "ticket"), 4)[0]) == falling(0, 0.9, 4)
    assert list(near.ask(("guide",), 2)[0]) == falling(0, 0.9, 2)
    assert asked == [(("guide", "ticket"), 2), (("guide",), 4)]


def test_two_types_that_hold_less_than_n_each_are_more_than_n_together() -> None:
    """That neither has more does not mean that all was brought."""
    near = over({"guide": falling(0, 0.9, 3), "ticket": falling(100, 0.8, 3)}, [])
    hits, exhausted = near.ask(("guide", "ticket"), 4)
    assert (len(hits), exhausted) == (4, False)
    hits, exhausted = near.ask(("guide", "ticket"), 8)
    assert (list(hits), exhausted) == (falling(0, 0.9, 3) + falling(100, 0.8, 3), True)


def test_a_type_without_vectors_is_exhausted() -> None:
    hits, exhausted = over({}, []).ask(("guide",), 5)
    assert (list(hits), exhausted) == ([], True)


@given(
    st.lists(st.lists(st.integers(0, 9), max_size=12), min_size=1, max_size=4),
    st.lists(st.tuples(st.integers(1, 14), st.integers(0, 15)), min_size=1, max_size=4),
)
def test_whatever_was_asked_before_the_answer_is_that_of_one_sorted_list(
    scores: list[list[int]], questions: list[tuple[int, int]]
) -> None:
    """Ties by key; exhausted if and only if nothing was left out."""
    keys = iter(range(1000))
    types = {
        f"t{place}": sorted(((next(keys), score / 10) for score in some), key=lambda hit: (-hit[1], hit[0]))
        for place, some in enumerate(scores)
    }
    near = over(types, [])
    for n, mask in questions:
        names = tuple(name for place, name in enumerate(types) if mask >> place & 1)
        everything = sorted((hit for name in names for hit in types[name]), key=lambda hit: (-hit[1], hit[0]))
        hits, exhausted = near.ask(names, n)
        assert list(hits) == everything[:n]
        assert not exhausted or len(everything) <= n
        assert exhausted or len(everything) >= n
