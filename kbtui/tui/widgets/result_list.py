"""The result list: one line a document, with a rule where the budget ends and one where the limit ends."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.message import Message

from kbtui import text
from kbtui.model import Answer, Comparison, Row
from kbtui.tui.columns import Columns, row_line, rule
from kbtui.tui.ink import Line
from kbtui.tui.list_view import ListView, included, movements, told
from kbtui.tui.widgets.lines import CursorView, Plate
from kbtui.tui.widgets.sift_field import SiftedList

INCLUDE = "What if it were in the answer? Add it by hand; again: out"


class ResultList(SiftedList):
    """Every row of an answer: what an agent gets first, then what was dropped, then what was outranked."""

    DEFAULT_CSS = "ResultList { height: 1fr; width: 1fr; scrollbar-gutter: stable; overflow-x: hidden; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Read", id="results.read", tooltip="Read the document of this row"),
        Binding("space", "mark", "Mark", id="results.mark", tooltip="Mark this row, or take its mark away"),
        Binding("f", "filter", "Filter", id="results.filter", tooltip="Show only rows that contain some words"),
        Binding(
            "greater_than_sign",
            "sort(1)",
            "Sort",
            key_display=">",
            id="results.sort",
            tooltip="Sort by the next column",
        ),
        Binding(
            "less_than_sign",
            "sort(-1)",
            "Sort back",
            show=False,
            key_display="<",
            id="results.sort_back",
            tooltip="Sort by the column before; # is the agent's order",
        ),
        Binding("I", "turn", "Invert", show=False, id="results.invert", tooltip="Turn the order round"),
        Binding("i", "include", "Include", show=False, id="results.include", tooltip=INCLUDE),
        Binding(
            "escape", "plain", "Plain", show=False, id="results.plain", tooltip="Take filter, order, then marks away"
        ),
    ]

    class Chosen(Message):
        """A row was opened."""

    class Included(Message):
        """A document is to be added by hand, or taken out again."""

        def __init__(self, doc_id: str) -> None:
            super().__init__()
            self.doc_id = doc_id

    class Viewed(Message):
        """Filter, order or marks are others."""

    class FilterWanted(Message):
        """Words to filter by are to be typed."""

    def __init__(self, widget_id: str) -> None:
        super().__init__(id=widget_id)
        self.view = ListView()
        self.difference: Comparison | None = None
        self.against = ""
        self._items: list[Row | str] = []
        self._marks: set[str] = set()
        self._moves: dict[str, str] = {}
        self._answer: Answer | None = None
        self._fitted: tuple[int, Columns] | None = None

    @property
    def current(self) -> Row | None:
        """The row under the cursor."""
        item = self._items[self.cursor] if self.cursor < len(self._items) else None
        return item if isinstance(item, Row) else None

    @property
    def marked(self) -> tuple[Row, ...]:
        """The marked rows of the answer, in rank order, filtered away or not."""
        rows = (*self._answer.rows, *self._answer.behind) if self._answer is not None else ()
        return tuple(row for row in rows if row.document.doc_id in self._marks)

    def show(
        self, answer: Answer, *, keep: bool, difference: Comparison | None = None, against: str = "pinned"
    ) -> None:
        """Show an answer's rows; ``keep`` leaves the cursor on its document, and marks, wherever those went.

        ``against`` names what the difference is from.
        """
        if not keep:
            self._marks = set()
        self._answer = answer
        self.difference, self.against = difference, against
        self._moves = movements(difference) if difference is not None else {}
        self._lay(home=not keep)

    @property
    def wanted(self) -> str:
        """The words that the rows are kept to."""
        return self.view.words

    def sift(self, words: str) -> None:
        """Keep the rows that contain these words."""
        self.look(replace(self.view, words=words))

    def look(self, view: ListView) -> None:
        """Look at the same rows in another way."""
        self.view = view
        self._lay(home=False)
        self.post_message(self.Viewed())

    def _lay(self, *, home: bool) -> None:
        held = self.current.document.doc_id if self.current and not home else None
        self._items = self.view.rows(self._answer) if self._answer is not None else []
        self._fitted = None
        at = next(
            (y for y, item in enumerate(self._items) if isinstance(item, Row) and item.document.doc_id == held), None
        )
        if at is None:
            at = next((y for y, item in enumerate(self._items) if isinstance(item, Row)), 0)
        self.redraw()
        if held is None:
            self.scroll_home(animate=False)
        self.set_reactive(CursorView.cursor, at)
        self.watch_cursor()

    def choose(self, doc_id: str) -> bool:
        """Move the cursor to a document's row; say whether it has one."""
        for y, item in enumerate(self._items):
            if isinstance(item, Row) and item.document.doc_id == doc_id:
                self.cursor = y
                return True
        return False

    def can_rest(self, y: int) -> bool:
        """Rest on rows, not on rules."""
        return isinstance(self._items[y], Row)

    def line_count(self) -> int:
        """Return how many rows and rules there are."""
        return len(self._items)

    def line_at(self, y: int, width: int) -> Line:
        """Return a row or a rule."""
        item = self._items[y]
        if isinstance(item, str):
            return rule(item, width)
        doc_id = item.document.doc_id
        return row_line(
            item, self.columns_for(width), width, moved=self._moves.get(doc_id, ""), marked=doc_id in self._marks
        )

    def heading(self) -> Line:
        """Return the line above the columns."""
        width, view = self.inner_width, self.view
        arrow = view.arrow if view.is_sorted else ""
        return ((text.clip(self.columns_for(width).heading(view.column, arrow), max(1, width)), "dim"),)

    def remarks(self) -> Line:
        """Return what must be known of this view: that it is one, how it differs from the pin, how much is marked."""
        runs = []
        if self.view.is_sorted:
            runs.append((f"a view, sorted by {self.view.column or 'rank'}; # says what the agent gets", "cut"))
        if self.view.words.strip():
            rows = sum(isinstance(item, Row) for item in self._items)
            total = len(self._answer.rows) + len(self._answer.behind) if self._answer is not None else 0
            runs.append((f"{rows:,} of {total:,} rows contain {text.safe_line(self.view.words.strip())}", "cut"))
        if self._answer is not None and (added := included(self._answer)):
            runs.append((added, "cut"))
        if self.difference is not None:
            said = told(self.difference)
            if self.against == "pinned":
                runs.append((f"against the pin: {said}", "accent"))
            else:
                runs.append((f"against before: {said.partition(';')[0]}", "accent"))
        if self._marks:
            runs.append((f"{len(self._marks):,} marked", "accent"))
        spaced = [(("  ·  ", "dim"), run) for run in runs]
        return tuple(run for pair in spaced for run in pair)[1:]

    def columns_for(self, width: int) -> Columns:
        """Return the columns in force at a width."""
        if self._fitted is None or self._fitted[0] != width:
            self._fitted = (width, Columns.fit(self._answer, width, moving=self.difference is not None))
        return self._fitted[1]

    def action_choose(self) -> None:
        """Open the row under the cursor."""
        if self.current:
            self.post_message(self.Chosen())

    def action_mark(self) -> None:
        """Mark the row, or take its mark away, and go on to the next."""
        if self.current:
            self._marks ^= {self.current.document.doc_id}
            self.post_message(self.Viewed())
            self.action_move(1)
            self.refresh()

    def action_include(self) -> None:
        """Add the row's document to the answer by hand, or take it out again."""
        if self.current:
            self.post_message(self.Included(self.current.document.doc_id))

    def action_filter(self) -> None:
        """Ask for the words."""
        self.post_message(self.FilterWanted())

    def action_sort(self, step: int) -> None:
        """Sort by another column."""
        self.look(self.view.next(step))

    def action_turn(self) -> None:
        """Turn the order round."""
        self.look(replace(self.view, turned=not self.view.turned))

    def action_plain(self) -> None:
        """Take the filter and the order away, else the marks; else it is no matter of the list."""
        if not self.view.is_plain:
            self.look(ListView())
        elif self._marks:
            self._marks = set()
            self.post_message(self.Viewed())
            self.refresh()
        else:
            raise SkipAction


class ListHead(Plate):
    """The names of the list's columns, above it, and below them what must be known of the view."""

    DEFAULT_CSS = "ListHead { height: 1; } ListHead.-remarks { height: 2; }"

    def __init__(self, results: ResultList) -> None:
        super().__init__()
        self._results = results

    def show(self) -> None:
        """Take as many lines as there is to say."""
        self.set_class(bool(self._results.remarks()), "-remarks")
        self.refresh()

    def lines(self, width: int) -> list[Line]:
        """Return the one line, or two."""
        del width
        return [self._results.remarks(), self._results.heading()][0 if self.has_class("-remarks") else 1 :]
