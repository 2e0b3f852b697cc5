"""The vector folders: the oracle's neighbours, windows, base and delta, and no trust in what was damaged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kbtui.errors import StoreError
from kbtui.store import flat, vectors
from kbtui.store.vectors import VectorIndex, VectorPart, VectorWriter, encoded, patiently

if TYPE_CHECKING:
    from kbtui.store.embed import Vectors

DIMENSIONS = 16


@pytest.fixture(autouse=True, params=["flat", "graph"])
def kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How folders as small as these are searched: by their rows, as they are, or by the graph of larger ones."""
    monkeypatch.setattr(vectors, "READ", 7)
    if request.param == "graph":
        monkeypatch.setattr(flat, "MOST_ROWS", 0)
    return str(request.param)


def unit_rows(count: int, seed: int) -> Vectors:
    rows = np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32)
    scaled: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return scaled


def built(folder: Path, source_type: str, rows: Vectors, first: int = 0, copy_of: Path | None = None) -> VectorPart:
    """Write one row a key, keys counting from ``first``."""
    writer = VectorWriter(folder, source_type, copy_of)
    writer.add((first + place, row.reshape(1, -1)) for place, row in enumerate(rows))
    part = VectorPart(folder, writer.rows)
    writer.close()
    return part


@pytest.fixture
def guides() -> Vectors:
    return unit_rows(250, seed=1)


@pytest.fixture
def index(tmp_path: Path, guides: Vectors) -> Iterator[VectorIndex]:
    """250 guides with keys from 0, of which the last 50 are in a delta, and 30 tickets with keys from 1,000."""
    parts = {
        "guide": (
            built(tmp_path / "g", "guide", guides[:200]),
            built(tmp_path / "d", "guide", guides[200:], first=200),
        ),
        "ticket": (built(tmp_path / "t", "ticket", unit_rows(30, seed=2), first=1000),),
    }
    with closing(VectorIndex(parts, DIMENSIONS)) as opened:
        yield opened


def test_base_and_delta_answer_as_one_exact_search(index: VectorIndex, guides: Vectors) -> None:
    """The nearest ten of all 250 are those of a plain matrix product, scores and all."""
    query = unit_rows(1, seed=3)[0]
    cosines = guides @ query
    best = np.argsort(-cosines)[:10]
    found = index.search(query, 10)["guide"]
    assert [key for key, _ in found] == best.tolist()
    assert np.allclose([score for _, score in found], cosines[best], atol=1e-5)


def test_types_are_asked_alone_or_together(index: VectorIndex) -> None:
    """Only the types asked for answer; one that has no vectors yet is simply absent."""
    query = unit_rows(1, seed=3)[0]
    assert set(index.search(query, 5)) == {"guide", "ticket"}
    assert set(index.search(query, 5, ("ticket", "blog"))) == {"ticket"}


def test_fewer_than_n_means_no_more(index: VectorIndex) -> None:
    """n beyond all rows gives all of them."""
    assert len(index.search(unit_rows(1, seed=3)[0], 500)["guide"]) == 250


def test_windows_of_a_passage_are_one_hit(tmp_path: Path) -> None:
    """Five passages of four windows each: five hits however few rows a first look brings, each by its best window."""
    rows = unit_rows(20, seed=4)
    writer = VectorWriter(tmp_path / "w", "guide")
    writer.add((key, rows[4 * key : 4 * key + 4]) for key in range(5))
    part = VectorPart(tmp_path / "w", writer.rows)
    writer.close()
    assert part.rows == 5 * 4
    query = unit_rows(1, seed=5)[0]
    with closing(VectorIndex({"guide": (part,)}, DIMENSIONS)) as index:
        found = index.search(query, 5)["guide"]
    best = (rows @ query).reshape(5, 4).max(axis=1)
    assert [key for key, _ in found] == np.argsort(-best).tolist()


def test_a_copy_takes_more_rows_and_the_original_stays(tmp_path: Path, guides: Vectors) -> None:
    """Both folders open at once: 40 rows in the original, 60 in the copy."""
    old = built(tmp_path / "old", "guide", guides[:40])
    with closing(VectorIndex({"guide": (old,)}, DIMENSIONS)) as before:
        new = built(tmp_path / "new", "guide", guides[40:60], first=40, copy_of=old.folder)
        with closing(VectorIndex({"guide": (new,)}, DIMENSIONS)) as after:
            assert after.search(guides[50], 1)["guide"].keys.tolist() == [50]
            assert len(after.search(guides[50], 99)["guide"]) == 60
            assert len(before.search(guides[50], 99)["guide"]) == 40


@pytest.mark.parametrize(
    "vector",
    [
        np.full(DIMENSIONS, np.nan, np.float32),
        np.ones(DIMENSIONS + 1, np.float32),
        np.ones((1, DIMENSIONS), np.float32),
    ],
)
def test_a_bad_query_vector_never_reaches_chromadb(index: VectorIndex, vector: Vectors) -> None:
    """NaN would come back as NaN distances, another dimension as a panic."""
    with pytest.raises(StoreError, match="not a query vector"):
        index.search(vector, 5)


def test_missing_rows_are_noticed_at_opening(tmp_path: Path, guides: Vectors) -> None:
    """A folder that holds other rows than the manifest says is refused, with the remedy."""
    part = built(tmp_path / "g", "guide", guides[:40])
    with pytest.raises(StoreError, match="have 40 rows, not 41") as caught:
        VectorIndex({"guide": (VectorPart(part.folder, 41),)}, DIMENSIONS)
    assert "--rebuild" in caught.value.hint


def test_damage_is_a_store_error(tmp_path: Path, guides: Vectors, kept: str) -> None:
    """An overwritten database makes chromadb panic or raise, overwritten rows are no array; all are StoreErrors."""
    part = built(tmp_path / "g", "guide", guides[:40])
    damaged = {"flat": flat.ROWS_FILE, "graph": "chroma.sqlite3"}[kept]
    (tmp_path / "g" / damaged).write_bytes(b"garbage!" * 1000)
    with pytest.raises(StoreError, match="type guide cannot be opened"):
        VectorIndex({"guide": (part,)}, DIMENSIONS)


def test_only_a_folder_that_has_outgrown_its_rows_needs_its_graph(
    tmp_path: Path, guides: Vectors, monkeypatch: pytest.MonkeyPatch, kept: str
) -> None:
    """The rows of 40 are there, of the copy with 60, too; of one with 61 not even the old ones."""
    monkeypatch.setattr(flat, "MOST_ROWS", {"flat": 60, "graph": 0}[kept])
    parts = [built(tmp_path / "40", "guide", guides[:40])]
    parts += [built(tmp_path / "60", "guide", guides[40:60], 40, copy_of=tmp_path / "40")]
    parts += [built(tmp_path / "61", "guide", guides[60:61], 60, copy_of=tmp_path / "60")]
    assert [part.rows for part in parts] == [40, 60, 61]
    rows = [flat.Flat.opened(part.folder) for part in parts]
    assert [None if one is None else len(one) for one in rows] == ([40, 60, None] if kept == "flat" else [None] * 3)
    for part in parts:
        with closing(VectorIndex({"guide": (part,)}, DIMENSIONS)) as opened:
            assert [key for key, _ in opened.search(guides[part.rows - 1], 1)["guide"]] == [part.rows - 1]


def test_equal_ones_at_the_cut_are_settled_by_key(tmp_path: Path) -> None:
    """Six passages of one text: the two with the lowest keys, however they were written."""
    row = unit_rows(1, seed=6)
    writer = VectorWriter(tmp_path / "g", "guide")
    writer.add((key, row) for key in (5, 3, 4, 0, 2, 1))
    part = VectorPart(tmp_path / "g", writer.rows)
    writer.close()
    with closing(VectorIndex({"guide": (part,)}, DIMENSIONS)) as opened:
        assert [key for key, _ in opened.search(row[0], 6)["guide"]] == [0, 1, 2, 3, 4, 5]
        if (part.folder / flat.ROWS_FILE).exists():  # a graph takes any of them
            assert [key for key, _ in opened.search(row[0], 2)["guide"]] == [0, 1]


def test_any_source_type_has_a_name() -> None:
    """Names fit chromadb's alphabet and length, and differ where types do."""
    types = ["guide", "ai-infrastructure", "a", "A", "ä", "x y", "../etc", "-", "", "long" * 200, "hash-x", "src."]
    names = [encoded(source_type) for source_type in types]
    assert len(set(names)) == len(types)
    assert all(3 <= len(name) <= 100 and name.replace("-", "").isalnum() and name.isascii() for name in names)


def test_a_file_that_chromadb_itself_still_holds_is_waited_for() -> None:
    """It is no damage; anything else is raised at once, and so is this when it does not end."""
    asked: list[str] = []

    def held() -> int:
        asked.append("held")
        if len(asked) < 3:
            raise RuntimeError("error returned from database: (code: 5) database is locked")
        return 7

    def broken() -> int:
        asked.append("broken")
        raise RuntimeError("no such collection")

    assert patiently(held) == 7
    with pytest.raises(RuntimeError, match="no such"):
        patiently(broken)
    assert asked == ["held", "held", "held", "broken"]


def test_a_file_that_is_held_for_good_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "PATIENCE_S", 0.0)

    def held() -> None:
        raise RuntimeError("database is locked")

    with pytest.raises(RuntimeError, match="locked"):
        patiently(held)
