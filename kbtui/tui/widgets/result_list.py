"""The result list: one line a document, with a rule where the budget ends and one where the limit ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.message import Message

from kbtui import text
from kbtui.model import Answer, Row
from kbtui.tui.figures import short, signed
from kbtui.tui.ink import Line, Run, one, tier_ink
from kbtui.tui.widgets.lines import CursorView

ORIGIN_MARKS = {"ranked": " ", "neighbour": "↳", "backfill": "+", "included": "?"}
AIRY = 92
"""From this width on the columns stand wider apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """How wide each column is; numbers end and words begin where their heading does."""

    rank: int
    source_type: int
    score: int
    penalty: int
    size: int
    tokens: int

    @classmethod
    def fit(cls, answer: Answer | None, width: int) -> Columns:
        """Return columns for an answer's rows; a short word for penalty where there is little room."""
        rows = (*answer.rows, *answer.behind)[:500] if answer is not None else ()
        last = len(answer.rows) + len(answer.behind) if answer is not None else 0
        gap = 1 if width >= AIRY else 0
        return cls(
            rank=max(2, len(str(last))) + gap,
            source_type=max([4, *(min(10, cell_len(row.scored.source_type)) for row in rows)]) + gap,
            score=6 + gap,
            penalty=6 + 2 * gap,
            size=6 + gap,
            tokens=6 + gap,
        )

    def heading(self) -> str:
        """Return the names of the columns, aligned as the rows are."""
        penalty = "penalty" if self.penalty > len("penalty") else "pen."
        return (
            f"{'#':>{self.rank}}  tier {'type':<{self.source_type}}{'score':>{self.score}}{penalty:>{self.penalty}}"
            f"{'bytes':>{self.size}}{'tok':>{self.tokens}}  {'fate':<9} title"
        )


class ResultList(CursorView):
    """Every row of an answer: what an agent gets first, then what was dropped, then what was outranked."""

    DEFAULT_CSS = "ResultList { height: 1fr; width: 1fr; scrollbar-gutter: stable; overflow-x: hidden; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Read", id="results.read", tooltip="Read the document of this row"),
    ]

    class Chosen(Message):
        """A row was opened."""

    def __init__(self, widget_id: str) -> None:
        super().__init__(id=widget_id)
        self._items: list[Row | str] = []
        self._answer: Answer | None = None
        self._fitted: tuple[int, Columns] | None = None

    @property
    def current(self) -> Row | None:
        """The row under the cursor."""
        item = self._items[self.cursor] if self.cursor < len(self._items) else None
        return item if isinstance(item, Row) else None

    def show(self, answer: Answer, *, keep: bool) -> None:
        """Show an answer's rows; ``keep`` leaves the cursor on its document, wherever that went."""
        held = self.current.document.doc_id if keep and self.current else None
        self._items = layout(answer)
        self._answer, self._fitted = answer, None
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
        return rule(item, width) if isinstance(item, str) else row_line(item, self.columns_for(width), width)

    def heading(self) -> Line:
        """Return the line above the columns."""
        width = self.inner_width
        return ((text.clip(self.columns_for(width).heading(), max(1, width)), "dim"),)

    def columns_for(self, width: int) -> Columns:
        """Return the columns in force at a width."""
        if self._fitted is None or self._fitted[0] != width:
            self._fitted = (width, Columns.fit(self._answer, width))
        return self._fitted[1]

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
    if answer.below:
        nearest = answer.below[0].similarity
        items.append(f"min_similarity: {len(answer.below):,} documents below it, the nearest {nearest:.2f}")
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


def fate_words(row: Row) -> str:
    """Return what became of a document, in words."""
    allocation = row.allocation
    if allocation.decision == "trimmed":
        return f"trim {short(allocation.kept.size_bytes)}"
    return allocation.decision


def row_line(row: Row, columns: Columns, width: int) -> Line:
    """Return one document's line; rows an agent does not get are dimmed throughout."""
    allocation, scored = row.allocation, row.scored
    behind = allocation.decision in {"dropped", "outranked"}

    def ink(name: str) -> str:
        return "dim" if behind else name

    size = allocation.cost.size_bytes or row.document.text_bytes
    tokens = allocation.cost.tokens or row.document.tokens
    tier = ink(tier_ink(scored.tier))
    runs: list[Run] = [
        (f"{row.rank:>{columns.rank}}", ink("")),
        (ORIGIN_MARKS[row.origin] + " ", ink("accent")),
        (f"{scored.tier[:3]:<4} ", tier),
        one(scored.source_type, columns.source_type, tier),
        (f"{scored.score:>{columns.score}.3f}", ink("strong")),
        (f"{signed(scored.penalty):>{columns.penalty}}", ink("penalty" if scored.penalty else "dim")),
        (f"{short(size):>{columns.size}}", ink("")),
        (f"{short(tokens):>{columns.tokens}}  ", "dim"),
        (f"{fate_words(row):<9} ", {"trimmed": "cut", "whole": ""}.get(allocation.decision, "dim")),
    ]
    room = width - sum(cell_len(run) for run, _ in runs)
    if room > 0:
        copies = f" (+{len(row.duplicates)} same text)" if row.duplicates else ""
        runs.append(one((row.document.title or row.document.doc_id) + copies, room, ink("")))
    return tuple(runs)
