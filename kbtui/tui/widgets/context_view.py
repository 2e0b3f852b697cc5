"""The Context pane: the exact text an agent gets, and above it each document's part of the bill."""

from __future__ import annotations

from kbtui import text
from kbtui.engine import frame
from kbtui.model import Answer
from kbtui.tui.figures import percent, short, split_cells
from kbtui.tui.ink import Line, plain, tier_fill, tier_ink
from kbtui.tui.widgets.lines import Page


class ContextView(Page):
    """The context, line by line; colours mark its frame, and its characters are the answer's own."""

    DEFAULT_CSS = "ContextView { height: 1fr; padding: 0 1; scrollbar-gutter: stable; overflow-x: hidden; }"

    answer: Answer | None = None

    def show(self, answer: Answer) -> None:
        """Show another answer's context."""
        changed = self.answer is None or self.answer.context != answer.context
        self.answer = answer
        self.rebuild(home=changed)

    @property
    def shown_text(self) -> str:
        """The text in the pane, below the bill: what an agent gets, byte for byte."""
        return "\n".join(plain(line) for line in self.inked())

    def inked(self) -> list[Line]:
        """Return the text's lines with their inks."""
        return [] if self.answer is None else body(self.answer)

    def build(self, width: int) -> list[Line]:
        """Return the bill and the text; a tab is drawn as four spaces."""
        if self.answer is None:
            return [(), (("Ask a question: the text an agent would get is shown here.", "dim"),)]
        drawn = [tuple((run.expandtabs(4), ink) for run, ink in line) for line in body(self.answer)]
        return [*bill(self.answer, width), (), *drawn]


def bill(answer: Answer, width: int) -> list[Line]:
    """Return a line for every document in the context: its pattern, its part in bytes, and what was cut."""
    rows = [row for row in answer.rows if row.allocation.decision in {"whole", "trimmed"}]
    parts = tuple(row.allocation.kept.size_bytes for row in rows)
    cells = split_cells(parts, max(sum(parts), 1), 12)
    lines: list[Line] = [
        (
            (f"{answer.usage.size_bytes:,} bytes, {answer.usage.tokens:,} tokens", "strong"),
            (f"  {len(rows)} of {len(answer.rows)} documents", "dim"),
        )
    ]
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


def body(answer: Answer) -> list[Line]:
    """Return the context's lines, unchanged; those of the frame in their own ink.

    A document can imitate the frame, so a header is inked only where the next one in rank order is due.
    """
    granted = [row for row in answer.rows if row.allocation.spans]
    due = [frame.header(row.rank, row.document).rstrip("\n") for row in granted]
    tiers = [tier_ink(row.scored.tier) for row in granted]
    before, notice, after = answer.context.rpartition(answer.notice) if answer.notice else (answer.context, "", "")
    lines: list[Line] = []
    at = 0
    for line in before.split("\n"):
        if at < len(due) and line == due[at]:
            lines.append(((line, tiers[at]),))
            at += 1
        elif line.startswith("[... ") and line.endswith(" left out ...]"):
            lines.append(((line, "cut"),))
        else:
            lines.append(((line, ""),))
    if notice:
        first, *rest = (notice + after).split("\n")
        lines[-1] = (*lines[-1], (first, "cut"))
        lines.extend(((line, "cut"),) for line in rest)
    return lines
