"""Both retrievers at once: one that fails, hangs or is late costs its own pools, never the answer, never a filter."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat
from threading import Event
from typing import TYPE_CHECKING, Never

import pytest

from kbtui.errors import StoreError
from kbtui.model import Filters, Gathered, Plan, Pool, PoolRequest
from kbtui.store import gather as gather_module
from kbtui.store.gather import gather
from kbtui.store.generation import OpenGeneration
from kbtui.store.retrieve import OVER_TIME
from kbtui.store.vectors import VectorIndex
from tests.unit.store.conftest import Workshop
from tests.unit.store.fakes import FakeEmbedder

if TYPE_CHECKING:
    from kbtui.store.embed import Vector

FILES = {
    "guide/lives.md": "state provider\n\nstate of the provider\n\nsomething else",
    "guide/retired.md": "status: deprecated\nstate provider",
    "guide/gone.md": "status: archived\nstate provider",
    "pull/other.md": "state of a pull",
}
PATIENT = 60_000
"""Milliseconds that no test waits for."""


def planned(deadline_ms: int | None = PATIENT, k: int = 10) -> Plan:
    requests = (
        PoolRequest(tier="primary", source_types=("guide",), k=k),
        PoolRequest(tier="historical", source_types=("pull",), k=k),
    )
    return Plan(requests=requests, typed=False, scales=(("guide",), ("pull",)), deadline_ms=deadline_ms)


class Failing(FakeEmbedder):
    """An embedder whose model broke."""

    def embed_query(self, text: str) -> Never:
        raise StoreError("the model is gone")


class Stuck(FakeEmbedder):
    """An embedder that does not come back before it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.let_go = Event()

    def embed_query(self, text: str) -> Vector:
        self.let_go.wait()
        return super().embed_query(text)


@pytest.fixture
def opened(workshop: Workshop) -> Iterator[OpenGeneration]:
    workshop.write(FILES)
    workshop.build()
    generation = workshop.store.open()
    yield generation
    generation.close()


def pools(gathered: Gathered, retriever: str) -> list[Pool]:
    return [pool for pool in gathered.pools if pool.retriever == retriever]


def found(gathered: Gathered, retriever: str) -> set[str]:
    return {hit.doc_id for pool in pools(gathered, retriever) for hit in pool.hits}


def test_two_retrievers_bring_a_pool_for_every_tier(opened: OpenGeneration) -> None:
    """With bounds of each, whose hits hold every passage that the filters let through and no other."""
    gathered = gather(opened, FakeEmbedder(), "state provider", Filters(), planned())
    assert [(pool.retriever, pool.tier, pool.status) for pool in gathered.pools] == [
        ("dense", "primary", "ok"),
        ("dense", "historical", "ok"),
        ("lexical", "primary", "ok"),
        ("lexical", "historical", "ok"),
    ]
    dense, lexical = gathered.bounds
    assert {hit.chunk_id for hit in lexical.hits} == {"guide/lives.md#0", "guide/lives.md#1", "pull/other.md#0"}
    assert {hit.doc_id for hit in dense.hits} == {"guide/lives.md", "pull/other.md"}
    assert lexical.low == lexical.hits[-1].score


def test_one_that_fails_says_so_and_the_other_still_filters(opened: OpenGeneration) -> None:
    """Neither retired nor archived documents come through the way that is left."""
    gathered = gather(opened, Failing(), "state provider", Filters(), planned())
    assert {(pool.status, pool.detail) for pool in pools(gathered, "dense")} == {("failed", "the model is gone")}
    assert found(gathered, "lexical") == {"guide/lives.md", "pull/other.md"}
    only = gather(opened, Failing(), "state provider", Filters(paths=("pull/*",)), planned())
    assert found(only, "lexical") == {"pull/other.md"}


def test_words_that_fail_leave_the_meaning(opened: OpenGeneration, monkeypatch: pytest.MonkeyPatch) -> None:
    """A damaged lexical index costs its pools."""

    def damaged(_: OpenGeneration) -> Never:
        raise StoreError("the store is damaged")

    monkeypatch.setattr(OpenGeneration, "lexical", property(damaged))
    gathered = gather(opened, FakeEmbedder(), "state provider", Filters(), planned())
    assert {pool.status for pool in pools(gathered, "lexical")} == {"failed"}
    assert found(gathered, "dense") == {"guide/lives.md", "pull/other.md"}


def test_one_that_hangs_is_left_behind_at_the_deadline(opened: OpenGeneration) -> None:
    """Its pools are timed out, how many it might have found is unknown, and the filters held."""
    stuck = Stuck()
    try:
        gathered = gather(opened, stuck, "state provider", Filters(), planned(deadline_ms=300))
    finally:
        stuck.let_go.set()
    assert {(pool.status, pool.detail, pool.total_relation) for pool in pools(gathered, "dense")} == {
        ("timed_out", OVER_TIME, "unknown")
    }
    assert found(gathered, "lexical") == {"guide/lives.md", "pull/other.md"}


def test_nothing_new_is_asked_when_most_of_the_time_is_gone(
    opened: OpenGeneration, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is late between two questions says so in its pools; without a deadline nothing is ever late."""
    clock = chain([0.0], repeat(0.9 * PATIENT / 1000))
    monkeypatch.setattr(gather_module, "monotonic", lambda: next(clock))
    gathered = gather(opened, FakeEmbedder(), "state provider", Filters(), planned())
    assert {(pool.status, pool.detail) for pool in gathered.pools} == {("timed_out", OVER_TIME)}
    patient = gather(opened, FakeEmbedder(), "state provider", Filters(), planned(deadline_ms=None))
    assert {pool.status for pool in patient.pools} == {"ok"}


def test_opening_a_large_store_takes_nothing_from_the_time_of_a_query(
    opened: OpenGeneration, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first question of a large library would otherwise be no answer at all: its indexes take longer to read."""
    now = [0.0]
    load = VectorIndex._load_graphs

    def slowly(index: VectorIndex) -> None:
        now[0] += 60.0
        load(index)

    monkeypatch.setattr(VectorIndex, "_load_graphs", slowly)
    monkeypatch.setattr(gather_module, "monotonic", lambda: now[0])
    gathered = gather(opened, FakeEmbedder(), "state provider", Filters(), planned(deadline_ms=10_000))
    assert now[0] == 60.0
    assert {pool.status for pool in gathered.pools} == {"ok"}


def test_what_is_no_fault_of_a_store_is_raised(opened: OpenGeneration) -> None:
    """A defect in a retriever's thread is not taken for an empty pool."""

    class Defect(FakeEmbedder):
        def embed_query(self, text: str) -> Never:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        gather(opened, Defect(), "state provider", Filters(), planned())


def test_a_pool_asks_on_until_enough_survive_the_filters(workshop: Workshop) -> None:
    """Hundreds of retired passages before the one that lives do not hide it."""
    files = {f"guide/old{n:03}.md": "status: deprecated\nstate provider" for n in range(250)}
    workshop.write(files | {"guide/lives.md": "the state of a long paragraph with one provider among many other words"})
    workshop.build()
    opened = workshop.store.open()
    try:
        gathered = gather(opened, FakeEmbedder(), "state provider", Filters(), planned(k=1))
    finally:
        opened.close()
    assert found(gathered, "lexical") == {"guide/lives.md"}
    assert pools(gathered, "lexical")[0].found == 251


def test_history_that_fills_the_best_of_all_leaves_a_guide_its_score(workshop: Workshop) -> None:
    """Zero is what the guides' own hundredth scores, or their last: not what the hundredth of 300 pulls does."""
    files = {f"pull/{n:03}.md": "state provider " * 3 for n in range(300)}
    workshop.write(files | {"guide/a.md": "state of some provider", "guide/b.md": "a state, and much else that is not"})
    workshop.build(lexical_only=True)
    opened = workshop.store.open()
    try:
        gathered = gather(opened, FakeEmbedder(), "state provider", Filters(), planned())
    finally:
        opened.close()
    (bounds,) = gathered.bounds
    scores = {hit.doc_id: hit.score for hit in bounds.hits}
    assert (
        bounds.low
        == scores["guide/b.md"]
        < scores["guide/a.md"]
        < min(scores[name] for name in scores if name in files)
    )
    assert len(bounds.hits) == 100 + 2
