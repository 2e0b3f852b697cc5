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
    Entry,
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
from kbtui.store.embed import Embedder
from kbtui.store.generation import OpenGeneration

BOUNDS_DEPTH = 100
"""Scores are scaled by the bounds of this many hits over all tiers, so that no share moves a scale."""

EDGES_PER_NODE = 24
"""Most edges loaded for one document and direction; more than any limit can seat."""

Raw = list[tuple[int, float]]
Ask = Callable[[tuple[str, ...], int], tuple[Raw, bool]]
"""Types and n to (the best n as (key, score), whether that is all there is)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What one retriever brought: its pools, its bounds and the rows of the hits."""

    pools: tuple[Pool, ...]
    bounds: Bounds | None
    entries: tuple[Entry, ...]


def gather(generation: OpenGeneration, embedder: Embedder, text: str, filters: Filters, plan: Plan) -> Gathered:
    """Return everything the pure stages need for this query.

    Errors: never for one retriever that fails (its pools say so); StoreError when the catalogue does.
    """
    types = {status.source_type: status for status in generation.catalog.type_status()}
    everything = tuple(sorted(types))

    def dense() -> Ask:
        vector = embedder.embed_query(text)

        def ask(source_types: tuple[str, ...], n: int) -> tuple[Raw, bool]:
            found = generation.vectors.search(vector, n, source_types)
            merged = sorted((hit for hits in found.values() for hit in hits), key=lambda hit: (-hit[1], hit[0]))
            return merged[:n], all(len(hits) < n for hits in found.values())

        return ask

    def lexical() -> Ask:
        def ask(source_types: tuple[str, ...], n: int) -> tuple[Raw, bool]:
            hits = generation.lexical.search(text, source_types, n)
            return hits, len(hits) < n

        return ask

    def collect(retriever: Retriever, opened: Callable[[], Ask]) -> _Found:
        return _collect(generation, retriever, opened, filters, plan, types, everything)

    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="dense") as pool:
        by_meaning = pool.submit(collect, "dense", dense)
        by_words = collect("lexical", lexical)
        found = (by_meaning.result(), by_words)
    return _assemble(generation, found)


def _collect(
    generation: OpenGeneration,
    retriever: Retriever,
    opened: Callable[[], Ask],
    filters: Filters,
    plan: Plan,
    types: dict[str, TypeStatus],
    everything: tuple[str, ...],
) -> _Found:
    """Return a retriever's pools; when it fails, pools that say why."""
    try:
        ask = opened()
        raw, _ = ask(everything, BOUNDS_DEPTH) if everything else ([], True)
        known = generation.catalog.entries([key for key, _ in raw])
        scores = [score for key, score in raw if key in known]
        bounds = Bounds(retriever=retriever, low=min(scores), high=max(scores)) if scores else None
        filled = [_fill(generation, retriever, ask, filters, request, types) for request in plan.requests]
    except StoreError as error:
        failed = tuple(_failed(retriever, request, types, error) for request in plan.requests)
        return _Found(pools=failed, bounds=None, entries=())
    pools = tuple(pool for pool, _ in filled)
    rows = {entry.chunk_id: entry for _, entries in filled for entry in entries}
    return _Found(pools=pools, bounds=bounds, entries=tuple(rows.values()))


def _fill(
    generation: OpenGeneration,
    retriever: Retriever,
    ask: Ask,
    filters: Filters,
    request: PoolRequest,
    types: dict[str, TypeStatus],
) -> tuple[Pool, tuple[Entry, ...]]:
    """Fetch on until ``k`` documents survive the filters or the retriever has no more."""
    started = time.perf_counter()
    present = tuple(name for name in request.source_types if name in types)
    n = max(BOUNDS_DEPTH, request.k)
    while True:
        raw, exhausted = ask(present, n) if present else ([], True)
        entries = generation.catalog.entries([key for key, _ in raw])
        alive = [(entries[key], score) for key, score in raw if key in entries]
        found = {entry.doc_id for entry, _ in alive}
        failing = generation.catalog.failing(filters, tuple(sorted(found)))
        hits = tuple(_first_documents(alive, failing, request.k))
        survived = len({entry.doc_id for entry, _ in hits})
        if exhausted or survived >= request.k:
            break
        n *= 2
    status, detail = _status(retriever, present, types, survived)
    pool = Pool(
        tier=request.tier,
        retriever=retriever,
        k=request.k,
        hits=tuple(
            Hit(chunk_id=entry.chunk_id, doc_id=entry.doc_id, rank=rank, score=score)
            for rank, (entry, score) in enumerate(hits, start=1)
        ),
        found=len(found),
        survived=survived,
        total=sum(types[name].documents for name in present),
        status=status,
        detail=detail,
        elapsed_ms=(time.perf_counter() - started) * 1000,
    )
    return pool, tuple(entry for entry, _ in hits)


def _first_documents(
    alive: list[tuple[Entry, float]], failing: frozenset[str], k: int
) -> Iterable[tuple[Entry, float]]:
    """Yield the hits of surviving documents until the k-th distinct one has come."""
    seen: set[str] = set()
    for entry, score in alive:
        if entry.doc_id in failing:
            continue
        seen.add(entry.doc_id)
        yield entry, score
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


def _assemble(generation: OpenGeneration, found: tuple[_Found, ...]) -> Gathered:
    """Add to the pools the rows of their documents, and the documents one edge away."""
    entries = {entry.chunk_id: entry for part in found for entry in part.entries}
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
    )
