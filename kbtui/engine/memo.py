"""Memo: a stage's last arguments and result, so that a moved slider re-runs only what depends on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)

Clock = Callable[[], float]
"""Milliseconds since some moment; given by the caller, since no stage reads a clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran(Generic[Result_co]):
    """A stage's result, whether it was remembered, and how long it took."""

    result: Result_co
    reused: bool
    elapsed_ms: float

    def after(self, *others: Ran[object]) -> Ran[Result_co]:
        """Return the same with the time of what was run for it alone."""
        return replace(self, elapsed_ms=self.elapsed_ms + sum(other.elapsed_ms for other in others))


class Memo(Generic[Result]):
    """One stage's last call; arguments are compared by equality. An error is not remembered."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last: tuple[tuple[object, ...], Result] | None = None

    def run(self, stage: Callable[..., Result], *arguments: object) -> Ran[Result]:
        """Return the stage's result for these arguments, calling it only when they have changed."""
        last = self._last
        if last is not None and last[0] == arguments:
            return Ran(result=last[1], reused=True, elapsed_ms=0.0)
        started = self._clock()
        result = stage(*arguments)
        self._last = (arguments, result)
        return Ran(result=result, reused=False, elapsed_ms=self._clock() - started)
