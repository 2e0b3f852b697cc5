"""Every call into the engine: in a worker thread, its outcome posted to the screen as a message, errors included."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock
from time import monotonic, perf_counter

from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.worker import get_current_worker

from kbtui.config import FILE_NAME, LOG_BYTES, SEARCH_LIMIT_DEFAULT
from kbtui.errors import KbtuiError
from kbtui.model import Progress, Query, Span
from kbtui.settings import Settings
from kbtui.tui import editor, messages
from kbtui.tui.colouring import coloured
from kbtui.tui.doors import Doors, Library
from kbtui.tui.looks import Look, attempt
from kbtui.tui.session import Ask
from kbtui.tui.widgets.read_view import Reading

REPORTS_A_SECOND = 10
"""Most progress messages a second that reach the screen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What an app is opened on: a store, the corpus to build it from when there is one, and the doors to both.

    ``loaded`` are the settings it was started with, ``environ`` is the environment it was started in, ``file`` the
    project file that settings are saved in, ``log_bytes`` the bound of the query log, ``search_limit`` the most lines
    that a search of texts returns at once.
    """

    store: Path
    corpus: Path | None
    doors: Doors
    loaded: Settings = field(default_factory=Settings)
    file: Path = Path(FILE_NAME)
    log_bytes: int = LOG_BYTES
    environ: Mapping[str, str] = field(default_factory=dict)
    search_limit: int = SEARCH_LIMIT_DEFAULT


class Errands:
    """Runs engine calls for one screen; nothing here draws, and nothing here raises into the app."""

    def __init__(self, screen: Screen[None], place: Place) -> None:
        self._screen = screen
        self.place = place
        self._library: Library | None = None
        self._shut = False
        self._opening = Lock()
        self._cancelled = Event()

    @property
    def is_open(self) -> bool:
        """Whether there is a library to ask."""
        return self._library is not None

    def _run(self, name: str, errand: Callable[[], None], *, newest: bool = False) -> None:
        self._screen.run_worker(errand, name=name, group=name, thread=True, exclusive=newest, exit_on_error=False)

    def open(self) -> None:
        """Open the library, or follow its newest generation."""
        self._run("open", self._open)

    def _open(self) -> None:
        outcome = attempt(self._opened)
        healed, self._shut = self._shut and outcome is None, outcome is not None
        if isinstance(outcome, KbtuiError):
            self._screen.post_message(messages.LibraryClosed(outcome))
        elif healed and self._library is not None:
            self._screen.post_message(messages.LibraryHealed())

    def _opened(self) -> None:
        with self._opening:
            library = self._library
            if library is None:
                library = self.place.doors.open(self.place.store)
                if self._cancelled.is_set():
                    library.close()
                    return
                self._library = library
            elif not library.refresh():
                return
        self._screen.post_message(messages.LibraryOpened(library.status()))

    def index(self) -> bool:
        """Build or refresh the store in the background; say whether there is a corpus to build it from."""
        corpus, place = self.place.corpus, self.place
        if corpus is None:
            return False
        last = 0.0

        def report(progress: Progress) -> None:
            nonlocal last
            if progress.stage == "publish":
                self._open()
            if progress.stage == "publish" or monotonic() - last >= 1 / REPORTS_A_SECOND:
                last = monotonic()
                self._screen.post_message(messages.Indexing(progress))

        def build() -> None:
            outcome = attempt(lambda: place.doors.index(corpus, place.store, report, self._cancelled.is_set))
            if not self._cancelled.is_set():
                if not isinstance(outcome, KbtuiError):
                    self._open()
                self._screen.post_message(messages.Indexed(outcome))

        self._run("index", build)
        return True

    def ask(self, ask: Ask) -> None:
        """Answer a numbered request, from the newest generation there is.

        When no newer one can be opened, the one that is open goes on answering.
        """

        def answer() -> None:
            if self._library is not None:
                self._open()
            library = self._library
            if library is None:
                return
            start = perf_counter()
            outcome = attempt(lambda: library.query(ask.query, ask.settings))
            elapsed = 1000 * (perf_counter() - start)
            self._screen.post_message(messages.Answered(ask.number, outcome, elapsed))

        self._run("ask", answer)

    def settle(self, query: Query) -> None:
        """Have a question logged: it is meant, and no piece of one that is being typed."""
        library = self._library
        if library is not None:
            self._run("settle", lambda: library.settle(query))

    def read(self, doc_id: str, granted: tuple[Span, ...]) -> None:
        """Read a document, cut where what was granted begins and ends."""

        def read() -> None:
            library = self._library
            if library is not None:
                outcome = attempt(lambda: reading_of(library, doc_id, granted))
                self._screen.post_message(messages.DocumentRead(doc_id, outcome))

        self._run("read", read, newest=True)

    def locate(self, doc_id: str, start: int, line: int | None = None) -> None:
        """Find a document's file, and the line of a byte of it, unless the line is known."""

        def find() -> None:
            library = self._library
            if library is not None:
                self._screen.post_message(messages.Located(attempt(lambda: _spot(library, doc_id, start, line))))

        self._run("locate", find)

    def neighbours(self, doc_id: str) -> None:
        """Find what is around a document."""

        def find() -> None:
            library = self._library
            if library is not None:
                outcome = attempt(lambda: library.neighbours(doc_id))
                self._screen.post_message(messages.NeighboursFound(doc_id, outcome))

        self._run("neighbours", find)

    def fetch(self, name: str, to: MessagePump, look: Look) -> None:
        """Post to a widget what a look at the library brings; a newer one of that name ends it between messages."""

        def fetch() -> None:
            library, worker = self._library, get_current_worker()
            if library is None:
                return
            for message in look(library):
                if worker.is_cancelled or self._cancelled.is_set():
                    return
                to.post_message(message)

        self._run(name, fetch, newest=True)

    def cancel(self, name: str) -> None:
        """Tell a look to end; nothing more of it is posted."""
        self._screen.workers.cancel_group(self._screen, name)

    def stop(self) -> None:
        """Tell what is under way to end, and let go of the store."""
        self._cancelled.set()
        with self._opening:
            library, self._library = self._library, None
        if library is not None:
            library.close()


def _spot(library: Library, doc_id: str, start: int, line: int | None) -> messages.Spot:
    """Return a document's file, and the line of one of its bytes."""
    extract = library.read(doc_id, span=Span(start=start, end=start + 1)) if start else library.read(doc_id)
    file = editor.file_of(Path(library.status().corpus), extract.document.path)
    return messages.Spot(file=file, line=line or extract.lines[0])


def reading_of(library: Library, doc_id: str, granted: tuple[Span, ...]) -> Reading:
    """Return the document in consecutive pieces, those inside granted spans flagged."""
    whole = library.read(doc_id)
    pieces: list[tuple[str, bool]] = []
    at = 0
    for span in granted:
        if span.start > at:
            pieces.append((library.read(doc_id, span=Span(start=at, end=span.start)).text, False))
        pieces.append((library.read(doc_id, span=span).text, True))
        at = span.end
    if at < whole.span.end:
        pieces.append((library.read(doc_id, span=Span(start=at, end=whole.span.end)).text if at else whole.text, False))
    if "".join(piece for piece, _ in pieces) != whole.text:
        pieces = [(whole.text, False)]
    return Reading(document=whole.document, pieces=tuple(pieces), runs=coloured(whole.document.path, whole.text))
