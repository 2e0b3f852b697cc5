"""Cut a document into passages that tile it: at headings, paragraphs, lines, words, graphemes, in that order.

A reader says which lines make a section and which lines belong together; this module alone decides how
large a passage is. Every cut is at a grapheme boundary, so the safe texts of passages add up to the
safe text of the document.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, takewhile

import regex

from kbtui.text import safe

AIM = 1000
"""Bytes that a passage is to have."""

WHOLE = 1400
"""Bytes up to which a section stays one passage: two halves of it would be small."""

MOST = 2000
"""Bytes that a passage has at most."""

DENSE = 640
"""Estimated tokens above which a passage that is larger than the aim is cut again, so that none has over 800."""

TINY = 200
"""Bytes below which neighbouring sections of one parent share a passage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Lines under one heading: ``first`` to before ``last``; ``bare`` when it is little but a heading."""

    first: int
    last: int
    heading: tuple[str, ...] = ()
    searchable: bool = True
    bare: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """What a reader understood of a document: its sections, and the lines that go on with the one before.

    ``symbols`` when headings are names in code: a tiny function without a class stays one passage, under its name.
    """

    sections: tuple[Section, ...]
    joined: frozenset[int] = frozenset()
    title: str = ""
    symbols: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A passage as a range of characters, with its safe text."""

    start: int
    end: int
    heading: tuple[str, ...]
    text: str
    searchable: bool


_GRAPHEME = regex.compile(r"\X")
_TOKENLIKE = re.compile(r"[A-Z]?[a-z]{1,7}|[A-Z]{1,2}|\d{1,3}|[^\sA-Za-z\d\x80-\U0010ffff]{1,2}|\n|[^\x00-\x7f]")
_RARER = re.compile(r"[\u0800-\U0010ffff]")
_LINE = regex.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")

_Atom = tuple[int, int, int]
"""What is not cut any more: start, end (characters) and size (bytes of safe text)."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A document's lines with their sizes; ``clean`` when its text is safe as it is."""

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

    @classmethod
    def of(cls, text: str) -> Sheet:
        """Lay a text out in lines; only line feeds and carriage returns end one, as in an editor."""
        lines = text.split("\n") if "\r" not in text else []
        if lines:
            rows = [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
        else:
            rows = _LINE.findall(text)
        return cls(text, tuple(rows), safe(text) == text)

    def size(self, part: str) -> int:
        """Return the bytes of a part: of its safe text, or as it is when that is more."""
        if self.clean:
            return len(part) if part.isascii() else len(part.encode())
        return max(len(safe(part).encode()), len(part.encode("utf-8", "surrogatepass")))


def cut(sheet: Sheet, outline: Outline) -> Iterator[Piece]:
    """Yield the passages of a document in order; together they are all of it."""
    for section in _gathered(sheet, outline):
        for start, end in _ranges(sheet, section, outline.joined):
            text = sheet.text[start:end] if sheet.clean else safe(sheet.text[start:end])
            yield Piece(
                start=start,
                end=end,
                heading=section.heading,
                text=text,
                searchable=section.searchable and bool(text) and not text.isspace(),
            )


def _gathered(sheet: Sheet, outline: Outline) -> Iterator[Section]:
    """Join what is too small to be a passage: tiny sections, one after another, share one under their parent."""
    held: Section | None = None
    tiny = False
    for section in _headed(outline.sections):
        small = section.searchable and sheet.cost(section.first, section.last) < TINY
        shared = _shared(held, section) if held and small and tiny else None
        if (
            held
            and shared is not None
            and (shared or not outline.symbols)
            and sheet.cost(held.first, section.last) <= AIM
        ):
            held = replace(held, last=section.last, heading=shared)
            continue
        if held:
            yield held
        held, tiny = section, small
    if held:
        yield held


def _shared(one: Section, other: Section) -> tuple[str, ...] | None:
    """Return the heading above two sections that are siblings or parent and child, else None."""
    pairs = zip(one.heading, other.heading, strict=False)
    shared = tuple(heading for heading, also in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return shared if len(shared) >= max(len(one.heading), len(other.heading)) - 1 else None


def _headed(sections: Sequence[Section]) -> Iterator[Section]:
    """Join a bare heading with the section below it, and blank lines before a heading with that one."""
    held: Section | None = None
    for section in sections:
        current = section
        if held and held.searchable == section.searchable and section.heading[: len(held.heading)] == held.heading:
            current = replace(section, first=held.first)
        elif held:
            yield held
        held = current if current.bare else None
        if held is None:
            yield current
    if held:
        yield held


def _ranges(sheet: Sheet, section: Section, joined: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Yield the character ranges of a section's passages, about equal in size."""
    total = sheet.cost(section.first, section.last)
    if total <= WHOLE and section.last > section.first:
        yield sheet.starts[section.first], sheet.starts[section.last]
        return
    target = total / max(1, round(total / AIM))
    for start, end, size in _packed(_atoms(sheet, section, joined), target, MOST):
        if size > AIM and _tokens_about(sheet.text[start:end]) > DENSE:
            lines = range(bisect_right(sheet.starts, start) - 1, bisect_left(sheet.starts, end))
            parts = _packed(_line_atoms(sheet, lines, AIM), AIM, AIM)
            yield from ((max(start, part), min(end, stop)) for part, stop, _ in parts if part < end and stop > start)
        else:
            yield start, end


def _packed(atoms: Iterable[_Atom], target: float, most: int) -> list[_Atom]:
    """Return atoms joined into ranges of about a target size, none above the most but for a single atom."""
    packed: list[_Atom] = []
    for start, end, size in atoms:
        if packed and _fits(packed[-1][2], size, target, most):
            packed[-1] = (packed[-1][0], end, packed[-1][2] + size)
        else:
            packed.append((start, end, size))
    return packed


def _fits(held: int, size: int, target: float, most: int) -> bool:
    """Say whether the next part goes into the passage at hand: nearer to the target with it, or else a crumb."""
    if held + size > most:
        return False
    return held + size / 2 <= target or min(held, size) < TINY


def _atoms(sheet: Sheet, section: Section, joined: frozenset[int]) -> Iterator[_Atom]:
    """Yield what is not cut: paragraphs, the lines of one that is too large, the parts of a line that is."""
    for first, last in _blocks(sheet, section, joined):
        size = sheet.cost(first, last)
        if size <= MOST:
            yield sheet.starts[first], sheet.starts[last], size
            continue
        yield from _line_atoms(sheet, range(first, last), MOST)


def _line_atoms(sheet: Sheet, lines: range, most: int) -> Iterator[_Atom]:
    """Yield lines, and the parts of those that are too long."""
    for line in lines:
        if sheet.sizes[line] <= most:
            yield sheet.starts[line], sheet.starts[line + 1], sheet.sizes[line]
        else:
            yield from _line_parts(sheet, sheet.starts[line], sheet.starts[line + 1])


def _tokens_about(text: str) -> int:
    """Estimate the tokens of a text from above: words, digits by threes, signs; more for rarer scripts."""
    return len(_TOKENLIKE.findall(text)) + len(_RARER.findall(text))


def _blocks(sheet: Sheet, section: Section, joined: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Yield the line ranges of paragraphs with the blank lines behind them."""
    first, blank = section.first, False
    for line in range(section.first, section.last):
        now_blank = sheet.lines[line].isspace()
        if blank and not now_blank and line not in joined and line > first:
            yield first, line
            first = line
        blank = now_blank
    if section.last > first:
        yield first, section.last


def _line_parts(sheet: Sheet, start: int, end: int) -> Iterator[_Atom]:
    """Cut a line that is too long, after a space where there is one, else between two graphemes."""
    while start < end:
        stop, size = _plain_stop(sheet, start, end) or _grapheme_stop(sheet, start, end)
        yield start, stop, size
        start = stop


def _plain_stop(sheet: Sheet, start: int, end: int) -> tuple[int, int] | None:
    """Return where to cut plain ASCII, and the size up to there; None when it is not plain."""
    ahead = sheet.text[start : min(start + AIM + 1, end)]
    if not sheet.clean or not ahead.isascii():
        return None
    if len(ahead) <= AIM:
        return end, len(ahead)
    size = ahead.rfind(" ", AIM // 2, AIM) + 1 or AIM
    return start + size, size


def _grapheme_stop(sheet: Sheet, start: int, end: int) -> tuple[int, int]:
    """Return where to cut any text, and the size up to there; a single grapheme is never cut."""
    size, space = 0, (0, 0)
    for grapheme in _GRAPHEME.finditer(sheet.text, start, end):
        more = sheet.size(grapheme.group())
        if size and size + more > AIM:
            return space if space[1] > AIM // 2 else (grapheme.start(), size)
        size += more
        if grapheme.group().isspace():
            space = (grapheme.end(), size)
    return end, size
