"""The room Search text: grep over all documents while one types, and the documents read where it finds something."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.worker import get_current_worker

from kbtui import render, text
from kbtui.errors import KbtuiError
from kbtui.model import Span, TextLines, TextQuery
from kbtui.tui import copies
from kbtui.tui.doors import Library
from kbtui.tui.errands import reading_of
from kbtui.tui.export import PICTURE, Export
from kbtui.tui.ink import Line, wrap
from kbtui.tui.looks import Look, attempt
from kbtui.tui.rooms import takeaway
from kbtui.tui.rooms.found_view import FoundView
from kbtui.tui.rooms.hits import HitList, told
from kbtui.tui.rooms.room import Room
from kbtui.tui.rooms.search_bar import ROOM, SearchBar, Switches
from kbtui.tui.screens.chooser import Choice
from kbtui.tui.screens.including import Including
from kbtui.tui.widgets.lines import Plate
from kbtui.tui.widgets.read_view import Reading

DEBOUNCE_S = 0.15
PAGE = 100
"""Lines that are asked for at a time."""
_SEARCH, _READ = "search", "found"


class Found(Message):
    """A page of lines, or why there is none; ``onward`` it belongs below those before it."""

    def __init__(self, number: int, outcome: TextLines | KbtuiError, *, onward: bool) -> None:
        super().__init__()
        self.number = number
        self.outcome = outcome
        self.onward = onward


class FoundRead(Message):
    """A document to be read at a line."""

    def __init__(self, place: tuple[str, int], outcome: Reading | KbtuiError) -> None:
        super().__init__()
        self.place = place
        self.outcome = outcome


def search(number: int, query: TextQuery, cursor: str, ceiling: int) -> Look:
    """Return the look that searches for the next page; a newer search ends it."""

    def look(library: Library) -> Iterator[Message]:
        worker = get_current_worker()
        outcome = attempt(
            lambda: library.search_text(
                query,
                limit=PAGE,
                ceiling=ceiling,
                cursor=cursor,
                cancelled=lambda: worker.is_cancelled,
            )
        )
        yield Found(number, outcome, onward=bool(cursor))

    return look


class SearchNote(Plate):
    """How much was found and what of it is not here, or why nothing can be found."""

    DEFAULT_CSS = "SearchNote { height: auto; max-height: 4; padding: 0 1; }"
    ROOM = ROOM

    def __init__(self) -> None:
        super().__init__(id="search-note")
        self._said: list[Line] = []

    def say(self, *lines: Line) -> None:
        """Say something else."""
        self._said = list(lines)
        self.refresh(layout=True)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        """Return as many lines as there is to say."""
        del container, viewport
        return max(1, len(self.lines(width)))

    def lines(self, width: int) -> list[Line]:
        """Return what is said, wrapped."""
        return [piece for line in self._said for piece in wrap(line, width)]


class SearchRoom(Room):
    """Searches the texts for what is typed, and shows every line with its document."""

    ROOM = ROOM
    SHOWS = (
        "Every line of every document that holds the pattern, as `kbtui search` finds them: taken literally or as a "
        "regular expression, of all types and paths or of some (a path may have stars). The total is exact; lines come "
        "page by page as you go down. Enter reads the document at the line. This searches for characters, not for "
        "meaning: it shows what is there, whether an agent would be given it or not."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r", "switch('regex')", "Regex", show=False, id="search.regex", tooltip="A regular expression"),
        Binding("ctrl+o", "switch('word')", "Words", show=False, id="search.word", tooltip="Whole words only"),
        Binding(
            "ctrl+l", "switch('ignore_case')", "Case", show=False, id="search.ignore_case", tooltip="Capitals or not"
        ),
        Binding("y", "copy", "Copy", id="search.copy", tooltip="Copy lines, the path or the command for them"),
        Binding("o", "edit", "Edit", show=False, id="search.edit", tooltip="Open the file in $EDITOR, at this line"),
        Binding("escape", "leave", "Back", id="search.leave", tooltip="From the text to the lines; then to the list"),
    ]

    def __init__(self, home: Including, about: str = "") -> None:
        super().__init__(home, about)
        query = home.session.searched
        self.bar = SearchBar(query)
        self.switches = Switches()
        self.note = SearchNote()
        self.list = HitList()
        self.reader = FoundView()
        self.page: TextLines | None = None
        self._query = replace(query, pattern="")
        self._number = 0
        self._waiting = False
        self._debounce: Timer | None = None
        self._reading: tuple[str, int] = ("", 0)

    def furnish(self) -> list[Widget]:
        """Return the fields, how the pattern is taken, and the lines beside the document."""
        left = Vertical(self.note, self.list, id="search-left")
        left.border_title = "lines"
        right = Vertical(self.reader, id="search-right")
        right.border_title = "document"
        return [self.bar, self.switches, Container(left, right, id="search-body")]

    def on_mount(self) -> None:
        """Begin with what was searched for last."""
        self.switches.show(self._query)
        self.bar.pattern.focus()
        self.bar.pattern.cursor_position = len(self.bar.pattern.value)
        self.search()

    def on_unmount(self) -> None:
        """End what is under way: nobody waits for it."""
        for name in (_SEARCH, _READ):
            self.home.errands.cancel(name)

    def renew(self) -> None:
        """Search the new generation."""
        self._query = replace(self._query, pattern="")
        self.search()

    @property
    def subject(self) -> str:
        """The document of the line under the cursor."""
        return self.list.current.path if self.list.current is not None else ""

    @property
    def exports(self) -> tuple[Export, ...]:
        """The lines that are here."""
        if self.page is None:
            return (PICTURE,)
        return (*takeaway.of_search(replace(self.page, lines=self.list.hits)), PICTURE)

    @property
    def export_name(self) -> str:
        """The pattern."""
        return f"search {self._query.pattern}"

    # --- searching ------------------------------------------------------------------------------

    def on_search_bar_changed(self, event: SearchBar.Changed) -> None:
        """Search once typing rests, or at once when it was confirmed."""
        if self._debounce is not None:
            self._debounce.stop()
        if event.now:
            self.search()
            self.action_to_hits()
        else:
            self._debounce = self.set_timer(DEBOUNCE_S, self.search)

    def search(self) -> None:
        """Search for what the fields say, unless that is shown already."""
        query = self.bar.asked(self._query)
        if query == self._query and self.page is not None:
            return
        self._query = self.home.session.searched = query
        self.switches.show(query)
        self._number += 1
        if not query.pattern:
            self.page = None
            self.home.errands.cancel(_SEARCH)
            self.list.show((), more=False, onward=False)
            self.note.say((("Type what to find in the texts; enter goes to the lines.", "dim"),))
        elif not self.home.errands.is_open:
            self.note.say((("✗ no knowledge base is open yet; enter tries again", "error"),))
        else:
            self._ask("")

    def _ask(self, cursor: str) -> None:
        self._waiting = True
        if not cursor:
            self.note.say((("searching …", "accent"),))
        errands = self.home.errands
        errands.fetch(_SEARCH, self, search(self._number, self._query, cursor, errands.place.search_limit))

    def on_found(self, event: Found) -> None:
        """Show a page, unless something else was searched for since; what is wrong is said above the lines."""
        if event.number != self._number:
            return
        self._waiting = False
        if isinstance(event.outcome, KbtuiError):
            error = event.outcome
            hint: list[Line] = [(("  ", ""), (text.safe_line(error.hint), ""))] if error.hint else []
            stale: list[Line] = [(("  the lines below are of the search before", "dim"),)] if self.list.hits else []
            self.note.say((("✗ ", "error"), (text.safe_line(error.message), "error")), *hint, *stale)
            return
        self.page = event.outcome
        self.list.show(event.outcome.lines, more=bool(event.outcome.cursor), onward=event.onward)
        self._tell(event.outcome)

    def _tell(self, page: TextLines) -> None:
        said, missing = told(page, len(self.list.hits))
        self.note.say(((said, "strong"),), *([((missing, "cut"),)] if missing else []))

    def on_hit_list_wanted(self) -> None:
        """Search for the next page."""
        if not self._waiting and self.page is not None and self.page.cursor:
            self._ask(self.page.cursor)

    def action_switch(self, name: str) -> None:
        """Take the pattern otherwise."""
        before = self._query
        self._query = TextQuery(
            pattern="",
            regex=before.regex != (name == "regex"),
            word=before.word != (name == "word"),
            ignore_case=before.ignore_case != (name == "ignore_case"),
        )
        self.search()

    def on_switches_turned(self, event: Switches.Turned) -> None:
        """Take the pattern otherwise."""
        self.action_switch(event.name)

    def action_pattern(self) -> None:
        """Search for something else."""
        self.remove_class("-reading")
        self.bar.pattern.focus()

    def action_to_hits(self) -> None:
        """Move the keyboard to the lines."""
        self.list.focus()

    # --- what follows from a line ---------------------------------------------------------------

    def on_hit_list_chosen(self) -> None:
        """Read the document at the line, what an agent gets of it marked."""
        hit, answer = self.list.current, self.home.session.answer
        if hit is None:
            return
        rows = answer.rows if answer is not None else ()
        spans: tuple[Span, ...] = next((row.allocation.spans for row in rows if row.document.doc_id == hit.path), ())
        place = self._reading = (hit.path, hit.number)

        def look(library: Library) -> Iterator[Message]:
            yield FoundRead(place, attempt(lambda: reading_of(library, hit.path, spans)))

        self.home.errands.fetch(_READ, self, look)

    def on_found_read(self, event: FoundRead) -> None:
        """Show the document, unless another was wanted since."""
        if event.place != self._reading:
            return
        self.add_class("-reading")
        if isinstance(event.outcome, KbtuiError):
            self.reader.tell(event.outcome.message)
        else:
            path, line = event.place
            numbers = tuple(hit.number for hit in self.list.hits if hit.path == path)
            self.reader.show_at(event.outcome, numbers, line)
        self.reader.focus()

    def action_include(self) -> None:
        """Add the line's document to the answer by hand, and see in the list what comes of it."""
        if doc_id := self.subject:
            self.home.visit("")
            self.home.action_to_list()
            self.home.include(doc_id)

    def action_edit(self) -> None:
        """Open the file at the line that is read, or under the cursor."""
        if self.reader.has_focus and self.reader.reading is not None:
            self.home.errands.locate(self.reader.reading.document.doc_id, 0, self.reader.line)
        elif self.list.current is not None:
            self.home.errands.locate(self.list.current.path, 0, self.list.current.number)

    def action_copy(self) -> None:
        """Offer what can be copied."""
        hit, page = self.list.current, self.page
        if page is None:
            self.tell("There is nothing to copy yet.")
            return
        shell = copies.search_command(self._query, self.home.errands.place.store)
        forms = [(Choice(value="l", key="l", name="command line", help="the `kbtui search` that finds these"), shell)]
        everything = replace(page, lines=self.list.hits)
        found = "".join(f"{each.path}:{each.number}:{each.text}\n" for each in everything.lines)
        if hit is not None:
            place = f"{hit.path}:{hit.number}"
            forms = [
                (Choice(value="y", key="y", name="line", help=text.safe_line(hit.text)), hit.text),
                *forms,
                (Choice(value="g", key="g", name="path and line", help=place), place),
                (Choice(value="p", key="p", name="path", help=hit.path), hit.path),
                (Choice(value="a", key="a", name="all lines", help="those that are here, as grep prints them"), found),
            ]
        forms.append((Choice(value="j", key="j", name="JSON", help="the last page"), render.lines_json(page)))
        self.home.offer_copies(forms)

    def action_leave(self) -> None:
        """Go from the text to the lines, else back to Explore."""
        if self.reader.has_focus:
            self.remove_class("-reading")
            self.list.focus()
        else:
            self.home.visit("")
