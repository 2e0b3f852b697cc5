"""Which settings would move a row past its neighbour in the ranking, read off the terms of both. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from kbtui.errors import UsageError
from kbtui.model import Answer, Row, Scored
from kbtui.settings import Settings, knob_for

LEVERS = 3
"""Most settings named for one neighbour."""
_EVEN = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Lever:
    """A setting, its value, and the nearest one, in whole steps, at which two rows change places."""

    key: str
    now: float
    wanted: float
    steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """A row next in the ranking: by how much it leads (below 0: trails), what makes that, and what would turn it."""

    row: Row
    leads: float
    made_of: tuple[tuple[str, float], ...]
    levers: tuple[Lever, ...]


def rivals(answer: Answer, row: Row, settings: Settings) -> tuple[Rival, ...]:
    """Return the ranked rows above and below one; a neighbour's place is the graph's, so it has and is none."""
    ranked = [one for one in (*answer.rows, *answer.behind) if one.origin != "neighbour"]
    ranked.sort(key=lambda one: (-one.scored.score, one.document.doc_id))
    at = next((at for at, one in enumerate(ranked) if one.document.doc_id == row.document.doc_id), None)
    if at is None:
        return ()
    typed = bool(answer.query.source_types)
    return tuple(
        _rival(row, ranked[near], settings, typed=typed) for near in (at - 1, at + 1) if 0 <= near < len(ranked)
    )


def _rival(row: Row, other: Row, settings: Settings, *, typed: bool) -> Rival:
    mine, others = _values(row.scored), _values(other.scored)
    apart = {name: others.get(name, 0.0) - mine.get(name, 0.0) for name in {*mine, *others}}
    made_of = sorted(((name, value) for name, value in apart.items() if abs(value) > _EVEN), key=_by_size)
    leads = other.scored.score - row.scored.score
    return Rival(
        row=other, leads=leads, made_of=tuple(made_of), levers=_levers(row.scored, other.scored, settings, typed=typed)
    )


def _by_size(part: tuple[str, float]) -> tuple[float, str]:
    return -abs(part[1]), part[0]


def _values(scored: Scored) -> dict[str, float]:
    return {term.name: term.value for term in scored.terms}


def _levers(one: Scored, other: Scored, settings: Settings, *, typed: bool) -> tuple[Lever, ...]:
    """Return the settings that would let one pass the other, fewest steps first."""
    mine, others = _slopes(one, settings, typed=typed), _slopes(other, settings, typed=typed)
    gap = other.score - one.score
    found = []
    for key in sorted({*mine, *others}):
        slope = mine.get(key, 0.0) - others.get(key, 0.0)
        if abs(slope) < _EVEN:
            continue
        knob, now = knob_for(key), settings.number(key)
        steps = max(1, ceil(abs(gap / slope) / knob.step + _EVEN))
        up = (gap / slope > 0) if abs(gap) > _EVEN else slope > 0
        wanted = round(now + (steps if up else -steps) * knob.step, 6)
        if knob.low <= wanted <= knob.high:
            found.append(Lever(key=key, now=now, wanted=wanted, steps=steps))
    return tuple(sorted(found, key=lambda lever: (lever.steps, lever.key)))[:LEVERS]


def _slopes(scored: Scored, settings: Settings, *, typed: bool) -> dict[str, float]:
    """Return by how much the score rises for each setting that is raised by one, as far as its terms tell."""
    found = {f"prior.tier.{scored.tier}": 1.0, f"prior.type.{scored.source_type}": 1.0}
    if scored.matches:
        best = scored.matches[0]
        found |= {"weights.dense": best.dense or 0.0, "weights.lexical": best.lexical or 0.0}
    for term in scored.terms:
        if term.name.startswith("penalty.") and not (typed and term.name != "penalty.superseded"):
            found[term.name] = 1.0
        key = f"boost.{term.name}"
        if _is_setting(key) and settings.number(key):
            found[key] = term.value / settings.number(key)
    return found


def _is_setting(key: str) -> bool:
    try:
        knob_for(key)
    except UsageError:
        return False
    return True
