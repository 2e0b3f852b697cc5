"""Why a document is, or is not, in an answer: as text for people and JSON for programs."""

from __future__ import annotations

from kbtui.model import Change, Depth, Gap, Why
from kbtui.render.as_json import query_json, row_json
from kbtui.render.json_parts import Json, document_json, dump
from kbtui.render.layout import folded, one_line, plural, table
from kbtui.text import safe_line

_INDENT = "    "
_STAGES = {
    "index": "It is not in the index",
    "filter": "It was kept out by what was asked for",
    "pool": "No pool reached it",
    "floor": "It is below the floor",
    "copy": "Another document stands for it",
    "neighbour": "It was refused as a neighbour",
    "rank": "It was outranked",
    "budget": "The budget dropped it",
    "answer": "It is in the answer",
}


def why_json(why: Why) -> str:
    """Return why; the keys of a stage that was not reached are absent."""
    out: Json = {"query": query_json(why.query), "id": why.doc_id, "stage": why.stage, "reason": why.reason}
    if why.remedy:
        out["remedy"] = why.remedy
    if why.document is not None:
        out["document"] = document_json(why.document)
    if why.row is not None:
        out["row"] = row_json(why.row, explain=True)
    if why.depths:
        out["pools"] = [_depth(depth) for depth in why.depths]
    if why.gap is not None:
        out["gap"] = _gap(why.gap)
    if why.neighbour is not None:
        via = why.neighbour.via
        out["neighbour"] = {
            "via": {"seed": via.seed, "kind": via.kind, "direction": via.direction, "depth": via.depth},
            "outcome": why.neighbour.outcome,
            "reason": why.neighbour.reason,
        }
    if why.runs:
        out |= {"changes": [_change(change) for change in why.changes], "runs": why.runs, "exhausted": why.exhausted}
    return dump(out)


def why_text(why: Why) -> str:
    """Return why as people read it: the stage, what it lacks, and the changes as flags to type."""
    lines = [safe_line(why.doc_id)]
    if why.document is not None:
        lines.append(_INDENT + one_line(why.document.title, 76))
    lines += ["", *folded(f"{_STAGES[why.stage]}: {why.reason}.")]
    if why.remedy:
        lines += folded(f"To have it: {why.remedy}.")
    if why.neighbour is not None and why.stage != "neighbour":
        lines += folded(f"As a neighbour of {why.neighbour.via.seed} it was refused: {why.neighbour.reason}.")
    if why.gap is not None:
        lines += ["", *_gap_lines(why.gap, scored=why.row is not None)]
    if why.depths:
        rows = [("pool", "retriever", "rank", "k", "documents"), *(_depth_cells(depth) for depth in why.depths)]
        lines += ["", *table(rows, "<<>>>")]
        lines += [line for depth in why.depths if depth.detail for line in folded(f"{depth.retriever}: {depth.detail}")]
    if why.runs:
        lines += ["", *_change_lines(why)]
    return "".join(f"{line}\n" for line in lines)


def _depth(depth: Depth) -> Json:
    out: Json = {"tier": depth.tier, "retriever": depth.retriever, "k": depth.k, "rank": depth.rank}
    out |= {"total": depth.total, "status": depth.status}
    return out | ({"detail": depth.detail} if depth.detail else {})


def _depth_cells(depth: Depth) -> tuple[str, ...]:
    rank = "not found" if depth.rank is None else f"{depth.rank:,}"
    return one_line(depth.tier, 20), depth.retriever, rank, f"{depth.k:,}", f"{depth.total:,}"


def _gap(gap: Gap) -> Json:
    return {
        "rank": gap.rank,
        "id": gap.other,
        "score": gap.score,
        "other_score": gap.other_score,
        "terms": [{"name": term.name, "value": term.value, "other": term.other} for term in gap.terms],
    }


def _gap_lines(gap: Gap, *, scored: bool) -> list[str]:
    """Return both scores side by side, term by term; the differences add up to the gap."""
    what = "Its score" if scored else "What it would score"
    head = folded(f"{what}, beside that of {gap.other}, which has the last place by rank ({gap.rank}):")
    parts = [(term.name, term.value, term.other) for term in gap.terms]
    rows = [
        (one_line(name, 30), f"{value:+.4f}", f"{other:+.4f}", f"{value - other:+.4f}")
        for name, value, other in (*parts, ("score", gap.score, gap.other_score))
    ]
    return [*head, *table([("", "this", f"rank {gap.rank}", "difference"), *rows], "<>>>", _INDENT)]


def _change(change: Change) -> Json:
    return {
        "setting": change.key,
        "before": change.before,
        "after": change.after,
        "steps": change.steps,
        "rank": change.rank,
        "fate": change.fate,
        "out": list(change.out),
    }


def _change_lines(why: Why) -> list[str]:
    """Return the changes, the smallest first, as flags; what each costs below it."""
    tried = plural(why.runs, "answer") + " tried"
    if not why.changes:
        bound = "" if why.exhausted else "; larger changes were left untried"
        return folded(f"No change of one setting brings it in ({tried}{bound}).")
    lines = folded(f"What brings it in, the smallest change first ({tried}; one step less does not):")
    flags = [f"--set {safe_line(change.key)}={_value(change.after)}" for change in why.changes]
    steps = [plural(change.steps, "step") for change in why.changes]
    ranks = [f"from {_value(change.before)}; then rank {change.rank}, {change.fate}" for change in why.changes]
    for line, change in zip(table(list(zip(flags, steps, ranks, strict=True)), "<><"), why.changes, strict=True):
        lines.append(line)
        gone = ", ".join(change.out)
        lines += folded(f"out for it: {gone}" if gone else "nothing falls out for it", _INDENT)
    return lines


def _value(value: int | float | None) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
