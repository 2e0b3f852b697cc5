"""Fuse: pools of both retrievers become candidates, one unit for every score."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import NamedTuple

from kbtui.model import Bounds, Candidate, Gathered, Hit, Match, Retriever
from kbtui.settings import tier_of


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionWeights:
    """How much each retriever's scaled score counts."""

    dense: float
    lexical: float


def fuse(gathered: Gathered, weights: FusionWeights) -> tuple[Candidate, ...]:
    """Return every document that a pool brought, by id, its passages best first.

    A raw score is scaled to 0..1 by its retriever's bounds, which no share moves. A passage that its own pool did not
    bring is looked up among those of the bounds; what is not there counts 0, though a deeper pool brought it.

    Units: scaled scores 0..1; a match's score is their weighted sum.
    Source: min-max score fusion, Lee 1997 (CombSUM).
    """
    types = {document.doc_id: document.source_type for document in gathered.documents}
    ordinals = {entry.chunk_id: entry.ordinal for entry in gathered.entries}
    found: dict[str, list[Match]] = {hit.doc_id: [] for pool in gathered.pools for hit in pool.hits}
    dense, lexical = _by_chunk(gathered, "dense", found), _by_chunk(gathered, "lexical", found)
    for chunk_id in lexical | dense:
        match = _match(chunk_id, dense.get(chunk_id), lexical.get(chunk_id), weights)
        found[chunk_id.rpartition("#")[0]].append(match)
    return tuple(
        Candidate(
            doc_id=doc_id,
            tier=tier_of(types[doc_id]),
            source_type=types[doc_id],
            matches=_telling(sorted(found[doc_id], key=lambda match: (-match.score, ordinals[match.chunk_id]))),
        )
        for doc_id in sorted(found)
    )


def _telling(matches: list[Match]) -> tuple[Match, ...]:
    """Return the passages that say something for their document: which others a pool had room for is chance."""
    return tuple(match for match in matches if match.score > 0) or tuple(matches[:1])


def scaled(raw: float, bounds: Bounds) -> float:
    """Return where a raw score lies between the bounds, clipped to 0..1; equal bounds give 1."""
    if bounds.high <= bounds.low:
        return 1.0
    return min(1.0, max(0.0, (raw - bounds.low) / (bounds.high - bounds.low)))


class _Score(NamedTuple):
    """A retriever's own score of a passage, the same scaled, and its rank in its pool (None: not brought by it)."""

    raw: float
    scaled: float
    rank: int | None


def _by_chunk(gathered: Gathered, retriever: Retriever, candidates: Container[str]) -> dict[str, _Score]:
    """Return what a retriever knows of the candidates' passages."""
    brought = {hit.chunk_id: hit for pool in gathered.pools if pool.retriever == retriever for hit in pool.hits}
    bounds = next((bounds for bounds in gathered.bounds if bounds.retriever == retriever), None)
    if bounds is None:
        bounds = _range(retriever, tuple(brought.values()))
    known = {
        hit.chunk_id: _Score(hit.score, scaled(hit.score, bounds), None)
        for hit in bounds.hits
        if hit.doc_id in candidates
    }
    for chunk_id, hit in brought.items():
        known[chunk_id] = _Score(hit.score, known[chunk_id].scaled if chunk_id in known else 0.0, hit.rank)
    return known


def _range(retriever: Retriever, hits: tuple[Hit, ...]) -> Bounds:
    """Return the range of the hits themselves, for a retriever that has no bounds."""
    raw = [hit.score for hit in hits] or [0.0]
    return Bounds(retriever=retriever, low=min(raw), high=max(raw), hits=hits)


def _match(chunk_id: str, dense: _Score | None, lexical: _Score | None, weights: FusionWeights) -> Match:
    """Return a passage with its share from each retriever; one that does not know it gives nothing."""
    by_meaning = dense.scaled if dense else None
    by_words = lexical.scaled if lexical else None
    return Match(
        chunk_id=chunk_id,
        score=weights.dense * (by_meaning or 0.0) + weights.lexical * (by_words or 0.0),
        dense=by_meaning,
        lexical=by_words,
        dense_rank=dense.rank if dense else None,
        lexical_rank=lexical.rank if lexical else None,
        dense_raw=dense.raw if dense else None,
        lexical_raw=lexical.raw if lexical else None,
    )
