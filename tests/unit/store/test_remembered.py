"""Rows that were read before are not read again, until there are too many."""

from __future__ import annotations

from unittest import mock

from kbtui.store import remembered
from kbtui.store.remembered import Remembered


def test_a_row_is_read_once() -> None:
    """Of what was asked for only the new is read; what has no row is left out and asked for again."""
    reads: list[list[int]] = []

    def read(keys: list[int]) -> dict[int, str]:
        reads.append(keys)
        return {key: f"row {key}" for key in keys if key < 10}

    rows = Remembered[int, str](read)
    assert rows.rows((1, 2)) == {1: "row 1", 2: "row 2"}
    assert rows.rows((2, 3, 99)) == {2: "row 2", 3: "row 3"}
    assert list(rows.rows((4, 1, 5, 2))) == [4, 1, 5, 2], "in the order asked for, whatever was remembered"
    assert rows.rows((1, 2, 3)) == {1: "row 1", 2: "row 2", 3: "row 3"}
    assert rows.rows((99,)) == {}
    assert reads == [[1, 2], [3, 99], [4, 5], [99]]


def test_too_many_are_forgotten() -> None:
    """What was read last stays, and the answer is whole all the same."""
    reads: list[list[int]] = []

    def read(keys: list[int]) -> dict[int, int]:
        reads.append(keys)
        return {key: -key for key in keys}

    with mock.patch.object(remembered, "MOST", 2):
        rows = Remembered[int, int](read)
        assert rows.rows((1, 2)) == {1: -1, 2: -2}
        assert rows.rows((2, 3)) == {2: -2, 3: -3}
        assert rows.rows((3,)) == {3: -3}
        rows.rows((1,))
    assert reads == [[1, 2], [3], [1]]
