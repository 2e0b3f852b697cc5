"""Score: a document's score is a sum of named terms, so that nothing about a rank is hidden."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from kbtui import text
from kbtui.engine.fuse import FusionWeights
from kbtui.model import Candidate, Document, Gathered, Match, Scored, ScoreTerm
from kbtui.settings import Settings, tier_of

EXTRA_PASSAGES = 3
"""Most further passages that count: a long document must not win by its length."""

SUPERSEDED = "superseded"

_words = lru_cache(maxsize=8192)(text.words)

Named = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Every number a score depends on; families as sorted pairs of name and value."""

    fusion: FusionWeights
    boosts: Named = ()
    penalties: Named = ()
    tier_priors: Named = ()
    type_priors: Named = ()

    @classmethod
    def of(cls, settings: Settings) -> Weights:
        """Return the weights that settings hold."""
        return cls(
            fusion=FusionWeights(dense=settings.number("weights.dense"), lexical=settings.number("weights.lexical")),
            boosts=settings.family("boost."),
            penalties=settings.family("penalty."),
            tier_priors=settings.family("prior.tier."),
            type_priors=settings.family("prior.type."),
        )


def score(
    candidates: tuple[Candidate, ...], gathered: Gathered, query_text: str, typed: bool, weights: Weights
) -> tuple[Scored, ...]:
    """Return the candidates with their terms, best first, ties by id."""
    rows = {document.doc_id: document for document in gathered.documents}
    headings = {entry.chunk_id: entry.heading for entry in gathered.entries}
    asked, boosts = frozenset(_words(query_text)), dict(weights.boosts)
    found = [
        _scored(
            candidate,
            (
                *_relevance(candidate.matches[0], weights.fusion),
                *_boosts(candidate, rows[candidate.doc_id], headings, query_text, asked, boosts),
                *standing(rows[candidate.doc_id], typed, weights),
            ),
        )
        for candidate in candidates
    ]
    return tuple(sorted(found, key=lambda scored: (-scored.score, scored.doc_id)))


def total(terms: tuple[ScoreTerm, ...]) -> float:
    """Return the score that terms add up to, in their order."""
    return float(sum(term.value for term in terms))


def standing(document: Document, typed: bool, weights: Weights) -> tuple[ScoreTerm, ...]:
    """Return what a document gains or loses for what it is, whatever was asked: priors and penalties.

    Somebody who asks for explicit types gets them unpenalised; a superseded document pays always.
    """
    kind, tier = document.source_type, tier_of(document.source_type)
    penalties = dict(weights.penalties)
    parts = (
        (f"prior.tier.{tier}", dict(weights.tier_priors).get(tier, 0.0), f"tier {tier}"),
        (f"prior.type.{kind}", dict(weights.type_priors).get(kind, 0.0), f"type {kind}"),
        (f"penalty.{kind}", 0.0 if typed or kind == SUPERSEDED else penalties.get(kind, 0.0), f"type {kind}"),
        (
            f"penalty.{SUPERSEDED}",
            penalties.get(SUPERSEDED, 0.0) if document.superseded else 0.0,
            "another document replaces it",
        ),
    )
    return tuple(ScoreTerm(name=name, value=value, detail=detail) for name, value, detail in parts if value)


def _scored(candidate: Candidate, terms: tuple[ScoreTerm, ...]) -> Scored:
    return Scored(
        doc_id=candidate.doc_id,
        tier=candidate.tier,
        source_type=candidate.source_type,
        score=total(terms),
        terms=terms,
        matches=candidate.matches,
    )


def _relevance(best: Match, weights: FusionWeights) -> tuple[ScoreTerm, ...]:
    """Return what each retriever adds, from the document's best passage; both are always shown."""
    return (
        _retrieved("dense", best.dense, weights.dense, best.dense_rank, best.dense_raw),
        _retrieved("lexical", best.lexical, weights.lexical, best.lexical_rank, best.lexical_raw),
    )


def _retrieved(name: str, scaled: float | None, weight: float, rank: int | None, raw: float | None) -> ScoreTerm:
    if scaled is None:
        return ScoreTerm(name=name, value=0.0, detail="not retrieved")
    place = "outside of its pool" if rank is None else f"rank {rank}"
    return ScoreTerm(name=name, value=weight * scaled, detail=f"{weight:g} x {scaled:.3f}, {place}, raw {raw:.4g}")


def _boosts(
    candidate: Candidate,
    document: Document,
    headings: dict[str, tuple[str, ...]],
    query_text: str,
    asked: frozenset[str],
    boosts: dict[str, float],
) -> tuple[ScoreTerm, ...]:
    """Return the boosts that apply: what matches outside of the passage's own text."""
    heading = max(
        (" ".join(headings[match.chunk_id]) for match in candidate.matches),
        key=lambda line: len(asked.intersection(_words(line))),
    )
    extra = min(EXTRA_PASSAGES, len(candidate.matches) - 1)
    named = _identity(document, query_text)
    terms = (
        _overlap("title", document.title, asked, boosts),
        _overlap("path", document.path, asked, boosts),
        _overlap("heading", heading, asked, boosts),
        ScoreTerm(name="identity", value=boosts.get("identity", 0.0) * bool(named), detail=f"the query is its {named}"),
        ScoreTerm(name="extra_passages", value=boosts.get("extra_passages", 0.0) * extra, detail=f"{extra} more"),
    )
    return tuple(term for term in terms if term.value)


def _overlap(name: str, where: str, asked: frozenset[str], boosts: dict[str, float]) -> ScoreTerm:
    """Return a boost scaled by the share of the query's words that occur there."""
    shared = asked.intersection(_words(where))
    share = len(shared) / len(asked) if asked else 0.0
    return ScoreTerm(name=name, value=boosts.get(name, 0.0) * share, detail=" ".join(sorted(shared)))


def _identity(document: Document, query_text: str) -> str:
    """Return in which way the query names the document, "" when it does not."""
    asked = query_text.strip().casefold()
    file_name = document.path.rpartition("/")[2]
    names = (
        ("id", (document.doc_id,)),
        ("path", (document.path,)),
        ("alias", document.aliases),
        ("file name", (file_name, file_name.rpartition(".")[0])),
    )
    for kind, known in names:
        if asked and asked in (name.casefold() for name in known):
            return kind
    return ""
