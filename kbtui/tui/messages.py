"""What errands bring back to the screen; posted from worker threads."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from textual.message import Message

from kbtui.errors import KbtuiError
from kbtui.model import Answer, BuildReport, Neighbourhood, Progress, Status
from kbtui.tui.widgets.read_view import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A line of a document's file."""

    file: Path
    line: int


class LibraryOpened(Message):
    """A library, or a newer generation of it, can be asked."""

    def __init__(self, status: Status) -> None:
        super().__init__()
        self.status = status


class LibraryClosed(Message):
    """No library could be opened."""

    def __init__(self, error: KbtuiError) -> None:
        super().__init__()
        self.error = error


class LibraryHealed(Message):
    """The store that could not be reached can be reached again, and holds nothing newer."""


class Indexing(Message):
    """A build has come further."""

    def __init__(self, progress: Progress) -> None:
        super().__init__()
        self.progress = progress


class Indexed(Message):
    """A build has ended."""

    def __init__(self, outcome: BuildReport | KbtuiError) -> None:
        super().__init__()
        self.outcome = outcome


class Answered(Message):
    """A numbered request came back."""

    def __init__(self, number: int, outcome: Answer | KbtuiError, elapsed_ms: float) -> None:
        super().__init__()
        self.number = number
        self.outcome = outcome
        self.elapsed_ms = elapsed_ms


class DocumentRead(Message):
    """A document's text came back."""

    def __init__(self, doc_id: str, outcome: Reading | KbtuiError) -> None:
        super().__init__()
        self.doc_id = doc_id
        self.outcome = outcome


class Located(Message):
    """It is known where a document's file is, and at which line what was asked for begins."""

    def __init__(self, outcome: Spot | KbtuiError) -> None:
        super().__init__()
        self.outcome = outcome


class NeighboursFound(Message):
    """A document's neighbours came back."""

    def __init__(self, doc_id: str, outcome: Neighbourhood | KbtuiError) -> None:
        super().__init__()
        self.doc_id = doc_id
        self.outcome = outcome
