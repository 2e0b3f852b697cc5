"""Disclose: what is said about a cut, as data and in the context, with advice computed from what would help here."""

from __future__ import annotations

from dataclasses import dataclass

from kbtui.engine import frame
from kbtui.engine.bounds import measured, unit, value_of, widened
from kbtui.engine.charge import NOTHING, Block
from kbtui.engine.grant import Account, cost_after, whole_cost
from kbtui.errors import UsageError
from kbtui.model import Below, Budget, Cost, Selection, Truncation

STEP_BYTES, STEP_TOKENS = 1000, 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosure:
    """What was cut, as data and as the last block of the context ("": nothing was)."""

    truncations: tuple[Truncation, ...]
    notice: str


def disclose(account: Account) -> Disclosure:
    """Return what the budget and the document bounds cut."""
    by_budget, by_document = bool(account.stopped_by), any(account.offered.closed_by)
    if not by_budget and not by_document:
        return Disclosure(truncations=(), notice="")
    advice = frame.Advice(
        within_bounds=_flags(account, _needed_by_offer(account)) if by_budget and by_document else "",
        everything=_flags(account, _needed_by_all(account)),
        useless=frame.USELESS[by_budget, by_document],
    )
    bounded = tuple(pair for pair in zip(account.blocks, account.offered.closed_by, strict=True) if pair[1])
    return Disclosure(
        truncations=(
            *((_by_budget(account, advice),) if by_budget else ()),
            *(_by_document_bound(account, block, bound) for block, bound in bounded),
        ),
        notice=frame.notice(_cuts(account), len(account.blocks), account.budget, advice),
    )


def beyond_limit(selection: Selection, limit: int) -> tuple[Truncation, ...]:
    """Return what the limit cut from the response."""
    shown, behind = len(selection.seats), len(selection.outranked)
    if not behind:
        return ()
    return (
        Truncation(
            stage="expand",
            scope="response",
            limit_name="limit",
            limit=limit,
            requested=limit,
            shown=shown,
            total=shown + behind,
            total_relation="gte",
            remedy=f"a higher --limit shows more of at least {shown + behind:,}; a larger budget does not help",
        ),
    )


def below_floor(below: tuple[Below, ...], least: float, left: int) -> tuple[Truncation, ...]:
    """Return what ``min_similarity`` kept out; ``left`` counts the candidates that there still are."""
    if not below:
        return ()
    nearest = below[0].similarity
    return (
        Truncation(
            stage="fuse",
            scope="ranking",
            limit_name="min_similarity",
            limit=least,
            requested=None,
            shown=left,
            total=left + len(below),
            total_relation="gte",
            remedy=f"the nearest of the others has {nearest:.3f}: a lower --set min_similarity brings it back; "
            "a higher --limit or a larger budget does not help",
        ),
    )


def refusal(account: Account) -> UsageError:
    """Return the error for bounds that hold no passage, with the least that works."""
    if account.offered.order:
        bound, needed = account.stopped_by, _bounds(context=_least(account))
        message = f"{value_of(bound, account.budget):,} {unit(bound)} are too few for one passage and the notice"
    else:
        bound = next(name for name in account.offered.closed_by if name)
        first = [
            block.cost_with(index)
            for block, index in zip(account.blocks, account.offered.wanted, strict=True)
            if index is not None
        ]
        needed = _bounds(document=min(first, key=lambda cost: measured(bound, cost)))
        message = f"{value_of(bound, account.budget):,} {unit(bound)} for each document are too few for any passage"
    flags = frame.widen(widened(account.budget, needed))
    return UsageError(message, f"The least that works here: {flags}" if flags else "Raise --max-tokens.")


def _least(account: Account) -> Cost:
    """Return what the first passage and the notice cost, or everything whole where that is less."""
    place, index = account.offered.order[0]
    least = cost_after(NOTHING, account.blocks[place], index, account.overhead) + account.overhead.notice
    whole = whole_cost(account.blocks, account.overhead)
    bounded = any(account.offered.closed_by)
    return least if bounded or whole.size_bytes > least.size_bytes or whole.tokens > least.tokens else whole


def _needed_by_all(account: Account) -> Budget:
    """Return the bounds under which every document is whole."""
    return _bounds(
        context=whole_cost(account.blocks, account.overhead),
        document=Cost(
            size_bytes=max(block.whole.size_bytes for block in account.blocks),
            tokens=max(block.whole.tokens for block in account.blocks),
        ),
    )


def _needed_by_offer(account: Account) -> Budget:
    """Return the bounds under which the whole list is granted: its costliest prefix, and the notice."""
    fresh, cost = tuple(block.fresh() for block in account.blocks), NOTHING
    size_bytes, tokens = 0, 0
    for place, index in account.offered.order:
        cost = cost_after(cost, fresh[place], index, account.overhead)
        fresh[place].grant(index)
        size_bytes, tokens = max(size_bytes, cost.size_bytes), max(tokens, cost.tokens)
    return _bounds(context=Cost(size_bytes=size_bytes, tokens=tokens) + account.overhead.notice)


def _bounds(*, context: Cost | None = None, document: Cost | None = None) -> Budget:
    return Budget(
        size_bytes=context.size_bytes if context else None,
        tokens=context.tokens if context else None,
        document_bytes=document.size_bytes if document else None,
        document_tokens=document.tokens if document else None,
    )


def _flags(account: Account, needed: Budget) -> str:
    return frame.widen(widened(account.budget, needed, step_bytes=STEP_BYTES, step_tokens=STEP_TOKENS))


def _by_budget(account: Account, advice: frame.Advice) -> Truncation:
    """Return what the budget of the context cut, in its own unit; tokens of text not emitted are an estimate."""
    bound = account.stopped_by
    kept = "keeps all that the document bounds allow" if advice.within_bounds else "keeps everything"
    return Truncation(
        stage="pack",
        scope="context",
        limit_name=bound,
        limit=value_of(bound, account.budget),
        requested=value_of(bound, account.budget),
        shown=measured(bound, account.cost),
        total=measured(bound, whole_cost(account.blocks, account.overhead)),
        total_relation="eq" if unit(bound) == "bytes" else "unknown",
        remedy=f"{advice.within_bounds or advice.everything} {kept}; {advice.useless} does not help",
    )


def _by_document_bound(account: Account, block: Block, bound: str) -> Truncation:
    """Return what a document's own bound cut."""
    return Truncation(
        stage="pack",
        scope=block.document.doc_id,
        limit_name=bound,
        limit=value_of(bound, account.budget),
        requested=value_of(bound, account.budget),
        shown=measured(bound, block.cost),
        total=measured(bound, block.whole),
        total_relation="eq",
        remedy=f"{_flags(account, _bounds(document=block.whole))} lifts the bound for it",
    )


def _cuts(account: Account) -> tuple[frame.Cut, ...]:
    return tuple(
        frame.Cut(
            rank=block.rank,
            doc_id=block.document.doc_id,
            title=block.document.title,
            kept_bytes=block.text_bytes[0],
            whole_bytes=block.text_bytes[1],
            by=frame.cut_by(budget=len(block.granted) < allowed, document=bool(bound)),
        )
        for block, allowed, bound in zip(
            account.blocks, account.offered.allowed, account.offered.closed_by, strict=True
        )
        if not block.complete
    )
