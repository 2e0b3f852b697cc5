"""Bring: the smallest single change of a setting that brings a document into the context, found by trying.

Every trial is a whole answer of the same pipeline, whose memo re-runs only what depends on the setting. A change is as
large as the number of its setting's steps. All settings are tried at 1 step, then at 2, 4, 8, ... steps, until some
bring the document in; then each of those is narrowed down to a step that does while one step less does not. Where a
setting helps, stops to help and helps again, a smaller change than the one found may exist.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Protocol

from kbtui.errors import RetrievalFailed, UsageError
from kbtui.model import Answer, Change, Document, Row
from kbtui.settings import TIER_TYPES, Knob, Settings, Value, knob_for, tier_of

TRIALS = 600
"""Answers after which no larger number of steps is tried: a bound on the work, since the engine has no clock."""
WANTED = 4
"""Changes after which larger ones are not looked for: the best, and some to choose from."""

_COUNTS = ("limit", "pools.candidates")
"""Settings that change nothing past the number of documents there are."""
_NEVER = (("budget.bytes", -1), ("budget.tokens", -1))
"""What cannot bring anything in: a smaller budget keeps nothing that a larger one did not keep."""
_FAMILIES_OF_PRIORS = ("prior.tier.", "prior.type.")
_CHEAPEST_FIRST = ("pack", "expand", "score", "fuse", "gather")


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


def bring(ask: Ask, settings: Settings, document: Document, answer: Answer, documents: int) -> Found:
    """Return the smallest changes of one setting after which the context holds the document.

    ``answer`` is the one without any change, in which it is missing; ``documents`` is how many there are at all.
    """
    trials = _Trials(ask, settings, document, answer)
    moves = _moves(settings, document, answer, documents)
    changes: dict[str, Change] = {}
    steps = 1
    while moves and len(changes) < WANTED and trials.runs < TRIALS:
        for move in moves:
            tried = min(steps, move.most)
            if trials.brings(move, tried):
                change = trials.narrowed(move, tried)
                changes[move.key] = min(changes.get(move.key, change), change, key=_size)
            else:
                move.out = tried
        moves = [move for move in moves if move.key not in changes and move.out < move.most]
        steps *= 2
    return Found(changes=tuple(sorted(changes.values(), key=_size)), runs=trials.runs, exhausted=not moves)


def held(answer: Answer, doc_id: str) -> Row | None:
    """Return a document's row when the context holds text of it."""
    return next((row for row in answer.rows if row.document.doc_id == doc_id and row.allocation.chunk_ids), None)


class _Trials:
    """Answers under changed settings, counted."""

    def __init__(self, ask: Ask, settings: Settings, document: Document, answer: Answer) -> None:
        self._ask, self._settings, self._doc_id = ask, settings, document.doc_id
        self._before = _given(answer)
        self.runs = 0

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
    return [row.document.doc_id for row in answer.rows if row.allocation.chunk_ids]


def _moves(settings: Settings, document: Document, answer: Answer, documents: int) -> list[_Move]:
    """Return every setting that can matter here, in both directions, those that re-run least first."""
    found = []
    for key in dict.fromkeys(_keys(settings, document, answer)):
        knob, value = knob_for(key), settings.get(key)
        if value is None:
            continue  # no bound: whatever it were set to would only cut
        high = min(knob.high, max(documents, value)) if key in _COUNTS else knob.high
        for sign, room in ((1, high - value), (-1, value - knob.low)):
            if room > 0 and (key, sign) not in _NEVER:
                most = ceil(round(room / knob.step, 6))
                found.append(_Move(knob=knob, key=key, before=float(value), sign=sign, most=most))
    return sorted(found, key=lambda move: (_CHEAPEST_FIRST.index(move.knob.stage), move.key, move.sign))


def _keys(settings: Settings, document: Document, answer: Answer) -> Iterator[str]:
    """Yield the settings to try: all but those about types and tiers that neither it nor the response has."""
    kinds = {document.source_type, *(row.document.source_type for row in answer.rows)}
    about = {f"penalty.{kind}" for kind in kinds} | {f"prior.type.{kind}" for kind in kinds}
    about |= {f"prior.tier.{tier_of(kind)}" for kind in kinds}
    of_types = {f"penalty.{name}" for _, names in TIER_TYPES for name in names}
    known = settings.keys()
    yield from (key for key in known if key not in of_types and not key.startswith(_FAMILIES_OF_PRIORS))
    yield from sorted(about)
