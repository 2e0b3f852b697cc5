"""What waits where, and who is served next (ADR-0014).

Inside a lane the order is the due time, or with order keys one load at a time per key. Between lanes
a carrier's slots are divided by deficit round robin over the lanes' weights.
"""

from __future__ import annotations

import heapq
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from .waybill import Load


class LaneFull(Exception):
    """The lane holds ``depth.max`` loads; the producer gets 429 and should slow down."""


class UnknownLane(KeyError):
    """No lane of that name, with the nearest one that exists."""


@dataclass
class Lane:
    """One lane: a heap of due loads and, with order keys, a queue per key."""

    name: str
    weight: int = 1
    depth_max: int = 1_000_000
    ordered: bool = False
    paused: str = ""
    _heap: list[tuple[float, int, Load]] = field(default_factory=list)
    _held: dict[str, deque[Load]] = field(default_factory=lambda: defaultdict(deque))
    _busy: set[str] = field(default_factory=set)
    _serial: int = 0
    _out: int = 0

    @property
    def depth(self) -> int:
        """Loads waiting, resting and in carriers' hands, without the siding."""
        return len(self._heap) + sum(len(queue) for queue in self._held.values()) + self._out

    @property
    def blocked_keys(self) -> int:
        """Order keys with loads that cannot move because the one before them rests or is worked on."""
        return sum(1 for key in self._busy if self._held.get(key))

    def add(self, load: Load) -> None:
        """Put a new load into the lane. Call it after the record is on disk, not before."""
        if self.depth >= self.depth_max:
            raise LaneFull(f"lane {self.name} holds {self.depth_max:,} loads (depth.max)")
        key = load.waybill.order_key
        if self.ordered and key:
            if key in self._busy:
                self._held[key].append(load)
                return
            self._busy.add(key)
        self._enqueue(load)

    def rest(self, load: Load) -> None:
        """Take back a load that rests between two attempts; its order key stays busy."""
        self._out -= 1
        self._enqueue(load)

    def take(self, now: float) -> Load | None:
        """Return the next load that is due, or None."""
        if self.paused or not self._heap or self._heap[0][0] > now:
            return None
        _, _, load = heapq.heappop(self._heap)
        self._out += 1
        return load

    def leave(self, load: Load) -> None:
        """A load is done, discarded or in the siding: its successor with the same order key may move."""
        self._out -= 1
        key = load.waybill.order_key
        if not (self.ordered and key):
            return
        queue = self._held.get(key)
        if queue:
            self._enqueue(queue.popleft())
            if not queue:
                del self._held[key]
        else:
            self._busy.discard(key)

    def hurry(self, now: float, over: float) -> int:
        """Make resting loads due, evenly spread over some seconds, and return how many there were."""
        resting = sorted(entry for entry in self._heap if entry[0] > now)
        if not resting:
            return 0
        step = over / len(resting)
        due = [entry for entry in self._heap if entry[0] <= now]
        moved = [(now + step * place, serial, load) for place, (_, serial, load) in enumerate(resting)]
        self._heap = due + moved
        heapq.heapify(self._heap)
        return len(moved)

    def oldest_due(self, now: float) -> float:
        """Return for how long the oldest due load has been due; resting loads do not count."""
        return max(0.0, now - self._heap[0][0]) if self._heap else 0.0

    def _enqueue(self, load: Load) -> None:
        self._serial += 1
        heapq.heappush(self._heap, (load.due, self._serial, load))


class Yard:
    """The lanes of a yard and the division of slots among them."""

    def __init__(self, lanes: Iterable[Lane]) -> None:
        self._lanes = {lane.name: lane for lane in lanes}
        self._account: dict[str, float] = dict.fromkeys(self._lanes, 0.0)
        self._turns: dict[tuple[str, ...], deque[str]] = {}

    def lane(self, name: str) -> Lane:
        """Return a lane, or name the nearest one: a typo is the usual way to lose an afternoon."""
        found = self._lanes.get(name)
        if found is None:
            near = get_close_matches(name, self._lanes, n=1)
            raise UnknownLane(f"no lane {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        return found

    def share(self, names: Sequence[str], slots: int, now: float) -> list[Load]:
        """Hand out at most ``slots`` loads from these lanes, in proportion to their weights.

        Deficit round robin: a lane whose turn it is is paid its weight and pays one for each load; when
        its account is empty the turn passes on. Whose turn it is outlives the pull, or a carrier with one
        slot would only ever see the first lane. A lane that has nothing loses what it has saved, so that
        it cannot flood the carrier later.
        """
        turn = self._turns.setdefault(tuple(names), deque(names))
        taken: list[Load] = []
        empty = 0
        while len(taken) < slots and empty < len(turn):
            lane = self.lane(turn[0])
            if self._account[lane.name] < 1.0:
                self._account[lane.name] += lane.weight
            load = lane.take(now)
            if load is None:
                self._account[lane.name] = 0.0
                turn.rotate(-1)
                empty += 1
                continue
            empty = 0
            taken.append(load)
            self._account[lane.name] -= 1.0
            if self._account[lane.name] < 1.0:
                turn.rotate(-1)
        return taken
