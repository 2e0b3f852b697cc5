"""Gather: ask both retrievers for every tier of a plan, and load the rows the engine needs.

The two retrievers run in parallel. One that fails or is late costs its own pools, never the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from threading import Thread
from time import monotonic

from kbtui.errors import StoreError
from kbtui.model import Filters, Gathered, Plan, Related, Retriever
from kbtui.store.embed import Embedder
from kbtui.store.generation import OpenGeneration
from kbtui.store.nearest import Nearest
from kbtui.store.phrases import held_phrases
from kbtui.store.retrieve import OVER_TIME, Ask, Found, Retrieval, unanswered
from kbtui.store.worded import Worded

EDGES_PER_NODE = 24
"""Most edges loaded for one document and direction; more than any limit can seat."""

LAST_QUESTION = 0.8
"""The part of the deadline after which nothing new is asked, so that what is there still counts."""


def gather(generation: OpenGeneration, embedder: Embedder, text: str, filters: Filters, plan: Plan) -> Gathered:
    """Return everything the pure stages need for this query, as far as there was time.

    Errors: never for one retriever that fails or is late (its pools say so); StoreError when the catalogue does.
    """
    seconds = None if plan.deadline_ms is None else plan.deadline_ms / 1000
    _load(generation)
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


def _load(generation: OpenGeneration) -> None:
    """Open what the first query of a generation needs, before its time begins: a large store takes seconds to open.

    What cannot be opened says so again in its own retriever, and costs its own pools.
    """
    for load in (generation.catalog.places, lambda: generation.lexical, lambda: generation.vectors):
        with suppress(StoreError):
            load()


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
    lexical, places = generation.lexical, generation.catalog.places()
    return Worded(lambda source_types, n: lexical.search(text, source_types, n), places).ask


def _by_meaning(generation: OpenGeneration, embedder: Embedder, text: str) -> Ask:
    vector = embedder.embed_query(text)
    return Nearest(lambda source_types, n: generation.vectors.search(vector, n, source_types)).ask


def related(generation: OpenGeneration, seeds: tuple[str, ...], candidates: tuple[str, ...]) -> Related:
    """Return the relations of seeds, among them all that a candidate has to one of them.

    Errors: StoreError when the catalogue cannot be read.
    """
    edges = generation.catalog.edges(candidates, EDGES_PER_NODE, touching=seeds) if seeds else ()
    ends = {end for edge in edges if not edge.dangling for end in (edge.source, edge.target)}
    return Related(edges=edges, documents=generation.catalog.documents(tuple(sorted(ends))))


def _assemble(generation: OpenGeneration, text: str, found: tuple[Found, ...]) -> Gathered:
    """Add to the pools the rows of their passages and documents."""
    rows = generation.catalog.entries(sorted({key for part in found for key in part.keys}))
    candidates = tuple(sorted({hit.doc_id for part in found for pool in part.pools for hit in pool.hits}))
    embedded, chunks = generation.catalog.coverage()
    return Gathered(
        pools=tuple(pool for part in found for pool in part.pools),
        bounds=tuple(part.bounds for part in found if part.bounds is not None),
        documents=generation.catalog.documents(candidates),
        entries=tuple(rows.values()),
        edges=(),
        embedded=embedded,
        chunks=chunks,
        phrases=held_phrases(generation.catalog, text, rows),
    )
