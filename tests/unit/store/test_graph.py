"""The neighbourhood: breadth first, each relation once, cycles marked, caps counted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kbtui.errors import StoreError
from kbtui.model import FileStat, SourceFile
from kbtui.store.catalog import Catalog
from kbtui.store.catalog_writer import CatalogWriter, Counted
from kbtui.store.graph import neighbourhood
from tests.unit.store.fakes import FakeSource

FILES = {
    "guide/a.md": "title: A\nlink: b.md\nrelated: nobody\nText.",
    "guide/b.md": "title: B\nlink: c.md\nText.",
    "guide/c.md": "title: C\nlink: a.md\nText.",
    "guide/d.md": "title: D\nlink: a.md\nrelated: guide/a.md\nText.",
    "guide/lone.md": "title: Lone\nText.",
}


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    source, writer = FakeSource(), CatalogWriter(tmp_path / "catalog.sqlite")
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
        stat = FileStat(path=name, size_bytes=path.stat().st_size, mtime_ns=0)
        read = source.read(tmp_path, stat)
        assert isinstance(read, SourceFile)
        writer.put(Counted(read, stat, 1, (1,) * len(read.chunks)))
    writer.finish()
    with closing(Catalog(tmp_path / "catalog.sqlite", {})) as opened:
        yield opened


def around(catalog: Catalog, doc_id: str, depth: int, cap: int = 9) -> list[tuple[int, str, str, str, str, bool]]:
    return [
        (one.depth, one.parent[6:7], one.direction, one.kind, one.doc_id.removeprefix("guide/")[:1], one.cycle)
        for one in neighbourhood(catalog, doc_id, depth, cap).neighbours
    ]


def test_one_step_shows_both_directions_and_what_dangles(catalog: Catalog) -> None:
    """Outgoing before incoming; a second relation to the same document is marked as met."""
    assert around(catalog, "guide/a.md", 1) == [
        (1, "a", "out", "link", "b", False),
        (1, "a", "out", "related", "n", False),
        (1, "a", "in", "related", "d", False),
        (1, "a", "in", "link", "d", True),
        (1, "a", "in", "link", "c", False),
    ]


def test_a_dangling_end_has_no_document(catalog: Catalog) -> None:
    """What is written but not there is shown as such."""
    found = {one.doc_id: one.document for one in neighbourhood(catalog, "guide/a.md", 1, 9).neighbours}
    assert found["nobody"] is None
    assert found["guide/b.md"] is not None


def test_a_cycle_ends(catalog: Catalog) -> None:
    """a, b, c link in a ring: from b at depth 9 every relation is told once and the way back is a cycle."""
    found = around(catalog, "guide/b.md", 9)
    assert len(found) == 6
    assert [one for one in found if one[4] == "b"] == []
    assert (2, "c", "out", "link", "a", True) in found or (2, "a", "in", "link", "c", True) in found


def test_the_cap_is_counted(catalog: Catalog) -> None:
    """a has 2 outgoing and 3 incoming relations: with a cap of 1, (2 - 1) + (3 - 1) are hidden."""
    found = neighbourhood(catalog, "guide/a.md", 1, 1)
    assert len(found.neighbours) == 2
    assert found.hidden == (2 - 1) + (3 - 1)


def test_a_lone_document_has_no_neighbours(catalog: Catalog) -> None:
    """Itself as the root, nothing around, nothing hidden."""
    found = neighbourhood(catalog, "guide/lone.md", 3, 9)
    assert (found.root.title, found.neighbours, found.hidden) == ("Lone", (), 0)


def test_an_unknown_document_is_an_error(catalog: Catalog) -> None:
    """Never an empty neighbourhood."""
    with pytest.raises(StoreError, match="no document"):
        neighbourhood(catalog, "guide/none.md", 1, 9)
