"""The query log: what was asked, through which face, under which settings, and what came of it.

JSON Lines beside the generations, appended by one writer at a time. A log that cannot be written never
fails a query: the first reason is kept in ``trouble`` for the face to tell.

::

    STORE/log/queries.jsonl      the newest records
    STORE/log/queries.1.jsonl    those before them; the next rotation drops them
    STORE/log/lock               held while a record is written
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from kbtui.model import LogPage, LogRecord
from kbtui.store.log_lines import line_of, record_of

FOLDER = "log"
NEWEST = "queries.jsonl"
OLDER = "queries.1.jsonl"
LOCK = "lock"
PATIENCE_S = 1.0
"""How long a record waits for another process's; a writer holds the lock for as long as one line takes."""

_PAUSE_S = 0.002


class QueryLog:
    """The log of one store. Thread-safe; with no ``most_bytes`` nothing is written.

    With ``once`` a question is logged when it is asked, and not again before another one was: a face that
    asks anew while a slider moves would push everybody else's records out.
    """

    def __init__(self, store: Path, *, most_bytes: int, once: bool = False) -> None:
        self._folder = store / FOLDER
        self._most_bytes = most_bytes
        self._once = once
        self._last: LogRecord | None = None
        self._lock = Lock()
        self.trouble = ""

    def append(self, record: LogRecord) -> None:
        """Append a record, or keep the reason why it could not be."""
        if not self._most_bytes:
            return
        with self._lock:
            last, self._last = self._last, record
            if self._once and last is not None and last.query == record.query and last.error == record.error:
                return
            try:
                self._write(line_of(record))
            except OSError as error:
                self.trouble = (
                    self.trouble or f"the query log {self._folder} cannot be written: {error.strerror or error}"
                )

    def _write(self, line: bytes) -> None:
        self._folder.mkdir(exist_ok=True)
        with _held(self._folder / LOCK, 0.0 if self.trouble else PATIENCE_S):  # waited for once is enough
            newest = self._folder / NEWEST
            size = newest.stat().st_size if newest.exists() else 0
            if size and size + len(line) > self._most_bytes // 2:
                newest.replace(self._folder / OLDER)
            descriptor = os.open(newest, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
            try:
                _put(descriptor, _after_a_torn_line(descriptor) + line)
            finally:
                os.close(descriptor)


def read_log(store: Path) -> LogPage:
    """Return what is in a store's log, oldest first.

    Errors: OSError for a log that is there and cannot be read.
    """
    lines: list[bytes] = []
    for name in (OLDER, NEWEST):
        path = store / FOLDER / name
        if path.exists():
            lines += path.read_bytes().splitlines()
    return _page(lines)


class LogTail:
    """What is appended to a log from now on, as it comes."""

    def __init__(self, store: Path) -> None:
        self._folder = store / FOLDER
        self._inode, self._offset = self._end()

    def fresh(self) -> LogPage:
        """Return the records since the last look; a line that is not whole yet is left for the next one."""
        lines: list[bytes] = []
        inode, _ = self._end()
        if inode != self._inode:  # rotated: what is left of the file before, then the new one
            lines += self._rest(self._folder / OLDER, self._inode)
            self._inode, self._offset = inode, 0
        lines += self._rest(self._folder / NEWEST, self._inode)
        return _page(lines)

    def _end(self) -> tuple[int, int]:
        try:
            status = (self._folder / NEWEST).stat()
        except FileNotFoundError:
            return 0, 0
        return status.st_ino, status.st_size

    def _rest(self, path: Path, inode: int) -> list[bytes]:
        try:
            with path.open("rb") as file:
                if os.fstat(file.fileno()).st_ino != inode:
                    return []
                if os.fstat(file.fileno()).st_size < self._offset:  # emptied by somebody: from its start again
                    self._offset = 0
                file.seek(self._offset)
                data = file.read()
        except FileNotFoundError:
            return []
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        return whole.splitlines()


def _page(lines: list[bytes]) -> LogPage:
    records = [record_of(line) for line in lines if line.strip()]
    known = tuple(record for record in records if record is not None)
    return LogPage(records=known, damaged=len(records) - len(known))


@contextmanager
def _held(path: Path, patience_s: float) -> Iterator[None]:
    """Hold the lock of the writers.

    Errors: OSError when another process keeps it.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        until = time.monotonic() + patience_s
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise
                time.sleep(_PAUSE_S)
        yield
    finally:
        os.close(descriptor)


def _after_a_torn_line(descriptor: int) -> bytes:
    """Return what has to come before a record: a newline where a killed writer left half a line."""
    size = os.fstat(descriptor).st_size
    return b"" if not size or os.pread(descriptor, 1, size - 1) == b"\n" else b"\n"


def _put(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
