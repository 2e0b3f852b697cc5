"""Two retrievers, one unit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kbtui.engine.fuse import FusionWeights, fuse, scaled
from kbtui.model import Bounds, Candidate, Entry, Gathered, Hit, Pool, Retriever, Span
from tests.engine_fakes import document

WEIGHTS = FusionWeights(dense=0.6, lexical=0.4)
DENSE = Bounds(retriever="dense", low=0.2, high=0.7)
LEXICAL = Bounds(retriever="lexical", low=2.0, high=12.0)


def hits(retriever: Retriever, **scores: float) -> Pool:
    """Return a pool in which ``a1`` is passage 1 of document ``a``."""
    ranked = sorted(scores.items(), key=lambda pair: -pair[1])
    return Pool(
        tier="primary",
        retriever=retriever,
        k=10,
        hits=tuple(
            Hit(chunk_id=f"{name[0]}#{name[1:]}", doc_id=name[0], rank=rank, score=score)
            for rank, (name, score) in enumerate(ranked, start=1)
        ),
        found=1,
        survived=1,
        total=1,
    )


def brought(retriever: Retriever, *pools: Pool) -> tuple[Hit, ...]:
    return tuple(hit for pool in pools if pool.retriever == retriever for hit in pool.hits)


def fused(*pools: Pool, bounds: tuple[Bounds, ...] | None = None) -> tuple[Candidate, ...]:
    """Fuse pools; unless bounds are given, everything they hold is among the hits of the bounds."""
    if bounds is None:
        bounds = tuple(replace(one, hits=brought(one.retriever, *pools)) for one in (DENSE, LEXICAL))
    chunks = {hit.chunk_id: hit.doc_id for pool in pools for hit in pool.hits}
    gathered = Gathered(
        pools=pools,
        bounds=bounds,
        documents=tuple(document(doc_id) for doc_id in sorted(set(chunks.values()))),
        entries=tuple(
            Entry(
                chunk_id=chunk_id,
                doc_id=doc_id,
                ordinal=int(chunk_id.partition("#")[2]),
                span=Span(start=0, end=1),
                heading=(),
                size_bytes=1,
                tokens=1,
            )
            for chunk_id, doc_id in chunks.items()
        ),
        edges=(),
        embedded=1,
        chunks=1,
    )
    return fuse(gathered, WEIGHTS)


def test_a_score_is_scaled_by_the_bounds() -> None:
    """0.45 lies halfway between 0.2 and 0.7; beyond the bounds is clipped; equal bounds give 1."""
    assert scaled(0.45, DENSE) == pytest.approx((0.45 - 0.2) / (0.7 - 0.2))
    assert scaled(0.9, DENSE) == 1.0
    assert scaled(-1.0, DENSE) == 0.0
    assert scaled(3.0, Bounds(retriever="dense", low=3.0, high=3.0)) == 1.0


def test_a_passage_of_both_retrievers_is_a_weighted_sum() -> None:
    """0.6 of the scaled dense score and 0.4 of the lexical one; ranks and raw scores stay attached."""
    (candidate,) = fused(hits("dense", a0=0.6), hits("lexical", a0=7.0))
    (match,) = candidate.matches
    assert match.score == pytest.approx(0.6 * (0.4 / 0.5) + 0.4 * (5 / 10))
    assert (match.dense_rank, match.lexical_rank) == (1, 1)
    assert (match.dense_raw, match.lexical_raw) == (0.6, 7.0)


def test_what_a_retriever_did_not_bring_is_not_a_zero_it_measured() -> None:
    """A passage that only words found has no dense score, and half of nothing from it."""
    (candidate,) = fused(hits("lexical", a0=12.0))
    (match,) = candidate.matches
    assert match.dense is None
    assert match.score == pytest.approx(0.4)


def test_a_document_keeps_its_passages_best_first() -> None:
    """Equal passages come in the order of the document, by number and not by name."""
    (candidate,) = fused(hits("dense", a10=0.5, a2=0.5, a7=0.6))
    assert [match.chunk_id for match in candidate.matches] == ["a#7", "a#2", "a#10"]


def test_candidates_come_by_id() -> None:
    """Every document of every pool is a candidate once, with its type and tier."""
    found = fused(hits("dense", c0=0.5, a0=0.4), hits("lexical", b0=3.0, a1=4.0))
    assert [candidate.doc_id for candidate in found] == ["a", "b", "c"]
    assert {(candidate.source_type, candidate.tier) for candidate in found} == {("guide", "primary")}


def test_without_bounds_the_hits_are_their_own_scale() -> None:
    """When the untiered top held nothing that lives, a retriever's lowest hit gives 0 and its highest 1."""
    low, high = fused(hits("dense", a0=0.1, b0=0.3), bounds=(LEXICAL,))
    assert (low.matches[0].dense, high.matches[0].dense) == (0.0, 1.0)


def test_a_passage_outside_of_its_pool_is_looked_up_among_the_bounds() -> None:
    """A share that left it no room in one pool takes no part of its score away; it has no rank there."""
    known = replace(LEXICAL, hits=(Hit(chunk_id="a#0", doc_id="a", rank=4, score=7.0),))
    pool = hits("dense", a0=0.6)
    (candidate,) = fused(pool, bounds=(replace(DENSE, hits=pool.hits), known))
    (match,) = candidate.matches
    assert match.score == pytest.approx(0.6 * (0.4 / 0.5) + 0.4 * (5 / 10))
    assert (match.lexical_rank, match.lexical_raw) == (None, 7.0)


def test_bounds_make_no_candidates() -> None:
    """What no pool brought stays outside, however well it scores."""
    known = replace(LEXICAL, hits=(Hit(chunk_id="b#0", doc_id="b", rank=1, score=12.0),))
    assert [candidate.doc_id for candidate in fused(hits("dense", a0=0.6), bounds=(DENSE, known))] == ["a"]


def test_passages_that_say_nothing_are_left_out() -> None:
    """Which others a pool had room for is chance; a document with nothing else keeps one."""
    first, second = fused(hits("dense", a0=0.6, a1=0.2, b0=0.1, b1=0.1))
    assert [match.chunk_id for match in first.matches] == ["a#0"]
    assert [match.score for match in second.matches] == [0.0]


def test_what_only_a_deeper_pool_brought_counts_nothing() -> None:
    """Else a larger share would raise the score of a document that is there either way; its raw score is kept."""
    pool = hits("dense", a0=0.6, a1=0.5)
    (candidate,) = fused(pool, bounds=(replace(DENSE, hits=pool.hits[:1]), LEXICAL))
    assert [(match.chunk_id, match.dense_raw) for match in candidate.matches] == [("a#0", 0.6)]
