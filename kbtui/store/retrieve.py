"""Retrieve: what one retriever brings for a plan: its pools, and the passages that its scores are measured by."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kbtui.errors import StoreError
from kbtui.model import Bounds, Filters, Hit, Plan, Pool, PoolRequest, PoolStatus, Retriever, TypeStatus
from kbtui.store.catalog import Catalog
from kbtui.store.ranking import Ranking, merged

if TYPE_CHECKING:
    from kbtui.store.places import Numbers

DEPTH = 100
"""Passages that a retriever is first asked for, of each group that scores are measured by."""

ENOUGH = DEPTH // 2
"""Passages that must survive the filters before scores are measured by them, while there are more."""

Ask = Callable[[tuple[str, ...], int], tuple[Ranking, bool]]
"""Types and n to (the best n, whether that is all there is)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What one retriever brought: its pools, its bounds, and the keys of the passages of both."""

    pools: tuple[Pool, ...]
    bounds: Bounds | None = None
    keys: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class _Survivors:
    """The passages that the filters let through, best first, each with the number of its document.

    ``found`` counts the documents before the filters. ``exhausted`` says that there are no more passages.
    """

    ranking: Ranking
    docs: Numbers
    found: int
    exhausted: bool

    def first(self, n: int) -> _Survivors:
        """Return the best ``n`` passages."""
        return replace(self, ranking=self.ranking.first(n), docs=self.docs[:n])


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
        groups = [best.ranking for group in present if len((best := self._best(ask, group)).ranking)]
        if not groups:
            return None, frozenset()
        together = merged(groups)
        low = min(float(groups[0].scores[-1]), float(together.first(DEPTH).scores[-1]))
        high, hits = float(together.scores[0]), self._hits(together)
        bounds = Bounds(retriever=self.retriever, low=low, high=high, hits=hits)
        return bounds, frozenset(together.keys.tolist())

    def _best(self, ask: Ask, source_types: tuple[str, ...]) -> _Survivors:
        """Return the best passages of these types, enough of them to measure by if there are."""
        n = DEPTH
        while True:
            found = self._survivors(ask, source_types, n)
            if found.exhausted or len(found.ranking) >= ENOUGH or self.late():
                return found
            n *= 2

    def _fill(self, ask: Ask, request: PoolRequest, types: dict[str, TypeStatus]) -> tuple[Pool, frozenset[int]]:
        """Fetch on until ``k`` documents survive the filters, or there is no more, or no more time."""
        started = time.perf_counter()
        present = tuple(name for name in request.source_types if name in types)
        n, late = max(DEPTH, request.k), self.late()
        found, firsts = _none(), list[int]()
        while not late:
            found = self._survivors(ask, present, n)
            firsts = _firsts(found.docs)
            if found.exhausted or len(firsts) >= request.k:
                break
            n, late = n * 2, self.late()
        if len(firsts) >= request.k:
            firsts = firsts[: request.k]
            found = found.first(firsts[-1] + 1)
        status, detail = _status(self.retriever, present, types, len(firsts))
        pool = Pool(
            tier=request.tier,
            retriever=self.retriever,
            k=request.k,
            hits=self._hits(found.ranking),
            found=found.found,
            survived=len(firsts),
            total=sum(types[name].documents for name in present),
            status="timed_out" if late else status,
            detail=OVER_TIME if late else detail,
            elapsed_ms=(time.perf_counter() - started) * 1000,
        )
        return pool, frozenset(found.ranking.keys.tolist())

    def _survivors(self, ask: Ask, source_types: tuple[str, ...], n: int) -> _Survivors:
        """Ask for n passages, and leave out what the catalogue does not know or the filters exclude."""
        import numpy as np

        if not source_types:
            return _none()
        ranking, exhausted = ask(source_types, n)
        places = self.catalog.places()
        rows = places.rows(ranking.keys)
        known = rows >= 0
        docs = places.docs[rows[known]]
        found = np.unique(docs)
        failing = self.catalog.failing(self.filters, found.tolist())
        if failing:
            passing = ~np.isin(docs, list(failing))
            known[known], docs = passing, docs[passing]
        return _Survivors(ranking.where(known), docs, len(found), exhausted)

    def _hits(self, ranking: Ranking) -> tuple[Hit, ...]:
        """Return passages as hits, ranked in the order they come."""
        keys = ranking.keys.tolist()
        entries = self.catalog.entries(keys)
        return tuple(
            Hit(chunk_id=entries[key].chunk_id, doc_id=entries[key].doc_id, rank=rank, score=score)
            for rank, (key, score) in enumerate(zip(keys, ranking.scores.tolist(), strict=True), start=1)
        )


def _firsts(docs: Numbers) -> list[int]:
    """Return the places of the passages that are the first of their document."""
    import numpy as np

    return sorted(np.unique(docs, return_index=True)[1].tolist())


def _none() -> _Survivors:
    """Return no passages: there are no more."""
    nothing = merged(())
    return _Survivors(nothing, nothing.keys.astype("i4"), found=0, exhausted=True)


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
