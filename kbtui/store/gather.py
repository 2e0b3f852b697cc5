"""Gather: ask both retrievers for every tier of a plan, and load the rows and edges the engine needs.

The two retrievers run in parallel. A retriever that fails costs its own pools, never the answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from kbtui.errors import StoreError
from kbtui.model import (
    Bounds,
    Document,
    Edge,
    Filters,
    Gathered,
    Hit,
    Plan,
    Pool,
    PoolRequest,
    PoolStatus,
    Retriever,
    TypeStatus,
)
from kbtui.store.catalog import chunk_id
from kbtui.store.embed import Embedder
from kbtui.store.generation import OpenGeneration
from kbtui.store.phrases import held_phrases

BOUNDS_DEPTH = 100
"""Scores are scaled by the bounds of this many hits over all tiers, so that no share moves a scale."""

EDGES_PER_NODE = 24
"""Most edges loaded for one document and direction; more than any limit can seat."""

Raw = list[tuple[int, float]]
Ask = Callable[[tuple[str, ...], int], tuple[Raw, bool]]
"""Types and n to (the best n as (key, score), whether that is all there is)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What one retriever brought: its pools, its bounds, and the keys of the hits' passages."""

    pools: tuple[Pool, ...]
    bounds: Bounds | None
    keys: tuple[int, ...]


def gather(generation: OpenGeneration, embedder: Embedder, text: str, filters: Filters, plan: Plan) -> Gathered:
    """Return everything the pure stages need for this query.

    Errors: never for one retriever that fails (its pools say so); StoreError when the catalogue does.
    """
    types = {status.source_type: status for status in generation.catalog.type_status()}

    def dense() -> Ask:
        return _by_meaning(generation, embedder, text)

    def lexical() -> Ask:
        def ask(source_types: tuple[str, ...], n: int) -> tuple[Raw, bool]:
            hits = generation.lexical.search(text, source_types, n)
            return hits, len(hits) < n

        return ask

    def collect(retriever: Retriever, opened: Callable[[], Ask]) -> _Found:
        return _collect(generation, retriever, opened, filters, plan, types)

    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="dense") as pool:
        by_meaning = pool.submit(collect, "dense", dense)
        by_words = collect("lexical", lexical)
        found = (by_meaning.result(), by_words)
    return _assemble(generation, text, found)


def _by_meaning(generation: OpenGeneration, embedder: Embedder, text: str) -> Ask:
    """Return a way to ask the vectors in which no folder is asked twice for the same number.

    The bounds ask every type, and the pools ask the same types again: most of a query's time was spent there.
    """
    vector = embedder.embed_query(text)
    known: dict[int, dict[str, Raw]] = {}

    def ask(source_types: tuple[str, ...], n: int) -> tuple[Raw, bool]:
        found = known.setdefault(n, {})
        missing = tuple(name for name in source_types if name not in found)
        if missing:
            found |= {name: [] for name in missing} | generation.vectors.search(vector, n, missing)
        merged = sorted((hit for name in source_types for hit in found[name]), key=lambda hit: (-hit[1], hit[0]))
        return merged[:n], all(len(found[name]) < n for name in source_types)

    return ask


def _collect(
    generation: OpenGeneration,
    retriever: Retriever,
    opened: Callable[[], Ask],
    filters: Filters,
    plan: Plan,
    types: dict[str, TypeStatus],
) -> _Found:
    """Return a retriever's pools; when it fails, pools that say why."""
    everything = tuple(sorted(types))
    try:
        ask = opened()
        raw, _ = ask(everything, BOUNDS_DEPTH) if everything else ([], True)
        known = generation.catalog.places([key for key, _ in raw])
        scores = [score for key, score in raw if key in known]
        bounds = Bounds(retriever=retriever, low=min(scores), high=max(scores)) if scores else None
        filled = [_fill(generation, retriever, ask, filters, request, types) for request in plan.requests]
    except StoreError as error:
        failed = tuple(_failed(retriever, request, types, error) for request in plan.requests)
        return _Found(pools=failed, bounds=None, keys=())
    return _Found(
        pools=tuple(pool for pool, _ in filled), bounds=bounds, keys=tuple(key for _, keys in filled for key in keys)
    )


def _fill(
    generation: OpenGeneration,
    retriever: Retriever,
    ask: Ask,
    filters: Filters,
    request: PoolRequest,
    types: dict[str, TypeStatus],
) -> tuple[Pool, tuple[int, ...]]:
    """Fetch on until ``k`` documents survive the filters or the retriever has no more."""
    started = time.perf_counter()
    present = tuple(name for name in request.source_types if name in types)
    n = max(BOUNDS_DEPTH, request.k)
    while True:
        raw, exhausted = ask(present, n) if present else ([], True)
        places = generation.catalog.places([key for key, _ in raw])
        found = {doc_id for doc_id, _ in places.values()}
        failing = generation.catalog.failing(filters, found)
        hits = tuple(_first_documents(raw, places, failing, request.k))
        survived = len({hit.doc_id for _, hit in hits})
        if exhausted or survived >= request.k:
            break
        n *= 2
    status, detail = _status(retriever, present, types, survived)
    pool = Pool(
        tier=request.tier,
        retriever=retriever,
        k=request.k,
        hits=tuple(hit for _, hit in hits),
        found=len(found),
        survived=survived,
        total=sum(types[name].documents for name in present),
        status=status,
        detail=detail,
        elapsed_ms=(time.perf_counter() - started) * 1000,
    )
    return pool, tuple(key for key, _ in hits)


def _first_documents(
    raw: Raw, places: dict[int, tuple[str, int]], failing: frozenset[str], k: int
) -> Iterable[tuple[int, Hit]]:
    """Yield the hits of surviving documents, with their keys, until the k-th distinct document has come."""
    seen: set[str] = set()
    rank = 0
    for key, score in raw:
        if key not in places or places[key][0] in failing:
            continue
        doc_id, ordinal = places[key]
        seen.add(doc_id)
        rank += 1
        yield key, Hit(chunk_id=chunk_id(doc_id, ordinal), doc_id=doc_id, rank=rank, score=score)
        if len(seen) == k:
            return


def _status(
    retriever: Retriever, present: tuple[str, ...], types: dict[str, TypeStatus], survived: int
) -> tuple[PoolStatus, str]:
    """Return the pool's status: partial while passages of its types wait for their embedding."""
    if retriever == "dense":
        embedded = sum(types[name].embedded for name in present)
        chunks = sum(types[name].chunks for name in present)
        if embedded < chunks:
            return "partial", f"dense: {embedded:,} of {chunks:,} chunks"
    return ("ok", "") if survived else ("empty", "")


def _failed(retriever: Retriever, request: PoolRequest, types: dict[str, TypeStatus], error: StoreError) -> Pool:
    return Pool(
        tier=request.tier,
        retriever=retriever,
        k=request.k,
        hits=(),
        found=0,
        survived=0,
        total=sum(types[name].documents for name in request.source_types if name in types),
        total_relation="unknown",
        status="failed",
        detail=error.message,
    )


def _assemble(generation: OpenGeneration, text: str, found: tuple[_Found, ...]) -> Gathered:
    """Add to the pools the rows of their documents, and the documents one edge away."""
    rows = generation.catalog.entries({key for part in found for key in part.keys})
    entries = {entry.chunk_id: entry for entry in rows.values()}
    candidates = tuple(sorted({entry.doc_id for entry in entries.values()}))
    edges: tuple[Edge, ...] = generation.catalog.edges(candidates, EDGES_PER_NODE)
    ends = {end for edge in edges if not edge.dangling for end in (edge.source, edge.target)}
    documents: tuple[Document, ...] = generation.catalog.documents(tuple(sorted(ends.union(candidates))))
    embedded, chunks = generation.catalog.coverage()
    return Gathered(
        pools=tuple(pool for part in found for pool in part.pools),
        bounds=tuple(part.bounds for part in found if part.bounds is not None),
        documents=documents,
        entries=tuple(entries[chunk_id] for chunk_id in sorted(entries)),
        edges=edges,
        embedded=embedded,
        chunks=chunks,
        phrases=held_phrases(generation.catalog, text, rows),
    )
