"""Numbers as the app writes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbtui.tui.figures import bar, percent, short, signed, split_cells, stretch


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0, "0"),
        (999, "999"),
        (1_000, "1.0k"),
        (8_149, "8.1k"),
        (99_940, "99.9k"),
        (99_950, "100k"),
        (999_499, "999k"),
        (1_234_567, "1.2M"),
        (3_000_000_000, "3.0G"),
    ],
)
def test_counts_are_short(number: int, expected: str) -> None:
    assert short(number) == expected


@given(st.integers(min_value=0, max_value=10**12))
def test_a_short_count_has_at_most_five_characters(number: int) -> None:
    assert len(short(number)) <= 5


def test_a_share_is_never_whole_before_it_is_nor_nothing_when_there_is_some() -> None:
    assert percent(999, 1_000) == "99%"
    assert percent(1_000, 1_000) == "100%"
    assert percent(1, 1_000) == "<1%"
    assert percent(0, 1_000) == "0%"
    assert percent(0, 0) == "0%"


def test_no_penalty_is_a_dash() -> None:
    assert signed(0.0) == "-"
    assert signed(-0.25) == "-0.25"


@given(st.floats(min_value=-1, max_value=2), st.integers(min_value=0, max_value=60))
def test_a_bar_is_as_wide_as_its_room(share: float, width: int) -> None:
    assert len(bar(share, width)) == width


@given(
    st.floats(min_value=0, max_value=1),
    st.floats(min_value=0, max_value=1),
    st.integers(min_value=1, max_value=60),
)
def test_a_stretch_fills_its_room_and_is_seen_when_it_is_not_empty(one: float, other: float, width: int) -> None:
    start, end = sorted((one, other))
    before, drawn, after = stretch(start, end, width)
    assert len(before) + len(drawn) + len(after) == width
    assert bool(drawn) == (end > start)


@given(st.lists(st.integers(min_value=0, max_value=10_000), max_size=20), st.integers(min_value=0, max_value=80))
def test_parts_never_take_more_cells_than_there_are(parts: list[int], width: int) -> None:
    cells = split_cells(tuple(parts), sum(parts), width)
    assert len(cells) == len(parts)
    assert sum(cells) <= width
    assert all(count == 0 for count, part in zip(cells, parts, strict=True) if part == 0)


def test_parts_take_cells_by_their_share() -> None:
    assert split_cells((50, 25, 25), 100, 8) == (4, 2, 2)
    assert split_cells((50, 25), 150, 6) == (2, 1)
