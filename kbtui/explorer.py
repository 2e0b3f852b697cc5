"""The façade: open a store, ask, read, follow relations, and build. The only place that knows engine and store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import RLock
from time import perf_counter

from kbtui.engine.pipeline import Pipeline
from kbtui.errors import UsageError
from kbtui.model import (
    Answer,
    BuildReport,
    Entry,
    Extract,
    Filters,
    Gathered,
    Neighbourhood,
    Plan,
    Progress,
    Query,
    Span,
    Status,
    TextLines,
    TextQuery,
    TypeCount,
)
from kbtui.settings import Settings
from kbtui.store import tokens
from kbtui.store.generation import OpenGeneration, Store
from kbtui.text import valid

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


class _Evidence:
    """The engine's port on one open generation; passages are remembered, so that a slider needs no I/O."""

    def __init__(self, opened: OpenGeneration) -> None:
        self.opened = opened
        self.generation = opened.name
        self._passages: dict[str, tuple[Entry, ...]] = {}

    def inventory(self) -> tuple[TypeCount, ...]:
        """Return how many documents each type has."""
        return self.opened.catalog.inventory()

    def gather(self, text: str, filters: Filters, plan: Plan) -> Gathered:
        """Ask the retrievers."""
        from kbtui.store.embed import open_embedder
        from kbtui.store.gather import gather

        self._passages.clear()
        return gather(self.opened, open_embedder(), text, filters, plan)

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

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = RLock()
        self._opened = store.open()
        self._evidence = _Evidence(self._opened)
        self._pipeline = Pipeline(self._evidence, clock=_now_ms)

    @classmethod
    def open(cls, store: Path) -> Explorer:
        """Open the current generation of a store.

        Errors: StoreError when there is none, or it cannot be read.
        """
        return cls(Store(store))

    def query(self, query: Query, settings: Settings) -> Answer:
        """Answer a query under these settings.

        Errors: UsageError for a bad request, RetrievalFailed when no retriever answered.
        """
        with self._lock:
            return self._pipeline.answer(replace(query, text=valid(query.text)), settings)

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
        self, query: TextQuery, *, limit: int = 100, ceiling: int = 1000, cursor: str = "", seconds: float = 20.0
    ) -> TextLines:
        """Return the lines that a pattern is found in, at most ``limit`` and the ceiling, behind the cursor.

        Errors: UsageError for a bad request or a cursor of another generation; RetrievalFailed when the time was
        over before a line was found.
        """
        from kbtui.store.search_text import bounded, search_text

        allowed = bounded(limit, ceiling)
        with self._lock:
            found = search_text(self._opened, query, allowed, cursor, seconds)
        return replace(found, requested=limit) if allowed < limit else found

    def neighbours(self, name: str, depth: int = 1) -> Neighbourhood:
        """Return the documents around one, breadth first.

        Errors: UsageError for an unknown document or a depth below 1.
        """
        from kbtui.store.graph import neighbourhood

        if depth < 1:
            raise UsageError(f"depth must be at least 1, not {depth}")
        with self._lock:
            return neighbourhood(self._opened.catalog, self._resolve(name), depth, EDGES_SHOWN)

    def status(self) -> Status:
        """Return what the open generation holds."""
        with self._lock:
            return self._opened.status()

    def refresh(self) -> bool:
        """Open the newest generation when there is a newer one; say whether there was.

        Errors: StoreError when the store has gone.
        """
        with self._lock:
            if self._store.current() == self._opened.name:
                return False
            fresh = self._store.open()
            self._opened.close()
            self._opened = fresh
            self._evidence = _Evidence(fresh)
            self._pipeline = Pipeline(self._evidence, clock=_now_ms)
            return True

    def close(self) -> None:
        """Let the generation go."""
        with self._lock:
            self._opened.close()

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
