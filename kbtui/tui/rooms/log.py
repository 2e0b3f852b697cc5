"""The log room: what every face has asked, live; asked again under the present settings, and opened in Explore."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from kbtui import text
from kbtui.errors import KbtuiError
from kbtui.journal import asked_again
from kbtui.model import LogPage, LogRecord
from kbtui.render import record_line_json as as_json
from kbtui.settings import Settings
from kbtui.tui import copies
from kbtui.tui.doors import Tail
from kbtui.tui.export import PICTURE, Export
from kbtui.tui.looks import attempt
from kbtui.tui.rooms import takeaway
from kbtui.tui.rooms.log_list import ROOM, LogColumns, LogFilter, LogHead, LogList, RecordPage
from kbtui.tui.rooms.log_replays import Asked, Replays
from kbtui.tui.rooms.log_rows import LogView
from kbtui.tui.rooms.room import Room
from kbtui.tui.screens.chooser import Choice
from kbtui.tui.screens.including import Including
from kbtui.tui.widgets.lines import CursorView

LOOK_S = 0.5
"""How often the log is looked at; a look is a file's size, read in a thread, and draws nothing when nothing came."""


class LogRead(Message):
    """What was logged so far, and what follows it; or why the log cannot be read."""

    def __init__(self, outcome: tuple[LogPage, Tail] | KbtuiError) -> None:
        super().__init__()
        self.outcome = outcome


class LogGrew(Message):
    """What was logged since the last look, or why that cannot be read."""

    def __init__(self, outcome: LogPage | KbtuiError) -> None:
        super().__init__()
        self.outcome = outcome


class LogRoom(Room):
    """Every record of every face, and all of the one under the cursor."""

    ROOM = ROOM
    SHOWS = (
        "Every query that was asked through any face, the newest first; new ones appear as they are logged. Beside the "
        "list: the record's settings, results, fates, cost and time. Enter asks it again under the present settings, "
        "with what the query itself brought along, and shows what would be different: in the column, ~ counts what "
        "moved, + what is new, - what is out; = is the same answer, ≈ the same documents in another text. Nothing "
        "that is asked again is logged. `kbtui log` says the same."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="log.leave", tooltip="Stop asking again; show all; back to Explore"),
        Binding("a", "replay_all", "All", id="log.replay_all", tooltip="Ask every record that is shown again"),
        Binding("f", "filter", "Filter", id="log.filter", tooltip="Show only records that hold some words"),
        Binding("F", "face", "Face", id="log.face", tooltip="Show the records of the next face only"),
        Binding("o", "open", "Open", id="log.open", tooltip="Ask it in Explore, under its own settings"),
        Binding("y", "copy", "Copy", id="log.copy", tooltip="Copy question, id, command, MCP call or JSON"),
        Binding("O", "open_now", "Open now", show=False, id="log.open_now", tooltip="Ask it in Explore as things are"),
    ]

    def __init__(self, home: Including, about: str = "") -> None:
        super().__init__(home, about)
        self.view = LogView()
        self.head = LogHead()
        self.columns = LogColumns()
        self.words = LogFilter(placeholder="words of a question, type, path, error or id", id="log-words", compact=True)
        self.rows = LogList()
        self.page = RecordPage()
        self._tail: Tail | None = None
        self._trouble = ""
        self.replays = Replays()
        self.rows.replays = self.replays.found

    def furnish(self) -> list[Widget]:
        """Return head, filter, list and record."""
        left = Vertical(self.columns, self.rows, id="log-left")
        return [self.head, self.words, Container(left, self.page, id="log-body")]

    def on_mount(self) -> None:
        """Read the log, and look at it from then on."""
        self.rows.focus()
        self._tell()
        self.run_worker(self._read, group="log-read", thread=True, exit_on_error=False)
        self.set_interval(LOOK_S, self.look)

    def renew(self) -> None:
        """Read a log that could not be read before, now that there is a store."""
        if self._trouble:
            self.run_worker(self._read, group="log-read", thread=True, exit_on_error=False)

    # --- out of the app -------------------------------------------------------------------------

    @property
    def exports(self) -> tuple[Export, ...]:
        """The records that are shown."""
        page = LogPage(records=self.view.records, damaged=self.view.damaged)
        return (*takeaway.of_log(page, self.view.shown), PICTURE)

    def action_copy(self) -> None:
        """Offer what can be copied of the record."""
        record, place = self.rows.current, self.home.errands.place
        if record is None:
            self.tell("There is nothing to copy yet.")
            return
        query, settings = record.query, Settings().with_values(dict(record.values))
        shell = copies.command_line(query, settings, place.loaded, place.store)
        call = copies.mcp_call(query, settings, place.loaded)
        self.home.offer_copies(
            [
                (Choice(value="y", key="y", name="question", help=text.safe_line(query.text)), query.text),
                (Choice(value="i", key="i", name="id", help="as `kbtui log --replay` takes it"), record.record_id),
                (Choice(value="l", key="l", name="command line", help="the `kbtui query` that asks it as then"), shell),
                (Choice(value="m", key="m", name="MCP call", help="the tool call that asks it as then"), call),
                (Choice(value="j", key="j", name="JSON", help="the record as it is logged"), as_json(record)),
            ]
        )

    # --- reading --------------------------------------------------------------------------------

    def _read(self) -> None:
        place = self.home.errands.place

        def both() -> tuple[LogPage, Tail]:
            tail = place.doors.follow(place.store)  # first: what is logged in between comes twice, and is taken once
            return place.doors.log(place.store), tail

        self.post_message(LogRead(attempt(both)))

    def look(self) -> None:
        """Look in a thread whether something was logged."""
        if self._tail is not None:
            self.run_worker(self._look, group="log-look", thread=True, exit_on_error=False)

    def _look(self) -> None:
        tail, self._tail = self._tail, None  # one look at a time: a tail has one reader
        if tail is None:
            return
        outcome = attempt(tail.fresh)
        self._tail = tail
        if isinstance(outcome, KbtuiError) or outcome.records or outcome.damaged:
            self.post_message(LogGrew(outcome))

    def on_log_read(self, event: LogRead) -> None:
        """Show what was logged, or say why it cannot be read."""
        if isinstance(event.outcome, KbtuiError):
            self._trouble = f"{event.outcome.message}. {event.outcome.hint}"
            self.rows.empty = "There is no log to show."
        else:
            page, self._tail = event.outcome
            self._trouble, self.rows.empty = "", "Nothing is logged yet."
            self.view = self.view.with_more(page.records, page.damaged)
        self._show()

    def on_log_grew(self, event: LogGrew) -> None:
        """Show what came."""
        if isinstance(event.outcome, KbtuiError):
            self._trouble = event.outcome.message
        else:
            self._trouble = ""
            self.view = self.view.with_more(event.outcome.records, event.outcome.damaged)
        self._show()

    def _show(self) -> None:
        self.rows.show(self.view.shown)
        self._tell()

    def _tell(self) -> None:
        """Say what there is to say above the records."""
        said: list[tuple[str, str]] = []
        if self._trouble:
            said += [(f"✗ {text.safe_line(self._trouble)}  ", "error")]
        if not self.home.errands.place.log_bytes:
            said += [("log.bytes is 0: what this app asks is not logged  ", "cut")]
        if again := self.replays.told():
            said += [(f"{again}  ", "accent")]
        self.head.show((*said, *self.view.told()))
        self.columns.replays = bool(self.rows.replays)

    # --- looking --------------------------------------------------------------------------------

    def on_cursor_view_moved(self, event: CursorView.Moved) -> None:
        """Show all of the record under the cursor."""
        event.stop()
        record = self.rows.current
        if record is None:
            self.page.show(None, None, Settings())
        else:
            self.page.show(record, self.rows.replays.get(record.record_id), self._under(record))

    def action_filter(self) -> None:
        """Take words to filter by."""
        self.words.add_class("-open")
        self.words.value = self.view.words
        self.words.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as they are typed."""
        event.stop()
        if self.words.has_class("-open"):
            self.view = replace(self.view, words=event.value)
            self._show()

    def action_keep_filter(self) -> None:
        """Go to the records."""
        self.words.remove_class("-open")
        self.rows.focus()

    def action_clear_filter(self) -> None:
        """Show all again."""
        self.view = replace(self.view, words="")
        self.action_keep_filter()
        self._show()

    def action_face(self) -> None:
        """Show another face's records."""
        self.view = self.view.with_next_face()
        self._show()

    # --- asking again ---------------------------------------------------------------------------

    def _under(self, record: LogRecord) -> Settings:
        """Return what a record is asked again under: the present settings, and what its query brought along."""
        session = self.home.session
        return asked_again(record, session.settings, tuple(session.settings.differing(session.saved).items()))

    def on_log_list_chosen(self) -> None:
        """Ask the record again."""
        record = self.rows.current
        if record is not None:
            self._replay((record,), many=False)

    def action_replay_all(self) -> None:
        """Ask every record that is shown again, the newest first."""
        self._replay(self.rows.rows, many=True)

    def _replay(self, records: tuple[LogRecord, ...], *, many: bool) -> None:
        if not self.home.errands.is_open:
            self.tell("No knowledge base is open yet.")
            return
        pairs = [(record, self._under(record)) for record in records]
        self.home.errands.fetch("replay", self, self.replays.begin(pairs, many=many))
        self._tell()

    def on_asked(self, event: Asked) -> None:
        """Take in what came of a record, unless it was given up."""
        if not self.replays.take(event):
            return
        self.rows.refresh()
        self._tell()
        if self.rows.current is not None and self.rows.current.record_id == event.replayed.record.record_id:
            self.page.show(self.rows.current, event.replayed, self._under(self.rows.current))

    def action_leave(self) -> None:
        """Give up what is asked again; else show all records; else go back to Explore."""
        if self.replays.left:
            self.replays.stop()
            self.home.errands.cancel("replay")
            self.tell("Stopped; what was asked again so far is kept.")
            self._tell()
        elif not self.view.is_plain:
            self.view = replace(self.view, words="", face="")
            self._show()
        else:
            self.visit("")

    # --- into Explore ---------------------------------------------------------------------------

    def action_open(self) -> None:
        """Ask it in Explore, under its own settings."""
        record = self.rows.current
        if record is not None:
            self._open(record, Settings().with_values(dict(record.values)))

    def action_open_now(self) -> None:
        """Ask it in Explore, under the present settings."""
        record = self.rows.current
        if record is not None:
            self._open(record, None)

    def _open(self, record: LogRecord, settings: Settings | None) -> None:
        self.visit("")
        self.home.pose(record.query, settings)
