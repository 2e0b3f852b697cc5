"""Retrieve: what one retriever brings for a plan: its pools, and the passages that its scores are measured by."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from kbtui.errors import StoreError
from kbtui.model import Bounds, Filters, Hit, Plan, Pool, PoolRequest, PoolStatus, Retriever, TypeStatus
from kbtui.store.catalog import Catalog, chunk_id

DEPTH = 100
"""Passages that a retriever is first asked for, of each group that scores are measured by."""

ENOUGH = DEPTH // 2
"""Passages that must survive the filters before scores are measured by them, while there are more."""

Raw = list[tuple[int, float]]
Ask = Callable[[tuple[str, ...], int], tuple[Raw, bool]]
"""Types and n to (the best n as (key, score), whether that is all there is)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What one retriever brought: its pools, its bounds, and the keys of the passages of both."""

    pools: tuple[Pool, ...]
    bounds: Bounds | None = None
    keys: frozenset[int] = frozenset()


class _Passage(NamedTuple):
    """A passage that the filters let through, and the retriever's score of it."""

    key: int
    doc_id: str
    ordinal: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Survivors:
    """The passages that the filters let through, best first; of how many documents there were any."""

    passages: list[_Passage]
    found: int
    exhausted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """One retriever, the catalogue that says where its passages are, and what the query admits.

    ``late`` says that nothing new is to be asked any more.
    """

    retriever: Retriever
    catalog: Catalog
    filters: Filters
    plan: Plan
    late: Callable[[], bool] = lambda: False
    _places: dict[int, tuple[str, int] | None] = field(default_factory=dict, init=False)
    """Where each passage that came is, None for one that is gone: the pools bring again what the bounds brought."""

    def run(self, opened: Callable[[], Ask]) -> Found:
        """Return the retriever's pools; when it fails, pools that say why.

        Errors: none of the retriever's own; StoreError when the catalogue cannot say what there is.
        """
        types = {status.source_type: status for status in self.catalog.type_status()}
        try:
            ask = opened()
            bounds, keys = self._bounds(ask, types)
            filled = [self._fill(ask, request, types) for request in self.plan.requests]
        except StoreError as error:
            return unanswered(self.retriever, self.plan, types, "failed", error.message)
        return Found(
            pools=tuple(pool for pool, _ in filled), bounds=bounds, keys=keys.union(*(brought for _, brought in filled))
        )

    def _bounds(self, ask: Ask, types: dict[str, TypeStatus]) -> tuple[Bounds | None, frozenset[int]]:
        """Return what scores are measured by: the best passages of each group of types, and the best of all.

        1 is the best of them. 0 is the last of the first group, or the last of the best of all where that is lower.
        """
        present = (tuple(name for name in group if name in types) for group in self.plan.scales)
        groups = [best for group in present if (best := self._best(ask, group))]
        merged = sorted((passage for best in groups for passage in best), key=lambda one: (-one.score, one.key))
        if not merged:
            return None, frozenset()
        low = min(groups[0][-1].score, merged[:DEPTH][-1].score)
        bounds = Bounds(retriever=self.retriever, low=low, high=merged[0].score, hits=_hits(merged))
        return bounds, frozenset(passage.key for passage in merged)

    def _best(self, ask: Ask, source_types: tuple[str, ...]) -> list[_Passage]:
        """Return the best passages of these types, enough of them to measure by if there are."""
        n = DEPTH
        while True:
            found = self._survivors(ask, source_types, n)
            if found.exhausted or len(found.passages) >= ENOUGH or self.late():
                return found.passages
            n *= 2

    def _fill(self, ask: Ask, request: PoolRequest, types: dict[str, TypeStatus]) -> tuple[Pool, frozenset[int]]:
        """Fetch on until ``k`` documents survive the filters, or there is no more, or no more time."""
        started = time.perf_counter()
        present = tuple(name for name in request.source_types if name in types)
        n, found, late = max(DEPTH, request.k), None, self.late()
        while not late:
            found = self._survivors(ask, present, n)
            if found.exhausted or _documents(found.passages) >= request.k:
                break
            n, late = n * 2, self.late()
        within = list(_first_documents(found.passages, request.k)) if found else []
        survived = _documents(within)
        status, detail = _status(self.retriever, present, types, survived)
        pool = Pool(
            tier=request.tier,
            retriever=self.retriever,
            k=request.k,
            hits=_hits(within),
            found=found.found if found else 0,
            survived=survived,
            total=sum(types[name].documents for name in present),
            status="timed_out" if late else status,
            detail=OVER_TIME if late else detail,
            elapsed_ms=(time.perf_counter() - started) * 1000,
        )
        return pool, frozenset(passage.key for passage in within)

    def _survivors(self, ask: Ask, source_types: tuple[str, ...], n: int) -> _Survivors:
        """Ask for n passages, and leave out what the catalogue does not know or the filters exclude."""
        raw, exhausted = ask(source_types, n) if source_types else ([], True)
        self._look_up([key for key, _ in raw])
        there = [(key, place, score) for key, score in raw if (place := self._places[key])]
        found = {doc_id for _, (doc_id, _), _ in there}
        failing = self.catalog.failing(self.filters, found)
        passages = [
            _Passage(key, doc_id, ordinal, score) for key, (doc_id, ordinal), score in there if doc_id not in failing
        ]
        return _Survivors(passages=passages, found=len(found), exhausted=exhausted)

    def _look_up(self, keys: list[int]) -> None:
        """Learn where the passages are that came for the first time."""
        fresh = [key for key in keys if key not in self._places]
        if fresh:
            self._places.update(dict.fromkeys(fresh) | self.catalog.places(fresh))


OVER_TIME = "the deadline was over"


def unanswered(
    retriever: Retriever, plan: Plan, types: dict[str, TypeStatus], status: PoolStatus, detail: str
) -> Found:
    """Return a retriever's pools when it brought nothing, and why."""
    return Found(
        pools=tuple(
            Pool(
                tier=request.tier,
                retriever=retriever,
                k=request.k,
                hits=(),
                found=0,
                survived=0,
                total=sum(types[name].documents for name in request.source_types if name in types),
                total_relation="unknown",
                status=status,
                detail=detail,
            )
            for request in plan.requests
        )
    )


def _hits(passages: list[_Passage]) -> tuple[Hit, ...]:
    """Return passages as hits, ranked in the order they come."""
    return tuple(
        Hit(chunk_id=chunk_id(one.doc_id, one.ordinal), doc_id=one.doc_id, rank=rank, score=one.score)
        for rank, one in enumerate(passages, start=1)
    )


def _documents(passages: list[_Passage]) -> int:
    return len({passage.doc_id for passage in passages})


def _first_documents(passages: list[_Passage], k: int) -> Iterable[_Passage]:
    """Yield the passages until the k-th distinct document has come."""
    seen: set[str] = set()
    for passage in passages:
        seen.add(passage.doc_id)
        yield passage
        if len(seen) == k:
            return


def _status(
    retriever: Retriever, present: tuple[str, ...], types: dict[str, TypeStatus], survived: int
) -> tuple[PoolStatus, str]:
    """Return the pool's status: partial while passages of its types wait for their embedding."""
    if retriever == "dense":
        embedded = sum(types[name].embedded for name in present)
        chunks = sum(types[name].chunks for name in present)
        if embedded < chunks:
            return "partial", f"dense: {embedded:,} of {chunks:,} chunks"
    return ("ok", "") if survived else ("empty", "")
