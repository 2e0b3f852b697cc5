"""What stands in the log room: the head, the records as a list, all of the one under the cursor, and the filter."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive

from kbtui import text
from kbtui.model import LogRecord, Replayed
from kbtui.settings import Settings
from kbtui.tui.ink import Line
from kbtui.tui.rooms.log_rows import heading, record_lines, replay_lines, result_lines, row_line
from kbtui.tui.widgets.lines import CursorView, Page, Plate
from kbtui.tui.widgets.query_bar import Field

ROOM = "log"


class LogHead(Plate):
    """How much there is, and what must be known of it."""

    DEFAULT_CSS = "LogHead { height: 1; padding: 0 1; }"
    ROOM = ROOM

    said: Line = ()

    def show(self, said: Line) -> None:
        """Say something else."""
        if said != self.said:
            self.said = said
            self.refresh()

    def lines(self, width: int) -> list[Line]:
        """Return the one line."""
        title = (("log  ", "head"),) if width >= 70 else ()
        return [(*title, *self.said)]


class LogColumns(Plate):
    """The names of the columns."""

    DEFAULT_CSS = "LogColumns { height: 1; padding: 0 1; }"
    ROOM = ROOM

    replays = reactive(False)

    def lines(self, width: int) -> list[Line]:
        """Return the one line."""
        return [heading(width, replays=self.replays)]


class LogList(CursorView):
    """The records to be seen, the newest first."""

    DEFAULT_CSS = "LogList { height: 1fr; width: 1fr; padding: 0 1; scrollbar-gutter: stable; overflow-x: hidden; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Replay", id="log.replay", tooltip="Ask it again under the present settings"),
    ]
    ROOM = ROOM

    class Chosen(Message):
        """A record is to be asked again."""

    def __init__(self) -> None:
        super().__init__(id="log-list")
        self.rows: tuple[LogRecord, ...] = ()
        self.replays: dict[str, Replayed] = {}
        self.empty = "Looking …"

    @property
    def current(self) -> LogRecord | None:
        """The record under the cursor."""
        return self.rows[self.cursor] if self.cursor < len(self.rows) else None

    def show(self, rows: tuple[LogRecord, ...]) -> None:
        """Show these records; the cursor stays on its own one, the view where it was."""
        held = self.current
        self.rows = rows
        at = next((y for y, row in enumerate(rows) if held is not None and row.record_id == held.record_id), None)
        self.redraw()
        self.set_reactive(CursorView.cursor, at or 0)
        if at is None:
            self.scroll_home(animate=False)
        self.post_message(self.Moved())

    def can_rest(self, y: int) -> bool:
        """Rest on records."""
        return y < len(self.rows)

    def line_count(self) -> int:
        """Return how many lines there are."""
        return max(1, len(self.rows))

    def line_at(self, y: int, width: int) -> Line:
        """Return a record, or why there is none."""
        if not self.rows:
            return ((text.clip(text.safe_line(self.empty), width), "dim"),)
        record = self.rows[y]
        return row_line(record, width, replays=bool(self.replays), replayed=self.replays.get(record.record_id))

    def action_choose(self) -> None:
        """Ask the record again."""
        if self.current is not None:
            self.post_message(self.Chosen())


class RecordPage(Page):
    """All of the record under the cursor, and what asking it again made different."""

    DEFAULT_CSS = "RecordPage { height: 1fr; width: 1fr; padding: 0 1; scrollbar-gutter: stable; overflow-x: hidden; }"
    ROOM = ROOM

    def __init__(self) -> None:
        super().__init__("log-record")
        self.record: LogRecord | None = None
        self.replayed: Replayed | None = None
        self.now = Settings()

    def show(self, record: LogRecord | None, replayed: Replayed | None, now: Settings) -> None:
        """Show a record."""
        if (record, replayed) == (self.record, self.replayed):
            return
        home = record is None or self.record is None or record.record_id != self.record.record_id
        self.record, self.replayed, self.now = record, replayed, now
        self.rebuild(home=home)

    def build(self, width: int) -> list[Line]:
        """Return the lines."""
        if self.record is None:
            return []
        again = list(replay_lines(self.replayed, self.now, width)) if self.replayed is not None else []
        question: Line = ((text.safe_line(self.record.query.text) or "(no words)", "strong"),)
        lines = [question, *again, *([()] if self.replayed is not None else [])]
        return [*lines, *record_lines(self.record, width), *result_lines(self.record.placings, width)]


class LogFilter(Field):
    """The words that records must hold; there only while they are typed."""

    DEFAULT_CSS = (
        "LogFilter { height: 1; border: none; padding: 0 1; display: none; } LogFilter.-open { display: block; }"
    )
    ROOM = ROOM
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,down", "screen.keep_filter", "Keep", id="log.keep", tooltip="Keep the words, go to the records"),
        Binding("escape", "screen.clear_filter", "Clear", id="log.clear", tooltip="Show all records again"),
    ]
