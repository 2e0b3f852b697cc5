"""The list as somebody looks at it: which rows, in which order; what an agent gets is not touched by it. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from kbtui.model import Answer, Comparison, Row
from kbtui.render.comparison import difference_line
from kbtui.tui.figures import short

FATES = ("whole", "trimmed", "dropped", "outranked")

_KEYS: dict[str, tuple[Callable[[Row], float | str], bool]] = {
    "tier": (lambda row: row.scored.tier, False),
    "type": (lambda row: row.scored.source_type, False),
    "score": (lambda row: row.scored.score, True),
    "penalty": (lambda row: row.scored.penalty, False),
    "bytes": (lambda row: row.allocation.cost.size_bytes or row.document.text_bytes, True),
    "tok": (lambda row: row.allocation.cost.tokens or row.document.tokens, True),
    "fate": (lambda row: FATES.index(row.allocation.decision), False),
    "title": (lambda row: row.document.title.casefold(), False),
}
"""What each column sorts by, and whether its largest value comes first."""
SORTS = ("", *_KEYS)
"""The columns in the order in which a key goes through them; "" is the agent's order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListView:
    """A way to look at rows: words that each must contain, and the column they are sorted by, "" for the rank."""

    words: str = ""
    column: str = ""
    turned: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether the list is what an agent gets, in its order."""
        return not self.words.strip() and not self.is_sorted

    @property
    def is_sorted(self) -> bool:
        """Whether the order is another than the agent's."""
        return bool(self.column) or self.turned

    @property
    def arrow(self) -> str:
        """The arrow of the heading: down where the largest comes first."""
        first = _KEYS[self.column][1] if self.column else False
        return "↓" if first != self.turned else "↑"

    def next(self, step: int) -> ListView:
        """Return the view sorted by the next column."""
        at = SORTS.index(self.column) + step
        return replace(self, column=SORTS[at % len(SORTS)], turned=False)

    def rows(self, answer: Answer) -> list[Row | str]:
        """Return what is to be seen: with the rules, as long as the order is the agent's."""
        wanted = self.words.casefold().split()
        items = [item for item in layout(answer) if isinstance(item, str) or _has(item, wanted)]
        if not self.is_sorted:
            return items
        rows = [item for item in items if isinstance(item, Row)]
        if self.column:
            key, descending = _KEYS[self.column]
            rows.sort(key=key, reverse=descending != self.turned)
        else:
            rows.reverse()
        return list(rows)


def _has(row: Row, wanted: list[str]) -> bool:
    document = row.document
    said = f"{document.title} {document.doc_id} {row.scored.source_type} {row.scored.tier}".casefold()
    return all(word in said for word in wanted)


def layout(answer: Answer) -> list[Row | str]:
    """Return the rows in rank order with the rules between them."""
    items: list[Row | str] = list(answer.rows)
    kept = [at for at, row in enumerate(answer.rows) if row.allocation.decision != "dropped"]
    end = kept[-1] + 1 if kept else 0
    if end < len(answer.rows):
        items.insert(end, _budget_rule(answer))
    if answer.behind:
        more = {"eq": "", "gte": "+", "unknown": " or more"}[answer.total_relation]
        items.append(f"limit ends: {len(answer.rows)} of {answer.total:,}{more} documents")
        items.extend(answer.behind)
    if answer.below:
        nearest = answer.below[0].similarity
        items.append(f"min_similarity: {len(answer.below):,} documents below it, the nearest {nearest:.2f}")
    return items


def _budget_rule(answer: Answer) -> str:
    usage, budget = answer.usage, answer.budget
    parts = [
        f"{short(used)} of {short(bound)} {unit}"
        for used, bound, unit in (
            (usage.size_bytes, budget.size_bytes, "bytes"),
            (usage.tokens, budget.tokens, "tokens"),
        )
        if bound is not None
    ]
    return "budget ends: " + ", ".join(parts)


def included(answer: Answer) -> str:
    """Return how many documents were added by hand and what they cost, "" where it is no what-if."""
    if not answer.query.include:
        return ""
    rows = [row for row in answer.rows if row.origin == "included"]
    size = short(sum(row.allocation.kept.size_bytes for row in rows))
    fates = ", ".join(row.allocation.decision for row in rows)
    return f"what-if: {len(rows)} by hand, {size} B {fates}" if rows else "what-if: it is in the answer anyway"


def movements(difference: Comparison) -> dict[str, str]:
    """Return in a few characters how each document moved: ``+2`` is two places up, ``new`` and ``out`` say it.

    A document behind the limit in both answers moves like any other.
    """
    was = {placing.doc_id: placing.rank for placing in difference.before.placings}
    found = {placing.doc_id: _way(was.get(placing.doc_id), placing.rank) for placing in difference.after.placings}
    changes = {move.doc_id: move.change for move in difference.moves}
    return found | {doc_id: change for doc_id, change in changes.items() if change in ("new", "out")}


def _way(before: int | None, after: int) -> str:
    if before is None or before == after:
        return ""
    return f"{before - after:+d}"


def told(difference: Comparison) -> str:
    """Return a difference in words: ``3 moved, 1 new, 1 out; largest 9 to 2``."""
    return "no difference" if difference.unchanged else difference_line(difference)
