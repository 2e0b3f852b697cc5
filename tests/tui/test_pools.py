"""The Pools pane: what tiers asked, found and used, and what a search without them would have returned instead."""

from __future__ import annotations

import pytest

from kbtui.errors import RetrievalFailed
from kbtui.model import Answer, Query
from kbtui.settings import Settings
from kbtui.tui.ink import plain
from kbtui.tui.widgets.pools_view import pools
from kbtui.tui.widgets.starvation import starvation
from tests.tui.drive import running
from tests.tui.fakes import FakeLibrary


def asked(*, tiered: bool, types: tuple[str, ...] = ()) -> Answer:
    return FakeLibrary().query(Query(text="state provider", source_types=types, tiered=tiered), Settings())


def told(answer: Answer, other: Answer | RetrievalFailed | None, width: int = 60) -> str:
    return "\n".join(plain(line) for line in starvation(answer, other, width))


def test_every_tier_is_counted_with_tiers_and_without() -> None:
    """Of nine documents three are history's and found by both; one pool finds two of the others' six."""
    lines = {
        line.split()[1]: line.split()[2:] for line in told(asked(tiered=True), asked(tiered=False)).splitlines()[3:6]
    }
    assert lines["primary"] == ["3", "3", "2", "2"]
    assert lines["historical"] == ["3", "2", "3", "3"]
    assert lines["secondary"] == ["2", "0", "0", "0", "▼"]


def test_history_is_counted_in_words() -> None:
    shown = told(asked(tiered=True), asked(tiered=False))
    assert "history: 3 of 5 candidates (tiers: 3 of 9)" in shown
    assert "history: 3 of 5 places (tiers: 2 of 5)" in shown


def test_the_other_response_says_where_its_rows_are_here() -> None:
    """A row that is behind the limit here is named with its rank; what is lost is named too."""
    shown = told(asked(tiered=True), asked(tiered=False))
    got, _, lost = shown.partition("and would not get")
    assert "State providers" in got
    assert "Release 2.4" in got
    assert "provider.py" in lost
    assert "no candidate there" in lost


def test_a_question_for_types_has_nothing_to_compare() -> None:
    assert "nothing to compare" in told(asked(tiered=True, types=("pull",)), None)


async def test_the_pools_pane_asks_without_tiers_when_it_is_opened_and_follows_a_knob() -> None:
    library = FakeLibrary()
    async with running(library) as drive:
        assert all(query.tiered for query, _ in library.asked)
        await drive.press("l")
        assert [query for query, _ in library.asked if not query.tiered] == [Query(text="state provider", tiered=False)]
        assert "history: 3 of 5 candidates" in drive.text()
        await drive.press("t")
        drive.explore.drawer.knobs.choose("penalty.pull")
        await drive.press(*"-.6", "enter")
        flat = [settings for query, settings in library.asked if not query.tiered]
        assert flat[-1].get("penalty.pull") == -0.6


async def test_an_error_without_tiers_is_told_in_place() -> None:
    library = FakeLibrary()
    async with running(library) as drive:
        library.failure = RetrievalFailed("no retriever answered [/]", "")
        await drive.press("l")
        assert "no retriever answered [/]" in drive.text()
        assert drive.explore.session.error is None


async def test_a_question_for_types_asks_nothing_more() -> None:
    library = FakeLibrary()
    async with running(library) as drive:
        await drive.press("slash", "tab", *"pull", "enter")
        await drive.press("l")
        assert all(query.tiered for query, _ in library.asked)


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (100, 30), (120, 40), (200, 50)])
async def test_no_line_of_a_table_is_broken_at_any_width(size: tuple[int, int]) -> None:
    async with running(size=size) as drive:
        await drive.press("l")
        view = drive.explore.pools
        for lines in (pools(drive.answer, view.inner_width), starvation(drive.answer, drive.answer, view.inner_width)):
            tables = [plain(line) for line in lines if "meaning  " in plain(line) or "used" in plain(line)]
            assert tables
            assert all(len(line) <= view.inner_width for line in tables)
