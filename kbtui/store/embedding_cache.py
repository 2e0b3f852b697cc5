"""Vectors by (model, text hash), beside the generations: nothing is ever embedded twice.

Written by the one builder only; every batch is committed, so a killed build keeps what it had.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from kbtui.store.faults import mapped

if TYPE_CHECKING:
    from kbtui.store.embed import Embedder, Vectors

SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
    model TEXT NOT NULL, digest BLOB NOT NULL, data BLOB NOT NULL, PRIMARY KEY (model, digest)
) WITHOUT ROWID
"""
LOOKED_UP_AT_ONCE = 500


class EmbeddingCache:
    """The vectors of one model that are known."""

    def __init__(self, path: Path, embedder: Embedder) -> None:
        self._model, self._dimensions = embedder.name, embedder.dimensions
        with mapped(f"the embedding cache {path.name} cannot be opened"):
            try:
                self._connection = _connect(path)
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise
                path.unlink()  # not a database: what it held can be computed again
                self._connection = _connect(path)

    def missing(self, digests: Iterable[bytes]) -> set[bytes]:
        """Return those that are not known."""
        wanted = set(digests)
        with mapped("the embedding cache cannot be read"):
            for some in _batches(sorted(wanted), LOOKED_UP_AT_ONCE):
                wanted -= {digest for (digest,) in self._rows("digest", some)}
        return wanted

    def get(self, digests: Sequence[bytes]) -> dict[bytes, Vectors]:
        """Return the vectors of those that are known, a row for each window."""
        import numpy as np

        found: dict[bytes, Vectors] = {}
        with mapped("the embedding cache cannot be read"):
            for some in _batches(digests, LOOKED_UP_AT_ONCE):
                for digest, data in self._rows("digest, data", some):
                    found[digest] = np.frombuffer(data, dtype="<f4").reshape(-1, self._dimensions)
        return found

    def put(self, vectors: Mapping[bytes, Vectors]) -> None:
        """Keep these, at once and for good."""
        rows = [(self._model, digest, array.astype("<f4").tobytes()) for digest, array in vectors.items()]
        with mapped("the embedding cache cannot be written"), self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)

    def close(self) -> None:
        """Let the file go."""
        self._connection.close()

    def _rows(self, columns: str, digests: Sequence[bytes]) -> sqlite3.Cursor:
        marks = ", ".join("?" * len(digests))
        return self._connection.execute(
            f"SELECT {columns} FROM vectors WHERE model = ? AND digest IN ({marks})", (self._model, *digests)
        )


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(SCHEMA)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _batches(items: Iterable[bytes], size: int) -> Iterator[list[bytes]]:
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some
