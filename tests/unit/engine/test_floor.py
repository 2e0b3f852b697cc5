"""A floor on the cosine."""

from __future__ import annotations

from kbtui.engine.floor import floor, kept_out
from kbtui.engine.fuse import FusionWeights, fuse
from kbtui.model import Below, Bounds, Entry, Gathered, Hit, Pool, Retriever, Span
from tests.engine_fakes import document

NAMES = ("a", "b", "c", "d")


def pool(retriever: Retriever, **scores: float) -> Pool:
    hits = tuple(
        Hit(chunk_id=f"{name}#0", doc_id=name, rank=rank, score=score)
        for rank, (name, score) in enumerate(scores.items(), start=1)
    )
    return Pool(
        tier="primary",
        retriever=retriever,
        k=9,
        hits=hits,
        found=len(hits),
        survived=len(hits),
        total=9,
    )


def gathered() -> Gathered:
    """Four documents by meaning, two of them by words as well."""
    dense, lexical = pool("dense", a=0.8, b=0.5, c=0.3, d=0.1), pool("lexical", a=9.0, c=4.0)
    return Gathered(
        pools=(dense, lexical),
        bounds=(
            Bounds(retriever="dense", low=0.1, high=0.8, hits=dense.hits),
            Bounds(retriever="lexical", low=1.0, high=9.0, hits=lexical.hits),
        ),
        documents=tuple(document(name) for name in NAMES),
        entries=tuple(
            Entry(
                chunk_id=f"{name}#0",
                doc_id=name,
                ordinal=0,
                span=Span(start=0, end=1),
                heading=(),
                size_bytes=1,
                tokens=1,
            )
            for name in NAMES
        ),
        edges=(),
        embedded=4,
        chunks=4,
    )


WEIGHTS = FusionWeights(dense=0.6, lexical=0.4)


def test_zero_keeps_every_hit() -> None:
    """The default takes nothing out, negative cosines included, and makes nothing anew."""
    of = gathered()
    assert floor(of, 0.0) is of


def test_hits_below_do_not_count_and_the_others_keep_their_scores() -> None:
    """0.5 is not below 0.5; ``c`` stays by its words alone, ``d`` goes, ``a`` and ``b`` score as before."""
    before = {one.doc_id: one for one in fuse(gathered(), WEIGHTS)}
    floored = floor(gathered(), 0.5)
    after = {one.doc_id: one for one in fuse(floored, WEIGHTS)}
    assert set(after) == {"a", "b", "c"}
    assert (after["a"], after["b"]) == (before["a"], before["b"])
    (match,) = after["c"].matches
    assert (match.dense, match.lexical, match.score) == (None, (4 - 1) / (9 - 1), 0.4 * (4 - 1) / (9 - 1))
    assert [(hit.doc_id, hit.score) for hit in floored.below] == [("c", 0.3), ("d", 0.1)]


def test_what_it_keeps_out_is_listed_nearest_first() -> None:
    """Only documents that nothing else found are out, each with its best cosine."""
    floored = floor(gathered(), 0.9)
    assert kept_out(floored, fuse(floored, WEIGHTS)) == (
        Below(doc_id="b", similarity=0.5),
        Below(doc_id="d", similarity=0.1),
    )
