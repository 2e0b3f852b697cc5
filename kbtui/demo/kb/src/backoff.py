"""How long a failed load rests before its next attempt.

The rule is ADR-0015: an exponential delay with a ceiling, of which a bounded part is random, and a
floor below which no wait falls. The random number is drawn once and kept with the load, so that a
restart of the yard neither shortens a wait nor draws again.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from .waybill import Load, LoadState


@dataclass(frozen=True)
class AttemptRule:
    """The ``attempts.*`` settings of one lane. All times are in seconds."""

    max: int = 12
    base: float = 2.0
    factor: float = 2.0
    ceiling: float = 900.0
    jitter: float = 0.5
    floor: float = 1.0

    def __post_init__(self) -> None:
        if self.max < 0:
            raise ValueError("attempts.max must not be negative; 0 means no limit")
        if not 1.0 <= self.factor <= 10.0:
            raise ValueError("attempts.factor must lie between 1 and 10")
        if not 0.0 <= self.jitter <= 1.0:
            raise ValueError("attempts.jitter must lie between 0 and 1")
        if self.floor > self.ceiling:
            raise ValueError("attempts.floor must not be above attempts.ceiling")


@dataclass(frozen=True)
class Rest:
    """A wait that has been decided: the delay it came from, the number drawn, the seconds."""

    delay: float
    drawn: float
    seconds: float


def delay_after(rule: AttemptRule, attempt: int) -> float:
    """Return the delay after a failed attempt, before any randomness. The first attempt is 1."""
    if attempt < 1:
        raise ValueError(f"attempts are counted from 1, not {attempt}")
    # factor ** 1000 overflows a float long after the ceiling has been reached
    exponent = min(attempt - 1, 64)
    return min(rule.ceiling, rule.base * rule.factor**exponent)


def rest_after(rule: AttemptRule, attempt: int, rng: random.Random, retry_after: float | None = None) -> Rest:
    """Draw the wait after a failed attempt.

    ``retry_after`` is what the carrier was told by whatever it called. It can lengthen the wait. It
    cannot shorten it: a service that says "come back at once" to forty thousand loads is the outage.
    """
    delay = delay_after(rule, attempt)
    drawn = rng.uniform(1.0 - rule.jitter, 1.0)
    seconds = max(rule.floor, delay * drawn)
    if retry_after is not None:
        seconds = max(seconds, retry_after)
    return Rest(delay=delay, drawn=drawn, seconds=seconds)


def exhausted(rule: AttemptRule, load: Load) -> bool:
    """Tell whether a load has used up its attempts."""
    return rule.max > 0 and load.attempt >= rule.max


def after_failure(rule: AttemptRule, load: Load, now: float, rng: random.Random, retry_after: float | None = None) -> Load:
    """Return the load as it is after its current attempt has failed: resting, or in the siding."""
    if exhausted(rule, load):
        return load.moved(LoadState.SIDED, due=now)
    rest = rest_after(rule, load.attempt, rng, retry_after)
    return load.moved(LoadState.RESTING, due=now + rest.seconds)


def bounds(rule: AttemptRule) -> tuple[float, float]:
    """Return the shortest and the longest time a load can take from its first failure to the siding."""
    if rule.max == 0:
        return float("inf"), float("inf")
    delays = list(_delays(rule))
    shortest = sum(max(rule.floor, delay * (1.0 - rule.jitter)) for delay in delays)
    longest = sum(max(rule.floor, delay) for delay in delays)
    return shortest, longest


def _delays(rule: AttemptRule) -> Iterator[float]:
    return (delay_after(rule, attempt) for attempt in range(1, rule.max))
