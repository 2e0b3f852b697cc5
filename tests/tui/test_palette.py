"""The palette and the zoom: every action of kbtui is found in one place, and done where it works."""

from __future__ import annotations

import pytest
from textual.widget import Widget
from textual.widgets import Input

from kbtui.tui import keymap
from kbtui.tui.screens.chooser import Choice, Choices
from kbtui.tui.task_words import TASK_WORDS
from tests.tui.drive import Drive, running


def offered(drive: Drive) -> list[str]:
    return [command.command_id for command, _ in drive.explore._actions()]


async def test_the_palette_offers_every_action_with_its_key_and_what_it_does() -> None:
    async with running(size=(120, 200)) as drive:
        await drive.press("colon")
        shown = drive.text()
        for command in keymap.commands():
            assert (command.command_id in offered(drive)) is not command.is_of_a_sheet
            if not command.is_of_a_sheet:
                assert command.help[:40] in shown, command
        assert "ctrl+p" in shown
        for internal in ("Maximize", "Screenshot", "Show keys", "Theme:"):
            assert internal not in shown


TASKS = {
    "above": "explore.explain",
    "rank": "explore.explain",
    "missing": "app.why",
    "why not": "app.why",
    "half": "explore.budget",
    "budget": "explore.budget",
    "cut": "explore.budget",
    "left out": "explore.context",
    "save": "explore.save",
    "setting": "explore.tune",
    "type": "query.types",
    "neighbour": "explore.graph",
    "graph adds": "graph.added",
    "grep": "app.search",
    "mcp": "app.copy",
    "colour": "app.theme",
    "skipped": "app.corpus",
    "agents asked": "app.log",
}
"""A word of the task that somebody has, and the action that answers it."""


async def test_an_action_is_found_by_the_words_of_a_task() -> None:
    """Among the first three, whatever else has the word."""
    async with running(size=(120, 40)) as drive:
        await drive.press("colon")
        chooser = drive.app.screen
        for words, wanted in TASKS.items():
            chooser.query_one(Input).value = words
            await drive.pilot.pause()
            found = [item.value for item in chooser.query_one(Choices)._items if isinstance(item, Choice)]
            assert wanted in found[:3], (words, found[:5])


def test_every_task_word_is_of_an_action() -> None:
    assert set(TASK_WORDS) <= {command.command_id for command in keymap.commands()}


@pytest.mark.parametrize("before", [(), ("C",)])
async def test_a_setting_is_found_by_its_name_and_turned_where_it_is(before: tuple[str, ...]) -> None:
    """With its present value; from a room, too."""
    async with running(size=(120, 40)) as drive:
        await drive.press(*before, "colon", *"penalty.pull")
        assert "-0.25" in drive.text()
        await drive.press("enter")
        await drive.until(lambda: drive.explore.drawer.knobs.has_focus)
        assert drive.explore.drawer.knobs.key == "penalty.pull"
        assert len(drive.app.screen_stack) == 1


async def test_it_opens_from_the_question_too_and_esc_puts_it_away() -> None:
    async with running() as drive:
        await drive.press("slash", "ctrl+p")
        assert "everywhere" in drive.text()
        await drive.press("escape")
        assert len(drive.app.screen_stack) == 1
        assert drive.app.focused is drive.explore.query_bar.query_field


async def test_words_sift_it_and_enter_does_what_is_under_the_cursor() -> None:
    async with running() as drive:
        await drive.press("colon", *"tier found")
        assert "Leave kbtui" not in drive.text()
        await drive.press("enter")
        assert drive.explore.pane == "pools"


async def test_an_action_of_another_pane_opens_that_pane() -> None:
    async with running() as drive:
        await drive.press("colon", *"walk the graph", "enter")
        assert drive.explore.pane == "graph"
        assert drive.explore.graph.has_focus
        await drive.press("escape", "colon", *"tune.more", "enter")
        assert drive.explore.has_class("-tuning")
        assert drive.explore.session.settings.whole("limit") == 6


async def test_up_and_down_move_in_it_and_words_that_nothing_goes_by_are_told() -> None:
    async with running() as drive:
        await drive.press("colon", *"pane", "down", "enter")
        assert len(drive.app.screen_stack) == 1
        await drive.press("colon", *"zebra", "enter")
        assert "nothing goes by these words" in drive.text()
        await drive.press("down", "pageup", "enter", "escape")
        assert drive.app.is_running


def visible(drive: Drive, *selectors: str) -> list[str]:
    return [name for name in selectors if drive.explore.query_one(name, Widget).region.area]


async def test_z_gives_the_screen_to_the_pane_with_the_keyboard_and_z_or_esc_takes_it_back() -> None:
    everything = ["#query-bar", "#left", "#right"]
    async with running() as drive:
        assert visible(drive, *everything) == everything
        for key in ("z", "escape"):
            await drive.press("z")
            assert visible(drive, *everything) == ["#left"]
            await drive.press(key)
            assert visible(drive, *everything) == everything
        await drive.press("c", "c", "z")
        assert visible(drive, *everything) == ["#right"]
        assert drive.explore.context.size.width > 110
        await drive.press("escape")
        assert drive.explore.context.has_focus


async def test_the_zoom_follows_the_keyboard_and_the_question_ends_it() -> None:
    everything = ["#query-bar", "#left", "#right", "#drawer"]
    async with running() as drive:
        await drive.press("z", "enter")
        assert visible(drive, *everything) == ["#right"]
        await drive.press("t")
        assert visible(drive, *everything) == ["#drawer"]
        await drive.press("slash")
        assert not drive.explore.has_class("-zoom")


async def test_a_pane_opened_while_the_list_is_zoomed_comes_to_light() -> None:
    async with running() as drive:
        await drive.press("z", "g")
        assert visible(drive, "#left", "#right") == ["#right"]


async def test_zoom_at_80_columns_gives_the_rows_of_the_other_panes_to_this_one() -> None:
    async with running(size=(80, 24)) as drive:
        before = drive.explore.results.size.height
        await drive.press("z")
        assert drive.explore.results.size.height > before
        await drive.press("c")
        assert "[context]" in drive.text()
