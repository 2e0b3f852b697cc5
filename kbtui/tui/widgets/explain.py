"""The Explain pane: why a document stands where it stands, what it costs, and what was done to it."""

from __future__ import annotations

from kbtui import text
from kbtui.model import Answer, Passage, Row, ScoreTerm, Via
from kbtui.tui.figures import percent
from kbtui.tui.ink import Line, Run, tier_fill, tier_ink
from kbtui.tui.widgets.lines import Page

BLANK: Line = ()
_NAME = 18


class ExplainView(Page):
    """The terms of a score as signed bars that add up, then how it was found and what it costs."""

    DEFAULT_CSS = "ExplainView { height: 1fr; padding: 0 1; scrollbar-gutter: stable; overflow-x: hidden; }"

    answer: Answer | None = None
    row: Row | None = None

    def show(self, answer: Answer | None, row: Row | None) -> None:
        """Explain another row."""
        self.answer, self.row = answer, row
        self.rebuild(home=True)

    def build(self, width: int) -> list[Line]:
        """Return the explanation."""
        if self.answer is None or self.row is None:
            return [BLANK, (("Ask a question: the row under the cursor is explained here.", "dim"),)]
        row = self.row
        return [
            *_title(row),
            BLANK,
            *terms(row.scored.terms, width),
            BLANK,
            *_found(row),
            BLANK,
            *_cost(row, self.answer),
        ]


def _title(row: Row) -> list[Line]:
    document, tier = row.document, row.scored.tier
    marks = [word for word in ("archived", "inactive", "superseded") if getattr(document, word)]
    facts = [text.safe_line(row.scored.source_type), f"rank {row.rank}", *marks]
    if document.status:
        facts.append(f"status {text.safe_line(document.status)}")
    dated = document.updated or document.created
    if dated:
        facts.append(text.safe_line(dated))
    return [
        ((text.safe_line(document.title) or text.safe_line(document.doc_id), "strong"),),
        ((text.safe_line(document.path), "dim"),),
        ((f"{tier_fill(tier)} {text.safe_line(tier)}", tier_ink(tier)), ("  ·  " + "  ·  ".join(facts), "")),
    ]


def terms(parts: tuple[ScoreTerm, ...], width: int) -> list[Line]:
    """Return the terms as a waterfall: each bar begins where the one before it ended, and the last end is the score."""
    reached = [0.0]
    for part in parts:
        reached.append(reached[-1] + part.value)
    low = min(reached)
    high = max(*reached, low + 1e-9)
    room = max(4, width - _NAME - 10)

    def cell(value: float) -> int:
        return round((value - low) / (high - low) * room)

    lines: list[Line] = [(("score", "head"), (f"{reached[-1]:>{_NAME + 4}.3f}", "strong"))]
    for part, start in zip(parts, reached, strict=False):
        left, right = sorted((cell(start), cell(start + part.value)))
        down = part.value < 0
        fill = ("░" if down else "█") * max(right - left, 1 if part.value else 0)
        ink = "penalty" if down else "boost"
        name = text.clip(text.safe_line(part.name), _NAME)
        lines.append(
            (
                (f"  {name:<{_NAME}}", "" if part.value else "dim"),
                (f"{part.value:>+7.3f} ", ink if part.value else "dim"),
                (" " * min(left, room - len(fill)) + fill, ink),
            )
        )
        if part.detail:
            lines.append(((f"    {text.safe_line(part.detail)}", "dim"),))
    return lines


def _found(row: Row) -> list[Line]:
    lines: list[Line] = [(("found by", "head"),)]
    lines += [(("  = ", "accent"), (f"same text: {text.safe_line(doc_id)}", "")) for doc_id in row.duplicates]
    if row.via is not None:
        lines.append(_via(row.via))
    if row.origin == "backfill":
        lines.append((("  filled a place that the graph did not use", "dim"),))
    if row.origin == "included":
        lines.append((("  included by hand: a what-if", "accent"),))
    for passage in row.passages:
        lines.extend(_passage(passage))
    if row.via is None and not row.passages and row.origin != "backfill":
        lines.append((("  no passage of its own matched", "dim"),))
    return lines


def _via(via: Via) -> Line:
    arrow = {"out": "→", "in": "←"}[via.direction]
    words = "links to it" if via.direction == "out" else "is linked from it"
    return (
        (f"  ↳ {arrow} {text.safe_line(via.kind)} ", "accent"),
        (f"{text.safe_line(via.seed)} {words}, depth {via.depth}", ""),
    )


def _passage(passage: Passage) -> list[Line]:
    heading = " › ".join(text.safe_line(part) for part in passage.heading) or "(no heading)"
    match = passage.match
    ways: list[Run] = []
    for name, rank, share in (
        ("meaning", match.dense_rank, match.dense),
        ("words", match.lexical_rank, match.lexical),
    ):
        told = "not found" if rank is None else f"#{rank} {0.0 if share is None else share:.2f}"
        ways.append((f"{name} {told}  ", "" if rank is not None else "dim"))
    return [
        (("  ▪ ", "match"), (heading, ""), (f"  {passage.span.start:,}-{passage.span.end:,}", "dim")),
        (("    ", ""), *ways),
    ]


def _cost(row: Row, answer: Answer) -> list[Line]:
    allocation = row.allocation
    document = row.document
    size = allocation.cost.size_bytes or document.text_bytes
    tokens = allocation.cost.tokens or document.tokens
    lines: list[Line] = [
        (("cost", "head"), (f"  {allocation.decision}", "strong" if allocation.decision == "whole" else "cut")),
        (("  whole      ", "dim"), (f"{size:>7,} B {tokens:>6,} tok", "")),
    ]
    if allocation.decision in {"whole", "trimmed"}:
        kept, upto = allocation.kept, allocation.cumulative
        share = percent(kept.size_bytes, answer.usage.size_bytes)
        lines.append((("  in context ", "dim"), (f"{kept.size_bytes:>7,} B {kept.tokens:>6,} tok {share:>4}", "")))
        lines.append((("  up to here ", "dim"), (f"{upto.size_bytes:>7,} B {upto.tokens:>6,} tok", "")))
    if allocation.decision == "trimmed":
        spans = ", ".join(f"{span.start:,}-{span.end:,}" for span in allocation.spans)
        lines.append((("  spans      ", "dim"), (spans, "")))
    if allocation.reason:
        lines.append(((f"  {text.safe_line(allocation.reason)}", "cut"),))
    return lines
