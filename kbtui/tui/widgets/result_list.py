"""The result list: one line a document, with a rule where the budget ends and one where the limit ends."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.message import Message

from kbtui import text
from kbtui.model import Answer, Row
from kbtui.tui.figures import short, signed
from kbtui.tui.ink import Line, Run, one, tier_ink
from kbtui.tui.widgets.lines import CursorView

ORIGIN_MARKS = {"ranked": " ", "neighbour": "↳", "backfill": "+"}
_TIER_WIDTH, _SCORE, _PENALTY, _BYTES, _TOKENS, _FATE = 3, 6, 7, 6, 5, 10


class ResultList(CursorView):
    """Every row of an answer: what an agent gets first, then what was dropped, then what was outranked."""

    DEFAULT_CSS = "ResultList { height: 1fr; width: 1fr; scrollbar-gutter: stable; overflow-x: hidden; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "choose", "Read")]

    class Chosen(Message):
        """A row was opened."""

    def __init__(self, widget_id: str) -> None:
        super().__init__(id=widget_id)
        self._items: list[Row | str] = []
        self.type_width = 4

    @property
    def current(self) -> Row | None:
        """The row under the cursor."""
        item = self._items[self.cursor] if self.cursor < len(self._items) else None
        return item if isinstance(item, Row) else None

    def show(self, answer: Answer, *, keep: bool) -> None:
        """Show an answer's rows; ``keep`` leaves the cursor on its document, wherever that went."""
        held = self.current.document.doc_id if keep and self.current else None
        self._items = layout(answer)
        rows = [item for item in self._items if isinstance(item, Row)]
        self.type_width = max([4, *(min(10, cell_len(row.scored.source_type)) for row in rows[:500])])
        at = next(
            (y for y, item in enumerate(self._items) if isinstance(item, Row) and item.document.doc_id == held), 0
        )
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
        return rule(item, width) if isinstance(item, str) else row_line(item, self.type_width, width)

    def heading(self, width: int) -> Line:
        """Return the line above the columns."""
        return heading(self.type_width, width)

    def action_choose(self) -> None:
        """Open the row under the cursor."""
        if self.current:
            self.post_message(self.Chosen())


def layout(answer: Answer) -> list[Row | str]:
    """Return the rows in rank order with the rules between them."""
    items: list[Row | str] = list(answer.rows)
    kept = [at for at, row in enumerate(answer.rows) if row.allocation.decision != "dropped"]
    end = kept[-1] + 1 if kept else 0
    if end < len(answer.rows):
        items.insert(end, _budget_rule(answer))
    if answer.behind:
        more = {"eq": "", "gte": "+", "unknown": " or more"}[answer.total_relation]
        items.append(f"limit ends: {len(answer.rows)} of {answer.total:,}{more} documents")
        items.extend(answer.behind)
    return items


def _budget_rule(answer: Answer) -> str:
    usage, budget = answer.usage, answer.budget
    parts = [
        f"{short(used)} of {short(bound)} {unit}"
        for used, bound, unit in (
            (usage.size_bytes, budget.size_bytes, "bytes"),
            (usage.tokens, budget.tokens, "tokens"),
        )
        if bound is not None
    ]
    return "budget ends: " + ", ".join(parts)


def rule(words: str, width: int) -> Line:
    """Return a rule that says what ends here."""
    label = f" {words} "
    left = 3
    return (("─ " * 1 + "─", "rule"), (label, "cut"), ("─" * max(0, width - left - cell_len(label)), "rule"))


def heading(type_width: int, width: int) -> Line:
    """Return the names of the columns, aligned as the rows are."""
    names = (
        f"{'#':>4}  "
        f"{'tier':<{_TIER_WIDTH + 1}} {'type':<{type_width}} {'score':>{_SCORE}} {'penalty':>{_PENALTY}} "
        f"{'bytes':>{_BYTES}} {'tok':>{_TOKENS}}  {'fate':<{_FATE}} title"
    )
    return ((text.clip(names, max(1, width)), "dim"),)


def fate_words(row: Row) -> str:
    """Return what became of a document, in words."""
    allocation = row.allocation
    if allocation.decision == "trimmed":
        return f"trim {short(allocation.kept.size_bytes)}"
    return allocation.decision


def row_line(row: Row, type_width: int, width: int) -> Line:
    """Return one document's line; rows an agent does not get are dimmed throughout."""
    allocation, scored = row.allocation, row.scored
    behind = allocation.decision in {"dropped", "outranked"}

    def ink(name: str) -> str:
        return "dim" if behind else name

    fate_ink = {"trimmed": "cut", "whole": ""}.get(allocation.decision, "dim")
    size = allocation.cost.size_bytes or row.document.text_bytes
    tokens = allocation.cost.tokens or row.document.tokens
    runs: list[Run] = [
        (f"{row.rank:>4}", ink("")),
        (ORIGIN_MARKS[row.origin] + " ", ink("accent")),
        (f"{scored.tier[:_TIER_WIDTH]:<{_TIER_WIDTH + 1}} ", ink(tier_ink(scored.tier))),
        one(scored.source_type, type_width, ink(tier_ink(scored.tier))),
        (f" {scored.score:>{_SCORE}.3f}", ink("strong")),
        (f" {signed(scored.penalty):>{_PENALTY}}", ink("penalty" if scored.penalty else "dim")),
        (f" {short(size):>{_BYTES}}", ink("")),
        (f" {short(tokens):>{_TOKENS}}  ", ink("dim")),
        (f"{fate_words(row):<{_FATE}} ", fate_ink),
    ]
    room = width - sum(len(run) for run, _ in runs[:3]) - type_width - sum(len(run) for run, _ in runs[4:])
    if room > 0:
        runs.append(one(row.document.title or row.document.doc_id, room, ink("")))
    return tuple(runs)
