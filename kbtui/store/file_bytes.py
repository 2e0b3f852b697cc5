"""Which bytes of a file the characters of its safe text stand for, as far as the catalogue knows."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate

from kbtui.model import Entry, Span


class Passages:
    """A document's safe text and the rows of the passages that tile it.

    ``plain`` says that safe text and file differ in line ends only.
    """

    def __init__(self, plain: bool, text: str, entries: tuple[Entry, ...]) -> None:
        self._plain = plain
        self._entries = entries
        self._pieces: list[str] = []
        start = 0
        data = None if text.isascii() else text.encode()
        for entry in entries:
            if data is None:
                piece = text[start : start + entry.size_bytes]
            else:
                piece = data[start : start + entry.size_bytes].decode()
            self._pieces.append(piece)
            start += entry.size_bytes
        self._starts = (0, *accumulate(map(len, self._pieces)))

    def span(self, start: int, end: int) -> tuple[Span, bool]:
        """Return the bytes that these characters stand for, and whether it is exactly those.

        Where the file was made safe, a passage is the least that is known.
        """
        last_start = len(self._pieces) - 1
        first, first_exact = self._byte(min(bisect_right(self._starts, start) - 1, last_start), start, ending=False)
        last, last_exact = self._byte(max(0, bisect_left(self._starts, end) - 1), end, ending=True)
        return Span(start=first, end=max(first, last)), first_exact and last_exact

    def _byte(self, index: int, at: int, *, ending: bool) -> tuple[int, bool]:
        """Return the byte that a character of a passage is at; the passage's end of it where that is not known."""
        entry, piece = self._entries[index], self._pieces[index]
        head = piece[: at - self._starts[index]]
        less = entry.span.size_bytes - entry.size_bytes
        if less == 0 and (self._plain or piece.isascii()):  # what is dropped makes less, what is added is not ASCII
            return entry.span.start + len(head.encode()), True
        if self._plain and less == piece.count("\n"):  # each of its lines ends in two characters
            return entry.span.start + len(head.encode()) + head.count("\n"), True
        return (entry.span.end if ending else entry.span.start), False
