"""The chromadb door: passages by their vectors.

A folder for each source type (a base and, after changes, a delta), each with one collection, because a tier
as five folders is asked in 4 ms where a filter on one collection takes 146 (see ARCHITECTURE.md). A folder is
written once, closed, and only read from then on: chromadb has no second writer and no refresh. A small folder has
its rows in a file, too, and is searched there (see flat.py).
"""

from __future__ import annotations

import hashlib
import re
import shutil
import warnings
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from kbtui.errors import StoreError
from kbtui.store import flat
from kbtui.store.faults import REPAIR, mapped
from kbtui.store.ranking import Ranking, merged, ranked

if TYPE_CHECKING:
    from chromadb.api.collection_configuration import CreateCollectionConfiguration
    from chromadb.config import Settings

    from kbtui.store.embed import Vector, Vectors

T = TypeVar("T")

BATCH = 100
"""Rows added at once: chromadb holds the interpreter lock for 71 ms then, for 184 ms with 1,000."""

READ = 500
"""Rows read back at once: chromadb hands out every number as an object."""

CONFIGURATION: CreateCollectionConfiguration = {"hnsw": {"space": "cosine", "ef_construction": 200, "ef_search": 300}}
"""So the best 100 of 14,000 real passages hold 99.5% of the true ones; at 100 and 200 they hold 98%, no faster."""

SYNC_WHILE_WRITING = {"sync_threshold": 1000, "batch_size": 100}
"""chromadb's own: how many rows it takes in before it writes its graph down."""
SYNC_AT_THE_END = {"sync_threshold": 2, "batch_size": 2}
"""The least it allows. What is only in its log is put into the graph anew at each opening, in no fixed order, and two
processes would answer differently; so the graph is written down whole before anybody reads it."""

PATIENCE_S = 20.0
MOST_THREADS = 8
PLAIN_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,60}[a-z0-9])?")


class _Queried(Protocol):
    """What is used of a chromadb collection."""

    def count(self) -> int: ...

    def query(self, *, query_embeddings: Any, n_results: int, include: Any) -> Any: ...


class _Folder(Protocol):
    """A folder open for reading."""

    def nearest(self, vector: Vector, n: int) -> Ranking:
        """Return at least the nearest ``n`` passages by their cosines, or all there are."""
        ...


@dataclass(frozen=True, slots=True)
class VectorPart:
    """A finished folder and the rows that it must hold."""

    folder: Path
    rows: int


def encoded(source_type: str) -> str:
    """Return a source type as a name that chromadb and every file system accept; different types stay different."""
    if PLAIN_NAME.fullmatch(source_type):
        return f"type-{source_type}"
    return f"hash-{hashlib.sha256(source_type.encode()).hexdigest()[:32]}"


class VectorWriter:
    """Writes a folder of one source type: a new one, or a copy of one that gets more rows."""

    def __init__(self, folder: Path, source_type: str, copy_of: Path | None = None) -> None:
        with mapped(f"the vectors of type {source_type} cannot be written"):
            if copy_of is not None:
                shutil.copytree(copy_of, folder)
            else:
                folder.mkdir(parents=True)
            self._type, self._folder = source_type, folder
            self._client = _client(folder)
            self._collection: Any = self._client.get_or_create_collection(
                encoded(source_type), embedding_function=None, configuration=CONFIGURATION
            )
            self._last: Vector | None = None
            if copy_of is not None:
                _sync(self._collection, SYNC_WHILE_WRITING)

    @property
    def rows(self) -> int:
        """How many rows the folder holds by now."""
        return int(self._collection.count())

    def add(self, vectors: Iterable[tuple[int, Vectors]]) -> None:
        """Take in passages by key, with a row for each window."""
        rows = ((_row_id(key, place), row) for key, windows in vectors for place, row in enumerate(windows))
        with mapped(f"the vectors of type {self._type} cannot be written"):
            while some := list(islice(rows, BATCH)):
                names, vectors_of = [name for name, _ in some], [row for _, row in some]
                patiently(partial(self._collection.add, ids=names, embeddings=vectors_of))
                self._last = some[-1][1]

    def close(self) -> None:
        """Write everything down, the graph whole, and let the folder go."""
        with mapped(f"the vectors of type {self._type} cannot be written"):
            if self._last is not None:
                _sync(self._collection, SYNC_AT_THE_END)
            self._client.close()
            if self._last is not None:
                client = _client(self._folder)  # the log is worked through by the first query after an opening
                collection = client.get_collection(encoded(self._type), embedding_function=None)
                patiently(partial(collection.query, query_embeddings=[self._last], n_results=1, include=[]))
                self._write_flat(collection)
                client.close()

    def _write_flat(self, collection: Any) -> None:
        """Write the rows of a small folder down beside its graph; a copy that has grown must not keep the old ones."""
        import numpy as np

        for name in (flat.KEYS_FILE, flat.ROWS_FILE):
            (self._folder / name).unlink(missing_ok=True)
        rows = collection.count()
        if rows <= flat.MOST_ROWS:
            parts = [collection.get(include=["embeddings"], limit=READ, offset=at) for at in range(0, rows, READ)]
            keys = np.array([_key(row_id) for part in parts for row_id in part["ids"]], np.int64)
            vectors = np.concatenate([part["embeddings"] for part in parts], dtype=np.float32)
            flat.Flat.write(self._folder, keys, vectors)


def _sync(collection: Any, when: Mapping[str, int]) -> None:
    """Set when a collection writes its graph down."""
    with warnings.catch_warnings():  # it warns of having no embedding function, which is how we want it
        warnings.filterwarnings("ignore", "legacy embedding function config")
        patiently(partial(collection.modify, configuration={"hnsw": dict(when)}))


def patiently(ask: Callable[[], T]) -> T:
    """Ask again while chromadb's own threads hold its SQLite file: a busy disk keeps them longer than it waits itself.

    Errors: whatever the call raises, "database is locked" after `PATIENCE_S` only.
    """
    until = monotonic() + PATIENCE_S
    while True:
        try:
            return ask()
        except Exception as error:
            if "database is locked" not in str(error) or monotonic() > until:
                raise
            sleep(0.05)


class VectorIndex:
    """Finished folders, open for reading, by source type. Safe to use from several threads."""

    def __init__(self, parts: Mapping[str, tuple[VectorPart, ...]], dimensions: int) -> None:
        self._dimensions = dimensions
        self._clients: list[Any] = []
        self._open: dict[str, list[_Folder]] = {}
        self._threads = ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="vectors")
        try:
            for source_type, folders in sorted(parts.items()):
                with mapped(f"the vectors of type {source_type} cannot be opened"):
                    self._open[source_type] = [self._opened(source_type, part) for part in folders]
            self._load_graphs()
        except BaseException:
            self.close()
            raise

    def search(self, vector: Vector, n: int, source_types: tuple[str, ...] | None = None) -> dict[str, Ranking]:
        """Return for each type its nearest ``n`` passages by their cosines.

        A type with fewer than ``n`` has no more. Keys of passages that are gone may be among them.

        Errors: StoreError for a vector of another model or one that is not finite, and when a folder fails.
        """
        import numpy as np

        if vector.shape != (self._dimensions,) or not np.isfinite(vector).all():
            raise StoreError(f"not a query vector of {self._dimensions} finite numbers: shape {vector.shape}", REPAIR)
        wanted = [name for name in self._open if source_types is None or name in source_types]
        graphs = {
            folder: self._threads.submit(folder.nearest, vector, n)
            for name in wanted
            for folder in self._open[name]
            if isinstance(folder, _Graph)
        }
        return {
            name: merged(
                [
                    graphs[folder].result() if isinstance(folder, _Graph) else folder.nearest(vector, n)
                    for folder in self._open[name]
                ]
            ).first(n)
            for name in wanted
        }

    def close(self) -> None:
        """Let all folders go."""
        self._threads.shutdown()
        while self._clients:
            self._clients.pop().close()

    def _load_graphs(self) -> None:
        """Have chromadb read its graphs, which it leaves to the first query: that is opening, and takes seconds."""
        import numpy as np

        graphs = [folder for folders in self._open.values() for folder in folders if isinstance(folder, _Graph)]
        first = np.eye(1, self._dimensions, dtype=np.float32)[0]
        for loading in [self._threads.submit(graph.nearest, first, 1) for graph in graphs]:
            loading.result()

    def _opened(self, source_type: str, part: VectorPart) -> _Folder:
        """Open a folder; when its rows are in a file, nothing of chromadb is needed."""
        rows = flat.Flat.opened(part.folder)
        if rows is not None:
            _require_rows(source_type, len(rows), part.rows)
            return rows
        client = _client(part.folder)
        self._clients.append(client)
        collection = client.get_collection(encoded(source_type), embedding_function=None)
        _require_rows(source_type, collection.count(), part.rows)
        return _Graph(source_type, collection, part.rows)


@dataclass(frozen=True, eq=False)
class _Graph:
    """A folder that chromadb searches by its graph."""

    source_type: str
    collection: _Queried
    rows: int

    def nearest(self, vector: Vector, n: int) -> Ranking:
        """Return the nearest ``n`` passages; a passage is as near as its nearest window."""
        import numpy as np

        asked = n
        while True:
            with mapped(f"the vectors of type {self.source_type} cannot be searched"):
                answer = self.collection.query(
                    query_embeddings=[vector], n_results=min(asked, self.rows), include=["distances"]
                )
            near: dict[int, float] = {}
            for row_id, distance in zip(answer["ids"][0], answer["distances"][0], strict=True):  # nearest first
                near.setdefault(_key(row_id), distance)
            if len(near) >= n or asked >= self.rows:
                distances = np.fromiter(near.values(), np.float64, len(near))
                return ranked(np.fromiter(near, np.int64, len(near)), 1.0 - distances)
            asked *= 2


def _require_rows(source_type: str, found: int, rows: int) -> None:
    if found != rows:
        raise StoreError(f"the vectors of type {source_type} have {found:,} rows, not {rows:,}", REPAIR)


def _row_id(key: int, window: int) -> str:
    return f"{key}.{window}" if window else str(key)


def _key(row_id: str) -> int:
    return int(row_id.partition(".")[0])


def _client(folder: Path) -> Any:
    """Return a client whose `close` lets the folder go (the declared ClientAPI lacks it)."""
    import chromadb

    return chromadb.PersistentClient(path=str(folder.absolute()), settings=_settings())


def _settings() -> Settings:
    """Return chromadb's own defaults, telemetry off.

    Left to itself chromadb also takes settings from the environment and from a ``.env`` in the current folder:
    one in a corpus could send every vector to a server of its choice.
    """
    from chromadb.config import Settings

    return Settings.model_construct(anonymized_telemetry=False)
