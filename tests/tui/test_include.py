"""A document added by hand: the same pipeline, said to be a what-if wherever it is shown, and taken out again."""

from __future__ import annotations

import shlex

import pytest

from kbtui.cli import parser as command_line
from kbtui.errors import UsageError
from kbtui.model import Answer, Query
from kbtui.settings import Settings
from tests.tui.drive import Drive, running
from tests.tui.fakes import FakeLibrary

BLOG = "blog/state.md"


async def include(drive: Drive, doc_id: str = BLOG) -> None:
    """Add a row's document by hand."""
    assert drive.explore.results.choose(doc_id)
    await drive.press("i")


async def test_i_in_the_list_adds_the_document_and_everything_says_so() -> None:
    async with running(size=(160, 40)) as drive:
        await include(drive)
        assert drive.answer.query.include == (BLOG,)
        assert drive.explore.row is not None
        assert drive.explore.row.document.doc_id == BLOG
        assert drive.explore.row.origin == "included"
        shown = drive.text()
        assert "◆ what-if: included by hand: blog/state.md" in shown  # above the list
        assert "what-if: 1 by hand, " in shown  # what it costs
        assert "against before: 1 new, 1 out" in shown  # what gave way
        assert "what-if, by hand" in shown  # in the status line
        assert "what-if · " in shown  # in the meter
        await drive.press("c")
        assert "no agent gets this" in drive.text()
        assert drive.explore.context.shown_text == drive.answer.context


async def test_what_gave_way_is_marked_in_the_list() -> None:
    async with running() as drive:
        await include(drive)
        lines = drive.text().splitlines()
        assert any(" 5 new" in line and "Why we moved" in line for line in lines)
        assert any(" 6 out" in line and "State provider leaks" in line for line in lines)


async def test_again_takes_it_out_and_nothing_of_it_is_left() -> None:
    async with running() as drive:
        before = drive.answer
        await include(drive)
        await drive.press("i")
        assert drive.answer.query.include == ()
        assert drive.answer == before
        assert "what-if" not in drive.text().replace("What if", "")


async def test_i_in_the_graph_adds_the_neighbour_under_the_cursor() -> None:
    async with running() as drive:
        assert drive.explore.results.choose("issues/1201.md")
        await drive.press("g", "g", "down", "down")
        assert drive.explore.graph.current == BLOG
        await drive.press("i")
        assert drive.answer.query.include == (BLOG,)
        assert drive.explore.graph.has_focus
        assert "by hand" in drive.text()


async def test_against_a_pinned_answer_the_pin_is_what_counts() -> None:
    async with running() as drive:
        await drive.press("p")
        await include(drive)
        assert "against the pin: " in drive.text()
        assert "1 new, 1 out" in drive.text()
        await drive.press("d")
        assert "now" in drive.text()


async def test_without_a_pin_d_shows_the_answer_before_beside_it() -> None:
    async with running() as drive:
        await include(drive)
        await drive.press("d")
        shown = drive.text()
        assert "before" in shown
        assert "Why we moved state out of the view" in shown


async def test_copied_commands_and_calls_add_it_too() -> None:
    async with running() as drive:
        await include(drive)
        await drive.press("y", "l")
        args = command_line().parse_args(shlex.split(drive.app.clipboard)[1:])
        assert args.include == [BLOG]
        await drive.press("y", "m")
        assert f'"include": [\n      "{BLOG}"\n    ]' in drive.app.clipboard


async def test_another_question_is_no_what_if() -> None:
    async with running() as drive:
        await include(drive)
        await drive.ask("another question")
        assert drive.answer.query.include == ()
        assert "against before" not in drive.text()


class Refusing(FakeLibrary):
    """A library that lets nothing be added."""

    def query(self, query: Query, settings: Settings) -> Answer:
        """Refuse."""
        if query.include:
            raise UsageError(f"{query.include[0]!r} cannot be included: archived", "To have it: no way.")
        return super().query(query, settings)


async def test_one_that_cannot_be_added_is_said_in_place_and_stays_out() -> None:
    async with running(Refusing()) as drive:
        await include(drive)
        assert "cannot be included: archived" in drive.text()
        assert drive.explore.session.include == ()
        await drive.press("t", "right")
        assert drive.explore.session.error is None
        assert drive.answer.limit == 6


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (120, 40)])
async def test_the_list_says_what_it_is_at_every_size(size: tuple[int, int]) -> None:
    async with running(size=size) as drive:
        await include(drive)
        assert "what-if" in drive.text()
        assert all(len(line) <= size[0] for line in drive.text().splitlines())


async def test_one_that_is_in_the_answer_is_not_added() -> None:
    async with running() as drive:
        await drive.press("home", "i")
        assert "in the answer already: rank 1, trimmed" in drive.told()
        assert drive.answer.query.include == ()


async def test_without_an_answer_there_is_nothing_to_add_to() -> None:
    async with running(question="") as drive:
        drive.explore.include(BLOG)
        await drive.rest()
        assert "ask a question first" in drive.told()
