"""Bounds: the four bounds of a context by name, and which of them a cost exceeds."""

from __future__ import annotations

from kbtui.model import Budget, Cost

CONTEXT_BYTES, CONTEXT_TOKENS = "budget.bytes", "budget.tokens"
DOCUMENT_BYTES, DOCUMENT_TOKENS = "budget.document_bytes", "budget.document_tokens"


def over(cost: Cost, budget: Budget) -> str:
    """Return the name of the bound of the context that a cost exceeds, "" when it is within both."""
    if budget.size_bytes is not None and cost.size_bytes > budget.size_bytes:
        return CONTEXT_BYTES
    if budget.tokens is not None and cost.tokens > budget.tokens:
        return CONTEXT_TOKENS
    return ""


def over_document(cost: Cost, budget: Budget) -> str:
    """Return the name of the document bound that a cost exceeds, "" when it is within both."""
    if budget.document_bytes is not None and cost.size_bytes > budget.document_bytes:
        return DOCUMENT_BYTES
    if budget.document_tokens is not None and cost.tokens > budget.document_tokens:
        return DOCUMENT_TOKENS
    return ""


def value_of(bound: str, budget: Budget) -> int:
    """Return the value of a bound that cut something, so that it has one."""
    values = {
        CONTEXT_BYTES: budget.size_bytes,
        CONTEXT_TOKENS: budget.tokens,
        DOCUMENT_BYTES: budget.document_bytes,
        DOCUMENT_TOKENS: budget.document_tokens,
    }
    return values[bound] or 0


def measured(bound: str, cost: Cost) -> int:
    """Return a cost in the unit of a bound."""
    return cost.size_bytes if unit(bound) == "bytes" else cost.tokens


def unit(bound: str) -> str:
    """Return what a bound counts, in words."""
    return "bytes" if bound in (CONTEXT_BYTES, DOCUMENT_BYTES) else "tokens"


def widened(budget: Budget, needed: Budget, *, step_bytes: int = 1, step_tokens: int = 1) -> Budget:
    """Return the bounds that must be raised to what is needed, rounded up to a step; None where none must."""
    return Budget(
        size_bytes=_raised(budget.size_bytes, needed.size_bytes, step_bytes),
        tokens=_raised(budget.tokens, needed.tokens, step_tokens),
        document_bytes=_raised(budget.document_bytes, needed.document_bytes, step_bytes),
        document_tokens=_raised(budget.document_tokens, needed.document_tokens, step_tokens),
    )


def _raised(bound: int | None, needed: int | None, step: int) -> int | None:
    if bound is None or needed is None or needed <= bound:
        return None
    return -(-needed // step) * step
