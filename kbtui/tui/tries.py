"""Tries: settings somebody has tried on a question, each with a name and what came of it; and differences in lines."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from kbtui import text
from kbtui.engine.compare import compare, ranking
from kbtui.model import Answer, Comparison, Move
from kbtui.settings import Settings
from kbtui.tui.columns import cut_words
from kbtui.tui.figures import short
from kbtui.tui.ink import Line, one
from kbtui.tui.knobs import shown
from kbtui.tui.list_view import told

_CHANGES = {"moved": "accent", "new": "boost", "out": "penalty", "same": "dim"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """Settings with a name, and the answer they gave."""

    name: str
    settings: Settings
    answer: Answer

    def numbers(self, against: Answer | None) -> str:
        """Return what came of it: documents kept, what they cost, and how far it is from another answer."""
        usage = self.answer.usage
        said = f"{usage.items} kept  {short(usage.size_bytes)} B  {short(usage.tokens)} tok"
        difference = differ(against, self.answer)
        return f"{said}  {told(difference)}" if difference is not None else said


def differ(before: Answer | None, after: Answer | None) -> Comparison | None:
    """Return what is different between two answers to one question; None where they are not.

    What was added by hand is no part of the question.
    """
    if before is None or after is None or replace(before.query, include=after.query.include) != after.query:
        return None
    return compare(ranking(before), ranking(after))


def difference_lines(first: Try, second: Try, width: int) -> list[Line]:
    """Return two tries side by side: their settings where they differ, their numbers, and every move."""
    difference = differ(first.answer, second.answer)
    if difference is None:
        return [((f"{first.name} and {second.name} answer two questions; they cannot be compared.", "cut"),)]
    half = max(8, (width - 24) // 2)
    lines: list[Line] = [
        ((told(difference), "strong"),),
        (),
        (("", ""), one("", 22), one(first.name, half, "head"), one(second.name, half, "head")),
    ]
    for name, before, after in _numbers(first.answer, second.answer):
        lines.append((one(name, 22, "dim"), one(before, half), one(after, half, "" if before == after else "accent")))
    keys = dict.fromkeys((*second.settings.differing(first.settings), *first.settings.differing(second.settings)))
    for key in keys:
        values = (shown(key, first.settings.get(key)), shown(key, second.settings.get(key)))
        lines.append((one(key, 22), one(values[0], half), one(values[1], half, "accent")))
    if difference.changes:
        lines += [(), (("was  is   change", "dim"),)]
    lines.extend(move_line(move, width) for move in difference.changes)
    return lines


def _numbers(first: Answer, second: Answer) -> list[tuple[str, str, str]]:
    pairs = ((_kept(first), _kept(second)), (_cost(first), _cost(second)))
    return [(name, before, after) for name, (before, after) in zip(("documents", "context"), pairs, strict=True)]


def _kept(answer: Answer) -> str:
    counts = Counter(row.allocation.decision for row in answer.rows)
    return ", ".join(f"{counts[fate]} {fate}" for fate in ("whole", "trimmed", "dropped") if counts[fate]) or "none"


def _cost(answer: Answer) -> str:
    return f"{answer.usage.size_bytes:,} B, {answer.usage.tokens:,} tok"


def move_line(move: Move, width: int) -> Line:
    """Return where a document was and is, and how the budget treats it now."""
    before, after = move.before, move.after
    known = after or before
    title = (known.title or move.doc_id) if known is not None else move.doc_id
    fates = (
        " → ".join(cut_words(each.fate, each.kept_bytes) for each in (before, after))
        if move.recut and before is not None and after is not None
        else ""
    )
    words = "same" if move.change == "same" else move.change
    said = f"{before.rank if before else '-':>3}  {after.rank if after else '-':>3}  {words:<6} {fates}"
    said += " " if fates else ""
    return ((text.clip(said, width), _CHANGES[move.change]), one(title, max(0, width - text.cell_width(said))))
