"""The small pieces that every text for people is made of. Foreign text enters only through these."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from kbtui.model import Notice, TotalRelation, Truncation
from kbtui.text import cell_width, clip, safe_line

WIDTH = 80
"""Texts are laid out for this width whatever the terminal: the same bytes in a pipe and on a screen."""


def one_line(foreign: str, width: int = WIDTH) -> str:
    """Return foreign text as one safe line of at most ``width`` cells."""
    return clip(safe_line(foreign), width)


def table(rows: Sequence[Sequence[str]], aligned: str, indent: str = "") -> list[str]:
    """Return rows as lines, columns two spaces apart; ``aligned`` has ``<`` or ``>`` for each column.

    The texts are ours or safe already.
    """
    widths = [max(cell_width(row[column]) for row in rows) for column in range(len(aligned))]
    lines = []
    for row in rows:
        cells = [
            " " * (width - cell_width(cell)) + cell if side == ">" else cell + " " * (width - cell_width(cell))
            for cell, side, width in zip(row, aligned, widths, strict=True)
        ]
        lines.append(indent + "  ".join(cells).rstrip())
    return lines


def folded(sentence: str, indent: str = "", hanging: str = "  ") -> list[str]:
    """Return a sentence, made safe, in lines of the width; words are never cut."""
    return wrap(
        safe_line(sentence),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )


def at_least(number: int, relation: TotalRelation) -> str:
    """Return a total as exactly as it is known."""
    return {"eq": f"{number:,}", "gte": f"at least {number:,}", "unknown": f"about {number:,}"}[relation]


def plural(number: int, one: str, many: str = "") -> str:
    """Return a count with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def share(part: int, whole: int) -> str:
    """Return a share in percent; never 100% before it is, nor 0% when there is something."""
    if part >= whole:
        return "100%"
    return f"{min(99, max(100 * part // whole, 1 if part else 0))}%"


def notice_lines(notice: Notice) -> list[str]:
    """Return a notice as its severity, what happened and what to do."""
    sentences = (text.rstrip(".") + "." for text in (notice.message, notice.remedy) if text)
    return folded(f"{notice.severity}: {' '.join(sentences)}")


def cut_sentence(cut: Truncation) -> str:
    """Return which bound cut what, how much is left of how much, and the remedy."""
    bound = "none" if cut.limit is None else f"{cut.limit:,}"
    what = f"the {cut.scope}" if cut.scope in ("response", "ranking", "context") else cut.scope
    unit = next((unit for unit in ("bytes", "tokens") if cut.limit_name.endswith(unit)), "documents")
    held = f"{what} holds {cut.shown:,} of {at_least(cut.total, cut.total_relation)} {unit}"
    return f"cut by {cut.limit_name} {bound}: {held}. {cut.remedy}"
