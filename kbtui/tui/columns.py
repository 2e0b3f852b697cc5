"""The columns of the result list: how wide each is, which have room, and a row written in them."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len

from kbtui.model import Answer, Fate, Row
from kbtui.tui.figures import short, signed
from kbtui.tui.ink import Line, Run, one, tier_ink

ORIGIN_MARKS = {"ranked": " ", "neighbour": "↳", "backfill": "+", "included": "◇"}
MARK = "●"
AIRY = 92
"""From this width on the columns stand wider apart."""
LEAST_TITLE = 20
"""Cells that a title has at least; columns give way for it, these first."""
GIVE_WAY = ("tok", "tier", "penalty", "type", "bytes", "score")
_FATE = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """How wide each column is, 0 for one that has no room; numbers end and words begin where their heading does."""

    rank: int
    delta: int
    tier: int
    type: int
    score: int
    penalty: int
    bytes: int
    tok: int

    @classmethod
    def fit(cls, answer: Answer | None, width: int, *, moving: bool = False) -> Columns:
        """Return columns for an answer's rows, with one for movement when that is known."""
        rows = (*answer.rows, *answer.behind)[:500] if answer is not None else ()
        last = len(answer.rows) + len(answer.behind) if answer is not None else 0
        gap = 1 if width >= AIRY else 0
        widths = {
            "rank": max(2, len(str(last))) + gap,
            "delta": 4 if moving else 0,
            "tier": 5,
            "type": max([4, *(min(10, cell_len(row.scored.source_type)) for row in rows)]) + gap,
            "score": 6 + gap,
            "penalty": 6 + 2 * gap,
            "bytes": 6 + gap,
            "tok": 6 + gap,
        }
        for name in GIVE_WAY:
            if width - sum(widths.values()) - 4 - _FATE >= LEAST_TITLE:
                break
            widths[name] = 0
        return cls(**widths)

    def heading(self, sorted_by: str = "", arrow: str = "") -> str:
        """Return the names of the columns, aligned as the rows are, with an arrow at the one they are sorted by."""
        names = {name: name for name in ("tier", "type", "score", "penalty", "bytes", "tok", "fate", "title")}
        names["penalty"] = "penalty" if self.penalty > len("penalty") else "pen."
        if sorted_by:
            room = getattr(self, sorted_by, _FATE + len(sorted_by)) - 1  # a cell stays free, or two heads read as one
            names[sorted_by] = names[sorted_by][: room - len(arrow)] + arrow
        rank = arrow if arrow and not sorted_by else "#"
        parts = [
            f"{rank:>{self.rank}}",
            f"{'Δ':>{self.delta}}" if self.delta else "",
            "  ",
            _word(names["tier"], self.tier),
            _word(names["type"], self.type),
            *(_number(names[name], getattr(self, name)) for name in ("score", "penalty", "bytes", "tok")),
            f"  {names['fate']:<{_FATE}}{names['title']}",
        ]
        return "".join(parts)


def _word(word: str, width: int) -> str:
    return f"{word[:width]:<{width}}" if width else ""


def _number(word: str, width: int) -> str:
    return f"{word[:width]:>{width}}" if width else ""


def fate_words(row: Row) -> str:
    """Return what became of a document, in words."""
    return cut_words(row.allocation.decision, row.allocation.kept.size_bytes)


def cut_words(fate: Fate, kept_bytes: int | None) -> str:
    """Return a fate in words; of a trimmed document how much is kept, where that is known."""
    return f"kept {short(kept_bytes)}" if fate == "trimmed" and kept_bytes is not None else fate


def row_line(row: Row, columns: Columns, width: int, *, moved: str = "", marked: bool = False) -> Line:
    """Return one document's line; rows an agent does not get are dimmed throughout."""
    allocation, scored = row.allocation, row.scored
    behind = allocation.decision in {"dropped", "outranked"}

    def ink(name: str) -> str:
        return "dim" if behind else name

    tier = ink(tier_ink(scored.tier))
    size = allocation.cost.size_bytes or row.document.text_bytes
    tokens = allocation.cost.tokens or row.document.tokens
    parts: list[tuple[int, Run]] = [
        (columns.rank, (f"{row.rank:>{columns.rank}}", ink(""))),
        (columns.delta, (f"{moved:>{columns.delta}}", _moved_ink(moved))),
        (2, (MARK + " ", "accent") if marked else (ORIGIN_MARKS[row.origin] + " ", ink("accent"))),
        (columns.tier, one(scored.tier[:3], columns.tier, tier)),
        (columns.type, one(scored.source_type, columns.type, tier)),
        (columns.score, (f"{scored.score:>{columns.score}.3f}", ink("strong"))),
        (
            columns.penalty,
            (f"{signed(scored.penalty):>{columns.penalty}}", ink("penalty" if scored.penalty else "dim")),
        ),
        (columns.bytes, (f"{short(size):>{columns.bytes}}", ink(""))),
        (columns.tok, (f"{short(tokens):>{columns.tok}}", "dim")),
        (
            _FATE,
            (f"  {fate_words(row):<{_FATE}}", {"trimmed": "cut", "whole": ""}.get(allocation.decision, "dim")),
        ),
    ]
    runs = [run for room, run in parts if room]
    room = width - sum(cell_len(run) for run, _ in runs)
    if room > 0:
        copies = f" (+{len(row.duplicates)} same text)" if row.duplicates else ""
        runs.append(one((row.document.title or row.document.doc_id) + copies, room, ink("")))
    return tuple(runs)


def _moved_ink(moved: str) -> str:
    if moved.startswith("+") or moved == "new":
        return "boost"
    return "penalty" if moved else "dim"


def rule(words: str, width: int) -> Line:
    """Return a rule that says what ends here."""
    label = f" {words} "
    left = 3
    return (("─ " * 1 + "─", "rule"), (label, "cut"), ("─" * max(0, width - left - cell_len(label)), "rule"))
