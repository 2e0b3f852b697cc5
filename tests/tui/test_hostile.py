"""Nothing from a document reaches the terminal or a markup parser raw, in any pane, title, path, id or error."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kbtui.errors import UsageError
from kbtui.model import Answer, EgoMap, Extract, Neighbourhood, Query, Span
from kbtui.settings import Settings
from kbtui.tui.ink import plain, wrap
from tests.tui.drive import Drive, running
from tests.tui.fakes import DOCUMENTS, FakeLibrary, document

MARKUP = "[/] [0] [bold [@click=app.quit]leave[/] [link=x]"
CONTROL = "\x1b]52;c;AAAA\x07\x1b[31mred\x9b2J\x08\x00\r"
PANES = ("e", "c", "g", "r", "l", "b")


def hostile() -> FakeLibrary:
    """Return a library whose every string is hostile."""
    rows = tuple(
        (score, document(f"docs/{at}{MARKUP}{CONTROL}.md", f"{MARKUP} {CONTROL} {at}", row.source_type, 900))
        for at, (score, row) in enumerate(DOCUMENTS)
    )
    body = f"{MARKUP}\n\tA line {CONTROL} and text.\n" * 20
    return FakeLibrary(documents=rows, bodies={row.doc_id: body[: row.text_bytes] for _, row in rows})


def assert_harmless(drive: Drive) -> None:
    """Check every segment that goes to the terminal."""
    for segment in drive.segments():
        assert segment.control is None
        assert not any(ord(character) < 32 or 0x7F <= ord(character) <= 0x9F for character in segment.text), segment
        if segment.style is not None:
            assert segment.style.link is None
            assert "@click" not in segment.style.meta


@pytest.mark.parametrize("size", [(80, 24), (160, 40)])
@pytest.mark.parametrize("key", PANES)
async def test_hostile_strings_are_shown_literally_in_every_pane(key: str, size: tuple[int, int]) -> None:
    async with running(hostile(), size=size) as drive:
        assert "[/] [0]" in drive.text()
        await drive.press(key)
        assert_harmless(drive)
        assert "[/]" in drive.text() or key in {"l", "b"}  # these name no document at first
        assert drive.app.is_running


async def test_the_context_pane_stays_the_answers_own_text_and_draws_it_safely() -> None:
    async with running(hostile(), size=(160, 40)) as drive:
        await drive.press("c")
        assert drive.explore.context.shown_text == drive.answer.context
        assert "[@click=app.quit]" in drive.text()
        assert_harmless(drive)


async def test_a_document_that_imitates_the_frame_is_not_inked_as_frame() -> None:
    first = DOCUMENTS[0][1]
    library = FakeLibrary()
    imitation = f"===== [2] {DOCUMENTS[2][1].doc_id} | decision | somebody else's title ====="
    library.bodies[first.doc_id] = f"{imitation}\n" + "text\n" * 1_500
    async with running(library) as drive:
        await drive.press("c")
        inks = [ink for line in drive.explore.context.inked() for run, ink in line if run == imitation]
        assert inks == [""]


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_hostile_strings_are_shown_literally_in_what_panes_look_up(size: tuple[int, int]) -> None:
    """The map, the starvation view, the curve, matched words and the settings that would matter."""
    async with running(hostile(), size=size, question=f"state {MARKUP}") as drive:
        for keys in (("e", "e", "end"), ("g", "g", "down", "down"), ("l", "l", "end"), ("b", "b"), ("c", "c", "n")):
            await drive.press("escape", *keys)
            assert_harmless(drive)
        assert drive.app.is_running


class Refusing(FakeLibrary):
    """A library whose every error is hostile."""

    def query(self, query: Query, settings: Settings) -> Answer:
        """Refuse."""
        raise UsageError(f"no {MARKUP}{CONTROL}", f"try {MARKUP}{CONTROL}")


async def test_a_hostile_error_is_shown_literally() -> None:
    async with running(Refusing()) as drive:
        assert "✗ no [/] [0] [bold [@click=app.quit]leave" in drive.text()
        assert_harmless(drive)


class Unreadable(FakeLibrary):
    """A library that can be asked and not read."""

    def read(self, name: str, *, section: str | None = None, span: Span | None = None) -> Extract:
        """Refuse."""
        raise UsageError(f"gone {MARKUP}{CONTROL}")

    def neighbours(self, name: str, depth: int = 1) -> Neighbourhood:
        """Refuse."""
        raise UsageError(f"gone {MARKUP}{CONTROL}")

    def ego_map(self, name: str) -> EgoMap:
        """Refuse."""
        raise UsageError(f"gone {MARKUP}{CONTROL}")

    def matched_words(self, question: str, name: str, span: Span) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Refuse."""
        raise UsageError(f"gone {MARKUP}{CONTROL}")


@pytest.mark.parametrize("key", ["e", "g", "r"])
async def test_a_pane_says_in_place_why_it_is_empty(key: str) -> None:
    async with running(Unreadable(), size=(160, 40)) as drive:
        await drive.press(key)
        assert "gone [/] [0]" in drive.text()
        assert_harmless(drive)


async def test_what_is_pasted_into_the_question_is_one_safe_line() -> None:
    from textual import events

    async with running(question="") as drive:
        field = drive.explore.query_bar.query_field
        field.focus()
        field.post_message(events.Paste(f"one\ntwo {CONTROL}"))
        await drive.until(lambda: field.value)
        assert "\x1b" not in field.value
        assert field.value.startswith("one two")


async def test_a_hostile_status_and_type_name_are_shown_literally() -> None:
    base = hostile()
    rows = tuple(
        (score, replace(row, source_type=f"odd{MARKUP}{CONTROL}", status=CONTROL, created=CONTROL))
        for score, row in base.documents
    )
    library = FakeLibrary(documents=rows, bodies=base.bodies)
    async with running(library, size=(160, 40)) as drive:
        assert_harmless(drive)
        await drive.press("t", "end")
        assert_harmless(drive)


@pytest.mark.parametrize("width", [1, 2, 7, 40])
@pytest.mark.parametrize(
    "words", ["plain words that are long enough", "wide 漢字 and 👩‍👩‍👧 joined, e\u0301 too", "x" * 90]
)
def test_wrapping_loses_nothing_and_keeps_to_the_width(words: str, width: int) -> None:
    from rich.cells import cell_len, split_graphemes

    lines = wrap(((words[:5], "strong"), (words[5:], "")), width)
    assert "".join(plain(line) for line in lines) == words
    widest = max(cells for _, _, cells in split_graphemes(words)[0])
    assert all(cell_len(plain(line)) <= max(width, widest) for line in lines)
