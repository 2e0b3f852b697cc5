"""Score: a document's score is a sum of named terms, so that nothing about a rank is hidden."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from kbtui.engine.boosts import Boosts, boosts
from kbtui.engine.fuse import FusionWeights
from kbtui.model import Candidate, Document, Gathered, Match, Scored, ScoreTerm
from kbtui.settings import Settings, tier_of

SUPERSEDED, STALE = "superseded", "stale"

Named = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Merits:
    """The numbers that say what a match is worth."""

    fusion: FusionWeights
    boosts: Named
    half_life_days: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Every number a score depends on; families as sorted pairs of name and value.

    ``review_days`` is how long a review holds that names no next one, None: for ever.
    """

    fusion: FusionWeights
    boosts: Named = ()
    penalties: Named = ()
    tier_priors: Named = ()
    type_priors: Named = ()
    half_life_days: float = float("inf")
    review_days: int | None = None

    @property
    def merits(self) -> Merits:
        """Those that no penalty and no prior is among."""
        return Merits(fusion=self.fusion, boosts=self.boosts, half_life_days=self.half_life_days)

    @classmethod
    def of(cls, settings: Settings) -> Weights:
        """Return the weights that settings hold."""
        return cls(
            fusion=FusionWeights(dense=settings.number("weights.dense"), lexical=settings.number("weights.lexical")),
            boosts=settings.family("boost."),
            penalties=settings.family("penalty."),
            tier_priors=settings.family("prior.tier."),
            type_priors=settings.family("prior.type."),
            half_life_days=settings.number("recency.half_life_days"),
            review_days=settings.bound("stale.review_days"),
        )


def score(
    candidates: tuple[Candidate, ...], gathered: Gathered, query_text: str, typed: bool, weights: Weights
) -> tuple[Scored, ...]:
    """Return the candidates with their terms, best first, ties by id."""
    return rank(candidates, earn(candidates, gathered, query_text, weights.merits), gathered, typed, weights)


def earn(
    candidates: tuple[Candidate, ...], gathered: Gathered, query_text: str, merits: Merits
) -> tuple[tuple[ScoreTerm, ...], ...]:
    """Return for each candidate what it gains for what was asked: relevance and boosts. No penalty moves that."""
    rows = {document.doc_id: document for document in gathered.documents}
    worth = Boosts.of(gathered, query_text, dict(merits.boosts), merits.half_life_days)
    below = {hit.chunk_id: hit.score for hit in gathered.below}
    return tuple(
        (
            *_relevance(candidate.matches[0], merits.fusion, below),
            *boosts(candidate, rows[candidate.doc_id], worth),
        )
        for candidate in candidates
    )


def rank(
    candidates: tuple[Candidate, ...],
    earned: tuple[tuple[ScoreTerm, ...], ...],
    gathered: Gathered,
    typed: bool,
    weights: Weights,
) -> tuple[Scored, ...]:
    """Return the candidates with what they earned and their standing, best first, ties by id."""
    rows = {document.doc_id: document for document in gathered.documents}

    @cache
    def terms_of(kind: str, superseded: bool, stale: str) -> tuple[ScoreTerm, ...]:
        return _standing(kind, superseded, stale, typed, weights)  # the same for most documents of a type

    found = []
    for candidate, terms in zip(candidates, earned, strict=True):
        row = rows[candidate.doc_id]
        stale = why_stale(row, weights.review_days)
        found.append(_scored(candidate, (*terms, *terms_of(row.source_type, row.superseded, stale))))
    return tuple(sorted(found, key=lambda scored: (-scored.score, scored.doc_id)))


def total(terms: tuple[ScoreTerm, ...]) -> float:
    """Return the score that terms add up to, in their order."""
    return float(sum(term.value for term in terms))


def standing(document: Document, typed: bool, weights: Weights) -> tuple[ScoreTerm, ...]:
    """Return what a document gains or loses for what it is, whatever was asked: priors and penalties.

    Somebody who asks for explicit types gets them unpenalised; a superseded or stale document pays always.
    """
    stale = why_stale(document, weights.review_days)
    return _standing(document.source_type, document.superseded, stale, typed, weights)


def _standing(kind: str, superseded: bool, stale: str, typed: bool, weights: Weights) -> tuple[ScoreTerm, ...]:
    tier, penalties = tier_of(kind), dict(weights.penalties)
    parts = (
        (f"prior.tier.{tier}", dict(weights.tier_priors).get(tier, 0.0), f"tier {tier}"),
        (f"prior.type.{kind}", dict(weights.type_priors).get(kind, 0.0), f"type {kind}"),
        (
            f"penalty.{kind}",
            0.0 if typed or kind in (SUPERSEDED, STALE) else penalties.get(kind, 0.0),
            f"type {kind}",
        ),
        (
            f"penalty.{SUPERSEDED}",
            penalties.get(SUPERSEDED, 0.0) if superseded else 0.0,
            "another document replaces it",
        ),
        (f"penalty.{STALE}", penalties.get(STALE, 0.0) if stale else 0.0, stale),
    )
    return tuple(ScoreTerm(name=name, value=value, detail=detail) for name, value, detail in parts if value)


def why_stale(document: Document, review_days: int | None) -> str:
    """Return why a document is out of date on the day of its generation, "" when it is not."""
    age = document.age
    if document.stale:
        return f"its front matter says {document.stale}"
    if age.overdue is not None and age.overdue > 0:
        return f"its review was due {document.review_by[:10]}, {_days(age.overdue)} before the index"
    if document.review_by or review_days is None or age.reviewed is None or age.reviewed <= review_days:
        return ""
    held = f"a review holds {_days(review_days)}"
    return f"last reviewed {document.reviewed[:10]}, {_days(age.reviewed)} before the index; {held}"


def _days(number: int) -> str:
    return f"{number:,} day{'s' if number != 1 else ''}"


def _scored(candidate: Candidate, terms: tuple[ScoreTerm, ...]) -> Scored:
    return Scored(
        doc_id=candidate.doc_id,
        tier=candidate.tier,
        source_type=candidate.source_type,
        score=total(terms),
        terms=terms,
        matches=candidate.matches,
    )


def _relevance(best: Match, weights: FusionWeights, below: dict[str, float]) -> tuple[ScoreTerm, ...]:
    """Return what each retriever adds, from the document's best passage; both are always shown."""
    if best.dense is None and best.chunk_id in below:
        by_meaning = ScoreTerm(name="dense", value=0.0, detail=f"below the floor, raw {below[best.chunk_id]:.4g}")
    else:
        by_meaning = _retrieved("dense", best.dense, weights.dense, best.dense_rank, best.dense_raw)
    return (
        by_meaning,
        _retrieved("lexical", best.lexical, weights.lexical, best.lexical_rank, best.lexical_raw),
    )


def _retrieved(name: str, scaled: float | None, weight: float, rank: int | None, raw: float | None) -> ScoreTerm:
    if scaled is None:
        return ScoreTerm(name=name, value=0.0, detail="not retrieved")
    place = "outside of its pool" if rank is None else f"rank {rank}"
    return ScoreTerm(name=name, value=weight * scaled, detail=f"{weight:g} x {scaled:.3f}, {place}, raw {raw:.4g}")
