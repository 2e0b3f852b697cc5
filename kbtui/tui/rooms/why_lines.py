"""Why a document is missing, as lines: the sentences of `kbtui why`, laid out for a screen. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from kbtui import text
from kbtui.model import Change, Gap, Why
from kbtui.render.why import change_cells, changes_sentence, depth_cells, gap_sentence, setting_value, verdict
from kbtui.tui.figures import stretch
from kbtui.tui.ink import Line, one

_INDENT = "    "
_NAMES, _NUMBER = 24, 11
BAR = 20
"""Cells of the bar beside a term's difference, where there is room for one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyLines:
    """All lines, and for each change the line that it begins at."""

    lines: list[Line]
    starts: list[int]


def why_lines(why: Why, width: int, *, waiting: bool, inactive: str = "") -> WhyLines:
    """Return the verdict, the changes that bring the document in, its score beside the last one's, and its pools.

    ``inactive`` is the key that lets it in where it is missing only because it is inactive.
    """
    document = why.document
    title = document.title if document is not None and document.title else why.doc_id
    kind = f"  {document.source_type}" if document is not None else ""
    lines: list[Line] = [((text.safe_line(title), "strong"), (text.safe(kind), "dim")), ()]
    for sentence in verdict(why):
        said, colon, rest = text.safe_line(sentence).partition(": ")
        lines.append(((said + colon, "cut" if why.stage != "answer" else "boost"), (rest, "")))
    if inactive:
        lines.append((("Here: ", "boost"), (f"press {inactive}: inactive documents are asked, too, and it is in.", "")))
    starts: list[int] = []
    if why.runs:
        lines += [(), ((text.safe_line(changes_sentence(why)), "head"),)]
        keys = max((text.cell_width(text.safe_line(change.key)) for change in why.changes), default=0)
        for change in why.changes:
            starts.append(len(lines))
            lines += _change(change, min(keys, max(8, width - 40)))
    elif waiting:
        lines += [(), (("What brings it in: being tried …", "head"),)]
    if why.gap is not None:
        lines += [(), *_gap(why.gap, width, scored=why.row is not None)]
    if why.depths:
        lines += [(), *_depths(why)]
    return WhyLines(lines=lines, starts=starts)


def _change(change: Change, keys: int) -> list[Line]:
    steps, place, cost = change_cells(change)
    return [
        (
            ("  ", ""),
            one(change.key, keys, "strong"),
            (f"  {setting_value(change.before)} → {setting_value(change.after)}", "accent"),
            (f"  {steps}", "dim"),
            (f"  {place}", ""),
        ),
        ((_INDENT, ""), (text.safe_line(cost), "penalty" if change.out else "dim")),
    ]


def _gap(gap: Gap, width: int, *, scored: bool) -> list[Line]:
    """Return both scores term by term, with the difference as a bar where there is room."""
    lines: list[Line] = [((text.safe_line(gap_sentence(gap, scored=scored)), "head"),)]
    names = min(_NAMES, max(8, width - 3 * _NUMBER - 3))
    heads = f"{'this':>{_NUMBER}}{f'rank {gap.rank}':>{_NUMBER}}{'difference':>{_NUMBER}}"
    lines.append((("  " + " " * names + heads, "dim"),))
    room = BAR if width >= names + 3 * _NUMBER + BAR + 4 else 0
    largest = max((abs(term.value - term.other) for term in gap.terms), default=0.0)
    for term in gap.terms:
        lines.append(_terms(term.name, term.value, term.other, names, room, largest))
    lines.append(_terms("score", gap.score, gap.other_score, names, 0, 0.0))
    return lines


def _terms(name: str, value: float, other: float, names: int, room: int, largest: float) -> Line:
    apart = round(value - other, 6) + 0.0  # no minus zero
    ink = "penalty" if apart < 0 else "boost" if apart > 0 else "dim"
    line: Line = (
        ("  ", ""),
        one(name, names, "strong" if name == "score" else ""),
        (f"{value:>+{_NUMBER}.4f}{other:>+{_NUMBER}.4f}", ""),
        (f"{apart:>+{_NUMBER}.4f}", ink),
    )
    if not room or largest <= 0:
        return line
    share = apart / largest / 2
    before, drawn, after = stretch(0.5 + min(0.0, share), 0.5 + max(0.0, share), room)
    return (*line, ("  " + before, ""), (drawn, ink), (after, ""))


def _depths(why: Why) -> list[Line]:
    """Return the document's true rank in each pool beside the rank that the pool ended at."""
    lines: list[Line] = [
        (("Its place in the pools of its tier:", "head"),),
        ((f"  {'pool':<12}{'retriever':<11}{'rank':>10}{'k':>7}{'documents':>11}", "dim"),),
    ]
    for depth in why.depths:
        tier, retriever, rank, k, total = depth_cells(depth)
        reached = depth.rank is not None and depth.rank <= depth.k
        lines.append(
            (
                ("  ", ""),
                one(tier, 12),
                one(retriever, 11),
                (f"{rank:>10}", "boost" if reached else "penalty"),
                (f"{k:>7}{total:>11}", ""),
                (f"  {text.safe_line(depth.detail)}" if depth.detail else "", "dim"),
            )
        )
    return lines
