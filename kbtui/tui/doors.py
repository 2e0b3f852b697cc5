"""The app's one way to the engine, as protocols, so that a test can stand in; heavy imports happen behind it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from kbtui.config import Config
from kbtui.model import (
    Answer,
    Budget,
    BuildReport,
    Compared,
    Document,
    EgoMap,
    Extract,
    LogPage,
    LogRecord,
    Neighbourhood,
    Progress,
    Query,
    Replayed,
    Span,
    Status,
    Survey,
    TextLines,
    TextQuery,
    Why,
)
from kbtui.settings import Settings


class Library(Protocol):
    """An open knowledge base: what `explorer.Explorer` offers to the app."""

    def query(self, query: Query, settings: Settings) -> Answer:
        """Answer a query."""
        ...

    def settle(self, query: Query) -> None:
        """Take in that a query is meant: it is logged."""
        ...

    def what_if(self, query: Query, settings: Settings) -> Answer:
        """Answer a query for comparison; it is not logged."""
        ...

    def read(self, name: str, *, section: str | None = None, span: Span | None = None) -> Extract:
        """Return a document's text or a part of it."""
        ...

    def neighbours(self, name: str, depth: int = 1) -> Neighbourhood:
        """Return what is around a document."""
        ...

    def ego_map(self, name: str) -> EgoMap:
        """Return a document and what is nearest around it, laid out."""
        ...

    def matched_words(self, question: str, name: str, span: Span) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return which words of a question the passages of a span hold, and which not."""
        ...

    def status(self) -> Status:
        """Return what the open generation holds."""
        ...

    def survey(self, budget: Budget) -> Survey:
        """Return what of the generation deserves a look."""
        ...

    def replay(self, record: LogRecord, settings: Settings) -> Replayed:
        """Ask a logged query again; that is not logged."""
        ...

    def compare(self, query: Query, before: Settings, after: Settings) -> Compared:
        """Answer a query under two settings."""
        ...

    def named(self, words: str, limit: int) -> tuple[Document, ...]:
        """Return the documents that go by some words."""
        ...

    def of_type(self, source_type: str, limit: int) -> tuple[Document, ...]:
        """Return the documents of a type."""
        ...

    def why(
        self,
        name: str,
        query: Query,
        settings: Settings,
        *,
        report: Callable[[Progress], None],
        cancelled: Callable[[], bool],
        diagnosed: Callable[[Why], None],
    ) -> Why:
        """Return why a document is missing, and what brings it in."""
        ...

    def search_text(
        self, query: TextQuery, *, limit: int, ceiling: int, cursor: str, cancelled: Callable[[], bool]
    ) -> TextLines:
        """Return the lines that a pattern is found in."""
        ...

    def refresh(self) -> bool:
        """Follow the newest generation; say whether there was a newer one."""
        ...

    def close(self) -> None:
        """Let go of the store."""
        ...


class Tail(Protocol):
    """What is appended to a query log, as it comes."""

    def fresh(self) -> LogPage:
        """Return what came since the last look."""
        ...


class Doors(Protocol):
    """How a library is opened and built."""

    def open(self, store: Path) -> Library:
        """Open a store."""
        ...

    def index(
        self, corpus: Path, store: Path, report: Callable[[Progress], None], cancelled: Callable[[], bool]
    ) -> BuildReport:
        """Build or refresh a store."""
        ...

    def log(self, store: Path) -> LogPage:
        """Return what a store's query log holds."""
        ...

    def follow(self, store: Path) -> Tail:
        """Return what looks for the records that are logged from now on."""
        ...


class ExplorerDoors:
    """The real doors; the explorer, and all it needs, is imported when one is first used."""

    def __init__(self, config: Config | None = None) -> None:
        self._config = config

    def open(self, store: Path) -> Library:
        """Open a store with the explorer; a question is logged once it is settled, not again for a slider."""
        from kbtui.explorer import Explorer
        from kbtui.journal import Journal

        journal = None if self._config is None else Journal(store, self._config, "app", typed=True)
        return Explorer.open(store, journal)

    def index(
        self, corpus: Path, store: Path, report: Callable[[Progress], None], cancelled: Callable[[], bool]
    ) -> BuildReport:
        """Build or refresh a store with the explorer."""
        from kbtui.explorer import index

        return index(corpus, store, report=report, cancelled=cancelled)

    def log(self, store: Path) -> LogPage:
        """Return what a store's query log holds."""
        from kbtui.explorer import query_log

        return query_log(store)

    def follow(self, store: Path) -> Tail:
        """Return what looks for the records that are logged from now on."""
        from kbtui.explorer import follow_log

        return follow_log(store)
