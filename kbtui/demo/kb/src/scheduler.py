"""Due times, the two clocks they are measured with (#161), and schedules."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo


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


MONTHS = {name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), 1)}
WEEKDAYS = {name: number for number, name in enumerate("sun mon tue wed thu fri sat".split())}
FIELDS: tuple[tuple[str, int, int, dict[str, int]], ...] = (
    ("minute", 0, 59, {}),
    ("hour", 0, 23, {}),
    ("day", 1, 31, {}),
    ("month", 1, 12, MONTHS),
    ("weekday", 0, 6, WEEKDAYS),
)


class BadSchedule(ValueError):
    """A schedule that can never fire, or whose text cannot be read."""


def _field(text: str, name: str, low: int, high: int, names: dict[str, int]) -> frozenset[int]:
    """Read one of the five fields: ``*``, ``5``, ``1-5``, ``*/15``, ``mon,wed`` and mixtures of them."""
    values: set[int] = set()
    for part in text.lower().split(","):
        span, _, step_text = part.partition("/")
        step = int(step_text) if step_text else 1
        if span == "*":
            first, last = low, high
        else:
            head, _, tail = span.partition("-")
            first = names.get(head, -1) if not head.isdigit() else int(head)
            last = first if not tail else (names.get(tail, -1) if not tail.isdigit() else int(tail))
        if name == "weekday" and span == "7":
            first = last = 0  # Sunday has two numbers
        if not (low <= first <= last <= high) or step < 1:
            raise BadSchedule(f"{part!r} is no {name} (from {low} to {high})")
        values.update(range(first, last + 1, step))
    return frozenset(values)


@dataclass(frozen=True)
class CronTime:
    """The five fields of ``schedule.at``. Day and weekday are alternatives when both are given."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    either_day: bool

    @classmethod
    def parse(cls, text: str) -> CronTime:
        """Read the text, and refuse one that has no time within four years."""
        parts = text.split()
        if len(parts) != len(FIELDS):
            raise BadSchedule(f"{text!r} has {len(parts)} fields, not five")
        sets = [_field(part, *field) for part, field in zip(parts, FIELDS, strict=True)]
        found = cls(*sets, either_day=parts[2] != "*" and parts[4] != "*")
        found.next_after(datetime(2024, 1, 1))
        return found

    def fits(self, day: datetime) -> bool:
        """Tell whether the schedule fires on this day at all."""
        by_day = day.day in self.days
        by_weekday = day.isoweekday() % 7 in self.weekdays
        chosen = (by_day or by_weekday) if self.either_day else (by_day and by_weekday)
        return chosen and day.month in self.months

    def next_after(self, moment: datetime) -> datetime:
        """Return the first time after a moment, in the schedule's own local time.

        Days are skipped as a whole, so that the 29th of February is found within 1,461 steps.
        """
        start = moment.replace(second=0, microsecond=0) + timedelta(minutes=1)
        for ahead in range(4 * 366):
            day = (start + timedelta(days=ahead)).replace(hour=0, minute=0) if ahead else start
            if not self.fits(day):
                continue
            for hour in sorted(self.hours):
                for minute in sorted(self.minutes):
                    found = day.replace(hour=hour, minute=minute)
                    if found >= start:
                        return found
        raise BadSchedule("no such time within four years")


def fire_once(local: datetime, zone: ZoneInfo) -> datetime:
    """Return the moment at which a local time happens, once, on the two nights on which clocks change.

    A time that exists twice is taken the first time. A time that does not exist becomes the first
    moment after the gap: it is shifted by what the clocks were put forward.
    """
    first = local.replace(tzinfo=zone, fold=0)
    moment = first.astimezone(UTC)
    if moment.astimezone(zone).replace(tzinfo=None) == local:
        return moment
    gap = local.replace(tzinfo=zone, fold=0).utcoffset() - local.replace(tzinfo=zone, fold=1).utcoffset()
    before = (local + abs(gap)).replace(tzinfo=zone)
    return before.replace(minute=0, second=0).astimezone(UTC)


def missed(cron: CronTime, zone: ZoneInfo, last: datetime, now: datetime, catch_up: str) -> list[datetime]:
    """Return the times between the last firing and now that should be fired late."""
    found: list[datetime] = []
    at = last.astimezone(zone).replace(tzinfo=None)
    while len(found) < 100:
        at = cron.next_after(at)
        moment = fire_once(at, zone)
        if moment > now:
            break
        found.append(moment)
    if catch_up == "none":
        return []
    return found if catch_up == "all" else found[-1:]
