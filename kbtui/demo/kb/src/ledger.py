"""The append-only ledger: records, segments and recovery (ADR-0008).

A record is framed with its length and a checksum. The end of the newest segment may be torn by a
crash and is cut off there; a bad record anywhere else stops the yard, because it means that the disk
has changed something that was already acknowledged.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MAGIC = b"HBLG\x02"
HEADER = struct.Struct("<5sIQ")
FRAME = struct.Struct("<II")
KINDS = (
    "pushed",
    "leased",
    "renewed",
    "failed",
    "released",
    "done",
    "sided",
    "replayed",
    "discarded",
    "paused",
    "resumed",
    "fired",
    "epoch",
)


class LedgerDamaged(Exception):
    """A record that was acknowledged cannot be read back."""


@dataclass(frozen=True)
class Record:
    """One fact about a load, a lane or the yard."""

    serial: int
    kind: str
    time: float
    data: dict[str, object]

    def packed(self) -> bytes:
        """Return the record as it stands in a segment."""
        body = json.dumps([self.serial, KINDS.index(self.kind), self.time, self.data], separators=(",", ":")).encode()
        return FRAME.pack(len(body), zlib.crc32(body)) + body


class Ledger:
    """Appends records to the open segment and rolls it when it is full.

    ``append`` only collects. ``sync`` writes what was collected, with one write and one fsync, and
    returns the highest serial number that is now on disk; whoever waits for a lower one may be told.
    """

    def __init__(self, folder: Path, *, epoch: int, segment_bytes: int = 64 * 1024 * 1024) -> None:
        self._folder = folder
        self._epoch = epoch
        self._segment_bytes = segment_bytes
        self._pending: list[bytes] = []
        self._serial = 0
        self._synced = 0
        self._file = -1
        self._size = 0
        folder.mkdir(parents=True, exist_ok=True)

    def append(self, kind: str, time: float, **data: object) -> int:
        """Collect a record and return its serial number; it is not on disk until ``sync``."""
        if kind not in KINDS:
            raise ValueError(f"no record of kind {kind!r}")
        self._serial += 1
        self._pending.append(Record(self._serial, kind, time, data).packed())
        return self._serial

    def sync(self) -> int:
        """Write and fsync everything collected so far."""
        if self._pending:
            if self._file < 0 or self._size >= self._segment_bytes:
                self._roll()
            blob = b"".join(self._pending)
            self._pending.clear()
            written = 0
            while written < len(blob):  # a short write is allowed to happen
                written += os.write(self._file, blob[written:])
            os.fsync(self._file)
            self._size += len(blob)
            self._synced = self._serial
        return self._synced

    def recover(self) -> Iterator[Record]:
        """Yield every record on disk in order, and cut off a torn end."""
        segments = sorted(self._folder.glob("*.seg"))
        for path in segments:
            last = path == segments[-1]
            end = yield from self._read(path, may_be_torn=last)
            if last:
                os.truncate(path, end)
                self._file = os.open(path, os.O_WRONLY | os.O_APPEND)
                self._size = end
        self._synced = self._serial

    def close(self) -> None:
        """Sync what is left and close the open segment."""
        self.sync()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _read(self, path: Path, *, may_be_torn: bool) -> Iterator[Record]:
        data = path.read_bytes()
        if len(data) < HEADER.size:
            if may_be_torn:
                return 0
            raise LedgerDamaged(f"{path.name}: no header")
        magic, _epoch, _first = HEADER.unpack_from(data)
        if magic != MAGIC:
            raise LedgerDamaged(f"{path.name}: written by another release ({magic!r})")
        at = HEADER.size
        while at < len(data):
            frame = data[at : at + FRAME.size]
            length, checksum = FRAME.unpack(frame) if len(frame) == FRAME.size else (0, -1)
            body = data[at + FRAME.size : at + FRAME.size + length]
            if len(body) != length or checksum != zlib.crc32(body):
                if may_be_torn:
                    return at
                raise LedgerDamaged(f"{path.name}: bad record at byte {at:,}; restore it from the standby")
            serial, kind, time, fields = json.loads(body)
            self._serial = serial
            yield Record(serial, KINDS[kind], time, fields)
            at += FRAME.size + length
        return at

    def _roll(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        first = self._synced + 1
        path = self._folder / f"{first:016d}.seg"
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        header = HEADER.pack(MAGIC, self._epoch, first)
        os.write(self._file, header)
        self._size = len(header)
        folder = os.open(self._folder, os.O_RDONLY)
        os.fsync(folder)  # the new name must survive the crash too
        os.close(folder)
