"""The map of the Graph pane: drawn with characters, within its room, following the tree."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbtui.errors import UsageError
from kbtui.model import Edge, EgoMap, MapNode
from kbtui.text import cell_width
from kbtui.tui.chart import chart, line
from kbtui.tui.ink import plain
from tests.tui.drive import running
from tests.tui.fakes import DOCUMENTS, FakeLibrary, document

STATE = "docs/state.md"
TWO = EgoMap(
    root="a.md",
    nodes=(
        MapNode(document=document("a.md", "Alpha", "guide", 9), depth=0, x=0.0, y=0.0),
        MapNode(document=document("b.md", "Beta", "pull", 9), depth=1, x=1.0, y=1.0),
    ),
    edges=(Edge(source="a.md", target="b.md", kind="link"),),
)


def test_a_line_of_dots_has_no_gaps_and_both_ends() -> None:
    dots = list(line((0, 0), (7, 3)))
    assert dots[0] == (0, 0)
    assert dots[-1] == (7, 3)
    assert len(dots) == 8
    assert all(abs(a[0] - b[0]) <= 1 and abs(a[1] - b[1]) <= 1 for a, b in pairwise(dots))


def test_two_documents_and_their_relation() -> None:
    """The root at the upper left, the other at the lower right with its mark last, dots from one to the other."""
    rows = [plain(row) for row in chart(TWO, {"b.md": 3}, "", 30, 5)]
    assert rows[0].startswith("◉ Alpha")
    assert rows[-1].endswith("3 Beta ●")
    assert all(any("\u2800" < character <= "\u28ff" for character in row) for row in rows[1:-1])


def test_what_the_cursor_rests_on_is_marked_with_its_relations() -> None:
    inks = {run.strip(): ink for row in chart(TWO, {}, "b.md", 30, 5) for run, ink in row}
    assert inks["Beta"] == "key"
    assert inks["Alpha"] == "strong"
    assert "accent" in {ink for row in chart(TWO, {}, "b.md", 30, 5) for run, ink in row if run >= "\u2801"}


def test_tiers_have_their_inks() -> None:
    inks = {run: ink for row in chart(TWO, {"b.md": 1}, "", 30, 5) for run, ink in row}
    assert (inks["◉"] if "◉" in inks else inks["◉ "]) == "primary"
    assert inks["●"] == "historical"


places = st.floats(min_value=0, max_value=1)


@given(
    st.lists(st.tuples(st.text(max_size=30), places, places), min_size=1, max_size=40),
    st.integers(min_value=1, max_value=90),
    st.integers(min_value=0, max_value=30),
)
def test_a_map_never_leaves_its_room(nodes: list[tuple[str, float, float]], width: int, height: int) -> None:
    """Whatever the titles and places, there are as many lines as rows, and each is as wide as the room."""
    rows = [document(f"{at}.md", title, "guide", 9) for at, (title, _, _) in enumerate(nodes)]
    ego = EgoMap(
        root="0.md",
        nodes=tuple(
            MapNode(document=row, depth=min(at, 1), x=x, y=y)
            for at, (row, (_, x, y)) in enumerate(zip(rows, nodes, strict=True))
        ),
        edges=tuple(Edge(source="0.md", target=row.doc_id, kind="link") for row in rows[1:]),
    )
    drawn = chart(ego, {"0.md": 1}, "1.md", width, height)
    assert len(drawn) == height
    assert all(cell_width(plain(row)) == width for row in drawn)


async def test_the_map_stands_below_the_tree_and_counts_what_is_not_on_it() -> None:
    async with running() as drive:
        await drive.press("g")
        shown = drive.text()
        assert "map: 9 documents, 5 more near" in shown
        assert "◉ 1 State" in shown or "1 State" in shown
        assert "→ link 1" in shown


async def test_m_puts_the_map_away_and_brings_it_back() -> None:
    async with running() as drive:
        await drive.press("g", "g", "m")
        assert "map: 9" not in drive.text()
        await drive.press("m")
        assert "map: 9" in drive.text()


async def test_the_map_follows_the_trees_cursor_and_root() -> None:
    library = FakeLibrary()
    async with running(library) as drive:
        await drive.press("g", "g")
        before = drive.segments()
        await drive.press("down", "down")
        assert drive.segments() != before
        await drive.press("full_stop")
        assert drive.explore.graph.root_id == "pulls/418.md"
        assert "◉" in drive.text()
        await drive.press("backspace")
        assert drive.explore.graph.root_id == STATE


@pytest.mark.parametrize("size", [(60, 15), (80, 18)])
async def test_a_short_pane_shows_the_tree_alone_and_says_what_the_map_needs(size: tuple[int, int]) -> None:
    async with running(size=size) as drive:
        await drive.press("g")
        assert "→ link 1" in drive.text()
        assert "map: 9" not in drive.text()
        await drive.press("m")
        assert [note.message for note in drive.app._notifications] == ["The map needs 14 rows."]


async def test_a_wide_pane_shows_the_map_beside_the_tree() -> None:
    async with running(size=(300, 50)) as drive:
        await drive.press("g")
        tree, drawn = drive.explore.graph.region, drive.explore.query_one("#map").region
        assert tree.y == drawn.y
        assert tree.right <= drawn.x


class Mapless(FakeLibrary):
    """A library that draws no maps."""

    def ego_map(self, name: str) -> EgoMap:
        """Refuse."""
        raise UsageError(f"no map of {name} [/]")


async def test_an_error_stands_where_the_map_would() -> None:
    async with running(Mapless()) as drive:
        await drive.press("g")
        assert f"no map of {DOCUMENTS[0][1].doc_id} [/]" in drive.text()
        assert "→ link 1" in drive.text()
