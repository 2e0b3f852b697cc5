"""The Context pane: the exact bytes, marks that open what was left out, and nothing that is mistaken for a mark."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kbtui.engine import frame
from kbtui.errors import UsageError
from kbtui.model import Answer, Extract, LeftOut, Place, Query, Span
from kbtui.settings import Settings
from kbtui.tui.doors import ExplorerDoors
from kbtui.tui.ink import plain
from kbtui.tui.widgets.context_view import body, unfolded
from tests.tui.drive import running
from tests.tui.fakes import DOCUMENTS, FakeLibrary

LONG = "complete configuration reference"
FIRST = DOCUMENTS[0][1]
IMITATION = "[... 1,234 bytes left out ...]"


class Cutting(FakeLibrary):
    """A library whose context is one document's: a line that imitates a mark, a real one, and an end."""

    def query(self, query: Query, settings: Settings) -> Answer:
        """Answer with two marks, of which the first was written by the document."""
        answer = super().query(query, settings)
        head = frame.header(1, FIRST)
        start = f"{head}\n{IMITATION}\nkept\n"
        left = LeftOut(at=len(start) + 1, span=Span(start=100, end=400))
        return replace(
            answer,
            context=f"{start}{frame.mark(300)}kept, too\n",
            notice="",
            places=(Place(doc_id=FIRST.doc_id, at=0, left_out=(left,)),),
        )

    def read(self, name: str, *, section: str | None = None, span: Span | None = None) -> Extract:
        """Return what was left out, in words."""
        extract = super().read(name, section=section, span=span)
        return replace(extract, text=f"from {span.start} to {span.end}\n" if span else extract.text, lines=(7, 9))


async def test_enter_on_a_mark_shows_what_was_left_out_and_folds_it_again() -> None:
    async with running(Cutting()) as drive:
        await drive.press("c", "c", "n", "enter")
        assert "┆ not in the context: lines 7 to 9" in drive.text()
        assert "┆ from 100 to 400" in drive.text()
        await drive.press("enter")
        assert "┆" not in drive.text()


async def test_what_is_unfolded_is_no_part_of_what_is_shown_or_copied_as_context() -> None:
    async with running(Cutting()) as drive:
        await drive.press("c", "c", "enter", "y", "y")
        assert "┆ from 100 to 400" in drive.text()
        assert drive.explore.context.shown_text == drive.answer.context
        assert drive.app.clipboard == drive.answer.context


async def test_a_line_that_imitates_a_mark_is_none() -> None:
    """Its ink is plain, and there is one place to stop at, not two."""
    async with running(Cutting()) as drive:
        await drive.press("c")
        inks = {run: ink for line in drive.explore.context.inked() for run, ink in line}
        assert inks[IMITATION] == ""
        assert inks["[... 300 bytes left out ...]"] == "cut"
        assert len(drive.explore.context.stops) == 1


async def test_without_cuts_it_is_said_that_nothing_was_left_out() -> None:
    async with running() as drive:
        await drive.press("c", "c", "enter")
        assert [note.message for note in drive.app._notifications] == ["Nothing was left out of a document here."]


def test_an_error_stands_where_the_text_would() -> None:
    assert [plain(line) for line in unfolded(UsageError("gone [/]", ""), 40)] == ["┆ gone [/]"]


def test_every_line_that_is_no_context_has_its_rule() -> None:
    """A long line is wrapped behind the rule, not under it."""
    extract = Extract(
        document=FIRST, span=Span(start=0, end=9), heading=(), text="word " * 30 + "\n\nend\n", lines=(1, 3)
    )
    lines = [plain(line) for line in unfolded(extract, 30)]
    assert len(lines) > 7
    assert all(line.startswith("┆ ") and len(line) <= 30 for line in lines[1:])


async def test_every_mark_of_a_real_context_opens_as_many_bytes_as_it_says(demo_store: Path) -> None:
    async with running(doors=ExplorerDoors(), store=demo_store, question=LONG, size=(160, 50)) as drive:
        await drive.press("c", "c")
        marks = [one for one in body(drive.answer) if one.gap is not None]
        assert marks
        for one in marks:
            await drive.press("enter")
            assert one.gap is not None
            outcome = drive.explore.context._texts[one.gap]
            assert isinstance(outcome, Extract)
            assert plain(one.line) == f"[... {len(outcome.text.encode()):,} bytes left out ...]"
            await drive.press("n")
        assert drive.explore.context.shown_text == drive.answer.context
