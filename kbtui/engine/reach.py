"""Reach: ask a document's own pool ever deeper, until it is met or there is no more. The same stage, a larger k."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kbtui.model import Document, Gathered, Plan, Pool, PoolRequest

Ask = Callable[[Plan], Gathered]
"""Gather, for one query and its filters."""

_DEEPER = 8
"""How many times deeper each look is: few looks for a document far down, little too much for a near one."""


def reach(ask: Ask, planned: Plan, document: Document) -> Gathered:
    """Return what a document's pool finds when it is asked deep enough for both retrievers to meet the document."""
    request = request_of(planned, document)
    while True:
        request = replace(request, k=request.k * _DEEPER)
        found = ask(Plan(requests=(request,), typed=planned.typed))
        if all(met(pool, document.doc_id) or pool.survived < pool.k for pool in found.pools):
            return found


def request_of(planned: Plan, document: Document) -> PoolRequest:
    """Return what the pool that a document belongs to is asked for."""
    return next(request for request in planned.requests if document.source_type in request.source_types)


def met(pool: Pool, doc_id: str) -> bool:
    """Return whether a pool brought a document."""
    return any(hit.doc_id == doc_id for hit in pool.hits)


def rank_in(pool: Pool, doc_id: str) -> int | None:
    """Return a document's rank among the documents of a pool, None when the pool did not bring it."""
    ranked = tuple(dict.fromkeys(hit.doc_id for hit in pool.hits))
    return ranked.index(doc_id) + 1 if doc_id in ranked else None
