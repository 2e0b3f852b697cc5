"""Pin, difference, tries, saving and profiles: numbers are tried, compared and kept without leaving the app."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbtui.settings import Settings
from kbtui.tui.knob_use import share, unused
from kbtui.tui.list_view import movements, told
from kbtui.tui.tries import differ
from tests.tui.drive import Drive, running
from tests.tui.fakes import FakeLibrary


async def turn(drive: Drive, key: str, *keys: str) -> None:
    """Turn a knob in the drawer, and go back to the list."""
    await drive.press("t")
    drive.explore.drawer.knobs.choose(key)
    await drive.press(*keys, "escape")


async def test_a_pinned_answer_marks_what_moved_against_it() -> None:
    async with running() as drive:
        before = {row.document.doc_id: row.rank for row in drive.answer.rows}
        assert before["pulls/418.md"] == 4
        await drive.press("p")
        assert "against the pin: no difference" in drive.text()
        await turn(drive, "penalty.pull", "shift+right")
        difference = drive.explore.results.difference
        assert difference is not None
        assert movements(difference)["pulls/418.md"] == "+2"
        assert told(difference) == "3 moved; largest 4 to 2"
        assert "3 moved; largest 4 to 2" in drive.text()
        assert "+2" in drive.text()
        await drive.press("p", "p")
        assert drive.explore.session.pinned is None
        assert "against the pin" not in drive.text()


async def test_what_comes_in_is_new_and_what_goes_out_is_out() -> None:
    async with running() as drive:
        await drive.press("p")
        await turn(drive, "limit", "right")
        difference = drive.explore.results.difference
        assert difference is not None
        sixth = drive.answer.rows[5].document.doc_id
        assert movements(difference)[sixth] == "new"
        assert told(difference).startswith("1 new")
        await turn(drive, "limit", "left", "left")
        difference = drive.explore.results.difference
        assert difference is not None
        assert movements(difference)[drive.answer.behind[0].document.doc_id] == "out"


async def test_a_pin_says_nothing_of_another_question() -> None:
    async with running() as drive:
        await drive.press("p")
        await drive.ask("another")
        assert drive.explore.results.difference is None
        await drive.press("d")
        assert "answer two questions" in drive.text()


async def test_d_shows_settings_numbers_and_moves_side_by_side() -> None:
    async with running() as drive:
        await drive.press("d")
        assert "Nothing is pinned" in drive.told()
        await drive.press("p")
        await turn(drive, "penalty.pull", "shift+right")
        await drive.press("d")
        shown = drive.text()
        assert "3 moved; largest 4 to 2" in shown
        assert "penalty.pull" in shown
        assert "-0.25" in shown
        assert "  4    2  moved" in shown
        await drive.press("escape")
        assert len(drive.app.screen_stack) == 1


async def test_a_try_is_named_listed_with_its_numbers_and_returned_to() -> None:
    async with running() as drive:
        await turn(drive, "limit", "right")
        await drive.press("T", "enter", "enter")
        assert [each.name for each in drive.explore.session.tries] == ["try 1"]
        await turn(drive, "limit", "right", "right")
        await drive.press("T")
        assert "6 kept" in drive.text()
        await drive.press("down", "enter")
        assert drive.explore.session.settings.whole("limit") == 6
        assert len(drive.answer.rows) == 6
        await drive.press("u")
        assert drive.explore.session.settings.whole("limit") == 8
        await drive.press("T", "end", "enter")
        assert "try 1" in drive.text()
        assert "limit" in drive.text()


async def test_s_shows_the_lines_first_writes_on_enter_and_keeps_comments(tmp_path: Path) -> None:
    file = tmp_path / "kbtui.toml"
    file.write_text("# ours\n[penalty]\npull = -0.25  # agreed in spring\n")
    async with running(store=tmp_path / ".kbtui") as drive:
        await drive.press("s")
        assert "Nothing to save" in drive.told()
        await turn(drive, "penalty.pull", "right", "right")
        await drive.press("s")
        shown = drive.text()
        assert "- pull = -0.25" in shown
        assert "+ pull = -0.15" in shown
        await drive.press("escape")
        assert "-0.25" in file.read_text()
        await drive.press("s", "enter")
        assert file.read_text() == "# ours\n[penalty]\npull = -0.15  # agreed in spring\n"
        await drive.press("s")
        assert len(drive.app.screen_stack) == 1


async def test_the_sheet_says_what_saving_does_and_how_to_take_it_back() -> None:
    async with running() as drive:
        await turn(drive, "penalty.pull", "right")
        await drive.press("s")
        assert "agents, `kbtui query`, and this app" in drive.text()
        assert "u until the old numbers are there" in drive.text()


async def test_quitting_with_numbers_that_no_file_has_asks_first() -> None:
    async with running() as drive:
        await turn(drive, "penalty.pull", "right")
        await drive.press("q")
        assert drive.app.is_running
        assert "quit: these numbers are not saved" in drive.text()
        assert "-0.25 → -0.20" in drive.text()
        await drive.press("escape", "u", "q")
        assert not drive.app.is_running


async def test_numbers_that_came_with_the_command_are_not_asked_about() -> None:
    async with running(settings=Settings().with_values({"limit": 3})) as drive:
        await drive.press("q")
        assert not drive.app.is_running


async def test_what_was_said_of_numbers_goes_when_they_do(tmp_path: Path) -> None:
    async with running(store=tmp_path / ".kbtui") as drive:
        await turn(drive, "penalty.pull", "right")
        await drive.press("s", "enter")
        assert "Wrote" in drive.told()
        await drive.press("u")
        assert drive.told() == ""


async def test_a_file_with_mistakes_is_not_written_and_says_so(tmp_path: Path) -> None:
    file = tmp_path / "kbtui.toml"
    file.write_text("limit = [\n")
    async with running(store=tmp_path / ".kbtui") as drive:
        await turn(drive, "limit", "right")
        await drive.press("s")
        assert len(drive.app.screen_stack) == 1
        assert "TOML" in drive.told()
        assert file.read_text() == "limit = [\n"


async def test_numbers_are_saved_as_a_profile_loaded_and_compared(tmp_path: Path) -> None:
    async with running(store=tmp_path / ".kbtui") as drive:
        await turn(drive, "limit", "right")
        await drive.press("P", "enter", *"wide", "enter", "enter")
        assert "[profile.wide]\nlimit = 6" in (tmp_path / "kbtui.toml").read_text()
        await turn(drive, "limit", "left", "left")
        await drive.press("P", "end", "enter")
        assert "wide" in drive.text()
        assert "4 whole" in drive.text() or "limit" in drive.text()
        await drive.press("escape", "P", "down", "enter")
        assert drive.explore.session.settings.whole("limit") == 6


async def test_all_numbers_go_back_only_after_asking() -> None:
    settings = Settings().with_values({"limit": 7, "penalty.pull": -0.4})
    async with running(settings=settings) as drive:
        await drive.press("t", "R")
        assert "-0.40 → -0.25" in drive.text()
        await drive.press("escape")
        assert drive.explore.session.settings == settings
        await drive.press("R", "enter")
        assert drive.explore.session.settings == Settings()
        await drive.press("u")
        assert drive.explore.session.settings == settings


async def test_a_number_that_the_query_does_not_use_says_so_and_why() -> None:
    async with running() as drive:
        await drive.press("t")
        drive.explore.drawer.knobs.choose("penalty.commit")
        await drive.rest()
        assert "not used: no candidate is of type commit" in drive.text()


async def test_use_and_share_are_read_off_the_answer() -> None:
    settings = Settings()
    async with running() as drive:
        answer = drive.answer
        assert unused("penalty.pull", answer, settings) == ""
        assert unused("penalty.commit", answer, settings) != ""
        assert unused("penalty.superseded", answer, settings) != ""
        assert unused("prior.tier.primary", answer, settings) == ""
        assert unused("boost.identity", answer, settings) != ""
        assert unused("limit", answer, settings) == ""
        assert unused("neighbour.decay", answer, settings.with_values({"expand": 0})) != ""
        terms = [term for row in (*answer.rows, *answer.behind) for term in row.scored.terms]
        dense = sum(term.value for term in terms if term.name == "dense")
        assert share("weights.dense", answer) == pytest.approx(dense / sum(abs(term.value) for term in terms))
        assert share("limit", answer) is None
    async with running(FakeLibrary()) as drive:
        await drive.press("slash", "tab", *"pull", "enter")
        assert "query for types" in unused("penalty.pull", drive.answer, settings)
        assert "query for types" in unused("pools.primary", drive.answer, settings)
        assert unused("pools.candidates", drive.answer, settings) == ""


async def test_two_questions_have_no_difference_and_one_has() -> None:
    async with running() as drive:
        assert differ(None, drive.answer) is None
        difference = differ(drive.answer, drive.answer)
        assert difference is not None
        assert difference.unchanged
