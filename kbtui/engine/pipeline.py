"""Pipeline: the order of the stages, a memo for each, and the port through which all evidence comes in."""

from __future__ import annotations

from typing import Protocol

from kbtui.engine import frame
from kbtui.engine.bounds import over
from kbtui.engine.compose import Course, compose
from kbtui.engine.expand import Admission, Room, expand
from kbtui.engine.fuse import fuse
from kbtui.engine.memo import Clock, Memo
from kbtui.engine.pack import Packed, longest_notice, pack
from kbtui.engine.plan import plan
from kbtui.engine.score import Weights, score
from kbtui.errors import RetrievalFailed, UsageError
from kbtui.model import (
    Answer,
    Budget,
    Candidate,
    Cost,
    Document,
    Entry,
    Filters,
    Gathered,
    LeftOut,
    Packing,
    Place,
    Plan,
    Query,
    Scored,
    Seat,
    Selection,
    TypeCount,
    Usage,
)
from kbtui.settings import Settings

CANDIDATES_A_PLACE = 4
"""Candidates for each place of the response, so that a large limit still fills."""


class Evidence(Protocol):
    """What the engine needs from a generation of a store; the same generation gives the same answers."""

    generation: str

    def inventory(self) -> tuple[TypeCount, ...]:
        """Return how many documents each source type has."""
        ...

    def gather(self, text: str, filters: Filters, plan: Plan) -> Gathered:
        """Ask the retrievers what a plan says, and load the rows and edges of what they found."""
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


class Pipeline:
    """Answers queries from one generation, remembering each stage's last result."""

    def __init__(self, evidence: Evidence, clock: Clock = lambda: 0.0) -> None:
        self._evidence = evidence
        self._inventory = Memo[tuple[TypeCount, ...]](clock)
        self._plan = Memo[Plan](clock)
        self._gather = Memo[Gathered](clock)
        self._fuse = Memo[tuple[Candidate, ...]](clock)
        self._score = Memo[tuple[Scored, ...]](clock)
        self._expand = Memo[Selection](clock)
        self._passages = Memo[tuple[tuple[Entry, ...], ...]](clock)
        self._pack = Memo[Packed](clock)

    def answer(self, query: Query, settings: Settings) -> Answer:
        """Return the answer to a query under these settings.

        Errors: UsageError for a blank query, an unknown type or a budget too small; RetrievalFailed when no
        retriever could answer.
        """
        if not query.text.strip():
            raise UsageError("the query is empty", "Ask with at least one word.")
        room = Room(
            limit=settings.whole("limit"), expand=settings.whole("expand"), decay=settings.number("neighbour.decay")
        )
        candidates = max(settings.whole("pools.candidates"), CANDIDATES_A_PLACE * (room.limit + room.expand))
        inventory = self._inventory.run(self._evidence.inventory).result
        planned = self._plan.run(plan, query, inventory, settings.tiers(), candidates)
        gathered = self._gather.run(self._evidence.gather, query.text, query.filters, planned.result)
        require_an_answer(gathered.result)
        weights = Weights.of(settings)
        evidence = gathered.result
        fused = self._fuse.run(fuse, evidence, weights.fusion)
        scored = self._score.run(score, fused.result, evidence, query.text, planned.result.typed, weights)
        admission = Admission(source_types=asked_for(planned.result), filters=query.filters)
        expanded = self._expand.run(expand, scored.result, evidence, room, admission, weights)
        seats = expanded.result.seats
        rows = {document.doc_id: document for document in evidence.documents}
        documents = tuple(rows[seat.scored.doc_id] for seat in seats)
        passages = self._passages.run(self._evidence.passages, tuple(document.doc_id for document in documents))
        packed = self._pack.run(self._packed, seats, documents, passages.result, settings.budget())
        course = Course(
            query=query,
            settings=settings,
            generation=self._evidence.generation,
            inventory=inventory,
            room=room,
            plan=planned,
            gather=gathered,
            fuse=fused,
            score=scored,
            expand=expanded,
            pack=packed,
        )
        return compose(course, self._evidence.count_tokens)

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
