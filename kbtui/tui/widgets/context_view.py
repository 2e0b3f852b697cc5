"""The Context pane: the exact text an agent gets, each document's part of the bill, and what was left out on demand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from kbtui import text
from kbtui.errors import KbtuiError
from kbtui.model import Answer, Extract, LeftOut, Span
from kbtui.tui.doors import Library
from kbtui.tui.figures import percent, short, split_cells
from kbtui.tui.ink import Line, plain, tier_fill, tier_ink, wrap
from kbtui.tui.looks import Fetch, Look, attempt
from kbtui.tui.widgets.stops import StopPage

Gap = tuple[str, Span]
"""A document and the bytes of it that were left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextLine:
    """A line of the context; ``gap`` is what it stands for when it is a mark."""

    line: Line
    gap: Gap | None = None


class GapRead(Message):
    """The text that a mark stands for came back."""

    def __init__(self, gap: Gap, outcome: Extract | KbtuiError) -> None:
        super().__init__()
        self.gap = gap
        self.outcome = outcome


def read_gap(gap: Gap) -> Look:
    """Return the look that reads what was left out."""

    def look(library: Library) -> Iterator[Message]:
        doc_id, span = gap
        yield GapRead(gap, attempt(partial(library.read, doc_id, span=span)))

    return look


class ContextView(StopPage):
    """The context, line by line; colours mark its frame, and its characters are the answer's own."""

    DEFAULT_CSS = "ContextView { height: 1fr; padding: 0 1; scrollbar-gutter: stable; overflow-x: hidden; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "n", "stop(1)", "Next cut", id="context.next_cut", tooltip="The next mark where something was left out"
        ),
        Binding("N", "stop(-1)", "Previous cut", show=False, id="context.last_cut", tooltip="The mark before"),
        Binding("enter", "unfold", "Left out", id="context.unfold", tooltip="Show what was left out here, or fold it"),
    ]

    answer: Answer | None = None

    def __init__(self, fetch: Fetch) -> None:
        super().__init__("context")
        self._fetch = fetch
        self._open: set[Gap] = set()
        self._texts: dict[Gap, Extract | KbtuiError] = {}
        self._gaps: list[Gap] = []

    def show(self, answer: Answer) -> None:
        """Show another answer's context; what was unfolded stays so while it is the same text."""
        before, self.answer = self.answer, answer
        if before is None or before.trace.generation != answer.trace.generation or before.query != answer.query:
            self._open.clear()
            self._texts.clear()
        changed = before is None or before.context != answer.context
        if changed:
            self.stop = None
        self.rebuild(home=changed)

    @property
    def shown_text(self) -> str:
        """The text in the pane, below the bill: what an agent gets, byte for byte."""
        return "\n".join(plain(line) for line in self.inked())

    def inked(self) -> list[Line]:
        """Return the text's lines with their inks."""
        return [] if self.answer is None else [one.line for one in body(self.answer)]

    def build(self, width: int) -> list[Line]:
        """Return the bill and the text, with what was unfolded below its mark; a tab is drawn as four spaces."""
        if self.answer is None:
            return [(), (("Ask a question: the text an agent would get is shown here.", "dim"),)]
        lines = [*bill(self.answer, width), ()]
        self.stops, self._gaps = [], []
        for one in body(self.answer):
            if one.gap is not None:
                self.stops.append(len(lines))
                self._gaps.append(one.gap)
            lines.append(tuple((run.expandtabs(4), ink) for run, ink in one.line))
            if one.gap in self._open:
                lines.extend(unfolded(self._texts.get(one.gap), width))
        return lines

    def action_unfold(self) -> None:
        """Show the text that the mark stands for below it, or fold it again."""
        if not self.stops:
            self.notify("Nothing was left out of a document here.", markup=False)
            return
        self.stop = self.nearest(1) if self.stop is None else self.stop
        gap = self._gaps[self.stop]
        self._open ^= {gap}
        if gap in self._open and gap not in self._texts:
            self._fetch(f"gap {gap}", self, read_gap(gap))
        self.rebuild()
        self.come_to()

    def on_gap_read(self, event: GapRead) -> None:
        """Put the text below its mark."""
        event.stop()
        self._texts[event.gap] = event.outcome
        self.rebuild()


def unfolded(outcome: Extract | KbtuiError | None, width: int) -> list[Line]:
    """Return what was left out, each line behind a rule that no line of the context has."""
    if outcome is None:
        return [(("┆ ", "cut"), ("…", "dim"))]
    if isinstance(outcome, KbtuiError):
        return [(("┆ ", "cut"), (text.safe_line(outcome.message), "error"))]
    first, last = outcome.lines
    head: Line = (("┆ ", "cut"), (f"not in the context: lines {first:,} to {last:,}", "cut"))
    lines = [head]
    for line in outcome.text.removesuffix("\n").split("\n"):
        lines.extend((("┆ ", "cut"), *piece) for piece in wrap(((line.expandtabs(4), "dim"),), max(1, width - 2)))
    return lines


def bill(answer: Answer, width: int) -> list[Line]:
    """Return a line for every document in the context: its pattern, its part in bytes, and what was cut."""
    rows = [row for row in answer.rows if row.allocation.decision in {"whole", "trimmed"}]
    parts = tuple(row.allocation.kept.size_bytes for row in rows)
    cells = split_cells(parts, max(sum(parts), 1), 12)
    cuts = sum(len(place.left_out) for place in answer.places)
    lines: list[Line] = [
        (
            (f"{answer.usage.size_bytes:,} bytes, {answer.usage.tokens:,} tokens", "strong"),
            (f"  {len(rows)} of {len(answer.rows)} documents", "dim"),
            (f", {cuts} cut{'s' * (cuts != 1)}" if cuts else "", "cut"),
        )
    ]
    if answer.query.include:
        lines.append((("what-if: no agent gets this", "cut"),))
    for row, part, drawn in zip(rows, parts, cells, strict=True):
        cut = f" of {short(row.allocation.cost.size_bytes)}" if row.allocation.decision == "trimmed" else ""
        title = text.safe_line(row.document.title or row.document.doc_id)
        tier = row.scored.tier
        figures = f" {percent(part, sum(parts)):>4} {short(part):>6}"
        room = max(0, width - 4 - 12 - len(figures) - len(cut) - 2)
        lines.append(
            (
                (f"{row.rank:>3} ", ""),
                ((tier_fill(tier) * drawn).ljust(12), tier_ink(tier)),
                (figures, ""),
                (cut, "cut"),
                (f"  {text.clip(title, room)}" if room else "", "dim"),
            )
        )
    return lines


def body(answer: Answer) -> list[ContextLine]:
    """Return the context's lines, unchanged; those of the frame in their own ink.

    A document can imitate headers and marks: the frame's own are known by where the answer says they stand.
    """
    tiers = {row.document.doc_id: tier_ink(row.scored.tier) for row in answer.rows}
    headers = {place.at: tiers[place.doc_id] for place in answer.places}
    marks = {left.at: (place.doc_id, left) for place in answer.places for left in place.left_out}
    before, notice, after = answer.context.rpartition(answer.notice) if answer.notice else (answer.context, "", "")
    lines: list[ContextLine] = []
    at = 0
    for line in before.split("\n"):
        lines.append(_line(line, headers.get(at, ""), marks.get(at)))
        at += len(line) + 1
    if notice:
        first, *rest = (notice + after).split("\n")
        lines[-1] = ContextLine(line=(*lines[-1].line, (first, "cut")))
        lines.extend(ContextLine(line=((line, "cut"),)) for line in rest)
    return lines


def _line(line: str, header_ink: str, mark: tuple[str, LeftOut] | None) -> ContextLine:
    if mark is not None:
        doc_id, left = mark
        return ContextLine(line=((line, "cut"),), gap=(doc_id, left.span))
    return ContextLine(line=((line, header_ink),))
