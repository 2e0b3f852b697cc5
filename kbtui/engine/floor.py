"""Floor: hits by meaning that are not near enough do not count, whatever their rank."""

from __future__ import annotations

from dataclasses import replace

from kbtui.model import Below, Candidate, Gathered, Hit, Pool


def floor(gathered: Gathered, least: float) -> Gathered:
    """Return what was gathered with the dense hits whose cosine is below ``least`` taken out; 0 takes out none.

    The bounds of the scores stay, so that a floor moves no score.
    """
    if least <= 0.0:
        return gathered
    below = tuple(hit for pool in gathered.pools for hit in pool.hits if _is_below(pool, hit, least))
    if not below:
        return gathered
    pools = tuple(
        replace(pool, hits=tuple(hit for hit in pool.hits if not _is_below(pool, hit, least)))
        for pool in gathered.pools
    )
    return replace(gathered, pools=pools, below=below)


def kept_out(floored: Gathered, candidates: tuple[Candidate, ...]) -> tuple[Below, ...]:
    """Return the documents that nothing but hits below the floor had found, the nearest first, ties by id."""
    there = {candidate.doc_id for candidate in candidates}
    nearest: dict[str, float] = {}
    for hit in floored.below:
        if hit.doc_id not in there:
            nearest[hit.doc_id] = max(hit.score, nearest.get(hit.doc_id, hit.score))
    found = [Below(doc_id=doc_id, similarity=similarity) for doc_id, similarity in nearest.items()]
    return tuple(sorted(found, key=lambda below: (-below.similarity, below.doc_id)))


def _is_below(pool: Pool, hit: Hit, least: float) -> bool:
    return pool.retriever == "dense" and hit.score < least
