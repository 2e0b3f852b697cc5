"""Why not: a document is named, the stage that lost it is told, and a change that brings it in is made at once."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from kbtui import render
from kbtui.cli import parser as command_line
from kbtui.errors import StoreError
from kbtui.model import Answer, Progress, Query, Status, Why
from kbtui.settings import Settings
from kbtui.tui.rooms.why import WhyRoom
from tests.answers import HOSTILE, why_hostile
from tests.tui.drive import Drive, running
from tests.tui.fakes import FakeDoors, FakeLibrary
from tests.tui.test_hostile import assert_harmless

BLOG = "blog/state.md"


def room(drive: Drive) -> WhyRoom:
    """Return the room, which must be open."""
    assert isinstance(drive.app.screen, WhyRoom)
    return drive.app.screen


async def enter(drive: Drive, doc_id: str) -> WhyRoom:
    """Put the list's cursor on a document and ask why it is missing."""
    assert drive.explore.results.choose(doc_id)
    await drive.press("w")
    return room(drive)


async def test_a_row_behind_a_rule_is_asked_about_at_once_and_the_words_are_the_clis() -> None:
    async with running() as drive:
        opened = await enter(drive, BLOG)
        why = opened.view.why
        assert why is not None
        assert why.doc_id == BLOG
        shown = " ".join(drive.text().split())
        for sentence in (*render.why.verdict(why), render.why.changes_sentence(why)):
            assert sentence in shown
        assert "limit 5 → 6" in shown
        assert "then rank 6, trimmed" in shown


async def test_a_row_that_is_in_the_answer_is_no_question_and_what_was_left_out_is_offered() -> None:
    async with running() as drive:
        await drive.press("home", "w")
        assert room(drive).field.has_focus
        assert BLOG in drive.text()
        assert "rank 6, outranked" in drive.text()
        assert "docs/state.md" not in drive.text()


async def test_typing_finds_documents_and_enter_asks_about_the_one_under_the_cursor() -> None:
    async with running() as drive:
        await drive.press("home", "w", *"provider")
        await drive.until(lambda: "go by these words" in drive.text())
        assert "src/state/provider.py" in drive.text()
        assert "notes/misc.md" not in drive.text()
        wanted = room(drive).offers
        await drive.press("down")
        chosen = wanted.current
        await drive.press("enter")
        await drive.until(lambda: room(drive).view.why is not None)
        assert room(drive).subject == chosen


async def test_a_name_of_nothing_is_asked_about_as_it_is() -> None:
    async with running() as drive:
        await drive.press("home", "w", *"zebra")
        await drive.until(lambda: "No document goes by these words" in drive.text())
        await drive.press("enter")
        await drive.until(lambda: room(drive).view.why is not None)
        assert "It is not in the index" in drive.text()
        assert "Include" not in drive.text()  # there is nothing that could be added, or changed
        assert "Try it" not in drive.text()
        await drive.press("i", "enter")
        assert drive.app.screen is room(drive)


async def test_enter_makes_the_change_the_list_follows_and_undo_takes_it_back() -> None:
    async with running() as drive:
        await enter(drive, BLOG)
        await drive.press("enter")
        assert drive.app.screen is drive.explore
        assert drive.explore.session.settings.whole("limit") == 6
        assert drive.explore.row is not None
        assert drive.explore.row.document.doc_id == BLOG
        assert drive.explore.row.allocation.decision == "trimmed"
        assert drive.explore.drawer.knobs.key == "limit"
        assert "against before: 1 new" in drive.text()
        await drive.press("u")
        assert drive.explore.session.settings.whole("limit") == 5
        assert "against before" not in drive.text()


async def test_the_second_change_is_made_by_down_and_by_a_click() -> None:
    async with running() as drive:
        opened = await enter(drive, BLOG)
        assert opened.view.why is not None
        assert [change.key for change in opened.view.why.changes] == ["limit", "penalty.blog"]
        await drive.press("down")
        assert opened.view.change is opened.view.why.changes[1]
        first, _ = opened.view.reach(opened.view.stops[0])
        await drive.pilot.click(opened.view, offset=(4, first))
        assert opened.view.change is opened.view.why.changes[0]
        await drive.pilot.click(opened.view, offset=(4, first))
        await drive.rest()
        assert drive.explore.session.settings.whole("limit") == 6


async def test_i_adds_the_document_by_hand() -> None:
    async with running() as drive:
        await enter(drive, BLOG)
        await drive.press("i")
        assert drive.app.screen is drive.explore
        assert drive.answer.query.include == (BLOG,)
        assert drive.explore.results.has_focus


async def test_another_document_is_asked_about_with_a_slash_and_esc_goes_back_step_by_step() -> None:
    async with running() as drive:
        opened = await enter(drive, BLOG)
        await drive.press("slash", *"misc")
        await drive.until(lambda: "notes/misc.md" in drive.text())
        await drive.press("escape")
        assert opened.view.has_focus
        assert opened.subject == BLOG
        await drive.press("escape")
        assert drive.app.screen is drive.explore
        assert drive.explore.results.has_focus


class Slow(FakeLibrary):
    """A library whose trials end only when they are told to."""

    def __init__(self) -> None:
        super().__init__()
        self.trying = Event()
        self.ended = Event()

    def why(
        self,
        name: str,
        query: Query,
        settings: Settings,
        *,
        report: Callable[[Progress], None],
        cancelled: Callable[[], bool],
        diagnosed: Callable[[Why], None],
    ) -> Why:
        """Try on and on."""

        def watched() -> bool:
            report(Progress(stage="change", done=2, total=0, detail="limit"))
            self.trying.set()
            while not cancelled():
                self.ended.wait(0.01)
            self.ended.set()
            return True

        return super().why(name, query, settings, report=report, cancelled=watched, diagnosed=diagnosed)


async def test_the_verdict_comes_before_the_trials_which_are_told_and_esc_ends_them() -> None:
    library = Slow()
    async with running(library) as drive:
        assert drive.explore.results.choose(BLOG)
        await drive.pilot.press("w")
        await drive.until(lambda: "1 answer tried, now limit" in drive.text())
        assert "It was outranked" in drive.text()
        assert "being tried" in drive.text()
        await drive.pilot.press("question_mark")  # the app answers meanwhile
        assert "keys in why" in drive.text()
        await drive.pilot.press("escape", "escape")
        assert "tried, now" not in drive.text()
        await drive.until(library.ended.is_set)
        await drive.until(lambda: "1 answer tried; larger changes were left untried" in drive.text())
        await drive.press("escape")
        assert drive.app.screen is drive.explore


@pytest.mark.parametrize("key", ["q", "w"])
async def test_leaving_ends_the_trials(key: str) -> None:
    library = Slow()
    async with running(library) as drive:
        assert drive.explore.results.choose(BLOG)
        await drive.pilot.press("w")
        await drive.until(library.trying.is_set)
        if key == "q":
            await drive.pilot.press("q")
        else:
            await drive.pilot.press("slash", *"misc")
        await drive.until(library.ended.is_set)


async def test_a_late_verdict_of_another_document_is_dropped() -> None:
    library = Slow()
    async with running(library) as drive:
        assert drive.explore.results.choose(BLOG)
        await drive.pilot.press("w")
        await drive.until(library.trying.is_set)
        opened = room(drive)
        opened.ask("docs/state.md")  # in the answer: nothing is tried
        await drive.until(lambda: "It is in the answer" in drive.text())
        await drive.until(library.ended.is_set)
        await drive.rest()
        assert opened.subject == "docs/state.md"


async def test_what_is_copied_is_what_the_cli_prints_and_a_command_that_it_takes() -> None:
    async with running() as drive:
        opened = await enter(drive, BLOG)
        why = opened.view.why
        assert why is not None
        for key, wanted in (("y", render.why_text(why)), ("j", render.why_json(why)), ("i", BLOG)):
            await drive.press("y", key)
            assert drive.app.clipboard == wanted
        await drive.press("y", "l")
        words = shlex.split(drive.app.clipboard)
        args = command_line().parse_args(words[1:])
        assert (args.id, args.query) == (BLOG, "state provider")


class Gone(FakeLibrary):
    """A library whose store has vanished."""

    def why(self, name: str, query: Query, settings: Settings, **_: object) -> Why:
        """Fail."""
        raise StoreError("the store has gone", "Index again: kbtui index")

    def status(self) -> Status:
        """Return what there was."""
        return super().status()


async def test_what_goes_wrong_is_said_in_place() -> None:
    async with running(Gone()) as drive:
        await enter(drive, BLOG)
        assert "✗ the store has gone" in drive.text()
        assert "Index again" in drive.text()


async def test_without_a_store_or_a_question_that_is_said() -> None:
    hold = Event()
    doors = FakeDoors(missing=True, hold=hold)
    async with running(doors=doors, corpus=Path("corpus"), question="") as drive:
        await drive.press("escape", "w")
        assert "Ask a question first" in drive.text()
        await drive.press(*"docs", "enter")
        assert "no knowledge base is open yet" in drive.text()
        hold.set()


class Hostile(FakeLibrary):
    """A library that says why in hostile words."""

    def why(self, name: str, query: Query, settings: Settings, **_: object) -> Why:
        """Return hostile words in every slot."""
        return why_hostile()


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (120, 40)])
async def test_hostile_words_are_shown_literally(size: tuple[int, int]) -> None:
    async with running(Hostile(), size=size, question=f"state {HOSTILE}") as drive:
        await enter(drive, BLOG)
        for key in ("end", "home", "slash"):
            await drive.press(key)
            assert_harmless(drive)
        assert drive.app.is_running


class Inactive(FakeLibrary):
    """A library whose best document is superseded, and a blog post, ranked behind the limit, too."""

    def query(self, query: Query, settings: Settings) -> Answer:
        """Leave them out unless they are asked for."""
        answer = super().query(query, settings)
        if query.filters.inactive:
            return answer
        return replace(answer, rows=answer.rows[1:], behind=())

    def why(
        self,
        name: str,
        query: Query,
        settings: Settings,
        *,
        report: Callable[[Progress], None],
        cancelled: Callable[[], bool],
        diagnosed: Callable[[Why], None],
    ) -> Why:
        """Say that the filter lost it."""
        found = next(row for _, row in self.documents if row.doc_id == name)
        return Why(
            query=query,
            doc_id=name,
            document=replace(found, inactive=True),
            stage="filter",
            reason="superseded",
            remedy="ask with --inactive",
        )


async def test_a_document_that_is_missing_only_because_it_is_inactive_is_had_with_a_key() -> None:
    library = Inactive()
    async with running(library) as drive:
        await drive.press("w", *"docs/state.md", "enter")
        assert "Here: press A: inactive documents are asked, too, and it is in." in drive.text()
        await drive.press("A")
        assert drive.app.screen is drive.explore
        assert library.asked[-1][0].filters.inactive
        assert drive.explore.row is not None
        assert drive.explore.row.document.doc_id == "docs/state.md"


async def test_where_asking_inactive_documents_is_not_enough_no_key_is_offered() -> None:
    async with running(Inactive()) as drive:
        await drive.press("w", *"blog/state.md", "enter")
        assert "To have it: ask with --inactive." in drive.text()
        assert "Here: press" not in drive.text()
        await drive.press("A")
        assert isinstance(drive.app.screen, WhyRoom)
