"""Plain text: paragraphs, and nothing that could be taken for a heading."""

from __future__ import annotations

from collections.abc import Sequence

from kbtui.sources.passages import Outline, Section


def outline(lines: Sequence[str], first: int = 0) -> Outline:
    """Return everything from a line on as one section, which is cut at blank lines."""
    sections = (Section(first=first, last=len(lines)),) if len(lines) > first else ()
    return Outline(sections=sections)
