"""What a load carries besides its body, and the states it can be in."""

from __future__ import annotations

import enum
import itertools
from dataclasses import dataclass, field, replace

MAX_WAYBILL_BYTES = 8 * 1024
MAX_DEPTH = 32
_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class LoadState(enum.Enum):
    """Where a load is. Every change from one to another is one record in the ledger."""

    WAITING = "waiting"
    RESTING = "resting"
    LEASED = "leased"
    SIDED = "sided"
    DONE = "done"


ALLOWED = {
    LoadState.WAITING: {LoadState.LEASED, LoadState.SIDED, LoadState.DONE},
    LoadState.RESTING: {LoadState.WAITING, LoadState.SIDED},
    LoadState.LEASED: {LoadState.DONE, LoadState.RESTING, LoadState.WAITING, LoadState.SIDED},
    LoadState.SIDED: {LoadState.WAITING, LoadState.RESTING, LoadState.DONE},
    LoadState.DONE: set(),
}
"""From each state the states a load may go to. WAITING to DONE is an expired or discarded load."""


class WaybillError(ValueError):
    """A waybill that the gatehouse refuses, with the sentence that the producer gets."""


@dataclass(frozen=True)
class Waybill:
    """The fields a producer may set. All are optional."""

    order_key: str = ""
    fair_key: str = ""
    dedup: str = ""
    cause: str = ""
    depth: int = 0
    hops: int = 0
    content_type: str = "application/json"
    expire: float | None = None
    traceparent: str = ""
    extra: dict[str, str] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse what would only fail later."""
        if self.depth > MAX_DEPTH:
            raise WaybillError(
                f"this load is {self.depth} follow-ups away from the first one (at most {MAX_DEPTH}); "
                "a handler probably pushes to its own lane"
            )
        size = sum(len(key) + len(value) for key, value in self.extra.items())
        if size > MAX_WAYBILL_BYTES:
            raise WaybillError(f"the waybill has {size:,} bytes, at most {MAX_WAYBILL_BYTES:,} are allowed")

    def caused_by(self, load: Load) -> Waybill:
        """Return the waybill of a follow-up load."""
        return replace(self, cause=load.id, depth=load.waybill.depth + 1)


@dataclass(frozen=True)
class Load:
    """One unit of work. Values are never changed in place; ``moved`` returns the next one."""

    id: str
    lane: str
    body: bytes
    waybill: Waybill = field(default_factory=Waybill)
    state: LoadState = LoadState.WAITING
    attempt: int = 0
    due: float = 0.0
    pushed: float = 0.0

    def moved(self, state: LoadState, *, due: float | None = None, attempt: int | None = None) -> Load:
        """Return the load in another state; a move that is not allowed is a bug in the yard."""
        if state not in ALLOWED[self.state]:
            raise AssertionError(f"{self.id}: {self.state.value} cannot become {state.value}")
        return replace(
            self,
            state=state,
            due=self.due if due is None else due,
            attempt=self.attempt if attempt is None else attempt,
        )


class IdMaker:
    """Ids that sort by time: 40 bits of milliseconds and 30 bits of a counter, in base 32."""

    def __init__(self, epoch_ms: int) -> None:
        self._epoch_ms = epoch_ms
        self._counter = itertools.count()

    def next(self, now_ms: int) -> str:
        """Return an id greater than all before it in this process, even when the clock goes back."""
        number = ((now_ms - self._epoch_ms) << 30) | (next(self._counter) & 0x3FFFFFFF)
        digits = []
        for _ in range(14):
            number, rest = divmod(number, 32)
            digits.append(_ALPHABET[rest])
        return "ld_" + "".join(reversed(digits))
