"""Compare: two answers to one question -> who moved, who is new, who is out, whose order turned round."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from itertools import combinations

from kbtui.model import Answer, Comparison, Cost, LogRecord, Move, Placing, Ranking, Row, Shift, Totals, Usage


def ranking(answer: Answer) -> Ranking:
    """Return what is compared of an answer: its rows, and those behind the limit."""
    return Ranking(
        placings=tuple(_placing(row) for row in (*answer.rows, *answer.behind)),
        usage=answer.usage,
        generation=answer.trace.generation,
        degraded=answer.degraded,
        context_hash=sha256(answer.context.encode()).hexdigest()[:16],
    )


def logged(record: LogRecord) -> Ranking:
    """Return what a log kept of an answer; what was behind the limit it did not keep."""
    return Ranking(
        placings=record.placings,
        usage=record.usage or Usage(size_bytes=0, tokens=0, items=0),
        generation=record.generation,
        degraded=record.degraded,
        context_hash=record.context_hash,
    )


def compare(before: Ranking, after: Ranking) -> Comparison:
    """Return what is different in the second ranking."""
    moves = _moves(before, after)
    ways = [move for move in moves if _way(move)]
    known = bool(before.context_hash and after.context_hash)
    return Comparison(
        moves=moves,
        reversals=_reversals(moves),
        before=before,
        after=after,
        largest=max(ways, key=_way) if ways else None,  # the best rank after, of equal ones
        same_context=before.context_hash == after.context_hash if known else None,
    )


def totals(comparisons: Iterable[Comparison]) -> Totals:
    """Return what comparisons add up to."""
    found = tuple(comparisons)
    return Totals(
        questions=len(found),
        changed=sum(not one.unchanged for one in found),
        moved=sum(one.count("moved") for one in found),
        new=sum(one.count("new") for one in found),
        out=sum(one.count("out") for one in found),
        reversals=sum(len(one.reversals) for one in found),
        recut=sum(one.recut for one in found),
        before=_cost(one.before for one in found),
        after=_cost(one.after for one in found),
    )


def _placing(row: Row) -> Placing:
    return Placing(
        doc_id=row.document.doc_id,
        rank=row.rank,
        fate=row.allocation.decision,
        title=row.document.title,
        source_type=row.document.source_type,
        score=row.scored.score,
        kept_bytes=row.allocation.kept.size_bytes,
    )


def _moves(before: Ranking, after: Ranking) -> tuple[Move, ...]:
    was, now = ({placing.doc_id: placing for placing in one.placings} for one in (before, after))
    moves = [_move(placing.doc_id, was.get(placing.doc_id), placing) for placing in after.placings if _in(placing)]
    moves += [
        _move(placing.doc_id, placing, now.get(placing.doc_id))
        for placing in before.placings
        if _in(placing) and not _in(now.get(placing.doc_id))
    ]
    return tuple(moves)


def _move(doc_id: str, before: Placing | None, after: Placing | None) -> Move:
    return Move(doc_id=doc_id, change=_change(before, after), before=before, after=after)


def _change(before: Placing | None, after: Placing | None) -> Shift:
    if before is None or not _in(before):
        return "new"
    if after is None or not _in(after):
        return "out"
    return "same" if before.rank == after.rank else "moved"


def _in(placing: Placing | None) -> bool:
    """Say whether a document is in the response, be it dropped by the budget."""
    return placing is not None and placing.fate != "outranked"


def _way(move: Move) -> int:
    return abs(move.before.rank - move.after.rank) if move.before and move.after else 0


def _reversals(moves: tuple[Move, ...]) -> tuple[tuple[str, str], ...]:
    both = [
        (move.before.rank, move.after.rank, move.doc_id)
        for move in moves
        if move.before and move.after and move.change in ("same", "moved")
    ]
    return tuple((first[2], second[2]) for first, second in combinations(sorted(both), 2) if first[1] > second[1])


def _cost(rankings: Iterable[Ranking]) -> Cost:
    usages = [one.usage for one in rankings]
    return Cost(size_bytes=sum(one.size_bytes for one in usages), tokens=sum(one.tokens for one in usages))
