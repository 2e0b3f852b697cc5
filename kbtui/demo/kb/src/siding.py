"""Loads that gave up, grouped by reason, and replays that do not start the outage again (#149)."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from .waybill import Load, LoadState

_ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b")
_ID = re.compile(r"\b(?:ld|ls)_[0-9A-Z-]+\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_KEEP = re.compile(r"^[1-5]\d\d\b")  # an HTTP status at the start is the reason, not a detail of it


def group_of(reason: str) -> str:
    """Return the reason with addresses, ids and numbers replaced, so that equal causes count as one."""
    text = _ID.sub("<id>", _ADDRESS.sub("<address>", reason))
    status = _KEEP.match(text)
    head = status.group() if status else ""
    return head + _NUMBER.sub("<n>", text[len(head) :])


@dataclass(frozen=True)
class Sided:
    """A load in the siding, with why and since when."""

    load: Load
    reason: str
    since: float


@dataclass
class Siding:
    """The siding of one lane."""

    max_depth: int = 100_000
    retain: float = 14 * 86_400.0
    _loads: dict[str, Sided] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._loads)

    @property
    def full(self) -> bool:
        """Whether the lane must hold back loads that are on their last attempt."""
        return len(self._loads) >= self.max_depth

    def add(self, load: Load, reason: str, now: float) -> None:
        """Take a load that has used up its attempts, or whose failure was called fatal."""
        self._loads[load.id] = Sided(load, reason, now)

    def groups(self) -> list[tuple[str, int, float, float]]:
        """Return reason, count, first and last time of each group, the largest first."""
        found: dict[str, list[float]] = {}
        for sided in self._loads.values():
            found.setdefault(group_of(sided.reason), []).append(sided.since)
        rows = [(reason, len(times), min(times), max(times)) for reason, times in found.items()]
        return sorted(rows, key=lambda row: (-row[1], row[0]))

    def matching(self, reason: str) -> list[Sided]:
        """Return the loads of one group, the oldest first."""
        wanted = group_of(reason)
        return sorted((s for s in self._loads.values() if group_of(s.reason) == wanted), key=lambda s: s.since)

    def remove(self, load_id: str) -> Sided | None:
        """Take a load out, or None when somebody else was quicker."""
        return self._loads.pop(load_id, None)

    def outdated(self, now: float) -> Iterator[Sided]:
        """Yield the loads that have been here for longer than ``siding.retain``."""
        return (sided for sided in list(self._loads.values()) if now - sided.since > self.retain)


class Replay:
    """Moves loads from the siding to their lane, spread over time, and brakes when they fail again."""

    WINDOW = 100
    PAUSES = 3

    def __init__(self, loads: list[Sided], *, start: float, over: float, brake: float = 0.5) -> None:
        self._queue = deque(loads)
        self._start = start
        self._step = over / max(1, len(loads))
        self._brake = brake
        self._moved = 0
        self._outcomes: deque[bool] = deque(maxlen=self.WINDOW)
        self.pauses = 0
        self.paused_until = 0.0

    @property
    def left(self) -> int:
        """How many loads have not been moved yet."""
        return len(self._queue)

    @property
    def stopped(self) -> bool:
        """Whether the replay has given up because its loads keep failing."""
        return self.pauses >= self.PAUSES

    def due(self, now: float) -> Iterator[Load]:
        """Yield the loads whose time has come, with a fresh count of attempts."""
        while self._queue and not self.stopped and now >= max(self._next(), self.paused_until):
            sided = self._queue.popleft()
            self._moved += 1
            yield sided.load.moved(LoadState.WAITING, due=now, attempt=0)

    def report(self, failed: bool, now: float) -> None:
        """Count how a replayed load ended; pause when too many of the last hundred failed."""
        self._outcomes.append(failed)
        if len(self._outcomes) == self.WINDOW and sum(self._outcomes) / self.WINDOW > self._brake:
            self.pauses += 1
            self.paused_until = now + 60.0 * 2**self.pauses
            self._outcomes.clear()

    def _next(self) -> float:
        return self._start + self._moved * self._step
