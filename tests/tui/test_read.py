"""The Read pane: source in its colours, granted parts marked, and every character of the document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbtui.tui.colouring import LONGEST_LINE, MOST_CHARACTERS, coloured
from kbtui.tui.ink import Run, plain
from kbtui.tui.widgets.read_view import Reading, marked_lines
from tests.tui.drive import running
from tests.tui.fakes import DOCUMENTS, FakeLibrary

CODE = 'class Provider:\n    # a comment\n    name = "state"\n    size = 12\n'


def test_source_is_inked_by_its_language() -> None:
    inks = dict(coloured("src/provider.py", CODE))
    assert inks["class"] == "keyword"
    assert inks["Provider"] == "name"
    assert inks["# a comment"] == "comment"
    assert inks['"state"'] == "string"
    assert inks["12"] == "number"


def test_headings_of_markdown_stand_out() -> None:
    assert coloured("lanes.md", "# Lanes\n\nA queue.\n")[0] == ("# Lanes", "head")


@pytest.mark.parametrize("name", ["notes.unknown-kind", "LICENSE"])
def test_an_unknown_language_is_plain(name: str) -> None:
    assert coloured(name, CODE) == ((CODE, ""),)


def test_what_is_too_long_for_a_lexer_is_plain() -> None:
    for text in ("x = 1\n" * (MOST_CHARACTERS // 6 + 1), "x" * (LONGEST_LINE + 1)):
        assert coloured("a.py", text) == ((text, ""),)


@given(st.text(max_size=200), st.sampled_from(["a.py", "a.md", "a.js", "a.html", "a.yaml", "a.txt"]))
def test_colours_lose_no_character(text: str, name: str) -> None:
    assert "".join(run for run, _ in coloured(name, text)) == text


@given(
    st.lists(st.tuples(st.text("ab\n ", max_size=9), st.booleans()), max_size=8),
    st.lists(st.integers(min_value=1, max_value=9), max_size=30),
)
def test_pieces_and_runs_that_are_cut_anywhere_join_to_the_text(
    pieces: list[tuple[str, bool]], cuts: list[int]
) -> None:
    """Line by line, behind its mark, stands the text; a line with granted text has the mark."""
    text = "".join(piece for piece, _ in pieces)
    runs: list[Run] = []
    rest = text
    for size in cuts:
        runs.append((rest[:size], "name"))
        rest = rest[size:]
    reading = Reading(document=DOCUMENTS[0][1], pieces=tuple(pieces), runs=(*runs, (rest, "")))
    lines = [plain(line) for _, _, line in marked_lines(reading, 1_000)]
    assert "\n".join(line[2:] for line in lines) == text
    assert [line.startswith("▌") for line in lines] == [marked for _, marked, _ in marked_lines(reading, 1_000)]
    granted = {piece.strip() for piece, flag in pieces if flag and piece.strip() and "\n" not in piece}
    assert all(any(piece in line for line in lines if line.startswith("▌")) for piece in granted)


async def test_a_granted_part_with_blank_lines_is_one_place_to_stop_at() -> None:
    first = DOCUMENTS[0][1]
    library = FakeLibrary(bodies={first.doc_id: ("one line\n\n" * 900)[: first.text_bytes]})
    async with running(library) as drive:
        await drive.press("enter")
        assert len(drive.explore.reader.stops) == 1
        await drive.press("end", "n")
        assert drive.explore.reader.scroll_offset.y < 10


async def test_granted_lines_have_a_ground_of_their_own() -> None:
    async with running() as drive:
        await drive.press("enter")
        reader = drive.explore.reader
        first = reader.reach(reader.stops[0])[0]
        assert reader.wash_at(first) == "resting"
        assert reader.wash_at(0) == ""
        await drive.press("n")
        assert reader.wash_at(first) == "cursor"


async def test_where_nothing_was_granted_there_is_nowhere_to_go() -> None:
    async with running() as drive:
        await drive.press("end", "enter", "n")
        assert "not in the context" in drive.text()
        assert [note.message for note in drive.app._notifications] == ["There is nowhere to go to here."]
