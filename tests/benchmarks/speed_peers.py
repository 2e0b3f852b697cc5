"""The others of the speed benchmark: each asks the same rows its own way, and brings 100 passages for each tier.

A peer that cannot be imported here is named with the reason. All get the question's vector from the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from kbtui.settings import TIER_TYPES, tier_of
from kbtui.store.generation import OpenGeneration
from kbtui.store.lexical import Lexical
from tests.benchmarks.synthetic import Synthetic, number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kbtui.store.embed import Vector, Vectors

FOUND = 100
"""Passages asked for: kbtui asks its retrievers for as many of each tier."""

EVERYTHING = "all"
ADDED_AT_ONCE = 5_000

Pools = dict[str, list[int]]
"""Keys of passages, nearest first, by tier, or under ``all`` where there are no tiers."""


@dataclass(frozen=True)
class Rows:
    """The passages of a generation, sorted by type: what every peer is built from."""

    keys: NDArray[np.int64]
    types: dict[str, slice]
    texts: list[str]
    vectors: Vectors
    tiers: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, data: Synthetic, opened: OpenGeneration) -> Rows:
        """Read them from the catalogue, with the vectors that were drawn for them."""
        keys: list[int] = []
        texts: list[str] = []
        types: dict[str, slice] = {}
        tiers: dict[str, tuple[str, ...]] = {name: () for name, _ in TIER_TYPES}
        for status in opened.catalog.type_status():
            start, name = len(keys), status.source_type
            found = opened.catalog.headed_texts(opened.catalog.searchable(name))
            keys.extend(found)
            texts.extend(text for _, text in found.values())
            types[name] = slice(start, len(keys))
            tiers[tier_of(name)] += (name,)
        vectors = np.ascontiguousarray(data.vectors[[number(text) for text in texts]])
        held = {name: held for name, held in tiers.items() if held}
        return cls(np.array(keys), types, texts, vectors, held)

    def type_of_each(self) -> Iterator[str]:
        """Yield each row's type."""
        return chain.from_iterable([name] * (rows.stop - rows.start) for name, rows in self.types.items())


class Peer(Protocol):
    """One way to retrieve from the rows."""

    name: str

    def ask(self, text: str, vector: Vector) -> None:
        """Retrieve by meaning and by words: what is timed."""
        ...

    def nearest(self, vector: Vector) -> Pools:
        """Return only what is found by meaning, so that recall can be told."""
        ...


class Exact:
    """(e) numpy over rows sorted by type, and tantivy: the ceiling."""

    name = "exact numpy + tantivy"

    def __init__(self, rows: Rows, lexical: Lexical, _: Path) -> None:
        self._rows, self._lexical = rows, lexical

    def ask(self, text: str, vector: Vector) -> None:
        self.nearest(vector)
        for types in self._rows.tiers.values():
            self._lexical.search(text, types, FOUND)

    def nearest(self, vector: Vector) -> Pools:
        cosines = self._rows.vectors @ vector
        return {tier: self._best(cosines, types) for tier, types in self._rows.tiers.items()}

    def untiered(self, vector: Vector) -> list[int]:
        """Return the nearest of all rows."""
        return self._best(self._rows.vectors @ vector, tuple(self._rows.types))

    def _best(self, cosines: Vector, types: tuple[str, ...]) -> list[int]:
        places = np.concatenate(
            [np.arange(self._rows.types[name].start, self._rows.types[name].stop) for name in types]
        )
        near = cosines[places]
        most = min(FOUND, len(near))
        top = np.argpartition(-near, most - 1)[:most]
        return [int(key) for key in self._rows.keys[places[top[np.argsort(-near[top], kind="stable")]]]]


class ChromaFiltered:
    """(a) one chroma collection with its defaults, asked for each tier with a filter on the type, and tantivy."""

    name = "chroma, $in for each tier"

    def __init__(self, rows: Rows, lexical: Lexical, folder: Path) -> None:
        self._rows, self._lexical = rows, lexical
        self.collection = _collection(rows, folder)

    def ask(self, text: str, vector: Vector) -> None:
        self.nearest(vector)
        for types in self._rows.tiers.values():
            self._lexical.search(text, types, FOUND)

    def nearest(self, vector: Vector) -> Pools:
        return {
            tier: _ids(self.collection, vector, {"type": {"$in": list(types)}})
            for tier, types in self._rows.tiers.items()
        }


class ChromaUntiered:
    """(b) the same collection, asked once without a filter, and tantivy once."""

    name = "chroma, untiered"

    def __init__(self, filtered: ChromaFiltered, lexical: Lexical) -> None:
        self._collection, self._lexical = filtered.collection, lexical

    def ask(self, text: str, vector: Vector) -> None:
        self.nearest(vector)
        self._lexical.search(text, None, FOUND)

    def nearest(self, vector: Vector) -> Pools:
        return {EVERYTHING: _ids(self._collection, vector, None)}


class Lance:
    """(c) a LanceDB table with its default vector index and its full text index, asked for a hybrid search."""

    name = "lancedb hybrid"

    def __init__(self, rows: Rows, _: Lexical, folder: Path) -> None:
        arrow, lancedb, index = import_module("pyarrow"), import_module("lancedb"), import_module("lancedb.index")
        vectors = arrow.FixedSizeListArray.from_arrays(arrow.array(rows.vectors.ravel()), rows.vectors.shape[1])
        columns = {"key": rows.keys, "type": list(rows.type_of_each()), "text": rows.texts, "vector": vectors}
        self._table = lancedb.connect(folder / "lance").create_table("passages", arrow.table(columns), mode="overwrite")
        self._table.create_index("vector", config=index.IvfPq(distance_type="cosine"))
        self._table.create_index("text", config=index.FTS())

    def ask(self, text: str, vector: Vector) -> None:
        self._table.search(query_type="hybrid").vector(vector).text(text).limit(FOUND).select(["key"]).to_arrow()

    def nearest(self, vector: Vector) -> Pools:
        found = self._table.search(vector).distance_type("cosine").limit(FOUND).select(["key"]).to_arrow()
        return {EVERYTHING: found["key"].to_pylist()}


class LlamaIndex:
    """(d) LlamaIndex's fusion of a vector retriever over the same chroma collection and its BM25 retriever."""

    name = "llamaindex fusion"

    def __init__(self, filtered: ChromaFiltered, rows: Rows) -> None:
        core, schema = import_module("llama_index.core"), import_module("llama_index.core.schema")
        stores = import_module("llama_index.vector_stores.chroma")
        bm25 = import_module("llama_index.retrievers.bm25")
        fusion = import_module("llama_index.core.retrievers")
        store = stores.ChromaVectorStore(chroma_collection=filtered.collection)
        self._collection, self._bundle = filtered.collection, schema.QueryBundle
        model = core.MockEmbedding(embed_dim=rows.vectors.shape[1])
        vectors = core.VectorStoreIndex.from_vector_store(store, embed_model=model)
        nodes = [schema.TextNode(id_=str(key), text=text) for key, text in zip(rows.keys, rows.texts, strict=True)]
        self._retriever = fusion.QueryFusionRetriever(
            [
                vectors.as_retriever(similarity_top_k=FOUND),
                bm25.BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=FOUND),
            ],
            llm=import_module("llama_index.core.llms").MockLLM(),
            mode="relative_score",
            similarity_top_k=FOUND,
            num_queries=1,
            use_async=False,
        )

    def ask(self, text: str, vector: Vector) -> None:
        self._retriever.retrieve(self._bundle(query_str=text, embedding=vector.tolist()))

    def nearest(self, vector: Vector) -> Pools:
        return {EVERYTHING: _ids(self._collection, vector, None)}


@dataclass(frozen=True)
class Peers:
    """Those that could be built, and the others with the reason."""

    built: tuple[Peer, ...]
    missing: dict[str, str]


def peers(rows: Rows, lexical: Lexical, folder: Path, wanted: Callable[[str], bool]) -> Peers:
    """Build those that are wanted, by letter."""
    folder.mkdir(parents=True, exist_ok=True)
    built: list[Peer] = [Exact(rows, lexical, folder)]
    missing: dict[str, str] = {}
    makers: list[tuple[str, str, Callable[[], Peer]]] = []
    if wanted("a") or wanted("b") or wanted("d"):
        filtered = ChromaFiltered(rows, lexical, folder)
        makers.append(("a", ChromaFiltered.name, lambda: filtered))
        makers.append(("b", ChromaUntiered.name, lambda: ChromaUntiered(filtered, lexical)))
        makers.append(("d", LlamaIndex.name, lambda: LlamaIndex(filtered, rows)))
    makers.append(("c", Lance.name, lambda: Lance(rows, lexical, folder)))
    for letter, name, make in sorted(makers, key=lambda maker: maker[0]):
        if not wanted(letter):
            continue
        try:
            built.append(make())
        except Exception as error:  # whatever a peer dies of is the reason why it is missing
            missing[name] = f"{type(error).__name__}: {error}"
    return Peers(tuple(built), missing)


def _collection(rows: Rows, folder: Path) -> Any:
    chromadb, config = import_module("chromadb"), import_module("chromadb.config")
    client = chromadb.PersistentClient(str(folder / "chroma"), settings=config.Settings(anonymized_telemetry=False))
    options = {"hnsw": {"space": "cosine"}}
    collection = client.get_or_create_collection("passages", embedding_function=None, configuration=options)
    if collection.count() == len(rows.keys):
        return collection
    types = list(rows.type_of_each())
    for start in range(0, len(types), ADDED_AT_ONCE):
        some = slice(start, start + ADDED_AT_ONCE)
        collection.add(
            ids=[str(key) for key in rows.keys[some]],
            metadatas=[{"type": name} for name in types[some]],
            documents=rows.texts[some],
            embeddings=rows.vectors[some],
        )
    return collection


def _ids(collection: Any, vector: Vector, where: dict[str, Any] | None) -> list[int]:
    found = collection.query(query_embeddings=[vector], n_results=FOUND, where=where, include=["distances"])
    return [int(name) for name in found["ids"][0]]
