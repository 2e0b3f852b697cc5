"""Asking records of the log again: in numbered batches, of which only the newest counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from textual.message import Message

from kbtui.engine.compare import totals
from kbtui.errors import KbtuiError
from kbtui.model import LogRecord, Replayed
from kbtui.settings import Settings
from kbtui.tui.doors import Library
from kbtui.tui.looks import Look, attempt


class Asked(Message):
    """A record of a numbered batch was asked again."""

    def __init__(self, batch: int, replayed: Replayed) -> None:
        super().__init__()
        self.batch = batch
        self.replayed = replayed


@dataclass(slots=True)
class Replays:
    """What came of asking again, by record; ``left`` of the batch under way are to come, ``many`` it was all shown."""

    found: dict[str, Replayed] = field(default_factory=dict)
    left: int = 0
    many: bool = False
    _batch: int = 0

    def begin(self, pairs: Sequence[tuple[LogRecord, Settings]], *, many: bool) -> Look:
        """Begin a batch: these records, each under its settings; return the look that asks them."""
        self._batch += 1
        self.many, self.left = many, len(pairs)
        if many:
            self.found.clear()
        batch = self._batch

        def look(library: Library) -> Iterator[Message]:
            for record, settings in pairs:
                yield Asked(batch, _replayed(library, record, settings))

        return look

    def take(self, event: Asked) -> bool:
        """Take in what came of a record; say whether it is still wanted."""
        if event.batch != self._batch or not self.left:
            return False
        self.left -= 1
        self.found[event.replayed.record.record_id] = event.replayed
        return True

    def stop(self) -> None:
        """Give up the batch under way; what was found so far is kept."""
        self.left = 0
        self._batch += 1

    def told(self) -> str:
        """Return in words how far it is, or what a whole batch added up to; "" for neither."""
        if self.left:
            return f"asking again, {self.left:,} left, esc stops"
        if not (self.many and self.found):
            return ""
        sums = totals(one.difference for one in self.found.values() if one.difference is not None)
        failed = sum(one.difference is None for one in self.found.values())
        said = f"asked again {len(self.found):,}: {sums.changed:,} changed, {sums.moved:,} moved, "
        said += f"{sums.new:,} new, {sums.out:,} out"
        return said + (f", {failed:,} failed" if failed else "")


def _replayed(library: Library, record: LogRecord, settings: Settings) -> Replayed:
    """Return what came of asking again; what no door has mapped is a failure like another."""
    outcome = attempt(lambda: library.replay(record, settings))
    if isinstance(outcome, KbtuiError):
        return Replayed(record=record, answer=None, difference=None, error=outcome.message)
    return replace(outcome, answer=None)  # it is not shown, and thousands of them would be held
