"""What a terminal of each size shows, and that no size and no change of size ends the app."""

from __future__ import annotations

import pytest
from textual.theme import BUILTIN_THEMES

from tests.tui.drive import running


async def test_at_120_columns_list_and_pane_stand_side_by_side() -> None:
    async with running(size=(120, 40)) as drive:
        shown = drive.text()
        assert "State providers" in shown
        assert "found by" in shown


async def test_at_80_columns_one_pane_at_a_time_with_tabs() -> None:
    async with running(size=(80, 24)) as drive:
        shown = drive.text()
        assert "[results]" in shown
        assert "found by" not in shown
        await drive.press("e")
        shown = drive.text()
        assert "[explain]" in shown
        assert "found by" in shown
        assert "outranked" not in shown
        assert drive.explore.explain.has_focus
        await drive.press("escape")
        assert "[results]" in drive.text()
        assert drive.explore.results.has_focus


async def test_at_80_columns_the_list_stays_in_sight_while_tuning() -> None:
    async with running(size=(80, 24)) as drive:
        await drive.press("c", "t")
        shown = drive.text()
        assert "State providers" in shown
        assert "limit" in shown
        assert drive.explore.drawer.knobs.has_focus


async def test_at_200_columns_list_pane_and_drawer_stand_side_by_side() -> None:
    async with running(size=(200, 50)) as drive:
        await drive.press("t")
        shown = drive.text()
        assert "outranked" in shown
        assert "found by" in shown
        assert "penalty.pull" in shown


@pytest.mark.parametrize("size", [(59, 40), (120, 14), (40, 10)])
async def test_a_terminal_that_is_too_small_says_so(size: tuple[int, int]) -> None:
    async with running(size=size) as drive:
        shown = drive.text()
        assert "kbtui needs 60x15" in shown
        assert f"{size[0]}x{size[1]}" in shown
        await drive.press("q")
        assert not drive.app.is_running


@pytest.mark.parametrize("size", [(60, 15), (79, 24), (99, 30), (100, 15), (300, 90)])
async def test_the_list_is_there_at_every_size_that_is_large_enough(size: tuple[int, int]) -> None:
    async with running(size=size) as drive:
        shown = drive.text()
        assert "kept 8.0k" in shown
        assert "32,000" in shown
        assert all(len(line) <= size[0] for line in shown.splitlines())


async def test_a_storm_of_sizes_ends_where_it_began() -> None:
    async with running(size=(120, 40)) as drive:
        before = drive.text()
        for key in ("c", "g", "t", "e"):
            await drive.press(key)
            for width, height in ((1, 1), (80, 24), (200, 2), (120, 40)):
                await drive.pilot.resize_terminal(width, height)
        await drive.press("escape", "home")
        assert drive.app.is_running
        assert drive.text().splitlines()[2:20] == before.splitlines()[2:20]


@pytest.mark.parametrize("keys", [("escape",), ("c", "c"), ("t",), ("slash",)])
async def test_the_keyboard_is_where_it_was_after_the_terminal_was_too_small(keys: tuple[str, ...]) -> None:
    """Not in the question, where the next letter would be typed instead of obeyed."""
    async with running(size=(120, 40)) as drive:
        await drive.press(*keys)
        before = drive.app.focused
        assert before is not None
        for width, height in ((1, 1), (40, 8), (120, 40)):
            await drive.pilot.resize_terminal(width, height)
        await drive.rest()
        assert drive.app.focused is before
        await drive.press("ctrl+p", "escape")
        assert drive.app.focused is before


async def test_a_mouse_reaches_rows_and_tabs() -> None:
    async with running(size=(120, 40)) as drive:
        await drive.pilot.click("#results", offset=(5, 2))
        await drive.rest()
        assert drive.explore.row is drive.answer.rows[2]
        await drive.pilot.click("#tabs", offset=(12, 0))
        await drive.rest()
        assert drive.explore.pane == "context"


async def test_every_theme_draws_and_textuals_own_are_not_offered() -> None:
    async with running(size=(120, 40)) as drive:
        assert not set(drive.app.available_themes) & set(BUILTIN_THEMES)
        before = drive.text()
        for name in drive.app.available_themes:
            drive.app.theme = name
            await drive.rest()
            assert drive.text() == before
