"""Bring: the smallest single change of a setting that brings a document into the context, found by trying.

Every trial is a whole answer of the same pipeline, whose memo re-runs only what depends on the setting. A change is as
large as the number of its setting's steps. All settings are tried at 1 step, then at 2, 4, 8, ... steps, until some
bring the document in; then each of those is narrowed down to a step that does while one step less does not. Where a
setting helps, stops to help and helps again, a smaller change than the one found may exist. Settings that act where
the document was lost come first; the others are tried only when none of those helps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil, inf
from typing import Protocol

from kbtui.errors import RetrievalFailed, UsageError
from kbtui.model import Answer, Change, Document, Row
from kbtui.settings import TIER_TYPES, Knob, Settings, Value, knob_for, tier_of

TRIALS = 600
"""Answers after which no larger number of steps is tried: a bound on the work, since the engine has no clock."""
WANTED, LISTED = 3, 5
"""Changes after which larger ones are not looked for, and the most that are listed."""

WIDEST = 8
"""How many times more candidates, or places, are tried at most: each such trial asks the retrievers for as many."""
_NEVER = (("budget.bytes", -1), ("budget.tokens", -1), ("pools.deadline_ms", 1), ("pools.deadline_ms", -1))
"""What brings nothing in: a smaller budget keeps nothing that a larger one did not keep, and time is no preference."""
_FAMILIES_OF_PRIORS = ("prior.tier.", "prior.type.")
_IN = ("whole", "trimmed")
_CHEAPEST_FIRST = ("pack", "expand", "score", "fuse", "gather")


Watch = Callable[[int, str], bool]
"""Told of each trial, its number and its setting; False ends the search with what was found."""


class Ask(Protocol):
    """One query under changing settings."""

    def seated(self, settings: Settings) -> tuple[str, ...]:
        """Return the documents that have places, before anything is packed."""
        ...

    def answer(self, settings: Settings) -> Answer:
        """Return the answer."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The changes, smallest first, how many answers were tried, and whether larger ones were left untried."""

    changes: tuple[Change, ...]
    runs: int
    exhausted: bool


@dataclass(slots=True, kw_only=True)
class _Move:
    """A setting and a direction; ``out`` is the largest number of steps known not to bring the document in."""

    knob: Knob
    key: str
    before: float
    sign: int
    most: int
    out: int = 0

    def after(self, steps: int) -> Value:
        """Return the setting's value so many steps on, within its range; the last step may be a part of one."""
        value = self.before + self.sign * steps * self.knob.step
        value = min(self.knob.high, max(self.knob.low, value))
        return round(value, 6) if self.knob.kind == "number" else int(value)


def bring(ask: Ask, settings: Settings, document: Document, answer: Answer, documents: int, watch: Watch) -> Found:
    """Return the smallest changes of one setting after which the context holds the document.

    ``answer`` is the one without any change, in which it is missing; ``documents`` is how many there are at all.
    """
    trials = _Trials(ask, settings, document, answer, watch)
    changes: list[Change] = []
    exhausted = True
    for moves in _likely_first(_moves(settings, document, answer, documents), document, answer):
        if not changes and trials.going:
            changes = trials.rounds(moves)
            exhausted = trials.going and all(move.out == move.most for move in moves)
    return Found(changes=tuple(sorted(changes, key=_size)[:LISTED]), runs=trials.runs, exhausted=exhausted)


def held(answer: Answer, doc_id: str) -> Row | None:
    """Return a document's row when it is in the answer, whole or trimmed."""
    return next((row for row in answer.rows if row.document.doc_id == doc_id and row.allocation.decision in _IN), None)


class _Trials:
    """Answers under changed settings, counted."""

    def __init__(self, ask: Ask, settings: Settings, document: Document, answer: Answer, watch: Watch) -> None:
        self._ask, self._settings, self._doc_id = ask, settings, document.doc_id
        self._before = _given(answer)
        self._watch = watch
        self.runs = 0
        self.going = True

    def rounds(self, moves: list[_Move]) -> list[Change]:
        """Return the changes found with ever more steps, until there are enough, or the bound is reached."""
        found: dict[str, Change] = {}
        steps = 1
        while moves and len(found) < WANTED and self.runs < TRIALS:
            for move in moves:
                self.going = self.going and self._watch(self.runs, move.key)
                if not self.going:
                    return list(found.values())
                tried = min(steps, move.most)
                if self.brings(move, tried):
                    change = self.narrowed(move, tried)
                    found[move.key] = min(found.get(move.key, change), change, key=_size)
                else:
                    move.out = tried
            moves = [move for move in moves if move.key not in found and move.out < move.most]
            steps *= 2
        return list(found.values())

    def brings(self, move: _Move, steps: int) -> bool:
        """Return whether the context holds the document so many steps on."""
        answer = self._answer(move, steps)
        return answer is not None and held(answer, self._doc_id) is not None

    def narrowed(self, move: _Move, steps: int) -> Change:
        """Return the change of the fewest steps between those that do not bring it in and these, which do."""
        while steps - move.out > 1:
            middle = (steps + move.out) // 2
            if self.brings(move, middle):
                steps = middle
            else:
                move.out = middle
        answer = self._answer(move, steps)
        row = held(answer, self._doc_id) if answer else None
        if answer is None or row is None:
            raise AssertionError("the same settings gave another answer")
        kept = set(_given(answer))
        return Change(
            key=move.key,
            before=self._settings.get(move.key),
            after=move.after(steps),
            steps=steps,
            rank=row.rank,
            fate=row.allocation.decision,
            out=tuple(doc_id for doc_id in self._before if doc_id not in kept),
        )

    def _answer(self, move: _Move, steps: int) -> Answer | None:
        """Return the answer so many steps on; None where the document has no place, or nothing can be answered."""
        self.runs += 1
        try:
            settings = self._settings.with_values({move.key: move.after(steps)})
            return self._ask.answer(settings) if self._doc_id in self._ask.seated(settings) else None
        except (UsageError, RetrievalFailed):
            return None


def _size(change: Change) -> tuple[int, int, str]:
    """Return what makes a change small: few steps, then few documents that it costs."""
    return change.steps, len(change.out), change.key


def _given(answer: Answer) -> list[str]:
    return [row.document.doc_id for row in answer.rows if row.allocation.decision in _IN]


def _moves(settings: Settings, document: Document, answer: Answer, documents: int) -> list[_Move]:
    """Return every setting that can matter here, in both directions, those that re-run least first."""
    found = []
    for key in dict.fromkeys(_keys(settings, document, answer)):
        knob, value = knob_for(key), settings.get(key)
        if value is None:
            continue  # no bound: whatever it were set to would only cut
        high = max(value, min(knob.high, _widest(key, value, answer, documents)))
        for sign, room in ((1, high - value), (-1, value - knob.low)):
            if room > 0 and (key, sign) not in _NEVER:
                most = ceil(round(room / knob.step, 6))
                found.append(_Move(knob=knob, key=key, before=float(value), sign=sign, most=most))
    return sorted(found, key=lambda move: (_CHEAPEST_FIRST.index(move.knob.stage), move.key, move.sign))


def _widest(key: str, value: float, answer: Answer, documents: int) -> float:
    """Return how far a setting is raised where more would mean nothing, or too much work; infinity for all others."""
    wide = {
        "limit": min(documents, max(WIDEST * value, answer.total)),
        "pools.candidates": min(documents, WIDEST * value),
        "expand": answer.limit - 1,
    }
    return wide.get(key, inf)


def _likely_first(moves: list[_Move], document: Document, answer: Answer) -> tuple[list[_Move], list[_Move]]:
    """Return the settings that act where the document was lost, and those to try when none of them helps.

    A document that no pool reached needs another pool, or the graph; the size of pools matters little to one that was
    reached, and each asks the retrievers again.
    """
    doc_id = document.doc_id
    candidate = any(row.document.doc_id == doc_id for row in (*answer.rows, *answer.behind))
    candidate = candidate or any(below.doc_id == doc_id for below in answer.below)
    likely = ("pack", "expand", "score", "fuse") if candidate else ("expand", "gather")
    return [one for one in moves if one.knob.stage in likely], [one for one in moves if one.knob.stage not in likely]


def _keys(settings: Settings, document: Document, answer: Answer) -> Iterator[str]:
    """Yield the settings to try: all but those about types and tiers that neither it nor the response has."""
    present = {document.source_type, *(row.document.source_type for row in answer.rows)}
    kinds = {kind for kind in present if "." not in kind}  # no setting can name such a type
    about = {f"penalty.{kind}" for kind in kinds} | {f"prior.type.{kind}" for kind in kinds}
    about |= {f"prior.tier.{tier_of(kind)}" for kind in kinds}
    of_types = {f"penalty.{name}" for _, names in TIER_TYPES for name in names}
    known = settings.keys()
    yield from (key for key in known if key not in of_types and not key.startswith(_FAMILIES_OF_PRIORS))
    yield from sorted(about)
