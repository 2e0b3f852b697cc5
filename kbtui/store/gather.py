"""Gather: ask both retrievers for every tier of a plan, and load the rows and edges the engine needs.

The two retrievers run in parallel. One that fails or is late costs its own pools, never the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from time import monotonic

from kbtui.model import Edge, Filters, Gathered, Plan, Retriever
from kbtui.store.embed import Embedder
from kbtui.store.generation import OpenGeneration
from kbtui.store.nearest import Nearest
from kbtui.store.phrases import held_phrases
from kbtui.store.retrieve import OVER_TIME, Ask, Found, Raw, Retrieval, unanswered

EDGES_PER_NODE = 24
"""Most edges loaded for one document and direction; more than any limit can seat."""

LAST_QUESTION = 0.8
"""The part of the deadline after which nothing new is asked, so that what is there still counts."""


def gather(generation: OpenGeneration, embedder: Embedder, text: str, filters: Filters, plan: Plan) -> Gathered:
    """Return everything the pure stages need for this query, as far as there was time.

    Errors: never for one retriever that fails or is late (its pools say so); StoreError when the catalogue does.
    """
    seconds = None if plan.deadline_ms is None else plan.deadline_ms / 1000
    started = monotonic()

    def late() -> bool:
        return seconds is not None and monotonic() - started > LAST_QUESTION * seconds

    def dense() -> Ask:
        return _by_meaning(generation, embedder, text)

    def lexical() -> Ask:
        return _by_words(generation, text)

    ways: tuple[tuple[Retriever, Callable[[], Ask]], ...] = (("dense", dense), ("lexical", lexical))
    asked = []
    for retriever, opened in ways:
        retrieval = Retrieval(retriever=retriever, catalog=generation.catalog, filters=filters, plan=plan, late=late)
        asked.append((retriever, _in_a_thread(retriever, retrieval.run, opened)))
    types = {status.source_type: status for status in generation.catalog.type_status()}
    found = []
    for retriever, result in asked:
        try:
            found.append(result.result(None if seconds is None else max(0.0, started + seconds - monotonic())))
        except TimeoutError:
            found.append(unanswered(retriever, plan, types, "timed_out", OVER_TIME))
    return _assemble(generation, text, tuple(found))


def _in_a_thread(name: str, work: Callable[[Callable[[], Ask]], Found], opened: Callable[[], Ask]) -> Future[Found]:
    """Start work in a thread that nobody has to wait for: a call into a library cannot be stopped, only left."""
    future: Future[Found] = Future()

    def run() -> None:
        try:
            future.set_result(work(opened))
        except BaseException as error:  # whatever it is, it is raised where the result is wanted
            future.set_exception(error)

    Thread(target=run, name=name, daemon=True).start()
    return future


def _by_words(generation: OpenGeneration, text: str) -> Ask:
    every_type = {status.source_type for status in generation.catalog.type_status()}

    def ask(source_types: tuple[str, ...], n: int) -> tuple[Raw, bool]:
        """A search that excludes no type needs no filter, and takes half the time."""
        hits = generation.lexical.search(text, None if every_type.issubset(source_types) else source_types, n)
        return hits, len(hits) < n

    return ask


def _by_meaning(generation: OpenGeneration, embedder: Embedder, text: str) -> Ask:
    vector = embedder.embed_query(text)
    return Nearest(lambda source_types, n: generation.vectors.search(vector, n, source_types)).ask


def _assemble(generation: OpenGeneration, text: str, found: tuple[Found, ...]) -> Gathered:
    """Add to the pools the rows of their documents, and the documents one edge away."""
    rows = generation.catalog.entries({key for part in found for key in part.keys})
    entries = {entry.chunk_id: entry for entry in rows.values()}
    candidates = tuple(sorted({hit.doc_id for part in found for pool in part.pools for hit in pool.hits}))
    edges: tuple[Edge, ...] = generation.catalog.edges(candidates, EDGES_PER_NODE)
    ends = {end for edge in edges if not edge.dangling for end in (edge.source, edge.target)}
    documents = generation.catalog.documents(tuple(sorted(ends.union(candidates))))
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
