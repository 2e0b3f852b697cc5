"""Generations under fault: one writer, readers that are never disturbed, damage that is named."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from kbtui.errors import StoreError
from kbtui.store.generation import OpenGeneration, Store
from kbtui.store.manifest import FORMAT
from kbtui.store.writing import writing
from tests.unit.store.conftest import Workshop, workshop

__all__ = ["workshop"]

FILES = {"guide/a.md": "title: A\nAlpha words.", "guide/b.md": "title: B\nBeta words.", "ticket/1.md": "Gamma words."}

READER = """
import sys
from pathlib import Path
from kbtui.store.generation import Store
opened = Store(Path(sys.argv[1])).open()
print(opened.name, flush=True)
sys.stdin.readline()
keys = [key for key, _ in opened.lexical.search("words", None, 9)]
print(len(opened.catalog.entries(keys)), flush=True)
"""


@pytest.fixture
def built(workshop: Workshop) -> Workshop:
    """Three documents, indexed."""
    workshop.write(FILES)
    workshop.build()
    return workshop


def change(built: Workshop, text: str) -> None:
    built.write({"guide/a.md": f"title: A\n{text} words."})
    built.build()


def found(opened: OpenGeneration, text: str) -> set[str]:
    keys = [key for key, _ in opened.lexical.search(text, None, 9)]
    return {entry.doc_id for entry in opened.catalog.entries(keys).values()}


def kept(store: Store) -> list[str]:
    return sorted(path.name for path in store.generations.iterdir())


def test_a_second_writer_is_refused_at_once(built: Workshop) -> None:
    """While one writes, another gets an error and changes nothing; afterwards it may."""
    with writing(built.store), pytest.raises(StoreError, match="another process is indexing"):
        built.build()
    assert built.build().documents == 3


def test_a_writer_that_was_killed_holds_no_lock(built: Workshop) -> None:
    """The lock dies with its process."""
    script = "import sys; from pathlib import Path; from kbtui.store.generation import Store\n"
    script += "from kbtui.store.writing import writing\n"
    script += "with writing(Store(Path(sys.argv[1]))): print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", script, str(built.store.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(StoreError, match="another process"):
            built.build()
        holder.kill()
    assert built.build().documents == 3


def test_a_reader_keeps_its_generation(built: Workshop) -> None:
    """Two publications later it answers as on its first day, vectors opened late included; then it all goes."""
    first = built.store.open()
    change(built, "Delta")
    change(built, "Epsilon")
    assert kept(built.store) == [first.name, built.store.current()]
    assert found(first, "alpha") == {"guide/a.md"}
    assert len(first.vectors.search(built.embedder.embed_query("x"), 9)["guide"]) == 2
    first.close()
    change(built, "Zeta")
    assert kept(built.store) == [built.store.current()]
    with closing(built.store.open()) as opened:
        assert {path.name for path in built.store.parts.iterdir()} == {part.name for part in opened.manifest.parts}
        assert found(opened, "zeta") == {"guide/a.md"}


def test_a_reader_in_another_process_keeps_its_generation(built: Workshop) -> None:
    """Its shared lock is seen by the writer, and goes with the process."""
    with subprocess.Popen(
        [sys.executable, "-c", READER, str(built.store.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as reader:
        assert reader.stdout is not None
        name = reader.stdout.readline().strip()
        change(built, "Delta")
        change(built, "Epsilon")
        assert kept(built.store) == [name, built.store.current()]
        out, _ = reader.communicate("go\n")
    assert out == "3\n"
    built.build()
    assert kept(built.store) == [built.store.current()]


def test_what_a_killed_build_left_is_cleared_away(built: Workshop) -> None:
    """A part and a half-made generation that nobody names."""
    (built.store.parts / "catalog-left").mkdir()
    (built.store.generations / "000099").mkdir()
    built.build()
    assert kept(built.store) == [built.store.current()]
    assert not (built.store.parts / "catalog-left").exists()


def test_after_a_build_that_did_not_end_the_last_generation_is_read_whole(built: Workshop) -> None:
    """Whatever stopped that build may have hurt more: a flipped byte is found then, and a rebuild repairs it."""
    (segment,) = built.store.path.glob("parts/lexical-*/*.idx")
    flip(segment)
    built.build()  # sizes are right and the last build ended: no doubt, so nothing is read
    (built.store.parts / "catalog-left").mkdir()
    for _ in range(2):  # it is not forgotten after the first time
        with pytest.raises(StoreError, match="other bytes"):
            built.build()
    assert built.build(rebuild=True).pending == 0
    with closing(built.store.open()) as opened:
        opened.verify()


def test_no_store_is_said_with_the_way_to_make_one(tmp_path: Path) -> None:
    """Missing and empty folders: the command to index is the hint."""
    (tmp_path / "empty").mkdir()
    for name in ("missing", "empty"):
        store = Store(tmp_path / name)
        assert store.current() is None
        with pytest.raises(StoreError, match="nothing is indexed") as caught:
            store.open()
        assert "kbtui index" in caught.value.hint
    assert not (tmp_path / "missing").exists()


def test_a_foreign_folder_is_never_touched(workshop: Workshop) -> None:
    """A folder with other files in it is refused by readers and by the builder, and stays as it is."""
    workshop.store.path.mkdir()
    (workshop.store.path / "thesis.txt").write_text("mine")
    workshop.write(FILES)
    for action in (workshop.store.open, workshop.build, lambda: workshop.build(rebuild=True)):
        with pytest.raises(StoreError, match="no kbtui store"):
            action()
    assert [path.name for path in workshop.store.path.iterdir()] == ["thesis.txt"]


def test_a_store_killed_in_its_first_moment_is_empty(workshop: Workshop) -> None:
    """Only the marker about to be put in place is there: it can be built."""
    workshop.store.path.mkdir()
    (workshop.store.path / "kbtui-store.json.new").write_text("{")
    workshop.write(FILES)
    assert workshop.build().documents == 3


def test_a_newer_store_is_refused(built: Workshop) -> None:
    """Readers and the builder say so, a rebuild too: the newer kbtui may still want it."""
    (built.store.path / "kbtui-store.json").write_text(json.dumps({"format": 99}))
    for action in (built.store.open, built.build, lambda: built.build(rebuild=True)):
        with pytest.raises(StoreError, match="newer kbtui") as caught:
            action()
        assert "Upgrade kbtui" in caught.value.hint


def test_a_store_of_an_older_format_is_built_anew(built: Workshop) -> None:
    """Its tables may differ: nothing is read from it but the embeddings."""
    (path,) = built.store.path.glob("generations/*/manifest.json")
    path.write_text(path.read_text().replace(f'"format": {FORMAT}', '"format": 0'))
    pointer = f"{path.parent.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n"
    (built.store.path / "CURRENT").write_text(pointer)
    (built.store.path / "kbtui-store.json").write_text('{"format": 0}')
    for action in (built.store.open, built.build):
        with pytest.raises(StoreError, match="another kbtui") as caught:
            action()
        assert "--rebuild" in caught.value.hint
    assert built.build(rebuild=True).pending == 0
    assert built.embedder.embedded == []
    assert json.loads((built.store.path / "kbtui-store.json").read_text()) == {"format": FORMAT}
    with closing(built.store.open()) as opened:
        assert found(opened, "alpha") == {"guide/a.md"}


def truncate(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x01
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("pattern", "damage"),
    [
        ("CURRENT", truncate),
        ("CURRENT", lambda path: path.write_text("")),
        ("generations/*/manifest.json", flip),
        ("generations/*/manifest.json", Path.unlink),
        ("parts/catalog-*/catalog.sqlite", truncate),
        ("parts/catalog-*/catalog.sqlite", Path.unlink),
    ],
)
def test_damage_is_named_and_a_rebuild_repairs_it(
    built: Workshop, pattern: str, damage: Callable[[Path], object]
) -> None:
    """Opening says what is damaged and how to repair it; that command does, without embedding anything again."""
    (path,) = built.store.path.glob(pattern)
    damage(path)
    for action in (built.store.open, built.build):
        with pytest.raises(StoreError, match="damaged") as caught:
            action()
        assert "--rebuild" in caught.value.hint
    assert built.build(rebuild=True).pending == 0
    assert built.embedder.embedded == []
    with closing(built.store.open()) as opened:
        assert found(opened, "alpha") == {"guide/a.md"}
        assert {path.name for path in built.store.parts.iterdir()} == {part.name for part in opened.manifest.parts}


def test_damaged_vectors_leave_the_words(built: Workshop) -> None:
    """The generation opens, words are found; only asking for vectors raises, before chromadb sees them."""
    (database,) = built.store.path.glob("parts/vectors-type-guide-*/chroma/chroma.sqlite3")
    truncate(database)
    with closing(built.store.open()) as opened:
        assert found(opened, "alpha") == {"guide/a.md"}
        with pytest.raises(StoreError, match=r"chroma\.sqlite3 has"):
            _ = opened.vectors


def test_a_damaged_lexical_index_leaves_the_vectors(built: Workshop) -> None:
    """And the other way round."""
    segment = next(built.store.path.glob("parts/lexical-*/*.idx"))
    truncate(segment)
    with closing(built.store.open()) as opened:
        with pytest.raises(StoreError, match="damaged"):
            _ = opened.lexical
        assert len(opened.vectors.search(built.embedder.embed_query("x"), 9)["guide"]) == 2


def test_a_store_deleted_while_open_is_said(built: Workshop) -> None:
    """What is open goes on; opening anew says that nothing is there."""
    with closing(built.store.open()) as opened:
        assert found(opened, "alpha") == {"guide/a.md"}
        shutil.rmtree(built.store.path)
        assert found(opened, "alpha") == {"guide/a.md"}
        assert built.store.current() is None
        with pytest.raises(StoreError, match="nothing is indexed"):
            built.store.open()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_a_store_error(workshop: Workshop) -> None:
    """Said at once, with the reason."""
    workshop.store.path.mkdir()
    workshop.store.path.chmod(0o500)
    with pytest.raises(StoreError, match="cannot be written"):
        workshop.build()
