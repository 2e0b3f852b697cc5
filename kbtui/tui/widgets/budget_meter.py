"""The budget meter: what the context costs against what it may cost, by tier, in bytes and in tokens."""

from __future__ import annotations

from collections import Counter

from kbtui.model import Answer, Fate
from kbtui.tui.figures import percent, short, split_cells
from kbtui.tui.ink import Line, Run, tier_fill, tier_ink
from kbtui.tui.widgets.lines import Plate

_FATES: tuple[Fate, ...] = ("whole", "trimmed", "dropped")


_UNITS = {"bytes": "B", "tokens": "tok"}
AIRY = 60
"""Cells that a gauge and its figures want before there is room for what would fit next."""


class BudgetMeter(Plate):
    """Two gauges, bytes above tokens; each document's part is drawn in its tier's pattern."""

    DEFAULT_CSS = "BudgetMeter { height: 2; width: 1fr; padding: 0 1; }"

    answer: Answer | None = None

    def show(self, answer: Answer) -> None:
        """Show another answer's costs."""
        self.answer = answer
        self.refresh()

    def lines(self, width: int) -> list[Line]:
        """Return the two gauges, or a calm placeholder."""
        if self.answer is None:
            return [(("budget ", "dim"), ("nothing asked yet", "dim"))]
        return meter(self.answer, width)


def meter(answer: Answer, width: int) -> list[Line]:
    """Return the two gauges of an answer in this width."""
    usage, budget = answer.usage, answer.budget
    kept_bytes = tuple(row.allocation.kept.size_bytes for row in answer.rows)
    kept_tokens = tuple(row.allocation.kept.tokens for row in answer.rows)
    sides = _sides(answer, width)
    figures = (
        _figures(usage.size_bytes, budget.size_bytes, "B"),
        _figures(usage.tokens, budget.tokens, "tok"),
    )
    side = max(len(run) for run in sides) + 2
    number = max(len(run) for run in figures) + 1
    room = width - len("tokens ") - number - side - 2
    if room < 10:
        room, side = width - len("tokens ") - number - 2, 0
    lines: list[Line] = []
    for name, kept, used, bound, figure, note in (
        ("bytes  ", kept_bytes, usage.size_bytes, budget.size_bytes, figures[0], sides[0]),
        ("tokens ", kept_tokens, usage.tokens, budget.tokens, figures[1], sides[1]),
    ):
        gauge = _gauge(answer, kept, used, bound, max(4, room))
        full = bound is not None and used >= 0.95 * bound
        tail: tuple[Run, ...] = ((f"{note:>{side}}", "dim"),) if side else ()
        lines.append(((name, "dim"), *gauge, (f"{figure:>{number}}", "cut" if full else ""), *tail))
    return lines


def _gauge(answer: Answer, kept: tuple[int, ...], used: int, bound: int | None, room: int) -> list[Run]:
    """Return the gauge between its ends: a run a document, the notice and frame in the plain ink after them."""
    whole = bound if bound is not None else max(used, 1)
    cells = split_cells((*kept, max(0, used - sum(kept))), whole, room)
    runs: list[Run] = [("▕", "dim")]
    for row, width in zip(answer.rows, cells, strict=False):
        fill = tier_fill(row.scored.tier)
        last = "▉" if fill == "█" and width > 1 else fill  # a hair's breadth between two documents
        runs.append((fill * (width - 1) + last * min(width, 1), tier_ink(row.scored.tier)))
    runs.append(("▪" * cells[-1], "cut"))
    runs.append((" " * (room - sum(cells)) + "▏", "dim"))
    return runs


def _figures(used: int, bound: int | None, unit: str) -> str:
    if bound is None:
        return f"{used:,} {unit}, no bound"
    return f"{used:,} / {bound:,} {unit} {percent(used, bound):>4}"


def _sides(answer: Answer, width: int) -> tuple[str, str]:
    """Return what stands behind the gauges; what would fit next only where it leaves them room."""
    fates, tiers, waits = _fates(answer), _tiers(answer), answer.next_grant
    if waits is not None:
        told = f"{fates} · next [{waits.rank}] lacks {short(waits.missing)} {_UNITS[waits.unit]}"
        if width >= len(told) + AIRY:
            return told, tiers
    return fates, tiers


def _fates(answer: Answer) -> str:
    counts = Counter(row.allocation.decision for row in answer.rows)
    told = [f"{counts[fate]} {fate}" for fate in _FATES if counts[fate]]
    said = " · ".join(told) if told else "nothing found"
    return f"what-if · {said}" if answer.query.include else said


def _tiers(answer: Answer) -> str:
    """Return the legend of the gauge: each tier in the answer, its pattern and its bytes."""
    totals: Counter[str] = Counter()
    for row in answer.rows:
        totals[row.scored.tier] += row.allocation.kept.size_bytes
    return "  ".join(f"{tier_fill(tier)} {tier} {short(size)}" for tier, size in totals.items() if size)
