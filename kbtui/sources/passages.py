"""Cut a document into passages that tile it: at headings, paragraphs, lines, words, graphemes, in that order.

A reader says which lines make a section and which lines belong together; this module alone decides how
large a passage is. Every cut is at a grapheme boundary, so the safe texts of passages add up to the
safe text of the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from kbtui.sources.sheet import Atom, Sheet, parts
from kbtui.text import safe

AIM = 1000
"""Bytes that a passage is to have."""

WHOLE = 1400
"""Bytes up to which a section stays one passage: two halves of it would be small."""

MOST = 2000
"""Bytes that a passage has at most."""

DENSE = 640
"""Estimated tokens above which a passage is cut again, so that none has over 800."""

FEW = 700
"""Bytes of a passage that is full of tokens: a token is a byte at least."""

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


_TOKENLIKE = re.compile(r"[A-Z]?[a-z]{1,7}|[A-Z]{1,2}|\d{1,3}|[^\sA-Za-z\d\x80-\U0010ffff]{1,2}|\n+|[^\x00-\x7f]")
_RARER = re.compile(r"[\u0800-\U0010ffff]")
_RAREST = re.compile(r"[\U00010000-\U0010ffff]")


def cut(sheet: Sheet, outline: Outline) -> Iterator[Piece]:
    """Yield the passages of a document in order; together they are all of it."""
    for section in _gathered(sheet, outline):
        for start, end in _ranges(sheet, section, outline.joined):
            text = safe(sheet.text[start:end])
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
    if total <= WHOLE:
        ranges = [(sheet.starts[section.first], sheet.starts[section.last], total)]
    else:
        ranges = _packed(_atoms(sheet, section, joined), total, AIM, MOST)
    for start, end, size in ranges:
        if size > FEW and _tokens_about(sheet.text[start:end]) > DENSE:
            yield from ((first, last) for first, last, _ in _packed(parts(sheet, start, end, FEW), size, FEW, FEW))
        elif end > start:
            yield start, end


def _packed(atoms: Iterable[Atom], total: int, aim: int, most: int) -> list[Atom]:
    """Return atoms joined into ranges of about the same size, none above the most but for a single atom."""
    packed: list[Atom] = []
    left = total
    for start, end, size in atoms:
        target = left / max(1, round(left / aim))
        if packed and _fits(packed[-1][2], size, target, most):
            packed[-1] = (packed[-1][0], end, packed[-1][2] + size)
            continue
        if packed:
            left -= packed[-1][2]
        packed.append((start, end, size))
    return packed


def _fits(held: int, size: int, target: float, most: int) -> bool:
    """Say whether the next part goes into the passage at hand: nearer to the target with it, or else a crumb."""
    if held + size > most:
        return False
    return held + size / 2 <= target or min(held, size) < TINY


def _atoms(sheet: Sheet, section: Section, joined: frozenset[int]) -> Iterator[Atom]:
    """Yield what is not cut: paragraphs, of one that is too large its fenced blocks and lines, parts of lines."""
    for first, last in _blocks(sheet, section, joined):
        if sheet.cost(first, last) <= MOST:
            yield sheet.starts[first], sheet.starts[last], sheet.cost(first, last)
            continue
        for start, stop in _fences(first, last, joined):
            if sheet.cost(start, stop) <= MOST:
                yield sheet.starts[start], sheet.starts[stop], sheet.cost(start, stop)
            else:
                yield from parts(sheet, sheet.starts[start], sheet.starts[stop], AIM)


def _fences(first: int, last: int, joined: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Yield the fenced blocks in a range of lines, and every other line by itself."""
    start = first
    for line in range(first + 1, last):
        if line not in joined:
            yield start, line
            start = line
    yield start, last


def _tokens_about(text: str) -> int:
    """Estimate the tokens of a text from above: words, digits by threes, signs; more for rarer scripts."""
    plain = len(_TOKENLIKE.findall(text))
    return plain if text.isascii() else plain + len(_RARER.findall(text)) + 2 * len(_RAREST.findall(text))


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
