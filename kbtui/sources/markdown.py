"""Markdown: headings, and which lines hang together. A line scanner, since all of a corpus passes through it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from kbtui.sources.passages import Outline, Section
from kbtui.text import clip, safe_line

HEADING_CELLS = 200
_HEADING_CHARS = 300

_ATX = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_FENCE = re.compile(r"[ \t]*(?:(`{3,})[^`]*|(~{3,}).*)$")
_RULE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NO_PARAGRAPH = re.compile(r" {0,3}(?:[-*+>|#<`~]|\d+[.)]|$)|\t| {4}")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_EMPHASIS = re.compile(r"(\*{1,3}|`+|~~)(?=\S)(.+?)(?<=\S)\1")

_Path = tuple[tuple[int, str], ...]
"""The headings above a line, each with its level."""


def outline(lines: Sequence[str], first: int = 0) -> Outline:
    """Return the sections of a document from a line on, its title, and the lines of its fenced blocks."""
    sections: list[Section] = []
    joined: set[int] = set()
    path: _Path = ()
    start = body = first
    titles: dict[bool, str] = {}
    fence = ""
    for number in range(first, len(lines)):
        mark = lines[number].lstrip()[:1]
        if fence:
            joined.add(number)
            if mark == fence[0] and _closes(lines[number], fence):
                fence = ""
        elif mark in ("`", "~"):
            fence = _opened(lines[number])
        elif mark in ("#", "=", "-") and (found := _heading(lines, number, first)):
            at, level, heading = found
            if at > start:
                sections.append(_section(lines, (start, body, at), path))
            path = (*(above for above in path if above[0] < level), (level, heading))
            start, body = at, number + 1
            titles.setdefault(level == 1, heading)
    if len(lines) > start:
        sections.append(_section(lines, (start, body, len(lines)), path))
    return Outline(
        sections=tuple(sections), joined=frozenset(joined), title=titles.get(True) or titles.get(False) or ""
    )


def prose(lines: Sequence[str], outlined: Outline, first: int = 0) -> str:
    """Return the lines from one on, outside of fenced blocks: what an author says, not what is quoted."""
    if not outlined.joined:
        return "".join(lines[first:])
    return "".join(lines[number] for number in range(first, len(lines)) if number not in outlined.joined)


def _section(lines: Sequence[str], rows: tuple[int, int, int], path: _Path) -> Section:
    first, body, last = rows
    return Section(
        first=first,
        last=last,
        heading=tuple(heading for _, heading in path if heading),
        bare=all(lines[number].isspace() for number in range(body, last)),
    )


def _heading(lines: Sequence[str], number: int, first: int) -> tuple[int, int, str] | None:
    """Return a heading that ends in this line: the line it starts in, its level, its words."""
    line = lines[number].rstrip("\r\n")
    atx = _ATX.match(line)
    if atx:
        return number, len(atx.group(1)), _words(line[atx.end() :])
    if not _RULE.match(line) or number == first or _NO_PARAGRAPH.match(lines[number - 1].rstrip("\r\n")):
        return None
    if number - 1 > first and not lines[number - 2].isspace() and not _ATX.match(lines[number - 2].rstrip("\r\n")):
        return None  # more than one line above: far more often a rule or a table than a heading
    return number - 1, 1 if "=" in line else 2, _words(lines[number - 1])


@lru_cache(maxsize=1024)
def _words(written: str) -> str:
    """Return a heading as it reads: without the marks of links, code and emphasis."""
    plain = written[:_HEADING_CHARS].strip()
    unclosed = plain.rstrip("#")
    if unclosed != plain and (not unclosed or unclosed[-1].isspace()):
        plain = unclosed
    return clip(safe_line(_EMPHASIS.sub(r"\2", _LINK.sub(r"\1", plain))), HEADING_CELLS)


def _opened(line: str) -> str:
    """Return the mark that a line opens a fenced block with, "" when it opens none."""
    fence = _FENCE.match(line.rstrip("\r\n"))
    return (fence.group(1) or fence.group(2)) if fence else ""


def _closes(line: str, fence: str) -> bool:
    mark = line.strip()
    return mark.startswith(fence) and not mark.strip(fence[0])
