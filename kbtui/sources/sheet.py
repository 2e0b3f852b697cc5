"""A document laid out in lines with their sizes, and how a line that is too long is cut."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate

import regex

from kbtui.text import made_safe, safe

_CACHED_CHARS = 16

_GRAPHEME = regex.compile(r"\X")
_LINE = regex.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")

Atom = tuple[int, int, int]
"""What is not cut any more: start, end (characters) and size (bytes of safe text)."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A document's lines with their sizes; ``clean`` when its text is safe but for its line ends."""

    text: str
    lines: tuple[str, ...]
    clean: bool
    starts: tuple[int, ...] = field(init=False)
    sizes: tuple[int, ...] = field(init=False)
    totals: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", (0, *accumulate(map(len, self.lines))))
        object.__setattr__(self, "sizes", tuple(map(self.size, self.lines)))
        object.__setattr__(self, "totals", (0, *accumulate(self.sizes)))

    def cost(self, first: int, last: int) -> int:
        """Return the bytes of a range of lines."""
        return self.totals[last] - self.totals[first]

    @property
    def bare_lines(self) -> tuple[str, ...]:
        """The lines without the file's byte order mark, as a reader wants them."""
        if not self.text.startswith("\ufeff"):
            return self.lines
        return (self.lines[0].removeprefix("\ufeff"), *self.lines[1:])

    @classmethod
    def of(cls, text: str) -> Sheet:
        """Lay a text out in lines; only line feeds and carriage returns end one, as in an editor."""
        if "\r" in text:
            rows = _LINE.findall(text)
        else:
            *whole, rest = text.split("\n")
            rows = [line + "\n" for line in whole] + ([rest] if rest else [])
        return cls(text, tuple(rows), made_safe(text) == 0)

    def size(self, part: str) -> int:
        """Return the bytes of a part: of its safe text, or as it is when that is more."""
        if self.clean:
            return len(part) if part.isascii() else len(part.encode())
        return _size(part) if len(part) < _CACHED_CHARS else _size.__wrapped__(part)


@lru_cache(maxsize=8192)
def _size(part: str) -> int:
    """Return the size of text that is not safe; few graphemes make up most of a text, so they are remembered."""
    return max(len(safe(part).encode()), len(part.encode("utf-8", "surrogatepass")))


def parts(sheet: Sheet, start: int, end: int, aim: int) -> Iterator[Atom]:
    """Yield the lines in a range of characters, those that are longer than a passage is to be in parts."""
    line = bisect_right(sheet.starts, start) - 1
    while start < end:
        stop = min(end, sheet.starts[line + 1])
        if stop - start == len(sheet.lines[line]) and sheet.sizes[line] <= aim:
            yield start, stop, sheet.sizes[line]
        else:
            yield from _line_parts(sheet, start, stop, aim)
        start, line = stop, line + 1


def _line_parts(sheet: Sheet, start: int, end: int, aim: int) -> Iterator[Atom]:
    """Cut a line that is too long, after a space where there is one, else between two graphemes."""
    while start < end:
        stop, size = _plain_stop(sheet, start, end, aim) or _grapheme_stop(sheet, start, end, aim)
        yield start, stop, size
        start = stop


def _plain_stop(sheet: Sheet, start: int, end: int, aim: int) -> tuple[int, int] | None:
    """Return where to cut plain ASCII, and the size up to there; None when it is not plain."""
    ahead = sheet.text[start : min(start + aim + 1, end)]
    if not sheet.clean or not ahead.isascii():
        return None
    if len(ahead) <= aim:
        return end, len(ahead)
    size = ahead.rfind(" ", aim // 2, aim) + 1 or aim
    return start + size, size


def _grapheme_stop(sheet: Sheet, start: int, end: int, aim: int) -> tuple[int, int]:
    """Return where to cut any text, and the size up to there; a single grapheme is never cut."""
    size, space = 0, (0, 0)
    for grapheme in _GRAPHEME.finditer(sheet.text, start, end):
        more = sheet.size(grapheme.group())
        if size and size + more > aim:
            return space if space[1] > aim // 2 else (grapheme.start(), size)
        size += more
        if grapheme.group().isspace():
            space = (grapheme.end(), size)
    return end, size
