"""What the graph did to an answer, in words: short in the tree, whole below it, and as a list of all of it."""

from __future__ import annotations

from dataclasses import dataclass

from kbtui import text
from kbtui.model import Answer, Expansion, Row, Via
from kbtui.render.layout import plural
from kbtui.tui.columns import fate_words

ARROWS = {"out": "→", "in": "←"}
_SHORT = {"already_present": "same text", "over_limit": "no place left"}
_LONGEST = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A document in an answer: the mark before it, its fate in a word or two, and the same as a sentence."""

    mark: str = ""
    short: str = ""
    whole: str = ""


def standing(answer: Answer | None, doc_id: str) -> Standing:
    """Return how a document stands in an answer, be it in it, refused, or never thought of."""
    if answer is None or not doc_id:
        return Standing()
    row = next((row for row in answer.rows if row.document.doc_id == doc_id), None)
    if row is not None:
        fate = fate_words(row)
        return Standing(mark=f"● {row.rank}", short=fate, whole=f"rank {row.rank}, {fate}: {origin_words(answer, row)}")
    refused = next((one for one in answer.expansions if one.doc_id == doc_id and one.outcome != "kept"), None)
    if refused is not None:
        return Standing(mark="○", short=_short(refused), whole=f"refused: {refusal_words(answer, refused)}")
    behind = next((row for row in answer.behind if row.document.doc_id == doc_id), None)
    if behind is not None:
        return Standing(short=f"rank {behind.rank}", whole=f"rank {behind.rank}: behind the limit of {answer.limit}")
    if not answer.expand:
        return Standing(whole="not in the answer: expand is 0, so the graph adds nothing")
    return Standing(whole=f"not in the answer: only relations of its first {seeds(answer)} rows are followed")


def seeds(answer: Answer) -> int:
    """Return how many rows of an answer have their relations followed."""
    return sum(row.origin == "ranked" for row in answer.rows)


def origin_words(answer: Answer, row: Row) -> str:
    """Return how a row came to its place."""
    if row.via is not None and row.origin == "neighbour":
        return f"the graph brought it, {via_words(answer, row.via)}"
    return {
        "ranked": "found by the question",
        "backfill": "found by the question; it fills a place that the graph left free",
        "included": "added by hand, a what-if",
        "neighbour": "the graph brought it",
    }[row.origin]


def via_words(answer: Answer, via: Via) -> str:
    """Return which row led to a document, and by which relation."""
    rank = next((f"row {row.rank}" for row in answer.rows if row.document.doc_id == via.seed), text.safe_line(via.seed))
    kind = text.safe_line(via.kind)
    return f"from {rank} {ARROWS[via.direction]} {kind}"


def refusal_words(answer: Answer, one: Expansion) -> str:
    """Return why the graph did not add a document that it met."""
    reason = text.safe_line(one.reason) or one.outcome.replace("_", " ")
    return f"{reason} ({via_words(answer, one.via)})"


def summary(answer: Answer) -> str:
    """Return what the graph added to an answer, in one line."""
    if not answer.expand:
        return "expand is 0: the graph adds nothing to this answer"
    brought = sum(row.origin == "neighbour" for row in answer.rows)
    refused = sum(one.outcome in ("over_limit", "suppressed") for one in answer.expansions)
    return f"the graph added {brought} of {plural(answer.expand, 'place')} to this answer, refused {refused}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """A document that the graph met: its name, what became of it, and the heading it is listed under."""

    doc_id: str
    name: str
    words: str
    group: str


def additions(answer: Answer) -> tuple[Addition, ...]:
    """Return what the graph brought to an answer, with its cost, then what it refused, in the order it met them."""
    titles = {row.document.doc_id: row.document.title for row in (*answer.rows, *answer.behind)}

    def told(doc_id: str, words: str, group: str) -> Addition:
        return Addition(doc_id=doc_id, name=titles.get(doc_id) or doc_id, words=words, group=group)

    brought = [
        told(row.document.doc_id, f"rank {row.rank}, {fate_words(row)}, {via_words(answer, row.via)}", "added")
        for row in answer.rows
        if row.origin == "neighbour" and row.via is not None
    ]
    refused = [
        told(one.doc_id, f"{_short(one)}, {via_words(answer, one.via)}", "refused")
        for one in answer.expansions
        if one.outcome in ("over_limit", "suppressed")
    ]
    there = [
        told(one.doc_id, refusal_words(answer, one), "there without the graph")
        for one in answer.expansions
        if one.outcome == "already_present"
    ]
    return (*brought, *refused, *there)


def _short(one: Expansion) -> str:
    reason = _SHORT.get(one.outcome) or text.safe_line(one.reason) or "refused"
    return text.clip(reason, _LONGEST)
