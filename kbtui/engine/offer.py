"""Offer: the one list of passages, in the order in which any budget grants them."""

from __future__ import annotations

from dataclasses import dataclass

from kbtui.engine.bounds import over_document
from kbtui.engine.charge import Block
from kbtui.model import Budget, Match

Key = tuple[int, float, int, int]
"""Round, place in it (lower is sooner), rank of the document, place in the document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What may be granted: (block, passage) in order; per block how many, and which bound closed it ("": none).

    ``wanted`` is each block's first choice, also where a bound does not allow it (None: the document has no text).
    """

    order: tuple[tuple[int, int], ...]
    wanted: tuple[int | None, ...]
    allowed: tuple[int, ...]
    closed_by: tuple[str, ...]


def offer(blocks: tuple[Block, ...], matches: tuple[tuple[Match, ...], ...], budget: Budget) -> Offer:
    """Return the list, which depends on the documents and their own bounds, never on the budget of the context."""
    queue: list[tuple[Key, int, int]] = []
    wanted, allowed, closed_by = [], [], []
    for place, (block, found) in enumerate(zip(blocks, matches, strict=True)):
        ranked = _ranked(block, found)
        count, bound = _within(block, [index for _, index in ranked], budget)
        queue.extend((key, place, index) for key, index in ranked[:count])
        wanted.append(ranked[0][1] if ranked else None)
        allowed.append(count)
        closed_by.append(bound)
    order = tuple((place, index) for _, place, index in sorted(queue))
    return Offer(order=order, wanted=tuple(wanted), allowed=tuple(allowed), closed_by=tuple(closed_by))


def _ranked(block: Block, matches: tuple[Match, ...]) -> list[tuple[Key, int]]:
    """Return a document's passages in the order it wants them: the best, other matched ones, then their neighbours."""
    if not block.entries:
        return []
    index_of = {entry.chunk_id: index for index, entry in enumerate(block.entries)}
    scores = {index_of[match.chunk_id]: match.score for match in matches if match.chunk_id in index_of}
    searchable = (index for index, entry in enumerate(block.entries) if entry.searchable)
    best = next(iter(scores)) if scores else next(searchable, 0)
    anchors = sorted(scores) or [best]
    near = _distances(len(block.entries), anchors)
    ranked: list[tuple[Key, int]] = []
    for index in range(len(block.entries)):
        if index == best:
            key: Key = (0, 0.0, block.rank, index)
        elif index in scores:
            key = (1, -scores[index], block.rank, index)
        else:
            key = (2, float(near[index]), block.rank, index)
        ranked.append((key, index))
    return sorted(ranked)


def _distances(length: int, anchors: list[int]) -> list[int]:
    """Return how many passages each one is away from the nearest anchor."""
    near = [length] * length
    for anchor in anchors:
        near[anchor] = 0
    for index in range(1, length):
        near[index] = min(near[index], near[index - 1] + 1)
    for index in range(length - 2, -1, -1):
        near[index] = min(near[index], near[index + 1] + 1)
    return near


def _within(block: Block, wanted: list[int], budget: Budget) -> tuple[int, str]:
    """Return how many passages the document's own bounds allow, and the bound that stopped there."""
    if not over_document(block.whole, budget):
        return len(wanted), ""
    trial, count = block.fresh(), 0
    while not (
        bound := over_document(trial.cost_with(wanted[count]), budget)
    ):  # the last one costs the whole: too much
        trial.grant(wanted[count])
        count += 1
    return count, bound
