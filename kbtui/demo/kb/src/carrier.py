"""The Python carrier: pulls, keeps its leases alive, reports, and stops politely."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

log = logging.getLogger("hopbarrow.carrier")


class Fail(Exception):
    """Raised by a handler: the attempt has failed, for this reason."""

    def __init__(self, reason: str, *, fatal: bool = False, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.fatal = fatal
        self.retry_after = retry_after


class Transport(Protocol):
    """The five requests of the protocol. Each raises ConnectionError when the yard does not answer."""

    def pull(self, lanes: list[str], slots: int, wait: float) -> list[Job]: ...
    def renew(self, leases: list[str]) -> set[str]: ...
    def done(self, lease: str) -> None: ...
    def fail(self, lease: str, reason: str, fatal: bool, retry_after: float | None) -> None: ...
    def release(self, lease: str) -> None: ...


@dataclass(frozen=True)
class Job:
    """A load as a handler sees it."""

    id: str
    lane: str
    body: bytes
    attempt: int
    lease: str
    expires_in: float


class Carrier:
    """Works on loads in threads. Nothing waits in a buffer: it pulls only for slots that are free."""

    def __init__(self, transport: Transport, *, slots: int = 4, drain: float = 25.0) -> None:
        self._transport = transport
        self._slots = threading.Semaphore(slots)
        self._count = slots
        self._drain = drain
        self._handlers: dict[str, Callable[[Job], None]] = {}
        self._held: dict[str, float] = {}  # lease -> monotonic time of its expiry
        self._lock = threading.Lock()
        self._stop = threading.Event()

    def handles(self, lane: str) -> Callable[[Callable[[Job], None]], Callable[[Job], None]]:
        """Register a handler for a lane."""

        def register(handler: Callable[[Job], None]) -> Callable[[Job], None]:
            self._handlers[lane] = handler
            return handler

        return register

    def run(self) -> None:
        """Pull and work until ``stop`` is called, then drain."""
        heart = threading.Thread(target=self._beat, name="heartbeat", daemon=True)
        heart.start()
        workers: queue.SimpleQueue[threading.Thread] = queue.SimpleQueue()
        while not self._stop.is_set():
            free = self._reserve()
            jobs = self._pull(free)
            for _ in range(free - len(jobs)):
                self._slots.release()
            for job in jobs:
                with self._lock:
                    self._held[job.lease] = time.monotonic() + job.expires_in
                worker = threading.Thread(target=self._work, args=(job,), name=job.id)
                worker.start()
                workers.put(worker)
        self._finish(workers)

    def stop(self) -> None:
        """Stop pulling; handlers that run may finish within ``drain`` seconds."""
        self._stop.set()

    def _reserve(self) -> int:
        self._slots.acquire()
        free = 1
        while free < self._count and self._slots.acquire(blocking=False):
            free += 1
        return free

    def _pull(self, slots: int) -> list[Job]:
        try:
            return self._transport.pull(sorted(self._handlers), slots, wait=30.0)
        except ConnectionError as error:
            log.warning("the yard does not answer: %s", error)
            self._stop.wait(1.0)  # waiting longer is the yard's business, not ours
            return []

    def _work(self, job: Job) -> None:
        handler = self._handlers[job.lane]
        try:
            handler(job)
        except Fail as failure:
            self._report(job, lambda: self._transport.fail(job.lease, str(failure), failure.fatal, failure.retry_after))
        except Exception as error:
            log.exception("load %s, attempt %d", job.id, job.attempt)
            reason = f"{type(error).__name__}: {error}"[:500]
            self._report(job, lambda: self._transport.fail(job.lease, reason, False, None))
        else:
            self._report(job, lambda: self._transport.done(job.lease))
        finally:
            self._slots.release()

    def _report(self, job: Job, send: Callable[[], None]) -> None:
        """Send a report until it is answered or the lease is gone; the yard takes repeats as one."""
        with self._lock:
            expiry = self._held.pop(job.lease, 0.0)
        while time.monotonic() < expiry:
            try:
                send()
            except ConnectionError:
                time.sleep(min(1.0, max(0.0, expiry - time.monotonic())))
            else:
                return
        log.warning("load %s: lease expired, result discarded", job.id)

    def _beat(self) -> None:
        """Renew all leases with one request, every third of the shortest time that is left."""
        while True:
            with self._lock:
                leases = dict(self._held)
            pause = min((expiry - time.monotonic() for expiry in leases.values()), default=60.0) / 3
            time.sleep(max(0.2, pause))
            if not leases:
                continue
            try:
                renewed = self._transport.renew(sorted(leases))
            except ConnectionError:
                continue
            with self._lock:
                for lease in renewed & self._held.keys():
                    self._held[lease] = time.monotonic() + 60.0

    def _finish(self, workers: queue.SimpleQueue[threading.Thread]) -> None:
        deadline = time.monotonic() + self._drain
        while not workers.empty():
            workers.get().join(max(0.0, deadline - time.monotonic()))
        with self._lock:
            left = list(self._held)
        for lease in left:
            self._transport.fail(lease, "drained", False, None)
