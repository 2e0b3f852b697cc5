"""Pipeline: the order of the stages, a memo for each, and the port through which all evidence comes in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from kbtui.engine import frame
from kbtui.engine.bounds import over
from kbtui.engine.compose import Course, Shown, compose, show
from kbtui.engine.expand import Admission, Room, connect, expand
from kbtui.engine.floor import floor
from kbtui.engine.fold import fold
from kbtui.engine.fuse import fuse
from kbtui.engine.include import Included, find, include, refuse
from kbtui.engine.memo import Clock, Memo, Ran
from kbtui.engine.pack import Packed, longest_notice, pack
from kbtui.engine.plan import plan
from kbtui.engine.reach import Ask, reach
from kbtui.engine.score import Weights, earn, rank
from kbtui.errors import RetrievalFailed, UsageError
from kbtui.model import (
    Answer,
    Budget,
    Candidate,
    Cost,
    Document,
    Entry,
    Filters,
    Folded,
    Gathered,
    LeftOut,
    Packing,
    Place,
    Plan,
    Pool,
    Query,
    Related,
    Scored,
    ScoreTerm,
    Seat,
    Selection,
    TypeCount,
    Usage,
)
from kbtui.settings import Settings
from kbtui.text import asked_part

CANDIDATES_A_PLACE = 4
"""Candidates for each place of the response, so that a large limit still fills."""


class Evidence(Protocol):
    """What the engine needs from a generation of a store; the same generation gives the same answers."""

    generation: str

    def inventory(self) -> tuple[TypeCount, ...]:
        """Return how many documents each source type has."""
        ...

    def documents(self, doc_ids: tuple[str, ...]) -> tuple[Document, ...]:
        """Return the documents of these ids, in this order; an unknown id is left out."""
        ...

    def gather(self, text: str, filters: Filters, plan: Plan) -> Gathered:
        """Ask the retrievers what a plan says, and load the rows of what they found within its time."""
        ...

    def related(self, seeds: tuple[str, ...], candidates: tuple[str, ...]) -> Related:
        """Return the strongest relations of candidates, of each up to a cap in each direction, that touch a seed.

        Seeds are candidates.
        """
        ...

    def passages(self, doc_ids: tuple[str, ...]) -> tuple[tuple[Entry, ...], ...]:
        """Return every passage of each document, in order, in the order of the ids."""
        ...

    def texts(self, chunk_ids: tuple[str, ...]) -> tuple[str, ...]:
        """Return the safe text of each passage, in the order of the ids."""
        ...

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of a text."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Selected:
    """What the stages before ``pack`` found."""

    inventory: tuple[TypeCount, ...]
    room: Room
    plan: Ran[Plan]
    gather: Ran[Gathered]
    floor: Ran[Gathered]
    fuse: Ran[tuple[Candidate, ...]]
    score: Ran[tuple[Scored, ...]]
    fold: Ran[Folded]
    expand: Ran[Selection]


class Pipeline:
    """Answers queries from one generation, remembering each stage's last result."""

    def __init__(self, evidence: Evidence, clock: Clock = lambda: 0.0) -> None:
        self._evidence = evidence
        self._inventory = Memo[tuple[TypeCount, ...]](clock)
        self._plan = Memo[Plan](clock)
        self._gather = Memo[Gathered](clock)
        self._include = Memo[Included](clock)
        self._floor = Memo[Gathered](clock)
        self._fuse = Memo[tuple[Candidate, ...]](clock)
        self._earn = Memo[tuple[tuple[ScoreTerm, ...], ...]](clock)
        self._score = Memo[tuple[Scored, ...]](clock)
        self._fold = Memo[Folded](clock)
        self._related = Memo[Related](clock)
        self._connect = Memo[Gathered](clock)
        self._expand = Memo[Selection](clock)
        self._passages = Memo[tuple[tuple[Entry, ...], ...]](clock)
        self._pack = Memo[Packed](clock)
        self._show = Memo[Mapping[str, Shown]](clock)

    def answer(self, query: Query, settings: Settings) -> Answer:
        """Return the answer to a query under these settings.

        Errors: UsageError for a blank query, an unknown type, a document that cannot be included or a budget too
        small; RetrievalFailed when no retriever could answer.
        """
        selected = self._selected(query, settings)
        seats = selected.expand.result.seats
        rows = {document.doc_id: document for document in selected.gather.result.documents}
        documents = tuple(rows[seat.scored.doc_id] for seat in seats)
        passages = self._passages.run(self._evidence.passages, tuple(document.doc_id for document in documents))
        packed = self._pack.run(self._packed, seats, documents, passages.result, settings.budget())
        course = Course(
            query=query,
            settings=settings,
            generation=self._evidence.generation,
            inventory=selected.inventory,
            room=selected.room,
            plan=selected.plan,
            gather=selected.gather,
            floor=selected.floor,
            fuse=selected.fuse,
            score=selected.score,
            fold=selected.fold,
            expand=selected.expand,
            pack=packed,
            shown=self._show.run(show, selected.fuse.result, selected.floor.result, self._evidence.count_tokens).result,
        )
        return compose(course, self._evidence.count_tokens)

    def seated(self, query: Query, settings: Settings) -> tuple[str, ...]:
        """Return the documents of the response before anything is packed, in order; errors are those of an answer."""
        return tuple(seat.scored.doc_id for seat in self._selected(query, settings).expand.result.seats)

    def _selected(self, query: Query, settings: Settings) -> _Selected:
        if not query.text.strip():
            raise UsageError("the query is empty", "Ask with at least one word.")
        room = Room(
            limit=settings.whole("limit"), expand=settings.whole("expand"), decay=settings.number("neighbour.decay")
        )
        inventory = self._inventory.run(self._evidence.inventory).result
        planned = self._planned(query, settings, inventory)
        asked = asked_part(query.text)
        gathered = self._gather.run(self._evidence.gather, asked, query.filters, planned.result)
        require_an_answer(gathered.result)
        weights = Weights.of(settings)
        floored = self._floor.run(floor, gathered.result, settings.number("min_similarity"))
        evidence = floored.result
        fused = self._fuse.run(fuse, evidence, weights.fusion)
        earned = self._earn.run(earn, fused.result, evidence, asked, weights.merits)
        ranked = self._score.run(rank, fused.result, earned.result, evidence, planned.result.typed, weights)
        scored = ranked.after(earned)
        admission = Admission(source_types=asked_for(planned.result), filters=query.filters)
        folded = self._fold.run(fold, scored.result, evidence)
        connected = self._connected(folded.result, evidence, room)
        expanded = self._expand.run(expand, folded.result.scored, connected.result, room, admission, weights)
        expanded = expanded.after(connected)
        gathered = replace(gathered, result=replace(gathered.result, documents=connected.result.documents))
        if query.include:
            added = self._included(query, planned.result, evidence, admission, room)
            typed = planned.result.typed
            selection = include(expanded.result, scored.result, added, evidence, asked, typed, weights, room.limit)
            expanded = replace(expanded, result=selection)
            extended = replace(added.added_to(gathered.result), pools=gathered.result.pools)
            gathered = replace(gathered, result=extended)
        return _Selected(
            inventory=inventory,
            room=room,
            plan=planned,
            gather=gathered,
            floor=floored,
            fuse=fused,
            score=scored,
            fold=folded,
            expand=expanded,
        )

    def deeper(self, query: Query, settings: Settings, document: Document) -> tuple[Pool, ...]:
        """Return the pools that a document belongs to, asked deep enough to meet it, or until there is no more."""
        planned = self._planned(query, settings, self._inventory.run(self._evidence.inventory).result).result
        return reach(self._ask(query), planned, document).pools

    def _planned(self, query: Query, settings: Settings, inventory: tuple[TypeCount, ...]) -> Ran[Plan]:
        places = settings.whole("limit") + settings.whole("expand")
        candidates = max(settings.whole("pools.candidates"), CANDIDATES_A_PLACE * places)
        deadline = settings.bound("pools.deadline_ms")
        return self._plan.run(plan, query, inventory, settings.tiers(), candidates, deadline)

    def _connected(self, folded: Folded, evidence: Gathered, room: Room) -> Ran[Gathered]:
        """Return the evidence with the relations of the seeds: those of all candidates would be fifty times as many."""
        seeds = tuple(seed.doc_id for seed in room.seeds(folded.scored)) if room.reserve else ()
        candidates = tuple(document.doc_id for document in evidence.documents)
        related = self._related.run(self._evidence.related, seeds, candidates)
        return self._connect.run(connect, evidence, related.result).after(related)

    def _included(self, query: Query, planned: Plan, evidence: Gathered, admission: Admission, room: Room) -> Included:
        """Return the documents added by hand, with what the retrievers find of them.

        Errors: UsageError for one that cannot be in the response.
        """
        documents = self._evidence.documents(tuple(dict.fromkeys(query.include)))
        refuse(query.include, documents, admission, room.limit)
        return self._include.run(self._found, documents, query, planned, evidence).result

    def _found(self, documents: tuple[Document, ...], query: Query, planned: Plan, evidence: Gathered) -> Included:
        return find(documents, self._ask(query), planned, evidence)

    def _ask(self, query: Query) -> Ask:
        return lambda deep: self._evidence.gather(asked_part(query.text), query.filters, deep)

    def _packed(
        self,
        seats: tuple[Seat, ...],
        documents: tuple[Document, ...],
        passages: tuple[tuple[Entry, ...], ...],
        budget: Budget,
    ) -> Packed:
        """Pack, put the text together and count it; give up the last grant until the real text fits."""
        count = self._evidence.count_tokens
        longest = longest_notice(seats, documents, count)
        packing = pack(seats, documents, passages, budget, count)
        texts = dict(zip(packing.grants, self._evidence.texts(packing.grants), strict=True))
        while True:
            blocks = _blocks(documents, passages, packing, texts)
            context = frame.context(blocks, packing.notice)
            usage = Usage(size_bytes=len(context.encode()), tokens=count(context), items=len(blocks))
            # Judged as if the notice were the longest there could be, so that no budget changes which grants fit.
            at_worst = count(frame.context(blocks, longest)) if packing.notice else usage.tokens
            if not over(Cost(size_bytes=usage.size_bytes, tokens=max(usage.tokens, at_worst)), budget):
                places = _places(blocks, documents, passages, packing, texts)
                return Packed(packing=packing, context=context, usage=usage, places=places)
            packing = pack(seats, documents, passages, budget, count, at_most=len(packing.grants) - 1)


def require_an_answer(gathered: Gathered) -> None:
    """Let nothing pass in which no retriever answered: an error is never an empty result.

    Errors: RetrievalFailed with what each retriever said.
    """
    answered = any(pool.hits or pool.status in ("ok", "empty", "partial") for pool in gathered.pools)
    said = {f"{pool.retriever} {pool.status.replace('_', ' ')}: {pool.detail}" for pool in gathered.pools}
    if gathered.pools and not answered:
        raise RetrievalFailed("no retriever answered", "; ".join(sorted(said)))


def asked_for(planned: Plan) -> tuple[str, ...]:
    """Return the types a query asks for by name, none when it asks for all."""
    return tuple(name for request in planned.requests for name in request.source_types) if planned.typed else ()


def _blocks(
    documents: tuple[Document, ...],
    passages: tuple[tuple[Entry, ...], ...],
    packing: Packing,
    texts: dict[str, str],
) -> tuple[str, ...]:
    """Return the block of every document that keeps something, in rank order."""
    found = []
    for document, entries, allocation in zip(documents, passages, packing.allocations, strict=True):
        if allocation.chunk_ids:
            kept = {chunk_id: texts[chunk_id] for chunk_id in allocation.chunk_ids}
            found.append(frame.block(frame.header(allocation.rank, document), entries, kept))
    return tuple(found)


def _places(
    blocks: tuple[str, ...],
    documents: tuple[Document, ...],
    passages: tuple[tuple[Entry, ...], ...],
    packing: Packing,
    texts: dict[str, str],
) -> tuple[Place, ...]:
    """Return where each block begins in the context, and where in it something was left out."""
    found, at, rest = [], 0, iter(blocks)
    for document, entries, allocation in zip(documents, passages, packing.allocations, strict=True):
        if allocation.chunk_ids:
            kept = {chunk_id: texts[chunk_id] for chunk_id in allocation.chunk_ids}
            marks = frame.left_out(frame.header(allocation.rank, document), entries, kept)
            moved = tuple(LeftOut(at=at + mark.at, span=mark.span) for mark in marks)
            found.append(Place(doc_id=document.doc_id, at=at, left_out=moved))
            at += len(next(rest)) + len(frame.JOIN)
    return tuple(found)
