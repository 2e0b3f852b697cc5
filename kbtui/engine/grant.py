"""Grant: how far down the list of passages a budget reaches.

The longest prefix that fits, and nothing past the first passage that does not. What is kept free for the notice
depends neither on the budget nor on what is granted. So a larger budget keeps all that a smaller one kept.
"""

from __future__ import annotations

from dataclasses import dataclass

from kbtui.engine.bounds import CONTEXT_TOKENS, measured, over, value_of
from kbtui.engine.charge import NOTHING, Block, less
from kbtui.engine.offer import Offer
from kbtui.model import Budget, Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Overhead:
    """What a context costs besides its blocks: joining two of them, and the longest notice there could be."""

    join: Cost
    notice: Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What was granted to the blocks: how far down the list, at what cost, and the bound that stopped there.

    ``stopped_by`` is "" when the list was granted whole; ``left`` is in the bound's unit.
    """

    blocks: tuple[Block, ...]
    offered: Offer
    budget: Budget
    overhead: Overhead
    reached: int
    cost: Cost
    stopped_by: str = ""
    left: int = 0


def grant(
    blocks: tuple[Block, ...], offered: Offer, budget: Budget, overhead: Overhead, at_most: int | None
) -> Account:
    """Grant passages to the blocks, everything where everything fits."""
    if at_most is None and _whole_fits(blocks, offered, budget, overhead):
        for place, index in offered.order:
            blocks[place].grant(index)
        return _account(blocks, offered, budget, overhead, len(offered.order), whole_cost(blocks, overhead))
    cost = NOTHING
    for reached, (place, index) in enumerate(offered.order):
        now = cost_after(cost, blocks[place], index, overhead)
        bound = CONTEXT_TOKENS if reached == at_most else over(now + overhead.notice, budget)
        if bound:
            return _account(blocks, offered, budget, overhead, reached, cost, bound)
        blocks[place].grant(index)
        cost = now
    return _account(blocks, offered, budget, overhead, len(offered.order), cost)


def cost_after(cost: Cost, block: Block, index: int, overhead: Overhead) -> Cost:
    """Return what all blocks cost once this passage is granted too."""
    joined = NOTHING if block.granted or cost == NOTHING else overhead.join
    return less(cost, block.cost) + block.cost_with(index) + joined


def whole_cost(blocks: tuple[Block, ...], overhead: Overhead) -> Cost:
    """Return what all documents cost whole, without a notice."""
    total = NOTHING
    for block in blocks:
        if block.entries:
            total = total + block.whole + (NOTHING if total == NOTHING else overhead.join)
    return total


def _whole_fits(blocks: tuple[Block, ...], offered: Offer, budget: Budget, overhead: Overhead) -> bool:
    """Return whether everything may fit without a notice; the caller counts the tokens of the real text."""
    if any(offered.closed_by):
        return False
    least = sum(block.whole_tokens_at_least for block in blocks)
    return not over(Cost(size_bytes=whole_cost(blocks, overhead).size_bytes, tokens=least), budget)


def _account(
    blocks: tuple[Block, ...],
    offered: Offer,
    budget: Budget,
    overhead: Overhead,
    reached: int,
    cost: Cost,
    stopped_by: str = "",
) -> Account:
    left = value_of(stopped_by, budget) - measured(stopped_by, cost + overhead.notice) if stopped_by else 0
    return Account(
        blocks=blocks,
        offered=offered,
        budget=budget,
        overhead=overhead,
        reached=reached,
        cost=cost,
        stopped_by=stopped_by,
        left=left,
    )
