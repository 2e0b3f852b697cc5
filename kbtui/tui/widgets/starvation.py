"""The starvation view: what each tier brought, beside what one untiered query would have returned instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial

from textual.message import Message

from kbtui import text
from kbtui.errors import KbtuiError
from kbtui.model import Answer, Query, Row
from kbtui.settings import Settings
from kbtui.tui.doors import Library
from kbtui.tui.ink import TIER_INKS, Line, Run, one, tier_cells, tier_fill, tier_ink, tier_name
from kbtui.tui.looks import Look, attempt

HISTORY = "historical"


class Untiered(Message):
    """What one query without tiers returns came back."""

    def __init__(self, query: Query, settings: Settings, outcome: Answer | KbtuiError) -> None:
        super().__init__()
        self.query = query
        self.settings = settings
        self.outcome = outcome


def untiered(query: Query, settings: Settings) -> Look:
    """Return the look that asks the same question, under the same settings, of one pool of all types."""

    def look(library: Library) -> Iterator[Message]:
        flat = Query(text=query.text, source_types=query.source_types, filters=query.filters, tiered=False)
        yield Untiered(query, settings, attempt(partial(library.what_if, flat, settings)))

    return look


def starvation(answer: Answer, other: Answer | KbtuiError | None, width: int) -> list[Line]:
    """Return the counts of both, tier by tier, what they say of history, and the other one's response."""
    head: Line = (("without tiers", "head"), ("  the question, of one pool", "dim"))
    if answer.query.source_types:
        return [head, (("  a question for types has one pool, and nothing to compare", "dim"),)]
    if other is None:
        return [head, (("  …", "dim"),)]
    if isinstance(other, KbtuiError):
        return [head, ((f"  {text.safe_line(other.message)}", "error"),)]
    return [head, *_counts(answer, other, width), (), *_sentence(answer, other), (), *_instead(answer, other, width)]


def _counts(answer: Answer, other: Answer, width: int) -> list[Line]:
    """Return a line for every tier: candidates and places, with tiers and without."""
    cells = tier_cells(width)
    lines: list[Line] = [
        ((f"{'':<{cells}}{'with tiers':>11}{'one pool':>11}", "dim"),),
        ((f"{'tier':<{cells}}{'found':>6}{'used':>5}{'found':>6}{'used':>5}", "dim"),),
    ]
    found, flat = _found(answer), _found(other)
    used, flat_used = _used(answer), _used(other)
    for tier in TIER_INKS:
        if found[tier] or flat[tier]:
            starved = found[tier] and flat[tier] < found[tier] / 2
            lines.append(
                (
                    (tier_name(tier, width), tier_ink(tier)),
                    (f"{found[tier]:>6}{used[tier]:>5}", ""),
                    (f"{flat[tier]:>6}{flat_used[tier]:>5}", "cut" if starved else ""),
                    (" ▼" if starved else "", "cut"),
                )
            )
    if any(run == " ▼" for line in lines for run, _ in line):
        lines.append((("  ▼ starved: less than half is found", "cut"),))
    return lines


def _found(answer: Answer) -> Counter[str]:
    """Return how many candidates each tier has: the documents that some pool brought."""
    return Counter(row.scored.tier for row in (*answer.rows, *answer.behind) if row.scored.matches)


def _used(answer: Answer) -> Counter[str]:
    return Counter(row.scored.tier for row in answer.rows)


def _sentence(answer: Answer, other: Answer) -> list[Line]:
    """Return what history has of the candidates and of the response, with tiers and without."""
    pairs = ((_found(other), _found(answer), "candidates"), (_used(other), _used(answer), "places"))
    return [
        (
            ("  history: ", tier_ink(HISTORY)),
            (f"{flat[HISTORY]} of {sum(flat.values())} {what}", "strong"),
            (f" (tiers: {tiered[HISTORY]} of {sum(tiered.values())})", ""),
        )
        for flat, tiered, what in pairs
    ]


def _instead(answer: Answer, other: Answer, width: int) -> list[Line]:
    """Return the response without tiers, row by row, with each document's place in the one with tiers."""
    places = {row.document.doc_id: f"here {row.rank}" for row in (*answer.rows, *answer.behind)}
    lines: list[Line] = [(("  an agent would get", "dim"),)]
    lines.extend(_row(row, places.get(row.document.doc_id, "not found here"), width) for row in other.rows)
    lost = [row for row in answer.rows if row.document.doc_id not in {one.document.doc_id for one in other.rows}]
    if lost:
        lines.append((("  and would not get", "dim"),))
        known = {row.document.doc_id: f"there {row.rank}" for row in other.behind}
        lines.extend(_row(row, known.get(row.document.doc_id, "no candidate there"), width) for row in lost)
    return lines


def _row(row: Row, remark: str, width: int) -> Line:
    start: tuple[Run, ...] = (
        (f"{row.rank:>4} ", ""),
        (f"{tier_fill(row.scored.tier)} ", tier_ink(row.scored.tier)),
    )
    room = max(8, min(48, width - 7 - 18))
    return (*start, one(row.document.title or row.document.doc_id, room), (f" {remark}", "dim"))
