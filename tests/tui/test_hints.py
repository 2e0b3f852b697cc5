"""The last line of the screen: hints of the keys that work, whole ones, and the way to all others."""

from __future__ import annotations

import pytest
from textual.binding import Binding
from textual.widgets._footer import FooterKey

from kbtui.tui.keymap import TYPED
from kbtui.tui.widgets.key_hints import KeyHints, fitting
from tests.tui.drive import Drive, running


def hints(drive: Drive) -> list[FooterKey]:
    """Return the hints of the screen on top, in order."""
    line = drive.app.screen.query_one(KeyHints)
    return list(line.query(FooterKey))


def words(drive: Drive) -> list[str]:
    """Return the hints as they are read."""
    return [f"{hint.key_display} {hint.description}" for hint in hints(drive)]


def hint(key: str, description: str, name: str = "") -> tuple[Binding, bool, str]:
    """Return a hint to be fitted."""
    return Binding(key, "do", description, key_display=key, id=name or description), True, ""


def test_a_hint_is_whole_or_not_there_and_help_stays() -> None:
    """Each takes its key, a blank, its words and two cells; the one for help is last at any width."""
    all_of_them = [hint("a", "Apple"), hint("?", "Help", "app.help"), hint("b", "Blackberry"), hint("c", "Fig")]
    assert [each[0].description for each in fitting(all_of_them, 100)] == ["Apple", "Blackberry", "Fig", "Help"]
    assert [each[0].description for each in fitting(all_of_them, 8 + 9 + 7)] == ["Apple", "Fig", "Help"]
    assert [each[0].description for each in fitting(all_of_them, 3)] == ["Help"]


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("keys", ["", "enter", "enter t", "enter g g", "enter c c", "enter C", "enter L", "enter w"])
async def test_no_hint_is_cut_at_any_width(width: int, keys: str) -> None:
    async with running(size=(width, 30)) as drive:
        await drive.press("slash", *keys.split())
        assert hints(drive)
        assert all(each.region.right <= width and each.region.width > 3 for each in hints(drive))


async def test_hints_follow_the_width() -> None:
    async with running(size=(120, 30)) as drive:
        wide = words(drive)
        await drive.pilot.resize_terminal(80, 30)
        await drive.pilot.pause()
        narrow = words(drive)
        assert len(narrow) < len(wide)
        assert set(narrow) < set(wide)
        assert narrow[-1] == wide[-1] == "? Help"


async def test_the_question_offers_only_keys_that_do_not_type() -> None:
    async with running() as drive:
        await drive.press("slash")
        offered = hints(drive)
        assert not {each.key for each in offered} & set(TYPED)
        assert words(drive)[:5] == ["↓ List", "⏎ Ask", "tab Types", "^p Actions", "^f Search"]
        await drive.press("question_mark")
        assert drive.explore.query_bar.query_field.value.endswith("?")


async def test_what_has_the_keyboard_comes_first_then_tuning_and_why_not() -> None:
    async with running(size=(80, 24)) as drive:
        drive.explore.results.focus()
        await drive.pilot.pause()
        said = words(drive)
        assert said[0] == "⏎ Read"
        assert "t Tune" in said
        assert "w Why not" in said
