"""Charge: what a document's block costs as passages are granted to it, header and marks included.

Units: bytes are exact. Tokens are sums with one more for each join, since joining changes them; a whole document is
charged with the count of its whole text.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable
from itertools import accumulate

from kbtui.engine import frame
from kbtui.model import Cost, Document, Entry

Count = Callable[[str], int]
"""The token counter: a pure function of the text."""

NOTHING = Cost(size_bytes=0, tokens=0)

_JOINS_CHARGED = 2  # one token each: the header with the text, the text with the line end
_JOINS_SAVING = 3  # those two, and the block with the next one


class Block:
    """A document's block; it costs nothing before its first grant. Passages without text are no part of it."""

    def __init__(self, rank: int, document: Document, entries: tuple[Entry, ...], count: Count) -> None:
        self.rank = rank
        self.document = document
        self.entries = tuple(entry for entry in entries if entry.size_bytes)
        self.granted: list[int] = []
        self.cost = NOTHING
        self._count = count
        self._ends = (0, *accumulate(entry.size_bytes for entry in self.entries))
        self._frame = framing(rank, document, count)
        self._with_marks = NOTHING
        self._asked: tuple[int, Cost] | None = None

    @property
    def whole(self) -> Cost:
        """The cost of the whole document."""
        if not self.entries:
            return NOTHING
        return self._frame + Cost(size_bytes=self._ends[-1], tokens=self.document.tokens)

    @property
    def text_bytes(self) -> tuple[int, int]:
        """The bytes of text granted and of the whole text, without header and marks."""
        return sum(self.entries[index].size_bytes for index in self.granted), self._ends[-1]

    @property
    def whole_tokens_at_least(self) -> int:
        """The fewest tokens the whole document adds to a context, should every join save one."""
        return max(0, self.whole.tokens - _JOINS_CHARGED - _JOINS_SAVING)

    @property
    def complete(self) -> bool:
        """Whether every passage is granted."""
        return len(self.granted) == len(self.entries)

    def fresh(self) -> Block:
        """Return the same block with nothing granted."""
        return Block(self.rank, self.document, self.entries, self._count)

    def cost_with(self, index: int) -> Cost:
        """Return what the block would cost with one more passage."""
        return self.whole if len(self.granted) + 1 == len(self.entries) else self._marked_with(index)

    def grant(self, index: int) -> None:
        """Grant a passage."""
        self._with_marks = self._marked_with(index)
        self._asked = None
        insort(self.granted, index)
        self.cost = self.whole if self.complete else self._with_marks

    def _marked_with(self, index: int) -> Cost:
        """Return the cost in which the gap that the passage falls into becomes at most two.

        Remembered until the next grant: what fits is granted right after it was asked for.
        """
        if self._asked is None or self._asked[0] != index:
            self._asked = (index, self._marked_anew(index))
        return self._asked[1]

    def _marked_anew(self, index: int) -> Cost:
        at = bisect_left(self.granted, index)
        left = self.granted[at - 1] + 1 if at else 0
        right = self.granted[at] if at < len(self.granted) else len(self.entries)
        entry = self.entries[index]
        added = (
            Cost(size_bytes=entry.size_bytes, tokens=entry.tokens + 1)
            + self._mark(left, index)
            + self._mark(index + 1, right)
        )
        return less(self._with_marks, self._mark(left, right)) + added if self.granted else self._frame + added

    def _mark(self, start: int, end: int) -> Cost:
        gap = self._ends[end] - self._ends[start]
        return charge(frame.mark(gap), self._count) if gap else NOTHING


def charge(text: str, count: Count) -> Cost:
    """Return what a piece of the frame costs where it is joined to something."""
    return Cost(size_bytes=len(text.encode()), tokens=count(text) + 1)


def framing(rank: int, document: Document, count: Count) -> Cost:
    """Return what a document's header and the line end after its text cost.

    The header is counted in its two parts: a rank moves often, and what is counted once need not be counted again.
    """
    return ranked(rank, count) + framed(document, count)


def ranked(rank: int, count: Count) -> Cost:
    """Return what the part of a header costs that depends on the rank alone."""
    by_rank = frame.of_rank(rank)
    return Cost(size_bytes=len(by_rank), tokens=count(by_rank))


def framed(document: Document, count: Count) -> Cost:
    """Return what the rest of a header and the line end after the text cost, joined to that text."""
    by_document = frame.of_document(document)
    return Cost(
        size_bytes=len(by_document.encode()) + len(frame.CLOSE),
        tokens=count(by_document) + count(frame.CLOSE) + _JOINS_CHARGED,
    )


def less(one: Cost, other: Cost) -> Cost:
    """Return the difference of two costs."""
    return Cost(size_bytes=one.size_bytes - other.size_bytes, tokens=one.tokens - other.tokens)
