"""Build: from a folder to a published generation, doing only what changed.

::

    scan -> compare by stat -> read, count -> catalogue and lexical index -> (publish) -> embed -> publish

A first index is published three times: searchable by words, with the primary tier embedded, and whole. A
later one once, at its end, so that a killed build leaves the generation before it or the one after it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from kbtui.errors import SourceError, StoreError
from kbtui.model import BuildReport, Progress
from kbtui.settings import TIER_TYPES, tier_of
from kbtui.store import tokens
from kbtui.store.ages import today
from kbtui.store.catalog import Catalog
from kbtui.store.changes import Changes, Scanned, compare
from kbtui.store.embed import Embedder, open_embedder
from kbtui.store.generation import CATALOG_FILE, OpenGeneration, Store
from kbtui.store.manifest import Manifest, TypeVectors
from kbtui.store.reading import Reader, write_texts
from kbtui.store.steps import Cancelled, Steps
from kbtui.store.vector_parts import Embedding, TypePlan, plans
from kbtui.store.writing import StoreWriter, writing

FIRST_TIER = TIER_TYPES[0][0]
"""Embedded and published before the others in a first index."""

LEAST_IN_COMMON = 1 / 2
"""Part of a store's documents that a corpus at another path must have to be taken for the same one."""


def build(
    store: Store,
    corpus: Path,
    scan: Callable[[Path], Scanned],
    read: Reader,
    *,
    lexical_only: bool = False,
    rebuild: bool = False,
    report: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> BuildReport:
    """Bring a store up to date with its corpus and return what that took.

    ``lexical_only`` leaves new passages without vectors; ``rebuild`` reads everything again, and trusts
    nothing but the embedding cache. When ``cancelled`` says so, the last published generation stays.

    Errors: SourceError when the corpus is no folder; StoreError when the store cannot be written, is written
    by another process, or belongs to another corpus. The last published generation stays.
    """
    if not corpus.is_dir():
        raise SourceError(f"{corpus} is no folder", "Name the folder of documents to index.")
    started, day = time.perf_counter(), today()
    with writing(store) as writer:
        previous, whole = _previous(store, writer, rebuild)
        with _held(previous, writer):
            steps = Steps(report, cancelled)
            job = _Job(writer, store, corpus.resolve(), previous, whole, open_embedder(), steps, day)
            with suppress(Cancelled):
                steps.say("scan", 0, 0)
                scanned = scan(corpus)
                job.accept(scanned)
                known = previous.catalog if previous else None
                job.run(compare(known, scanned, job.corpus, store.path), read, lexical_only)
    return job.reported((time.perf_counter() - started) * 1000)


def _previous(store: Store, writer: StoreWriter, rebuild: bool) -> tuple[OpenGeneration | None, bool]:
    """Return what to start from (nothing for a rebuild), and whether the current generation is whole.

    After a build that did not end, a generation is read whole before anything is built on it.

    Errors: StoreError when there is a generation that cannot be opened or is damaged, except for a rebuild.
    """
    try:
        if store.current() is None:
            return None, False
        opened = store.open()
    except StoreError:
        if rebuild:
            return None, False
        raise
    embedded, chunks = opened.catalog.coverage()
    try:
        if not rebuild and writer.interrupted():
            opened.verify()
    except StoreError:
        opened.close()
        raise
    if rebuild:
        opened.close()
    return None if rebuild else opened, embedded == chunks


@contextmanager
def _held(previous: OpenGeneration | None, writer: StoreWriter) -> Iterator[None]:
    """Hold the generation that is built upon; clear away what killed builds left, and in the end what is old."""
    try:
        writer.sweep()
        yield
    finally:
        if previous is not None:
            previous.close()
        writer.sweep()


class _Job:
    """One build: what it starts from, and what it has done so far."""

    def __init__(
        self,
        writer: StoreWriter,
        store: Store,
        corpus: Path,
        previous: OpenGeneration | None,
        whole: bool,
        embedder: Embedder,
        steps: Steps,
        day: str,
    ) -> None:
        self._writer, self._store, self.corpus, self._previous = writer, store, corpus, previous
        self._embedder, self._steps = embedder, steps
        self._recorded = _recorded(corpus, store.path)
        self._changes: Changes | None = None
        self._declined: frozenset[str] = frozenset()
        self._computed = self._from_cache = 0
        self._day = day
        self._moved = previous is not None and previous.manifest.corpus != self._recorded
        self._older = previous is not None and previous.manifest.day != day  # what was due is overdue now
        same_model = previous is None or previous.manifest.embedder == embedder.name
        self._staged = not (whole and same_model)
        self._vectors = previous.manifest.vectors if previous and same_model else ()

    def accept(self, scanned: Scanned) -> None:
        """Make sure that this is the corpus of the store; one that has moved, or was copied, still is.

        Errors: StoreError when too few of its documents are here: another folder would replace them all.
        """
        if self._previous is None or not self._moved:
            return
        known = self._previous.catalog.document_files().keys()
        if len(known & {stat.path for stat in scanned.files}) < LEAST_IN_COMMON * len(known):
            raise StoreError(
                f"{self._store.path} holds the documents of {self._previous.corpus}",
                "Name another folder with --store, or replace them with --rebuild.",
            )

    def run(self, changes: Changes, read: Reader, lexical_only: bool) -> None:
        """Do what the changes ask for, and publish it.

        Errors: StoreError; Cancelled.
        """
        same = changes.none and not self._moved and not self._older
        if same and (lexical_only or not self._staged):
            return
        draft = self._draft(changes, read)
        with closing(Catalog(self._store.parts / draft.catalog.name / CATALOG_FILE, {})) as catalog:
            todo = plans(catalog, self._store.parts, self._vectors)
            vectors = {plan.source_type: plan.kept for plan in todo}
            if not same and (lexical_only or self._staged):
                self._publish(draft, vectors, changes)
            if not lexical_only:
                self._embed(draft, catalog, todo, vectors, changes)

    def reported(self, elapsed_ms: float) -> BuildReport:
        """Return what was done, and what the current generation holds."""
        done = self._changes
        fresh = {stat.path for stat in done.fresh} if done else set()
        changed = {stat.path for stat in done.changed} if done else set()
        counts = {
            "added": len(fresh - self._declined),
            "changed": len(changed - self._declined),
            "removed": (len(done.removed) if done else 0) + len(changed & self._declined),
            "embedded": self._computed,
            "from_cache": self._from_cache,
        }
        if self._store.current() is None:
            return BuildReport(generation="", documents=0, chunks=0, pending=0, skipped=(), **counts)
        with closing(self._store.open()) as opened:
            embedded, chunks = opened.catalog.coverage()
            return BuildReport(
                generation=opened.name,
                documents=sum(one.documents for one in opened.catalog.inventory()),
                chunks=chunks,
                pending=chunks - embedded,
                skipped=opened.catalog.skipped(),
                elapsed_ms=elapsed_ms,
                **counts,
            )

    def _draft(self, changes: Changes, read: Reader) -> Manifest:
        """Return the manifest of the generation to come, without vectors."""
        if changes.none and self._previous is not None:
            manifest = self._previous.manifest
            return replace(manifest, corpus=self._recorded, embedder=self._embedder.name, vectors=(), day=self._day)
        texts = write_texts(self._writer, self._previous, changes, self.corpus, read, self._steps)
        self._declined = texts.declined
        return Manifest(
            generation="",
            corpus=self._recorded,
            embedder=self._embedder.name,
            dimensions=self._embedder.dimensions,
            tokenizer=tokens.NAME,
            catalog=texts.catalog,
            lexical=texts.lexical,
            lexical_dead=texts.lexical_dead,
            day=self._day,
        )

    def _embed(
        self,
        draft: Manifest,
        catalog: Catalog,
        todo: list[TypePlan],
        vectors: dict[str, TypeVectors | None],
        changes: Changes,
    ) -> None:
        """Bring every type up to date and publish: tier by tier in a first index, else once."""
        work = [plan for plan in todo if plan.to_write]
        first = [plan for plan in work if self._staged and tier_of(plan.source_type) == FIRST_TIER]
        stages = [first, [plan for plan in work if plan not in first]]
        with closing(Embedding(self._writer, self._store.parts, self._embedder, self._steps)) as embedding:
            embedding.expect(work)
            for stage in stages:
                for plan in stage:
                    vectors[plan.source_type] = embedding.bring_up(plan, catalog)
                    self._computed, self._from_cache = embedding.computed, embedding.from_cache
                if stage:
                    self._publish(draft, vectors, changes)
        if self._changes is None:
            self._publish(draft, vectors, changes)

    def _publish(self, draft: Manifest, vectors: dict[str, TypeVectors | None], changes: Changes) -> None:
        self._steps.say("publish", 0, 0)
        self._writer.publish(
            replace(
                draft,
                generation=self._writer.next_generation,
                vectors=tuple(found for _, found in sorted(vectors.items()) if found is not None),
            )
        )
        self._changes = changes


def _recorded(corpus: Path, store: Path) -> str:
    """Return the corpus as a manifest records it: relative when the store lies in it."""
    return os.path.relpath(corpus, store) if store.is_relative_to(corpus) else str(corpus)
