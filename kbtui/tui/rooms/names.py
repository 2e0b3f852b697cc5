"""Naming a document: a field, and below it the documents that go by what is typed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from kbtui import text
from kbtui.errors import KbtuiError
from kbtui.model import Answer
from kbtui.tui.doors import Library
from kbtui.tui.ink import Line, one
from kbtui.tui.looks import Look, attempt
from kbtui.tui.widgets.lines import CursorView
from kbtui.tui.widgets.query_bar import Field

ROOM = "why"
MOST = 200
"""Most documents that are offered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A document to choose: its id, its title, and what there is to know of it in a few words."""

    doc_id: str
    title: str = ""
    remark: str = ""


class Offered(Message):
    """What goes by the words that were typed, or why that cannot be said."""

    def __init__(self, words: str, outcome: tuple[Offer, ...] | KbtuiError) -> None:
        super().__init__()
        self.words = words
        self.outcome = outcome


def missing(answer: Answer | None) -> tuple[Offer, ...]:
    """Return the documents of an answer that the context does not hold, in rank order."""
    rows = (*answer.rows, *answer.behind) if answer is not None else ()
    return tuple(
        Offer(
            doc_id=row.document.doc_id,
            title=row.document.title,
            remark=f"rank {row.rank}, {row.allocation.decision}",
        )
        for row in rows
        if row.allocation.decision in ("dropped", "outranked")
    )[:MOST]


def find(words: str, answer: Answer | None) -> Look:
    """Return the look that finds what goes by some words: documents, and files that were skipped."""
    rows = (*answer.rows, *answer.behind) if answer is not None else ()
    ranks = {row.document.doc_id: f"rank {row.rank}, {row.allocation.decision}" for row in rows}

    def found(library: Library) -> tuple[Offer, ...]:
        offers = [
            Offer(
                doc_id=document.doc_id,
                title=document.title,
                remark=ranks.get(document.doc_id, document.source_type),
            )
            for document in library.named(words, MOST)
        ]
        wanted = words.lower().split()
        offers += [
            Offer(doc_id=file.path, remark=f"skipped: {file.reason}")
            for file in library.status().skipped
            if all(word in file.path.lower() for word in wanted)
        ][: MOST - len(offers)]
        return tuple(offers)

    def look(library: Library) -> Iterator[Message]:
        yield Offered(words, attempt(lambda: found(library)))

    return look


class Offers(CursorView):
    """The documents to choose from; where none goes by the words, what is typed is taken as it is."""

    DEFAULT_CSS = "Offers { height: 1fr; padding: 0 1; overflow-x: hidden; }"
    ROOM = ROOM
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", "Ask", id="why.take", tooltip="Ask why this document is missing"),
    ]

    class Taken(Message):
        """A document was chosen."""

        def __init__(self, doc_id: str) -> None:
            super().__init__()
            self.doc_id = doc_id

    def __init__(self) -> None:
        super().__init__(id="why-offers")
        self._offers: tuple[Offer, ...] = ()
        self._said: Line = ()

    def show(self, offers: tuple[Offer, ...], heading: str, ink: str = "dim") -> None:
        """Offer these documents under a line that says what they are."""
        self._offers, self._said = offers, ((text.safe_line(heading), ink),)
        self.set_reactive(CursorView.cursor, 1 if offers else 0)
        self.redraw()
        self.scroll_home(animate=False)

    @property
    def current(self) -> str:
        """The document under the cursor, "" for none."""
        return self._offers[self.cursor - 1].doc_id if 0 < self.cursor <= len(self._offers) else ""

    def can_rest(self, y: int) -> bool:
        """Rest on documents, not on the line above them."""
        return y > 0

    def line_count(self) -> int:
        """Return how many lines there are."""
        return 1 + len(self._offers)

    def wash_at(self, y: int) -> str:
        """Mark the cursor's line, wherever the keyboard is: in the field above, too, enter takes it."""
        return "cursor" if y == self.cursor and y else ""

    def line_at(self, y: int, width: int) -> Line:
        """Return a document: its id, what there is to know of it, its title."""
        if y == 0:
            return self._said
        offer = self._offers[y - 1]
        ids = min(max(text.cell_width(text.safe_line(each.doc_id)) for each in self._offers), max(20, width // 2))
        remarks = min(24, max(text.cell_width(text.safe_line(each.remark)) for each in self._offers))
        return (
            (" ", ""),
            one(offer.doc_id, ids),
            ("  ", ""),
            one(offer.remark, remarks, "cut" if offer.remark.startswith("skipped") else "dim"),
            ("  ", ""),
            one(offer.title, max(0, width - ids - remarks - 5), "dim"),
        )

    def action_take(self) -> None:
        """Choose the document under the cursor."""
        if self.current:
            self.post_message(self.Taken(self.current))

    def on_click(self, event: events.Click) -> None:
        """Choose the document under the mouse."""
        super().on_click(event)
        if event.y - self.gutter.top + self.scroll_offset.y == self.cursor:
            self.action_take()


class NameField(Field):
    """The document's name, as somebody types it; up and down move among those that go by it."""

    DEFAULT_CSS = """
    NameField { height: 1; border: none; padding: 0 1; background: transparent; }
    NameField:focus { border: none; }
    """
    ROOM = ROOM
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Ask", id="why.ask", tooltip="Ask why this document is missing"),
        Binding("up", "screen.move(-1)", "Up", show=False, id="why.offer_up", tooltip="To the document above"),
        Binding("down", "screen.move(1)", "Down", show=False, id="why.offer_down", tooltip="To the document below"),
        Binding("pageup", "screen.page(-1)", "Page up", show=False, id="why.offer_page_up", tooltip="A screenful up"),
        Binding("pagedown", "screen.page(1)", "Page down", show=False, id="why.offer_page_down", tooltip="And down"),
    ]
