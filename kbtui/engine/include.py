"""Include: documents that the operator adds by hand take the last places of the response. A what-if, and said so.

What stands in front of them stays as it is, neighbours included: the answer then shows what they cost and what gives
way, and nothing else moves. They bring no neighbours, and no ranked document changes its score.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kbtui.engine.expand import Admission, excluded
from kbtui.engine.fuse import fuse
from kbtui.engine.reach import Ask, met, reach
from kbtui.engine.score import Weights, score, standing, total
from kbtui.errors import UsageError
from kbtui.model import Document, Entry, Expansion, Gathered, Phrase, Plan, Pool, Scored, ScoreTerm, Seat, Selection
from kbtui.settings import tier_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Included:
    """The documents added by hand, and what was found of them beyond the pools of the query."""

    documents: tuple[Document, ...]
    pools: tuple[Pool, ...]
    entries: tuple[Entry, ...]
    phrases: tuple[Phrase, ...]

    def added_to(self, evidence: Gathered) -> Gathered:
        """Return the evidence as if the pools had reached every included document."""
        rows = {document.doc_id: document for document in (*evidence.documents, *self.documents)}
        holding: dict[str, set[str]] = {}
        for phrase in (*evidence.phrases, *self.phrases):
            holding.setdefault(phrase.words, set()).update(phrase.chunk_ids)
        return replace(
            evidence,
            pools=evidence.pools + self.pools,
            documents=tuple(rows[doc_id] for doc_id in sorted(rows)),
            entries=evidence.entries + self.entries,
            phrases=tuple(Phrase(words=words, chunk_ids=tuple(sorted(ids))) for words, ids in holding.items()),
        )


def refuse(names: tuple[str, ...], documents: tuple[Document, ...], admission: Admission, limit: int) -> None:
    """Let nothing pass that cannot be in the response at all.

    Errors: UsageError for an unknown document, one that the query's types or filters keep out, or too many of them.
    """
    known = {document.doc_id for document in documents}
    for name in names:
        if name not in known:
            raise UsageError(f"no document {name!r} to include", "Ids are paths as `kbtui query` shows them.")
    for document in documents:
        reason, remedy = excluded(document, admission)
        if reason:
            raise UsageError(f"{document.doc_id!r} cannot be included: {reason}", f"To have it: {remedy}.")
    if len(known) > limit:
        raise UsageError(f"{len(known):,} documents are included, and the limit is {limit:,}", "Raise --limit.")


def find(documents: tuple[Document, ...], ask: Ask, planned: Plan, evidence: Gathered) -> Included:
    """Return the documents with what their pools find of them; one that no pool reached is looked for deeper down."""
    met_already = {hit.doc_id for pool in evidence.pools for hit in pool.hits}
    pools: list[Pool] = []
    entries: list[Entry] = []
    phrases: list[Phrase] = []
    for document in documents:
        if document.doc_id not in met_already:
            deeper = reach(ask, planned, document)
            pools += [_only(pool, document.doc_id) for pool in deeper.pools if met(pool, document.doc_id)]
            entries += [entry for entry in deeper.entries if entry.doc_id == document.doc_id]
            phrases += deeper.phrases
    return Included(documents=documents, pools=tuple(pools), entries=tuple(entries), phrases=tuple(phrases))


def include(
    selection: Selection,
    ranked: tuple[Scored, ...],
    included: Included,
    evidence: Gathered,
    query_text: str,
    typed: bool,
    weights: Weights,
    limit: int,
) -> Selection:
    """Return the selection with the included documents in it, each with the terms it has or would have."""
    known = {one.doc_id: one for one in ranked}
    extended = included.added_to(evidence)
    candidates = {one.doc_id: one for one in fuse(extended, weights.fusion)} if included.pools else {}
    for document in included.documents:
        if document.doc_id in known:
            continue
        if candidate := candidates.get(document.doc_id):
            (known[document.doc_id],) = score((candidate,), extended, query_text, typed, weights)
        else:
            known[document.doc_id] = _unmatched(document, typed, weights)
    return _seated(selection, tuple(known[document.doc_id] for document in included.documents), limit)


def _seated(selection: Selection, included: tuple[Scored, ...], limit: int) -> Selection:
    """Give the included documents the last places, best first; one that stands in front of those keeps its own."""
    forced: tuple[Scored, ...] = ()
    while True:
        front = selection.seats[: limit - len(forced)]
        held = {seat.scored.doc_id for seat in front}
        now = tuple(one for one in included if one.doc_id not in held)
        if len(now) == len(forced):
            break
        forced = now
    last = tuple(
        Seat(rank=rank, scored=one, origin="included")
        for rank, one in enumerate(sorted(forced, key=_best_first), start=len(front) + 1)
    )
    by_hand = {one.doc_id for one in forced}
    gone = tuple(seat.scored for seat in selection.seats[len(front) :] if seat.scored.doc_id not in by_hand)
    behind = (*(one for one in gone if one.matches), *(one for one in selection.outranked if one.doc_id not in by_hand))
    displaced = {one.doc_id for one in gone}
    return Selection(
        seats=front + last,
        outranked=tuple(sorted(behind, key=_best_first)),
        expansions=tuple(_considered(one, by_hand, displaced) for one in selection.expansions),
    )


def _considered(one: Expansion, by_hand: set[str], displaced: set[str]) -> Expansion:
    """Return what became of a neighbour now that included documents have places."""
    if one.doc_id in by_hand:
        return replace(one, outcome="already_present", reason="it was included by hand")
    if one.outcome == "kept" and one.doc_id in displaced:
        return replace(one, outcome="over_limit", reason="a document that was included has its place")
    return one


def _best_first(one: Scored) -> tuple[float, str]:
    return -one.score, one.doc_id


def _only(pool: Pool, doc_id: str) -> Pool:
    return replace(pool, hits=tuple(hit for hit in pool.hits if hit.doc_id == doc_id))


def _unmatched(document: Document, typed: bool, weights: Weights) -> Scored:
    """Return a document that no retriever finds, however deep it looks."""
    nothing = (ScoreTerm(name=name, value=0.0, detail="not retrieved") for name in ("dense", "lexical"))
    terms = (*nothing, *standing(document, typed, weights))
    return Scored(
        doc_id=document.doc_id,
        tier=tier_of(document.source_type),
        source_type=document.source_type,
        score=total(terms),
        terms=terms,
    )
