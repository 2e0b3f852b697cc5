"""What a knob does to the present answer: nothing, and why; or its part of the scores that are seen. Pure."""

from __future__ import annotations

from collections.abc import Callable

from kbtui.model import Answer, Row, ScoreTerm
from kbtui.settings import Settings

TOP = 10
"""How many rows, from the first, a knob's share is of."""
_TYPED = "a query for types pays no type's penalty, and has no tiers"


def unused(key: str, answer: Answer, settings: Settings) -> str:
    """Return why a knob does nothing for this query, "" where it does something."""
    family, _, member = key.rpartition(".")
    if key == "neighbour.decay":
        return "" if settings.whole("expand") else "expand is 0: no neighbour is looked for"
    of_types = family == "penalty" and member != "superseded"
    if answer.query.source_types and (of_types or (family == "pools" and member != "candidates")):
        return _TYPED
    meant = _meant(family, member, bool(settings.get(key)))
    if meant is None or any(meant[0](row) for row in (*answer.rows, *answer.behind)):
        return ""
    return f"no candidate {meant[1]}"


def _meant(family: str, member: str, is_on: bool) -> tuple[Callable[[Row], bool], str] | None:
    """Return which rows a knob can change, and how that is said; None for one that is not of single rows."""
    if family == "penalty" and member == "superseded":
        return lambda row: row.document.superseded, "is superseded"
    if family in ("penalty", "prior.type"):
        return lambda row: row.scored.source_type == member, f"is of type {member}"
    if family == "prior.tier":
        return lambda row: row.scored.tier == member, f"is of tier {member}"
    if family in ("boost", "weights") and is_on:
        return lambda row: bool(_term(row, f"{family}.{member}")), "has it in its score"
    return None


def share(key: str, answer: Answer) -> float | None:
    """Return a knob's part of all that adds to or takes from the scores of the first rows; None for no term's knob."""
    family = key.partition(".")[0]
    if family not in ("boost", "weights", "penalty", "prior"):
        return None
    top = (*answer.rows, *answer.behind)[:TOP]
    whole = sum(abs(term.value) for row in top for term in row.scored.terms)
    return sum(_term(row, key) for row in top) / whole if whole else 0.0


def _term(row: Row, key: str) -> float:
    return sum(abs(term.value) for term in row.scored.terms if _is_of(term, key))


def _is_of(term: ScoreTerm, key: str) -> bool:
    return term.name == key or (key.startswith(("boost.", "weights.")) and term.name == key.partition(".")[2])
