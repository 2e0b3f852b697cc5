"""Changes by stat: what is not different is not opened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kbtui.model import Chunk, Document, FileStat, Skipped, SourceFile, Span
from kbtui.store.catalog import Catalog
from kbtui.store.catalog_writer import CatalogWriter, Counted
from kbtui.store.changes import Changes, compare, is_storable, storable
from tests.unit.store.fakes import FakeScan

ROOT, STORE = Path("/corpus"), Path("/elsewhere/store")


def stat(path: str, mtime_ns: int = 1) -> FileStat:
    return FileStat(path=path, size_bytes=3, mtime_ns=mtime_ns)


@pytest.fixture
def known(tmp_path: Path) -> Iterator[Catalog]:
    """Documents a and b; c was opened and skipped; d was skipped by its name."""
    writer = CatalogWriter(tmp_path / "catalog.sqlite")
    for name in "ab":
        chunk = Chunk(chunk_id=f"{name}#0", doc_id=name, ordinal=0, span=Span(start=0, end=3), heading=(), text="abc")
        document = Document(doc_id=name, path=name, title=name, source_type="raw")
        writer.put(Counted(SourceFile(document=document, chunks=(chunk,), references=()), stat(name), 1, (1,)))
    writer.replace_skipped([(Skipped(path="c", reason="binary"), stat("c")), (Skipped(path="d", reason="odd"), None)])
    writer.finish()
    with closing(Catalog(tmp_path / "catalog.sqlite", {})) as catalog:
        yield catalog


SAME = FakeScan((stat("a"), stat("b"), stat("c")), (Skipped(path="d", reason="odd"),))


def differing(known: Catalog | None, *files: FileStat, skipped: tuple[Skipped, ...] = SAME.skipped) -> Changes:
    return compare(known, FakeScan(files, skipped), ROOT, STORE)


def test_the_same_scan_is_no_change(known: Catalog) -> None:
    """Documents and skipped files alike."""
    changes = compare(known, SAME, ROOT, STORE)
    assert changes.none
    assert (changes.fresh, changes.changed, changes.removed) == ((), (), ())


def test_each_kind_of_change(known: Catalog) -> None:
    """b has another time, e is new, a is gone, c is what it was."""
    changes = differing(known, stat("b", 2), stat("c"), stat("e"))
    assert (changes.fresh, changes.changed, changes.removed) == ((stat("e"),), (stat("b", 2),), ("a",))
    assert not changes.none


def test_a_skipped_file_that_changed_is_opened_again(known: Catalog) -> None:
    """It may be text now."""
    assert differing(known, stat("a"), stat("b"), stat("c", 2)).fresh == (stat("c", 2),)


def test_another_reason_is_a_change(known: Catalog) -> None:
    """So that the status never tells an old one; nothing is opened for it."""
    changes = differing(known, *SAME.files, skipped=(Skipped(path="d", reason="too large"),))
    assert not changes.none
    assert (changes.fresh, changes.changed, changes.removed) == ((), (), ())


def test_without_a_catalogue_everything_is_new() -> None:
    """A first index."""
    assert differing(None, *SAME.files).fresh == SAME.files


def test_the_store_s_own_files_are_nobody_s_documents() -> None:
    """Files below the store are neither indexed nor told as skipped; a sibling with the same prefix is."""
    scanned = FakeScan(
        (stat("kb/x"), stat("kb-notes/y")), (Skipped(path="kb", reason="r"), Skipped(path="z", reason="r"))
    )
    changes = compare(None, scanned, ROOT, ROOT / "kb")
    assert changes.fresh == (stat("kb-notes/y"),)
    assert [skipped.path for skipped, _ in changes.skipped] == ["z"]


def test_a_lone_surrogate_cannot_be_stored() -> None:
    """It is spelled out instead."""
    assert is_storable("ä", "漢")
    assert not is_storable("a", "\udcff")
    assert storable("a\udcffb") == "a\\udcffb"
