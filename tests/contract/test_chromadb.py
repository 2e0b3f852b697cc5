"""What kbtui relies on in chromadb 1.5.9, pinned: an upgrade that changes any of it must fail here first.

Each finished folder is written by one process, closed, and read by others; nothing else is relied on.
"""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kbtui.errors import StoreError
from kbtui.store import flat
from kbtui.store.manifest import Part, describe, verify_hashes, verify_sizes
from kbtui.store.vectors import VectorIndex, VectorPart, VectorWriter

if TYPE_CHECKING:
    from kbtui.store.embed import Vectors

DIMENSIONS = 16


@pytest.fixture(autouse=True)
def _only_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders as small as these would be searched without chromadb."""
    monkeypatch.setattr(flat, "MOST_ROWS", 0)


SIZES = {"tiny": 7, "below_sync_threshold": 700, "beyond_sync_threshold": 1500}

READER = """
import json, sys
from pathlib import Path
import numpy as np
from kbtui.store.vectors import VectorIndex, VectorPart
folder, rows, vectors = Path(sys.argv[1]), int(sys.argv[2]), np.load(sys.argv[3])
index = VectorIndex({"guide": (VectorPart(folder, rows),)}, vectors.shape[1])
hits = [key for vector in vectors for key, _ in index.search(vector, int(sys.argv[4]))["guide"]]
index.close()
print(json.dumps(hits))
"""


def unit_rows(count: int, dimensions: int = DIMENSIONS) -> Vectors:
    rows = np.random.default_rng(count).standard_normal((count, dimensions)).astype(np.float32)
    scaled: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return scaled


def write(folder: Path, vectors: Vectors) -> Part:
    writer = VectorWriter(folder / "chroma", "guide")
    writer.add((key, row.reshape(1, -1)) for key, row in enumerate(vectors))
    rows = writer.rows
    writer.close()
    return describe(folder, rows)


@pytest.fixture(params=SIZES)
def part(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Part, Path, Vectors]:
    """A finished folder below, or beyond, the number of rows at which chromadb persists its index."""
    vectors = unit_rows(SIZES[request.param])
    np.save(tmp_path / "vectors.npy", vectors)
    return write(tmp_path / "part", vectors), tmp_path, vectors


def ask_in_another_process(folder: Path, rows: int, nearest: int = 1) -> list[int]:
    chroma, questions = folder / "part/chroma", folder / "vectors.npy"
    done = subprocess.run(
        [sys.executable, "-c", READER, str(chroma), str(rows), str(questions), str(nearest)],
        capture_output=True,
        text=True,
        check=True,
    )
    hits: list[int] = json.loads(done.stdout)
    return hits


def test_other_processes_find_every_row_and_leave_the_files_as_recorded(part: tuple[Part, Path, Vectors]) -> None:
    """Rows past the last full thousand (the last of 1,500, all of 700) are found like the others.

    After two readers every recorded file has its size and (the database aside) its hash.
    """
    record, folder, vectors = part
    assert record.rows == len(vectors)
    for _ in range(2):
        assert ask_in_another_process(folder, record.rows) == list(range(len(vectors)))
    assert verify_sizes(folder, record) == folder / "part"
    verify_hashes(folder, record)


def test_what_is_recorded(part: tuple[Part, Path, Vectors]) -> None:
    """The database without a hash (readers move a counter in it), and the index, written down whatever its size."""
    record, _, _ = part
    hashed = {Path(one.path).name: bool(one.sha256) for one in record.files}
    assert hashed.pop("chroma.sqlite3") is False
    index_files = {"header.bin", "length.bin", "link_lists.bin", "data_level0.bin", "index_metadata.pickle"}
    assert set(hashed) == index_files
    assert all(hashed.values())


@pytest.mark.parametrize("rows", [2001, 2300])
def test_every_process_gets_the_same_answer(tmp_path: Path, rows: int) -> None:
    """The graph is approximate, so what is not written down of it (of 2,300 rows the last 300) would differ."""
    vectors = unit_rows(rows, 128)
    np.save(tmp_path / "vectors.npy", vectors[:200])
    record = write(tmp_path / "part", vectors)
    answers = [ask_in_another_process(tmp_path, record.rows, nearest=100) for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]


def test_a_persisted_index_that_is_cut_short_is_refused_before_it_is_opened(tmp_path: Path) -> None:
    """chromadb would not complain: it finds a fraction of the rows, or crashes the process."""
    record = write(tmp_path / "part", unit_rows(1500))
    (damaged,) = (tmp_path / "part").rglob("data_level0.bin")
    damaged.write_bytes(damaged.read_bytes()[:-4096])
    with pytest.raises(StoreError, match="data_level0"):
        verify_sizes(tmp_path, record)


def test_flipped_bytes_are_found_by_the_hashes(tmp_path: Path) -> None:
    """Same size, other bytes: only reading everything shows it."""
    record = write(tmp_path / "part", unit_rows(1500))
    (damaged,) = (tmp_path / "part").rglob("data_level0.bin")
    data = bytearray(damaged.read_bytes())
    data[5000] ^= 0xFF
    damaged.write_bytes(data)
    verify_sizes(tmp_path, record)
    with pytest.raises(StoreError, match="other bytes"):
        verify_hashes(tmp_path, record)


def test_threads_read_one_folder_at_once(tmp_path: Path) -> None:
    """Eight threads, 1,500 self-queries: all right."""
    vectors = unit_rows(1500)
    record = write(tmp_path / "part", vectors)
    part = VectorPart(tmp_path / "part/chroma", record.rows)
    with closing(VectorIndex({"guide": (part,)}, DIMENSIONS)) as index, ThreadPoolExecutor(8) as pool:
        hits = list(pool.map(lambda vector: int(index.search(vector, 1)["guide"].keys[0]), vectors))
    assert hits == list(range(1500))


def test_recall_against_exact_search(tmp_path: Path) -> None:
    """Of the true 100 nearest of 3,000 rows at least 99% are found, over 20 queries."""
    vectors = unit_rows(3000)
    record = write(tmp_path / "part", vectors)
    part = VectorPart(tmp_path / "part/chroma", record.rows)
    found = 0
    with closing(VectorIndex({"guide": (part,)}, DIMENSIONS)) as index:
        for query in unit_rows(20):
            exact = set(np.argsort(-(vectors @ query))[:100].tolist())
            found += len(exact & {key for key, _ in index.search(query, 100)["guide"]})
    assert found >= 0.99 * 20 * 100


def test_nothing_outside_of_kbtui_sets_chromadb_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ``.env`` in the current folder, or the environment, cannot send vectors to a server or move the folder."""
    foreign = {
        "CHROMA_API_IMPL": "chromadb.api.fastapi.FastAPI",
        "CHROMA_SERVER_HOST": "vectors.invalid",
        "PERSIST_DIRECTORY": str(tmp_path / "elsewhere"),
        "ANONYMIZED_TELEMETRY": "True",
    }
    (tmp_path / ".env").write_text("".join(f"{name}={value}\n" for name, value in foreign.items()))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CHROMA_API_IMPL", foreign["CHROMA_API_IMPL"])
    vectors = unit_rows(3)
    assert write(tmp_path / "part", vectors).rows == 3
    assert not (tmp_path / "elsewhere").exists()
