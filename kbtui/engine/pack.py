"""Pack: every seat's fate under the budget: whole, trimmed to passages, or dropped, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass

from kbtui.engine import frame
from kbtui.engine.bounds import measured, unit, value_of
from kbtui.engine.charge import NOTHING, Block, Count, charge, framed, ranked
from kbtui.engine.disclose import disclose, refusal
from kbtui.engine.grant import Account, Overhead, cost_after, grant
from kbtui.engine.offer import offer
from kbtui.model import Allocation, Budget, Cost, Document, Entry, Fate, NextGrant, Packing, Place, Seat, Span, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """A packing with its text put together and measured."""

    packing: Packing
    context: str
    usage: Usage
    places: tuple[Place, ...]


def pack(
    seats: tuple[Seat, ...],
    documents: tuple[Document, ...],
    passages: tuple[tuple[Entry, ...], ...],
    budget: Budget,
    count: Count,
    at_most: int | None = None,
) -> Packing:
    """Return what each seat keeps; documents and their passages come in the order of the seats.

    ``at_most`` bounds the grants: the caller counts the real text, and packs again with one grant less until it fits.

    Errors: UsageError when not even one passage and the notice fit, with the least that works.
    """
    blocks = tuple(
        Block(seat.rank, document, entries, count)
        for seat, document, entries in zip(seats, documents, passages, strict=True)
    )
    offered = offer(blocks, tuple(seat.scored.matches for seat in seats), budget)
    overhead = Overhead(join=charge(frame.JOIN, count), notice=reserve(seats, documents, count))
    account = grant(blocks, offered, budget, overhead, at_most)
    if not account.reached and any(block.entries for block in blocks):
        raise refusal(account)
    said = disclose(account)
    return Packing(
        allocations=_allocations(account),
        grants=tuple(blocks[place].entries[index].chunk_id for place, index in offered.order[: account.reached]),
        truncations=said.truncations,
        notice=said.notice,
        next_grant=_next(account),
    )


def reserve(seats: tuple[Seat, ...], documents: tuple[Document, ...], count: Count) -> Cost:
    """Return what is kept free for the notice where something is cut, the line end before it included."""
    longest = frame.longest_notice(_ranked(seats, documents), lambda line: len(line.encode()))
    costliest = longest_notice(seats, documents, count)
    return charge(frame.JOIN, count) + Cost(size_bytes=len(longest.encode()), tokens=count(costliest))


def longest_notice(seats: tuple[Seat, ...], documents: tuple[Document, ...], count: Count) -> str:
    """Return a notice with as many tokens as any about these seats can have."""
    return frame.longest_notice(_ranked(seats, documents), count)


def _ranked(seats: tuple[Seat, ...], documents: tuple[Document, ...]) -> tuple[tuple[int, Document], ...]:
    return tuple((seat.rank, document) for seat, document in zip(seats, documents, strict=True))


def behind(document: Document, count: Count) -> Cost:
    """Return what a document behind the limit would cost whole, but for its rank."""
    return framed(document, count) + Cost(size_bytes=document.text_bytes, tokens=document.tokens)


def outranked(rank: int, document: Document, cost: Cost, cumulative: Cost, count: Count) -> Allocation:
    """Return the allocation of a document behind the limit: nothing, and what it would cost whole (see ``behind``)."""
    return Allocation(
        doc_id=document.doc_id,
        rank=rank,
        decision="outranked",
        chunk_ids=(),
        spans=(),
        cost=ranked(rank, count) + cost,
        kept=NOTHING,
        cumulative=cumulative,
        reason="behind the limit",
    )


def joined(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """Return spans in order with those that touch made one."""
    found: list[Span] = []
    for span in spans:
        if found and found[-1].end == span.start:
            found[-1] = Span(start=found[-1].start, end=span.end)
        else:
            found.append(span)
    return tuple(found)


def _allocations(account: Account) -> tuple[Allocation, ...]:
    missing: dict[int, int] = {}
    for place, index in account.offered.order[account.reached :]:
        missing.setdefault(place, index)
    found, cumulative = [], NOTHING
    for place, block in enumerate(account.blocks):
        if block.granted:
            cumulative = cumulative + block.cost + (NOTHING if cumulative == NOTHING else account.overhead.join)
        kept = tuple(block.entries[index] for index in block.granted)
        found.append(
            Allocation(
                doc_id=block.document.doc_id,
                rank=block.rank,
                decision=_fate(block),
                chunk_ids=tuple(entry.chunk_id for entry in kept),
                spans=joined(tuple(entry.span for entry in kept)),
                cost=block.whole,
                kept=block.cost,
                cumulative=cumulative,
                reason=_reason(account, place, missing.get(place)),
            )
        )
    return tuple(found)


def _fate(block: Block) -> Fate:
    if block.complete:
        return "whole"
    return "trimmed" if block.granted else "dropped"


def _reason(account: Account, place: int, missing: int | None) -> str:
    """Return in words what cut a document: the budget before its next passage, its own bound, or both."""
    block, bound = account.blocks[place], account.offered.closed_by[place]
    reasons = []
    if not block.entries:
        reasons.append("it has no text")
    if missing is not None:
        reasons.append(_stopped(account, block, missing))
    if bound:
        reasons.append(f"document bound {value_of(bound, account.budget):,} {unit(bound)}")
    return "; ".join(reasons)


def _next(account: Account) -> NextGrant | None:
    """Return the passage before which the budget ended, None when it ended nowhere."""
    if account.reached == len(account.offered.order):
        return None
    place, index = account.offered.order[account.reached]
    block = account.blocks[place]
    return NextGrant(
        doc_id=block.document.doc_id,
        rank=block.rank,
        chunk_id=block.entries[index].chunk_id,
        unit=unit(account.stopped_by),
        needs=_needs(account, block, index),
        left=account.left,
    )


def _needs(account: Account, block: Block, index: int) -> int:
    """Return what a passage adds to the cost, in the unit of the bound that stopped."""
    after = measured(account.stopped_by, cost_after(account.cost, block, index, account.overhead))
    return after - measured(account.stopped_by, account.cost)


def _stopped(account: Account, block: Block, missing: int) -> str:
    """Return what the next passage needed and what was left; some are only behind the one that did not fit."""
    name, left, needs = unit(account.stopped_by), account.left, _needs(account, block, missing)
    if needs > left:
        return f"budget: needs {needs:,} {name}, {left:,} left"
    stopped_at = account.blocks[account.offered.order[account.reached][0]].rank
    return f"budget: ended at rank {stopped_at}, before it (needs {needs:,} {name}, {left:,} left)"
