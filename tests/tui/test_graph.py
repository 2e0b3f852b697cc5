"""What the graph did to an answer is told: at a document in the tree, below it, as a list, and in Explain."""

from __future__ import annotations

import pytest

from kbtui.tui.graph_words import additions, standing, summary
from kbtui.tui.ink import hang, plain
from tests.tui.drive import running

WIDTHS = [(80, 24), (100, 30), (120, 40), (200, 50)]


@pytest.mark.parametrize("size", WIDTHS)
async def test_fate_and_type_stand_before_a_title_however_narrow_the_pane_is(size: tuple[int, int]) -> None:
    async with running(size=size) as drive:
        await drive.press("g", "g")
        assert "● 4 kept 8.0k pull" in drive.text()
        await drive.press("m", "end", "up")
        assert "○ superseded meeting" in drive.text()


async def test_the_line_under_the_cursor_is_told_in_whole() -> None:
    async with running(size=(120, 40)) as drive:
        await drive.press("g", "g")
        answer = drive.answer
        for expansion in answer.expansions:
            told = standing(answer, expansion.doc_id).whole
            if expansion.outcome == "kept":
                assert "the graph brought it, from row 1" in told
            else:
                assert told.startswith("refused: ")
                assert expansion.reason in told
        assert "rank 1, kept 8.0k: found by the question" in drive.text()
        outranked = answer.behind[0]
        assert standing(answer, outranked.document.doc_id).whole == f"rank {outranked.rank}: behind the limit of 5"
        assert "only relations of its first" in standing(answer, "docs/elsewhere.md").whole


async def test_a_lists_what_the_graph_added_and_refused_and_enter_reads_it() -> None:
    async with running(size=(120, 40)) as drive:
        await drive.press("g", "g", "a")
        shown = drive.text()
        assert summary(drive.answer) in shown
        assert "added" in shown
        assert "refused" in shown
        first = additions(drive.answer)[0]
        assert first.group == "added"
        await drive.press("enter")
        reading = drive.explore.reader.reading
        assert reading is not None
        assert reading.document.doc_id == first.doc_id


async def test_every_neighbour_that_was_considered_is_in_the_list_once() -> None:
    async with running() as drive:
        answer = drive.answer
        listed = [each.doc_id for each in additions(answer)]
        assert len(listed) == len(set(listed))
        assert {one.doc_id for one in answer.expansions} <= set(listed)


async def test_where_the_graph_adds_nothing_it_is_said() -> None:
    async with running() as drive:
        await drive.press("t")
        drive.explore.drawer.knobs.choose("expand")
        await drive.press("left", "left", "escape", "g", "g")
        assert drive.answer.expand == 0
        assert "expand is 0: the graph adds nothing" in drive.text()


async def test_a_row_that_the_graph_brought_says_first_how_it_came_to_its_place() -> None:
    async with running(size=(120, 40)) as drive:
        at = next(at for at, row in enumerate(drive.answer.rows) if row.origin == "neighbour")
        await drive.press(*["down"] * at)
        shown = "\n".join(plain(line) for line in drive.explore.explain.build(60))
        assert "The graph brought it, from row 1" in shown
        assert shown.index("The graph brought it") < shown.index("score")
        assert "are kept for neighbours of the first" in shown
        await drive.press(*["up"] * at)
        assert "The graph brought it" not in "".join(plain(line) for line in drive.explore.explain.build(60))


@pytest.mark.parametrize("width", [8, 20, 33])
def test_what_goes_on_stands_further_in_and_nothing_is_lost(width: int) -> None:
    line = (("  words      ", "dim"), ("one two three four five six seven eight nine", "match"))
    pieces = hang(line, width)
    assert all(len(plain(piece)) <= width for piece in pieces)
    assert all(plain(piece).startswith(" " * 4) for piece in pieces[1:])
    assert "".join(plain(piece).strip() for piece in pieces).replace(" ", "") == plain(line).replace(" ", "")
    assert hang(line, 200) == [line]
