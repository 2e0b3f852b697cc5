"""Fuse: pools of both retrievers become candidates, one unit for every score."""

from __future__ import annotations

from dataclasses import dataclass

from kbtui.model import Bounds, Candidate, Gathered, Hit, Match, Pool, Retriever
from kbtui.settings import tier_of


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionWeights:
    """How much each retriever's scaled score counts."""

    dense: float
    lexical: float


def fuse(gathered: Gathered, weights: FusionWeights) -> tuple[Candidate, ...]:
    """Return every document that a pool brought, by id, its passages best first.

    A raw score is scaled to 0..1 by its retriever's bounds, which no share and no filter moves.

    Units: scaled scores 0..1; a match's score is their weighted sum.
    Source: min-max score fusion, Lee 1997 (CombSUM).
    """
    types = {document.doc_id: document.source_type for document in gathered.documents}
    ordinals = {entry.chunk_id: entry.ordinal for entry in gathered.entries}
    dense, lexical = _by_chunk(gathered.pools, "dense"), _by_chunk(gathered.pools, "lexical")
    found_by: tuple[tuple[Retriever, dict[str, Hit]], ...] = (("dense", dense), ("lexical", lexical))
    scales = {retriever: _range(retriever, hits) for retriever, hits in found_by if hits}
    scales |= {bound.retriever: bound for bound in gathered.bounds}
    found: dict[str, list[Match]] = {}
    for chunk_id, hit in {**lexical, **dense}.items():
        match = _match(chunk_id, dense.get(chunk_id), lexical.get(chunk_id), scales, weights)
        found.setdefault(hit.doc_id, []).append(match)
    return tuple(
        Candidate(
            doc_id=doc_id,
            tier=tier_of(types[doc_id]),
            source_type=types[doc_id],
            matches=tuple(sorted(found[doc_id], key=lambda match: (-match.score, ordinals[match.chunk_id]))),
        )
        for doc_id in sorted(found)
    )


def scaled(raw: float, bounds: Bounds) -> float:
    """Return where a raw score lies between the bounds, clipped to 0..1; equal bounds give 1."""
    if bounds.high <= bounds.low:
        return 1.0
    return min(1.0, max(0.0, (raw - bounds.low) / (bounds.high - bounds.low)))


def _by_chunk(pools: tuple[Pool, ...], retriever: Retriever) -> dict[str, Hit]:
    """Return a retriever's hits by passage; a passage has one type, so at most one pool brings it."""
    return {hit.chunk_id: hit for pool in pools if pool.retriever == retriever for hit in pool.hits}


def _range(retriever: Retriever, hits: dict[str, Hit]) -> Bounds:
    """Return the range of the hits themselves, for a retriever whose untiered top held no live passage."""
    scores = [hit.score for hit in hits.values()]
    return Bounds(retriever=retriever, low=min(scores), high=max(scores))


def _match(
    chunk_id: str, dense: Hit | None, lexical: Hit | None, scales: dict[Retriever, Bounds], weights: FusionWeights
) -> Match:
    """Return a passage with its share from each retriever; one that did not bring it gives nothing."""
    by_meaning = scaled(dense.score, scales["dense"]) if dense else None
    by_words = scaled(lexical.score, scales["lexical"]) if lexical else None
    return Match(
        chunk_id=chunk_id,
        score=weights.dense * (by_meaning or 0.0) + weights.lexical * (by_words or 0.0),
        dense=by_meaning,
        lexical=by_words,
        dense_rank=dense.rank if dense else None,
        lexical_rank=lexical.rank if lexical else None,
        dense_raw=dense.score if dense else None,
        lexical_raw=lexical.score if lexical else None,
    )
