"""Why a document is, or is not, in an answer: as text for people and JSON for programs.

The sentences are public: the app lays them out otherwise, and says the same.
"""

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
    lines.append("")
    for sentence in verdict(why):
        lines += folded(sentence)
    if why.gap is not None:
        lines += ["", *_gap_lines(why.gap, scored=why.row is not None)]
    if why.depths:
        rows = [("pool", "retriever", "rank", "k", "documents"), *(depth_cells(depth) for depth in why.depths)]
        lines += ["", *table(rows, "<<>>>")]
        lines += [line for depth in why.depths if depth.detail for line in folded(f"{depth.retriever}: {depth.detail}")]
    if why.runs:
        lines += ["", *_change_lines(why)]
    return "".join(f"{line}\n" for line in lines)


def verdict(why: Why) -> list[str]:
    """Return the sentences that say which stage lost the document, and what helps at once."""
    sentences = [f"{_STAGES[why.stage]}: {why.reason}."]
    if why.remedy:
        sentences.append(f"To have it: {why.remedy}.")
    if why.neighbour is not None and why.stage != "neighbour":
        sentences.append(f"As a neighbour of {why.neighbour.via.seed} it was refused: {why.neighbour.reason}.")
    return sentences


def gap_sentence(gap: Gap, *, scored: bool) -> str:
    """Return what is compared in a gap."""
    what = "Its score" if scored else "What it would score"
    return f"{what}, beside that of {gap.other}, which has the last place by rank ({gap.rank}):"


def changes_sentence(why: Why) -> str:
    """Return what the search for changes came to."""
    tried = plural(why.runs, "answer") + " tried"
    if why.changes:
        return f"What brings it in, the smallest change first ({tried}; one step less does not):"
    bound = "" if why.exhausted else "; larger changes were left untried"
    return f"No change of one setting brings it in ({tried}{bound})."


def change_cells(change: Change) -> tuple[str, str, str]:
    """Return how large a change is, the document's place after it, and what falls out for it."""
    gone = ", ".join(change.out)
    cost = f"out for it: {gone}" if gone else "nothing falls out for it"
    return plural(change.steps, "step"), f"then rank {change.rank}, {change.fate}", cost


def setting_value(value: int | float | None) -> str:
    """Return a setting's value as a flag takes it."""
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def depth_cells(depth: Depth) -> tuple[str, ...]:
    """Return tier, retriever, rank, k and documents of a pool."""
    rank = "not found" if depth.rank is None else f"{depth.rank:,}"
    return one_line(depth.tier, 20), depth.retriever, rank, f"{depth.k:,}", f"{depth.total:,}"


def _depth(depth: Depth) -> Json:
    out: Json = {"tier": depth.tier, "retriever": depth.retriever, "k": depth.k, "rank": depth.rank}
    out |= {"total": depth.total, "status": depth.status}
    return out | ({"detail": depth.detail} if depth.detail else {})


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
    head = folded(gap_sentence(gap, scored=scored))
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
    lines = folded(changes_sentence(why))
    flags = [f"--set {safe_line(change.key)}={setting_value(change.after)}" for change in why.changes]
    cells = [change_cells(change) for change in why.changes]
    rows = [
        (flag, steps, f"from {setting_value(change.before)}; {place}")
        for flag, change, (steps, place, _) in zip(flags, why.changes, cells, strict=True)
    ]
    for line, (_, _, cost) in zip(table(rows, "<><"), cells, strict=True):
        lines.append(line)
        lines += folded(cost, _INDENT)
    return lines
