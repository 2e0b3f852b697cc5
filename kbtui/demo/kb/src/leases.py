"""Who holds which load, and until when (ADR-0009).

A lease is granted with a duration, renewed by heartbeats, and ended by a report. One that is not
renewed expires; its load then rests like any load whose attempt has failed. Times are monotonic.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class LeaseId:
    """The epoch and a serial number; the pair only ever grows, so it can be used as a fence."""

    epoch: int
    serial: int

    def __str__(self) -> str:
        return f"ls_{self.epoch}-{self.serial:07d}"

    @classmethod
    def parse(cls, text: str) -> LeaseId:
        """Read a lease id; clients before 1.1 sent plain numbers and are told to upgrade."""
        head, _, tail = text.removeprefix("ls_").partition("-")
        if not (head.isdigit() and tail.isdigit()):
            raise ValueError(f"{text!r} is no lease id; clients before 1.1 cannot talk to this yard")
        return cls(int(head), int(tail))


@dataclass
class Lease:
    """A load in a carrier's hands."""

    id: LeaseId
    load_id: str
    carrier: str
    granted: float
    expires: float
    note: str = ""


class LeaseGone(Exception):
    """The lease has expired, was ended, or belongs to an epoch before the standby's promotion."""


class LeaseTable:
    """All leases of a yard, with the next one to expire always at hand.

    Renewals do not touch the heap. They move ``Lease.expires``, and the entry that was pushed for the
    old time is recognised as outdated when it comes up. With a thousand leases renewed every twenty
    seconds this is the difference between a heap of a thousand entries and none to rebuild.
    """

    def __init__(self, epoch: int, *, duration: float = 60.0, max_total: float = 6 * 3600.0) -> None:
        self._epoch = epoch
        self._serial = 0
        self._duration = duration
        self._max_total = max_total
        self._leases: dict[LeaseId, Lease] = {}
        self._heap: list[tuple[float, LeaseId]] = []

    def __len__(self) -> int:
        return len(self._leases)

    def grant(self, load_id: str, carrier: str, now: float) -> Lease:
        """Hand a load to a carrier."""
        self._serial += 1
        lease = Lease(LeaseId(self._epoch, self._serial), load_id, carrier, now, now + self._duration)
        self._leases[lease.id] = lease
        heapq.heappush(self._heap, (lease.expires, lease.id))
        return lease

    def renew(self, lease_id: LeaseId, now: float, note: str = "") -> Lease:
        """Start the duration afresh, within the total limit."""
        lease = self._valid(lease_id, now)
        if lease_id.epoch != self._epoch:
            raise LeaseGone("granted by the yard before the promotion; it may finish, but not be renewed")
        limit = lease.granted + self._max_total
        if now >= limit:
            raise LeaseGone(f"held for {self._max_total / 3600:g} hours in total (lease.max_total)")
        lease.expires = min(now + self._duration, limit)
        lease.note = note or lease.note
        return lease

    def end(self, lease_id: LeaseId, now: float) -> Lease:
        """Take a lease out of the table because its carrier has reported."""
        lease = self._valid(lease_id, now)
        del self._leases[lease_id]
        return lease

    def expired(self, now: float) -> Iterable[Lease]:
        """Yield and remove every lease whose time has passed."""
        while self._heap and self._heap[0][0] <= now:
            _, lease_id = heapq.heappop(self._heap)
            lease = self._leases.get(lease_id)
            if lease is None:
                continue  # ended by a report
            if lease.expires > now:
                heapq.heappush(self._heap, (lease.expires, lease_id))  # renewed since
                continue
            del self._leases[lease_id]
            yield lease

    def next_expiry(self) -> float | None:
        """Return the time at which ``expired`` should be called next; it may be too early, never late."""
        return self._heap[0][0] if self._heap else None

    def restore(self, leases: Iterable[Lease], now: float) -> None:
        """Take over the leases found in the ledger, each with its full duration.

        Nobody could renew while the yard was down, so nobody may be punished for not renewing.
        """
        for lease in leases:
            lease.expires = now + self._duration
            self._leases[lease.id] = lease
            heapq.heappush(self._heap, (lease.expires, lease.id))
            if lease.id.epoch == self._epoch:
                self._serial = max(self._serial, lease.id.serial)

    def _valid(self, lease_id: LeaseId, now: float) -> Lease:
        lease = self._leases.get(lease_id)
        if lease is None or lease.expires <= now:
            raise LeaseGone("expired or ended")
        return lease
