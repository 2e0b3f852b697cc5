"""Due times, and the two clocks they are measured with (#161)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Clock:
    """A monotonic clock with a fixed relation to the wall clock, settled once at start.

    The ledger holds wall-clock times, since monotonic ones mean nothing after a reboot. The running
    yard compares monotonic ones only: a jump of the wall clock, by an hour or by fifty-six years,
    moves no due time. ``offset`` is wall minus monotonic at the moment the yard started.
    """

    monotonic: Callable[[], float]
    offset: float

    @classmethod
    def start(
        cls,
        newest_record: float,
        *,
        wall: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
        tolerance: float = 3600.0,
    ) -> Clock:
        """Settle the relation; time does not run backwards past the newest record of the ledger."""
        now = wall()
        if now < newest_record - tolerance:
            raise ClockBehind(
                f"the clock is {newest_record - now:,.0f} s behind the newest record; "
                "set it, or start with --trust-clock if the ledger came from a machine that was wrong"
            )
        return cls(monotonic=monotonic, offset=max(now, newest_record) - monotonic())

    def now(self) -> float:
        """Return the time of day as the yard counts it."""
        return self.monotonic() + self.offset

    def to_monotonic(self, wall: float) -> float:
        """Convert a time from the ledger or from a producer."""
        return wall - self.offset


class ClockBehind(Exception):
    """The machine's clock is far behind what the ledger has already seen."""


def spread(count: int, start: float, over: float) -> list[float]:
    """Return due times for many loads, evenly over a span, the first one at its start."""
    if count <= 0:
        return []
    step = over / count
    return [start + step * place for place in range(count)]


def gentle_span(count: int, rate: float, shortest: float = 60.0) -> float:
    """Return the seconds over which to spread loads so that a lane's rate at most doubles.

    ``rate`` is what the lane finished per second during the last hour. A lane that finished nothing is
    assumed to manage one load per second, which is slow enough to watch.
    """
    return max(shortest, count / max(rate, 1.0))
