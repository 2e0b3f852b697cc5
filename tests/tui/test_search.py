"""Search text: grep while one types; lines under their documents, page by page; the document read at a line."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from rich.cells import cell_len
from textual import events

from kbtui.cli import parser as command_line
from kbtui.errors import RetrievalFailed
from kbtui.model import Span, TextLine, TextLines, TextQuery
from kbtui.tui.ink import plain
from kbtui.tui.rooms.hits import hit_line, told
from kbtui.tui.rooms.search import PAGE, SearchRoom
from tests.tui.drive import Drive, running
from tests.tui.fakes import FakeDoors, FakeLibrary
from tests.tui.test_hostile import CONTROL, MARKUP, assert_harmless, hostile

FEW = {
    "docs/state.md": "one\nA Retry here\nthree\nretry and retry\n",
    "src/state/provider.py": "def retrying():\n    return 1\n",
}


def few() -> FakeLibrary:
    """Return a library in which two documents hold the word that is searched for."""
    library = FakeLibrary()
    library.bodies = {row.doc_id: FEW.get(row.doc_id, "nothing\n") for _, row in library.documents}
    return library


def room(drive: Drive) -> SearchRoom:
    """Return the room, which must be open."""
    assert isinstance(drive.app.screen, SearchRoom)
    return drive.app.screen


async def find(drive: Drive, pattern: str) -> SearchRoom:
    """Search for a pattern, as a person does."""
    await drive.press("ctrl+f", *pattern, "enter")
    await drive.until(lambda: not room(drive)._waiting)
    await drive.rest()
    return room(drive)


def places(opened: SearchRoom) -> list[tuple[str, int]]:
    return [(hit.path, hit.number) for hit in opened.list.hits]


async def test_lines_stand_under_their_documents_with_numbers_and_an_exact_total() -> None:
    async with running(few()) as drive:
        opened = await find(drive, "retry")
        assert places(opened) == [("docs/state.md", 4), ("src/state/provider.py", 1)]
        shown = drive.text()
        assert "2 lines in 9 documents searched" in shown
        assert "docs/state.md  guide  1 line" in shown
        assert "4 retry and retry" in shown
        assert opened.list.has_focus


async def test_every_match_of_a_line_is_marked_and_nothing_else() -> None:
    async with running(few()) as drive:
        opened = await find(drive, "retry")
        runs = hit_line(opened.list.hits[0], 60)
        assert [run for run, ink in runs if ink == "found"] == ["retry", "retry"]
        assert plain(runs).endswith("retry and retry")


async def test_switches_take_the_pattern_otherwise_by_key_and_by_click() -> None:
    async with running(few()) as drive:
        opened = await find(drive, "retry")
        await drive.press("ctrl+l")
        await drive.until(lambda: ("docs/state.md", 2) in places(opened))
        await drive.press("ctrl+o")
        await drive.until(lambda: ("src/state/provider.py", 1) not in places(opened))
        assert "● whole words" in drive.text()
        await drive.pilot.click("#search-switches", offset=(24, 0))
        await drive.until(lambda: ("src/state/provider.py", 1) in places(opened))
        await drive.press("slash", "ctrl+u", *"^def|^one", "ctrl+r")
        await drive.until(lambda: places(opened) == [("docs/state.md", 1), ("src/state/provider.py", 1)])


async def test_types_and_paths_limit_it() -> None:
    async with running(few()) as drive:
        opened = await find(drive, "retry")
        await drive.press("slash", "tab", *"src")
        await drive.until(lambda: places(opened) == [("src/state/provider.py", 1)])
        assert "of 1 document" in drive.text() or "1 document searched" in drive.text()
        await drive.press("ctrl+u", "tab", *"docs")
        await drive.until(lambda: places(opened) == [("docs/state.md", 4)])
        assert drive.explore.session.searched.paths == ("*docs*",)


async def test_a_slash_in_the_question_searches_and_the_question_stays() -> None:
    async with running(few()) as drive:
        await drive.press("slash", "home", "slash")
        await drive.until(lambda: isinstance(drive.app.screen, SearchRoom))
        await drive.rest()
        assert room(drive).bar.pattern.value == "state provider"
        await drive.press("escape")
        assert drive.explore.query_bar.query_field.value == "state provider"
        assert drive.explore.session.text == "state provider"


async def test_ctrl_f_works_while_a_question_is_typed_and_the_last_search_is_there_again() -> None:
    async with running(few()) as drive:
        await drive.press("slash", "ctrl+f", *"retry")
        opened = room(drive)
        await drive.until(lambda: len(places(opened)) == 2)
        await drive.press("escape", "ctrl+f")
        await drive.until(lambda: len(places(room(drive))) == 2)
        assert room(drive).bar.pattern.value == "retry"


async def test_more_lines_come_as_one_goes_down_until_all_are_there() -> None:
    async with running(size=(80, 24)) as drive:
        opened = await find(drive, "what")
        assert opened.page is not None
        assert len(opened.list.hits) == PAGE
        assert f"{PAGE} are here (limit {PAGE} a page); more come as you go down" in " ".join(drive.text().split())
        total = opened.page.total
        for _ in range(total // PAGE + 1):
            await drive.press("end")
        assert len(opened.list.hits) == total
        assert "more come" not in drive.text()
        numbers = places(opened)
        assert numbers == sorted(set(numbers))


async def test_enter_reads_the_document_at_the_line_and_esc_goes_back_to_the_lines() -> None:
    async with running(few(), size=(80, 24)) as drive:
        opened = await find(drive, "retry")
        await drive.press("enter")
        await drive.until(lambda: opened.reader.has_focus)
        await drive.rest()
        assert opened.reader.line == 4
        assert "› retry and retry" in drive.text() or "›retry and retry" in drive.text()
        assert "src/state/provider.py" not in drive.text()
        await drive.press("escape")
        assert opened.list.has_focus
        assert "src/state/provider.py" in drive.text()


async def test_the_line_is_in_sight_in_a_long_document() -> None:
    library = FakeLibrary()
    library.bodies["docs/state.md"] = "".join(f"line {number}\n" for number in range(1, 900)) + "the needle\n"
    async with running(library, size=(80, 24)) as drive:
        await find(drive, "needle")
        await drive.press("enter")
        await drive.until(lambda: "the needle" in drive.text() and "docs/state.md" not in drive.text())


async def test_i_adds_the_document_to_the_answer_by_hand() -> None:
    library = few()
    library.bodies["blog/state.md"] = "the needle\n"
    async with running(library) as drive:
        await find(drive, "needle")
        await drive.press("i")
        assert drive.app.screen is drive.explore
        assert drive.answer.query.include == ("blog/state.md",)


async def test_w_asks_why_the_document_is_missing() -> None:
    library = few()
    library.bodies["blog/state.md"] = "the needle\n"
    async with running(library) as drive:
        await find(drive, "needle")
        await drive.press("w")
        await drive.until(lambda: "It was outranked" in drive.text())


async def test_what_is_copied_finds_the_same() -> None:
    async with running(few()) as drive:
        await find(drive, "retry")
        await drive.press("ctrl+l", "ctrl+o")
        await drive.rest()
        await drive.press("y", "y")
        assert drive.app.clipboard == "A Retry here"
        await drive.press("y", "g")
        assert drive.app.clipboard == "docs/state.md:2"
        await drive.press("y", "l")
        args = command_line().parse_args(shlex.split(drive.app.clipboard)[1:])
        assert (args.pattern, args.regex, args.word, args.ignore_case) == ("retry", False, True, True)


async def test_o_opens_the_editor_at_the_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int, int | None]] = []
    async with running(few()) as drive:
        monkeypatch.setattr(drive.explore.errands, "locate", lambda *place: asked.append(place))
        await find(drive, "retry")
        await drive.press("o")
        assert asked == [("docs/state.md", 0, 4)]


async def test_a_wrong_expression_is_said_in_place_and_the_lines_before_stay() -> None:
    async with running(few()) as drive:
        opened = await find(drive, "retry")
        await drive.press("ctrl+r", "slash", "end", "left_parenthesis")
        await drive.until(lambda: "is no regular expression" in drive.text())
        assert len(opened.list.hits) == 2
        assert "of the search before" in drive.text()


class Slow(FakeLibrary):
    """A library that searches for one pattern until it is told to end."""

    def __init__(self) -> None:
        super().__init__()
        self.bodies = few().bodies
        self.searching = Event()
        self.ended = Event()

    def search_text(
        self, query: TextQuery, *, limit: int, ceiling: int, cursor: str, cancelled: Callable[[], bool]
    ) -> TextLines:
        """Search."""
        if query.pattern == "r":
            self.searching.set()
            while not cancelled():
                self.ended.wait(0.01)
            self.ended.set()
        return super().search_text(query, limit=limit, ceiling=ceiling, cursor=cursor, cancelled=cancelled)


async def test_typing_on_ends_the_search_before_and_its_lines_are_dropped() -> None:
    library = Slow()
    async with running(library) as drive:
        await drive.pilot.press("ctrl+f", "r", "enter")
        await drive.until(library.searching.is_set)
        opened = room(drive)
        opened.bar.pattern.value = "three"
        await drive.until(library.ended.is_set)
        await drive.until(lambda: places(opened) == [("docs/state.md", 3)])


async def test_leaving_ends_the_search() -> None:
    library = Slow()
    async with running(library) as drive:
        await drive.pilot.press("ctrl+f", "r", "enter")
        await drive.until(library.searching.is_set)
        await drive.pilot.press("escape")
        await drive.until(library.ended.is_set)


class OutOfTime(FakeLibrary):
    """A library whose searches take too long."""

    def search_text(
        self, query: TextQuery, *, limit: int, ceiling: int, cursor: str, cancelled: Callable[[], bool]
    ) -> TextLines:
        """Fail."""
        raise RetrievalFailed("the search was stopped after 20 s, before it found a line", "Narrow it.")


async def test_a_time_out_is_said_in_place() -> None:
    async with running(OutOfTime()) as drive:
        await find(drive, "retry")
        assert "✗ the search was stopped after 20 s" in drive.text()
        assert "Narrow it." in drive.text()


def test_a_partial_total_and_a_page_are_said_to_be_that() -> None:
    line = TextLine(path="a.md", source_type="guide", number=1, span=Span(start=0, end=1), text="x", matches=())
    found = TextLines(
        query=TextQuery(pattern="x"),
        limit=1,
        lines=(line,),
        total=7,
        total_relation="gte",
        documents=3,
        cursor="on",
    )
    said, missing = told(found, 1)
    assert "7" in said
    assert "1 are here (limit 1 a page)" in missing
    assert "the total is a lower bound" in missing


@pytest.mark.parametrize("width", [20, 60])
def test_a_long_line_shows_its_first_match(width: int) -> None:
    text = "漢字 " * 300 + "needle" + " more" * 50
    start = text.index("needle")
    hit = TextLine(
        path="a.md",
        source_type="guide",
        number=7,
        span=Span(start=0, end=1),
        text=text,
        matches=(),
        marks=((start, start + 6),),
    )
    runs = hit_line(hit, width)
    before = plain(tuple(run for run in runs))
    assert cell_len(before[: before.index("needle") + 6]) <= width


async def test_without_a_store_that_is_said() -> None:
    hold = Event()
    doors = FakeDoors(missing=True, hold=hold)
    async with running(doors=doors, corpus=Path("corpus"), question="") as drive:
        await drive.press("escape", "ctrl+f", *"retry", "enter")
        assert "no knowledge base is open yet" in drive.text()
        hold.set()


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (120, 40)])
async def test_hostile_texts_paths_and_errors_are_shown_literally(size: tuple[int, int]) -> None:
    async with running(hostile(), size=size) as drive:
        await find(drive, "line")
        assert_harmless(drive)
        assert "[/]" in drive.text()
        await drive.press("enter")
        assert_harmless(drive)
        await drive.press("escape", "slash")
        room(drive).bar.pattern.post_message(events.Paste(f"({MARKUP}{CONTROL}"))
        await drive.press("ctrl+r")
        await drive.rest()
        assert_harmless(drive)
        assert drive.app.is_running
