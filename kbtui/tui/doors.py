"""The app's one way to the engine, as protocols, so that a test can stand in; heavy imports happen behind it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from kbtui.config import Config
from kbtui.model import (
    Answer,
    BuildReport,
    Compared,
    Document,
    EgoMap,
    Extract,
    Neighbourhood,
    Progress,
    Query,
    Span,
    Status,
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

    def compare(self, query: Query, before: Settings, after: Settings) -> Compared:
        """Answer a query under two settings."""
        ...

    def named(self, words: str, limit: int) -> tuple[Document, ...]:
        """Return the documents that go by some words."""
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


class ExplorerDoors:
    """The real doors; the explorer, and all it needs, is imported when one is first used."""

    def __init__(self, config: Config | None = None) -> None:
        self._config = config

    def open(self, store: Path) -> Library:
        """Open a store with the explorer; a question is logged once, however often a slider asks it anew."""
        from kbtui.explorer import Explorer
        from kbtui.journal import Journal

        journal = None if self._config is None else Journal(store, self._config, "app", once=True)
        return Explorer.open(store, journal)

    def index(
        self, corpus: Path, store: Path, report: Callable[[Progress], None], cancelled: Callable[[], bool]
    ) -> BuildReport:
        """Build or refresh a store with the explorer."""
        from kbtui.explorer import index

        return index(corpus, store, report=report, cancelled=cancelled)
