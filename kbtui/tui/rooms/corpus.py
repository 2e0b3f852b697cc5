"""The corpus room: what the store holds by type and tier, and what of it deserves a look."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget

from kbtui import text
from kbtui.errors import KbtuiError
from kbtui.model import Document, Query, Status, Survey
from kbtui.tui.doors import Library
from kbtui.tui.export import PICTURE, Export
from kbtui.tui.ink import Line, Run, wrap
from kbtui.tui.looks import attempt
from kbtui.tui.rooms import takeaway
from kbtui.tui.rooms.corpus_rows import Entry, Section, documents, sections
from kbtui.tui.rooms.room import Room
from kbtui.tui.screens.including import Including
from kbtui.tui.widgets.lines import CursorView, Plate

ROOM = "corpus"
_TITLE = "corpus  "
MOST = 2_000
"""Most documents of a type that are listed; the rest is counted."""


class Surveyed(Message):
    """What the store holds, or why that cannot be said."""

    def __init__(self, outcome: tuple[Status, Survey] | KbtuiError) -> None:
        super().__init__()
        self.outcome = outcome


class Listed(Message):
    """The documents of a type, or why they cannot be listed."""

    def __init__(self, source_type: str, outcome: tuple[Document, ...] | KbtuiError) -> None:
        super().__init__()
        self.source_type = source_type
        self.outcome = outcome


class SectionTabs(Plate):
    """The sections by name, with their counts where there is room; brackets stand around the open one."""

    DEFAULT_CSS = "SectionTabs { height: 1; width: 1fr; padding: 0 1; }"
    ROOM = ROOM

    class Picked(Message):
        """A tab was clicked."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self) -> None:
        super().__init__(id="section-tabs")
        self._tabs: tuple[tuple[str, int | None], ...] = ()
        self._open = ""

    def show(self, found: tuple[Section, ...], opened: str) -> None:
        """Show these sections, this one open."""
        self._tabs, self._open = tuple((section.name, section.count) for section in found), opened
        self.refresh()

    def _cells(self, width: int) -> list[tuple[str, str, str]]:
        """Return each name with what is written of it and of its count."""
        counted = [(name, name, f" {count:,}" if count else "") for name, count in self._tabs]
        if sum(len(shown) + len(count) + 2 for _, shown, count in counted) <= width:
            return counted
        most = max((len(name) for name, _ in self._tabs), default=1)
        while most > 3 and sum(min(most, len(name)) + 1 for name, _ in self._tabs) >= width:
            most -= 1
        return [(name, name if name == self._open else name[:most], "") for name, _ in self._tabs]

    def _is_titled(self, cells: list[tuple[str, str, str]], width: int) -> bool:
        """Say whether the room's name has its place before the tabs."""
        return sum(len(shown) + len(count) + 1 for _, shown, count in cells) + 1 + len(_TITLE) <= width

    def lines(self, width: int) -> list[Line]:
        """Return the one line."""
        cells = self._cells(width)
        runs: list[Run] = [(_TITLE, "head")] if self._is_titled(cells, width) else []
        for name, shown, count in cells:
            is_open = name == self._open
            runs.append(("[" if is_open else " ", "accent"))
            runs += [(shown, "strong" if is_open else "dim"), (count, "cut" if name != "types" else "dim")]
            runs.append(("]" if is_open else "", "accent"))
        return [tuple(runs)]

    def on_click(self, event: events.Click) -> None:
        """Open the tab under the mouse."""
        cells = self._cells(self.size.width)
        at = event.x - self.gutter.left - (len(_TITLE) if self._is_titled(cells, self.size.width) else 0)
        for name, shown, count in cells:
            width = 1 + len(shown) + len(count) + (name == self._open)
            if 0 <= at < width:
                self.post_message(self.Picked(name))
                return
            at -= width


class SectionList(CursorView):
    """The rows of the open section."""

    DEFAULT_CSS = "SectionList { height: 1fr; padding: 0 1; scrollbar-gutter: stable; overflow-x: hidden; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Open", id="corpus.open", tooltip="Read the document; list those of this type"),
    ]
    ROOM = ROOM

    class Chosen(Message):
        """A row was opened."""

    def __init__(self) -> None:
        super().__init__(id="section-list")
        self._section = Section(name="", count=None, items=(), empty="Looking …")

    @property
    def current(self) -> Entry | None:
        """The row under the cursor."""
        items = self._section.items
        item = items[self.cursor] if self.cursor < len(items) else None
        return item if isinstance(item, Entry) else None

    def show(self, section: Section, cursor: int = 0) -> None:
        """Show a section, the cursor at or below this line."""
        self._section = section
        self.redraw()
        rows = [at for at, item in enumerate(section.items) if isinstance(item, Entry)]
        self.set_reactive(CursorView.cursor, next((at for at in rows if at >= cursor), rows[-1] if rows else 0))
        if not cursor:
            self.scroll_home(animate=False)
        self.watch_cursor()

    def can_rest(self, y: int) -> bool:
        """Rest on rows, not on headings."""
        return y < len(self._section.items) and isinstance(self._section.items[y], Entry)

    def line_count(self) -> int:
        """Return how many lines there are."""
        return max(1, len(self._section.items))

    def line_at(self, y: int, width: int) -> Line:
        """Return a row or a heading."""
        if not self._section.items:
            return ((text.clip(self._section.empty, width), "dim"),)
        return self._section.items[y].draw(width)

    def action_choose(self) -> None:
        """Open the row."""
        if self.current is not None:
            self.post_message(self.Chosen())


class RowNote(Plate):
    """The whole of what there is to say of the row under the cursor."""

    DEFAULT_CSS = "RowNote { height: 4; padding: 0 1; border-top: solid $kb-rule; }"
    ROOM = ROOM

    _said = ""
    _ink = ""

    def say(self, said: str, ink: str = "") -> None:
        """Say something else."""
        self._said, self._ink = said, ink
        self.refresh()

    def lines(self, width: int) -> list[Line]:
        """Return it, wrapped; what does not fit ends in a mark."""
        lines = wrap(((text.safe_line(self._said), self._ink),), max(1, width))
        most = max(1, self.size.height)
        if len(lines) > most:
            (run, ink), *_ = lines[most - 1]
            lines[most - 1] = ((text.clip(f"{run.rstrip()} …", width), ink),)
        return lines[:most]


class CorpusRoom(Room):
    """Sections under tabs, the rows of the open one, and all there is to say of a row."""

    ROOM = ROOM
    SHOWS = (
        "What the store holds, by tier and type, with what it costs; then, under its own tab each, what deserves a "
        "look: files that were skipped, relations that lead nowhere, documents that no context holds whole under the "
        "present budget, documents of the same bytes, and what else is not as it should be. `kbtui status` says the "
        "same."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="corpus.leave", tooltip="Back to the types, then to Explore"),
        Binding(
            "right_square_bracket,right,tab",
            "turn(1)",
            "Section",
            key_display="]",
            id="corpus.next_section",
            tooltip="The next section",
        ),
        Binding(
            "left_square_bracket,left,shift+tab",
            "turn(-1)",
            "Last section",
            show=False,
            id="corpus.last_section",
            tooltip="The section before",
        ),
        Binding("a", "ask", "Ask", id="corpus.ask", tooltip="Ask for this document by its id, or of this type alone"),
        Binding("o", "edit", "Edit", show=False, id="corpus.edit", tooltip="Open this document's file in $EDITOR"),
    ]

    def __init__(self, home: Including, about: str = "") -> None:
        super().__init__(home, about)
        self._sections: tuple[Section, ...] = ()
        self._within: Section | None = None
        self._found: tuple[Status, Survey] | None = None
        self._open = "types"
        self._cursors: dict[str, int] = {}
        self.tabs = SectionTabs()
        self.rows = SectionList()
        self.note = RowNote()

    @property
    def subject(self) -> str:
        """The row's document."""
        return self.rows.current.doc_id if self.rows.current is not None else ""

    @property
    def exports(self) -> tuple[Export, ...]:
        """What the store holds, as the CLI prints it."""
        return (*(takeaway.of_corpus(*self._found) if self._found is not None else ()), PICTURE)

    def furnish(self) -> list[Widget]:
        """Return tabs, rows and note."""
        return [self.tabs, self.rows, self.note]

    def on_mount(self) -> None:
        """Look."""
        self.rows.focus()
        self.renew()

    def renew(self) -> None:
        """Look what the store holds now, under the present budget."""
        budget = self.home.session.settings.budget()

        def look(library: Library) -> Iterator[Message]:
            yield Surveyed(attempt(lambda: (library.status(), library.survey(budget))))

        if self.home.errands.is_open:
            self.home.errands.fetch("survey", self, look)
        else:
            self.note.say("No knowledge base is open yet; what it holds is shown as soon as one is.", "cut")

    def on_surveyed(self, event: Surveyed) -> None:
        """Show it, or say why it cannot be shown."""
        if isinstance(event.outcome, KbtuiError):
            self.note.say(f"✗ {event.outcome.message}. {event.outcome.hint}", "error")
            return
        self._found = event.outcome
        self._sections, self._within = sections(*event.outcome), None
        self._show(keep=True)

    def _show(self, *, keep: bool) -> None:
        if self._within is not None:
            self.rows.show(self._within)
            return
        section = next(section for section in self._sections if section.name == self._open)
        self.tabs.show(self._sections, self._open)
        self.rows.show(section, self._cursors.get(self._open, 0) if keep else 0)

    def on_cursor_view_moved(self, event: CursorView.Moved) -> None:
        """Say all of the row under the cursor."""
        event.stop()
        if self._within is None:
            self._cursors[self._open] = self.rows.cursor
        if self._sections:
            self.note.say(self.rows.current.said if self.rows.current is not None else "")

    def on_section_tabs_picked(self, event: SectionTabs.Picked) -> None:
        """Open the clicked section."""
        self.open_section(event.name)

    def open_section(self, name: str) -> None:
        """Open a section."""
        self._open, self._within = name, None
        self._show(keep=True)

    def action_turn(self, step: int) -> None:
        """Open the next or the last section."""
        names = [section.name for section in self._sections]
        if names:
            self.open_section(names[(names.index(self._open) + step) % len(names)])

    def action_leave(self) -> None:
        """Go back from the documents of a type to the types, else to Explore."""
        if self._within is not None:
            self.open_section(self._open)
        else:
            self.visit("")

    def on_section_list_chosen(self) -> None:
        """Read the row's document, or list those of its type."""
        row = self.rows.current
        if row is None:
            return
        if row.doc_id:
            self.visit("")
            self.home.open_document(row.doc_id)
        elif row.source_type:
            self._list(row.source_type)
        else:
            self.tell("There is no document behind this row.")

    def _list(self, source_type: str) -> None:
        def look(library: Library) -> Iterator[Message]:
            yield Listed(source_type, attempt(lambda: library.of_type(source_type, MOST)))

        self.home.errands.fetch("listed", self, look)

    def on_listed(self, event: Listed) -> None:
        """Show the documents of a type, or say why they cannot be listed; another section may be open by now."""
        if self._open != "types" or self._found is None:
            return
        if isinstance(event.outcome, KbtuiError):
            self.note.say(f"✗ {event.outcome.message}. {event.outcome.hint}", "error")
            return
        counted = {each.source_type: each.documents for each in self._found[0].types}
        total = max(len(event.outcome), counted.get(event.source_type, 0))
        self._within = documents(event.source_type, event.outcome, total)
        self._show(keep=False)

    def action_ask(self) -> None:
        """Ask for the row's document by its id; of a type, limit the question to it, and say so."""
        row = self.rows.current
        if row is None or not (row.doc_id or row.source_type):
            self.tell("There is no document behind this row.")
            return
        self.visit("")
        if row.doc_id:
            self.home.pose(Query(text=row.doc_id))
            return
        self.home.pose(Query(text=self.home.session.text, source_types=(row.source_type,)))
        self.home.tell(f"Asked of the type {row.source_type} alone; the field beside the question says so.")
        if not self.home.session.text.strip():
            self.home.action_ask()

    def action_edit(self) -> None:
        """Open the file of the row's document."""
        row = self.rows.current
        if row is None or not row.doc_id:
            self.tell("There is no document behind this row.")
        else:
            self.home.errands.locate(row.doc_id, 0)
