"""The façade: open a store, ask, read, follow relations, and build. The only place that knows engine and store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import RLock
from time import perf_counter
from typing import TYPE_CHECKING

from kbtui.engine.compare import compare, logged, ranking
from kbtui.engine.pipeline import Pipeline
from kbtui.errors import KbtuiError, StoreError, UsageError
from kbtui.journal import Journal
from kbtui.model import (
    Answer,
    Budget,
    BuildReport,
    Compared,
    Document,
    EgoMap,
    Entry,
    Extract,
    Filters,
    Gathered,
    LogPage,
    LogRecord,
    Neighbourhood,
    Notice,
    Plan,
    Progress,
    Query,
    Related,
    Replayed,
    Span,
    Status,
    Survey,
    TextLines,
    TextQuery,
    TypeCount,
    Why,
)
from kbtui.settings import Settings
from kbtui.store import tokens
from kbtui.store.faults import mapped
from kbtui.store.generation import OpenGeneration, Store
from kbtui.text import valid, words

if TYPE_CHECKING:
    from kbtui.store.log import LogTail

EDGES_SHOWN = 200
"""Most relations of one document that `neighbours` lists; the rest is counted."""


def index(
    corpus: Path,
    store: Path,
    *,
    lexical_only: bool = False,
    rebuild: bool = False,
    report: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> BuildReport:
    """Build or refresh the store of a corpus; what has not changed is not read again.

    Errors: SourceError for a corpus that cannot be read, StoreError for a store that cannot be written.
    """
    from kbtui.sources.folder import scan
    from kbtui.sources.reader import read
    from kbtui.store.build import build

    return build(
        Store(store),
        corpus,
        scan,
        read,
        lexical_only=lexical_only,
        rebuild=rebuild,
        report=report,
        cancelled=cancelled,
    )


def query_log(store: Path) -> LogPage:
    """Return what a store's log holds; no generation has to be open, or whole.

    Errors: StoreError when there is no store, or its log cannot be read.
    """
    from kbtui.store.log import read_log

    Store(store).check()
    if not store.exists():
        raise StoreError(f"no store {store}", f"Index a folder: kbtui index CORPUS --store {store}")
    with mapped(f"the query log of {store} cannot be read"):
        return read_log(store)


def follow_log(store: Path) -> LogTail:
    """Return what looks for the records that are appended to a store's log from now on."""
    from kbtui.store.log import LogTail

    return LogTail(store)


class _Evidence:
    """The engine's port on one open generation; passages are remembered, so that a slider needs no I/O."""

    def __init__(self, opened: OpenGeneration) -> None:
        self.opened = opened
        self.generation = opened.name
        self._passages: dict[str, tuple[Entry, ...]] = {}
        self._related: dict[tuple[tuple[str, ...], tuple[str, ...]], Related] = {}

    def inventory(self) -> tuple[TypeCount, ...]:
        """Return how many documents each type has."""
        return self.opened.catalog.inventory()

    def documents(self, doc_ids: tuple[str, ...]) -> tuple[Document, ...]:
        """Return the documents of these ids."""
        return self.opened.catalog.documents(doc_ids)

    def gather(self, text: str, filters: Filters, plan: Plan) -> Gathered:
        """Ask the retrievers."""
        from kbtui.store.embed import open_embedder
        from kbtui.store.gather import gather

        self._passages.clear()
        self._related.clear()
        return gather(self.opened, open_embedder(), text, filters, plan)

    def related(self, seeds: tuple[str, ...], candidates: tuple[str, ...]) -> Related:
        """Return the relations of these seeds."""
        from kbtui.store.gather import related

        if (seeds, candidates) not in self._related:
            self._related[seeds, candidates] = related(self.opened, seeds, candidates)
        return self._related[seeds, candidates]

    def passages(self, doc_ids: tuple[str, ...]) -> tuple[tuple[Entry, ...], ...]:
        """Return every passage of each document, in order."""
        for doc_id in doc_ids:
            if doc_id not in self._passages:
                self._passages[doc_id] = self.opened.catalog.passages(doc_id)
        return tuple(self._passages[doc_id] for doc_id in doc_ids)

    def texts(self, chunk_ids: tuple[str, ...]) -> tuple[str, ...]:
        """Return the safe text of each passage."""
        return self.opened.catalog.texts(chunk_ids)

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of a text."""
        return tokens.count(text)


class Explorer:
    """One open generation of a store, and the questions that can be asked of it. Thread-safe."""

    def __init__(self, store: Store, journal: Journal | None = None) -> None:
        self._store = store
        self._journal = journal
        self._lock = RLock()
        self._enter(store.open())

    @classmethod
    def open(cls, store: Path, journal: Journal | None = None) -> Explorer:
        """Open the current generation of a store; with a journal, what is asked of it is logged.

        Errors: StoreError when there is none, or it cannot be read.
        """
        return cls(Store(store), journal)

    def query(self, query: Query, settings: Settings) -> Answer:
        """Answer a query under these settings, and log it (of a face that is typed into: once it is settled).

        Errors: UsageError for a bad request, RetrievalFailed when no retriever answered.
        """
        if self._journal is None:
            return self._answer(query, settings)
        with self._lock:
            return self._journal.kept(query, settings, self._opened.name, lambda: self._answer(query, settings))

    def settle(self, query: Query) -> None:
        """Take in that this query is meant, and no piece of one that is being typed: it is logged."""
        if self._journal is not None:
            self._journal.settle(query)

    def what_if(self, query: Query, settings: Settings) -> Answer:
        """Answer a query that a pane asks for comparison: it is no question of anybody's, and not logged.

        Errors: as for ``query``.
        """
        return self._answer(query, settings)

    def _answer(self, query: Query, settings: Settings) -> Answer:
        with self._lock:
            pipeline = self._pipeline if query.tiered else self._untiered
            return pipeline.answer(self._understood(query), settings)

    def why(
        self,
        name: str,
        query: Query,
        settings: Settings,
        *,
        report: Callable[[Progress], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
        diagnosed: Callable[[Why], None] = lambda _: None,
    ) -> Why:
        """Return the first stage that lost a document, and the smallest change of a setting that brings it in.

        ``diagnosed`` is told all but the changes, before any is tried. What was found before it was cancelled is
        returned.

        Errors: those of the query itself; a name that stands for no document is an answer.
        """
        from kbtui.engine.why import not_indexed, why

        def watch(number: int, setting: str) -> bool:
            report(Progress(stage="change", done=number, total=0, detail=setting))
            return not cancelled()

        with self._lock:
            asked = self._understood(query)
            doc_id = self._opened.catalog.resolve(valid(name))
            if doc_id is None:
                return not_indexed(asked, valid(name), self._opened.catalog.skipped())
            return why(_Evidence(self._opened), asked, settings, doc_id, watch, diagnosed)

    def compare(self, query: Query, before: Settings, after: Settings) -> Compared:
        """Answer a query under two settings, from one generation, and return what is different.

        Errors: as for ``query``.
        """
        with self._lock:
            first, second = self._answer(query, before), self._answer(query, after)
        return Compared(before=first, after=second, difference=compare(ranking(first), ranking(second)))

    def replay(self, record: LogRecord, settings: Settings) -> Replayed:
        """Ask a logged query again under these settings; a failure is a result like another."""
        try:
            answer = self._answer(record.query, settings)
        except KbtuiError as error:
            return Replayed(record=record, answer=None, difference=None, error=error.message)
        return Replayed(record=record, answer=answer, difference=compare(logged(record), ranking(answer)))

    def read(self, name: str, *, section: str | None = None, span: Span | None = None) -> Extract:
        """Return a document's safe text: whole, the section under a heading, or the passages of a byte span.

        Errors: UsageError for an unknown document or section, or a span outside of it.
        """
        with self._lock:
            catalog = self._opened.catalog
            (document,) = catalog.documents((self._resolve(name),))
            entries = catalog.passages(document.doc_id)
            texts = catalog.texts(tuple(entry.chunk_id for entry in entries))
        chosen = entries
        if section is not None:
            chosen = _section(entries, texts, section)
        elif span is not None:
            chosen = _inside(entries, span)
        first = entries.index(chosen[0]) if chosen else 0
        before, text = "".join(texts[:first]), "".join(texts[first : first + len(chosen)])
        start = before.count("\n") + 1
        return Extract(
            document=document,
            span=Span(start=chosen[0].span.start, end=chosen[-1].span.end) if chosen else Span(start=0, end=0),
            heading=chosen[0].heading if chosen and section is not None else (),
            text=text,
            lines=(start, start + text.rstrip("\n").count("\n")),
        )

    def search_text(
        self,
        query: TextQuery,
        *,
        limit: int = 100,
        ceiling: int = 1000,
        cursor: str = "",
        seconds: float = 20.0,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> TextLines:
        """Return the lines that a pattern is found in, at most ``limit`` and the ceiling, behind the cursor.

        Cancelled it ends between two documents, as if the time were over.

        Errors: UsageError for a bad request or a cursor of another generation; RetrievalFailed when the time was
        over before a line was found.
        """
        from kbtui.store.search_text import bounded, search_text

        allowed = bounded(limit, ceiling)
        with self._lock:
            found = search_text(self._opened, query, allowed, cursor, seconds, cancelled)
        return replace(found, requested=limit) if allowed < limit else found

    def named(self, words: str, limit: int) -> tuple[Document, ...]:
        """Return documents whose id, title or alias holds every word, those whose id holds the whole first."""
        with self._lock:
            return self._opened.catalog.named(valid(words), limit)

    def of_type(self, source_type: str, limit: int) -> tuple[Document, ...]:
        """Return the documents of a type, by path."""
        with self._lock:
            files = self._opened.catalog.text_files()
            return self._opened.catalog.documents(
                [file.path for file in files if file.source_type == source_type][:limit]
            )

    def neighbours(self, name: str, depth: int = 1) -> Neighbourhood:
        """Return the documents around one, breadth first.

        Errors: UsageError for an unknown document or a depth below 1.
        """
        from kbtui.store.graph import neighbourhood

        if depth < 1:
            raise UsageError(f"depth must be at least 1, not {depth}")
        with self._lock:
            return neighbourhood(self._opened.catalog, self._resolve(name), depth, EDGES_SHOWN)

    def ego_map(self, name: str) -> EgoMap:
        """Return a document and what is nearest around it, laid out to be drawn.

        Errors: UsageError for an unknown document.
        """
        from kbtui.store.graph import ego_map

        with self._lock:
            return ego_map(self._opened.catalog, self._resolve(name))

    def matched_words(self, question: str, name: str, span: Span) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return which words of a question the passages of a span hold, as the lexical index sees them, and which not.

        Errors: UsageError for an unknown document, or a span outside of it.
        """
        from kbtui.store.lexical import holds

        passage = self.read(name, span=span).text
        asked = words(valid(question))
        held = holds(passage, asked)
        return tuple(word for word in asked if word in held), tuple(word for word in asked if word not in held)

    def status(self) -> Status:
        """Return what the open generation holds."""
        with self._lock:
            status = self._opened.status()
        trouble = self._journal.trouble if self._journal else ""
        said = (Notice(severity="warning", code="log", message=trouble),) if trouble else ()
        return replace(status, notices=(*status.notices, *said))

    def survey(self, budget: Budget) -> Survey:
        """Return what of the generation deserves a look: dangling relations, oversized documents, duplicates."""
        from kbtui.store.survey import survey

        with self._lock:
            return survey(self._opened.catalog, self._opened.name, budget)

    def refresh(self) -> bool:
        """Open the newest generation when there is a newer one; say whether there was.

        Errors: StoreError when the store has gone.
        """
        with self._lock:
            if self._store.current() == self._opened.name:
                return False
            fresh = self._store.open()
            self._opened.close()
            self._enter(fresh)
            return True

    def _enter(self, opened: OpenGeneration) -> None:
        """Take a generation up; what is asked aside, without tiers, keeps a memory of its own."""
        self._opened = opened
        self._pipeline, self._untiered = (Pipeline(_Evidence(opened), clock=_now_ms) for _ in range(2))

    def close(self) -> None:
        """Let the generation go."""
        with self._lock:
            self._opened.close()

    def _understood(self, query: Query) -> Query:
        """Return the query as the engine takes it: valid text, and ids for the names of included documents."""
        return replace(query, text=valid(query.text), include=tuple(self._resolve(name) for name in query.include))

    def _resolve(self, name: str) -> str:
        doc_id = self._opened.catalog.resolve(valid(name))
        if doc_id is None:
            raise UsageError(f"no document {name!r}", "Ids are paths as `kbtui query` shows them.")
        return doc_id


def _now_ms() -> float:
    return perf_counter() * 1000


def _section(entries: tuple[Entry, ...], texts: tuple[str, ...], section: str) -> tuple[Entry, ...]:
    """Return the consecutive passages below a heading, or the one that tiny sections share."""
    wanted = section.strip().casefold()
    below = [entry for entry in entries if wanted in (heading.casefold() for heading in entry.heading)] or [
        entry
        for entry, text in zip(entries, texts, strict=True)
        if any(line.startswith("#") and line.strip("# ").casefold() == wanted for line in text.splitlines())
    ]
    if not below:
        known = sorted({entry.heading[-1] for entry in entries if entry.heading})
        raise UsageError(f"no section {section!r}", "Sections: " + "; ".join(known[:12]) if known else "")
    return entries[entries.index(below[0]) : entries.index(below[-1]) + 1]


def _inside(entries: tuple[Entry, ...], span: Span) -> tuple[Entry, ...]:
    """Return the passages that a byte span touches."""
    inside = tuple(entry for entry in entries if entry.span.start < span.end and entry.span.end > span.start)
    if not inside:
        end = entries[-1].span.end if entries else 0
        raise UsageError(f"span {span.start}:{span.end} lies outside of the document", f"It has {end:,} bytes.")
    return inside
