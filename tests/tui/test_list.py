"""The list: what is seen can be sorted, filtered and marked; what an agent gets stays what it is."""

from __future__ import annotations

import pytest

from kbtui.model import Query, Row
from kbtui.settings import Settings
from kbtui.tui.columns import Columns, row_line
from kbtui.tui.ink import plain
from kbtui.tui.list_view import ListView, layout
from kbtui.tui.widgets.result_list import ResultList
from tests.tui.drive import Drive, running
from tests.tui.fakes import FakeLibrary, many
from tests.tui.test_hostile import assert_harmless, hostile


def seen(drive: Drive) -> list[Row]:
    """Return the rows as the list has them."""
    return [item for item in drive.explore.results._items if isinstance(item, Row)]


async def test_sorting_changes_the_view_and_not_the_ranks_nor_the_context() -> None:
    async with running() as drive:
        before, context = seen(drive), drive.answer.context
        await drive.press(*[">"] * 5)
        assert drive.explore.results.view.column == "bytes"
        sizes = [row.allocation.cost.size_bytes for row in seen(drive)]
        assert sizes == sorted(sizes, reverse=True)
        assert {row.rank for row in seen(drive)} == {row.rank for row in before}
        assert "byte↓" in drive.text()
        assert "a view, sorted by bytes" in drive.text()
        assert "limit ends" not in drive.text()
        assert drive.answer.context == context
        await drive.press("I")
        assert [row.allocation.cost.size_bytes for row in seen(drive)] == sorted(sizes)
        assert "byte↑" in drive.text()
        await drive.press("escape")
        assert seen(drive) == before
        assert "a view" not in drive.text()


async def test_the_key_goes_through_every_column_and_back_to_the_agents_order() -> None:
    async with running() as drive:
        before = seen(drive)
        await drive.press("<")
        assert drive.explore.results.view.column == "title"
        await drive.press(">")
        assert seen(drive) == before
        assert drive.explore.results.view.is_plain


async def test_typed_words_narrow_the_rows_and_esc_shows_all_again() -> None:
    async with running() as drive:
        await drive.press("f", *"STATE guide")
        assert [row.document.title for row in seen(drive)] == ["State providers"]
        assert "1 of 9 rows contain STATE guide" in drive.text()
        await drive.press("enter")
        assert drive.explore.results.has_focus
        assert len(seen(drive)) == 1
        await drive.press("escape")
        assert len(seen(drive)) == 9
        await drive.press("f", *"nothing of the kind")
        assert "0 of 9 rows" in drive.text()
        assert drive.explore.row is None
        await drive.press("escape")
        assert len(seen(drive)) == 9
        assert drive.explore.results.has_focus


async def test_a_filter_is_no_question() -> None:
    library = FakeLibrary()
    async with running(library) as drive:
        await drive.press("f", *"adr", "enter")
        assert [query.text for query, _ in library.asked] == ["state provider"]


async def test_space_marks_rows_their_number_is_told_and_copying_takes_them() -> None:
    async with running() as drive:
        await drive.press("space", "down", "space")
        assert "2 marked" in drive.text()
        first, third = drive.answer.rows[0], drive.answer.rows[2]
        assert drive.explore.marked == (first, third)
        await drive.press("y", "i")
        assert drive.app.clipboard == f"{first.document.doc_id}\n{third.document.doc_id}"
        await drive.press("escape")
        assert not drive.explore.marked
        assert "2 marked" not in drive.text()


async def test_marks_stay_with_their_documents_while_numbers_move_and_go_with_the_question() -> None:
    async with running() as drive:
        await drive.press("space")
        marked = drive.explore.marked[0].document.doc_id
        await drive.press("t")
        drive.explore.drawer.knobs.choose("limit")
        await drive.press("right")
        assert [row.document.doc_id for row in drive.explore.marked] == [marked]
        await drive.ask("another")
        assert not drive.explore.marked


@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("width", [58, 66, 75, 78, 98, 120])
async def test_a_title_has_twenty_cells_at_every_width_and_headings_stand_over_their_columns(
    width: int, moving: bool
) -> None:
    async with running() as drive:
        row = drive.answer.rows[0]
        columns = Columns.fit(drive.answer, width, moving=moving)
        line = plain(row_line(row, columns, width, moved="+2" if moving else ""))
        heading = columns.heading()
        at = heading.index("title")
        assert width - at >= 20
        assert line[at:].startswith(row.document.title[:19])
        assert len(line) == width
        assert line[heading.index("fate") :].startswith("kept")
        assert ("Δ" in heading) == moving


async def test_only_lines_in_sight_are_drawn_of_twenty_thousand(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    line_at = ResultList.line_at

    def counted(self: ResultList, y: int, width: int) -> object:
        drawn.append(y)
        return line_at(self, y, width)

    monkeypatch.setattr(ResultList, "line_at", counted)
    async with running(many(20_000)) as drive:
        drawn.clear()
        await drive.press("end", "pageup", "home")
        assert 0 < len(drawn) < 20 * drive.explore.results.size.height


async def test_a_sorted_list_keeps_every_row() -> None:
    async with running() as drive:
        for column in ("", "tier", "type", "score", "penalty", "bytes", "tok", "fate", "title"):
            for turned in (False, True):
                rows = ListView(column=column, turned=turned).rows(drive.answer)
                assert sorted(row.rank for row in rows if isinstance(row, Row)) == list(range(1, 10))
        assert ListView().rows(drive.answer) == layout(drive.answer)


@pytest.mark.parametrize("size", [(80, 24), (160, 40)])
async def test_hostile_rows_stay_harmless_pinned_filtered_marked_and_compared(size: tuple[int, int]) -> None:
    async with running(hostile(), size=size) as drive:
        await drive.press("p", "space", "f", *"[/]", "enter")
        assert_harmless(drive)
        assert "rows contain [/]" in drive.text()
        await drive.press("t")
        drive.explore.drawer.knobs.choose("penalty.pull")
        await drive.press("shift+right", "escape", "d")
        assert_harmless(drive)
        assert "[/]" in drive.text()


def test_the_head_that_rows_are_sorted_by_does_not_touch_its_neighbours() -> None:
    for width in (80, 120):
        columns = Columns.fit(FakeLibrary().query(Query(text="state provider"), Settings()), width)
        heads = len(columns.heading().split())
        for name in ("tier", "type", "score", "penalty", "bytes", "tok", "fate", "title"):
            words = columns.heading(name, "↑").split()
            assert len(words) == heads, (width, name, words)
            assert sum(word.endswith("↑") for word in words) == 1 or not getattr(columns, name, 1), (width, name)
