"""Boosts: what a document gains for matches beside its passages' own text, for literal ones, and for being recent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from kbtui import text
from kbtui.model import Candidate, Document, Gathered, ScoreTerm

EXTRA_PASSAGES = 3
"""Most further passages that count: a long document must not win by its length."""

Heading = tuple[str, ...]

_words = lru_cache(maxsize=8192)(text.words)
_folded = lru_cache(maxsize=8192)(text.folded)


@dataclass(frozen=True, slots=True, kw_only=True)
class Boosts:
    """What a query asks for, what was found of it, and what each boost is worth."""

    query_text: str
    asked: frozenset[str]
    headings: Mapping[str, Heading]
    phrases: tuple[tuple[str, frozenset[str]], ...]
    worth: Mapping[str, float]
    half_life_days: float

    @classmethod
    def of(cls, gathered: Gathered, query_text: str, worth: Mapping[str, float], half_life_days: float) -> Boosts:
        """Return the boosts of a query."""
        return cls(
            query_text=query_text,
            asked=frozenset(_words(query_text)),
            headings={entry.chunk_id: entry.heading for entry in gathered.entries},
            phrases=tuple((phrase.words, frozenset(phrase.chunk_ids)) for phrase in gathered.phrases),
            worth=worth,
            half_life_days=half_life_days,
        )


def boosts(candidate: Candidate, document: Document, of: Boosts) -> tuple[ScoreTerm, ...]:
    """Return the boosts that apply to a candidate, those of value 0 left out."""
    headings = tuple(of.headings[match.chunk_id] for match in candidate.matches)
    extra = min(EXTRA_PASSAGES, len(candidate.matches) - 1)
    named = _identity(document, of.query_text)
    terms = (
        _overlap("title", _words(document.title), of),
        _overlap("path", _words(document.path), of),
        _best_heading(headings, document.code, of),
        _phrase(candidate, document, headings, of),
        _term("identity", bool(named), f"the query is its {named}", of),
        _term("extra_passages", extra, f"{extra} more", of),
        _recency(document, of),
    )
    return tuple(term for term in terms if term.value)


def _term(name: str, times: float, detail: str, of: Boosts) -> ScoreTerm:
    return ScoreTerm(name=name, value=of.worth.get(name, 0.0) * times, detail=detail)


def _overlap(name: str, words: tuple[str, ...], of: Boosts) -> ScoreTerm:
    """Return a boost scaled by the share of the query's words that are among these."""
    shared = of.asked.intersection(words)
    return _term(name, len(shared) / len(of.asked) if of.asked else 0.0, " ".join(sorted(shared)), of)


def _best_heading(headings: tuple[Heading, ...], code: bool, of: Boosts) -> ScoreTerm:
    """Return the boost for the matched heading that says most of the query; in source code a heading is a symbol."""
    words = [_symbol_words(heading) if code else _words(" ".join(heading)) for heading in headings]
    return _overlap("symbol" if code else "heading", max(words, key=lambda said: len(of.asked.intersection(said))), of)


@lru_cache(maxsize=8192)
def _symbol_words(heading: Heading) -> tuple[str, ...]:
    """Return the words of symbols, each symbol also as one: claim_loop and ClaimLoop are found by either."""
    return (*_words(" ".join(heading)), *(name.replace("_", "").lower() for name in heading))


def _phrase(candidate: Candidate, document: Document, headings: tuple[Heading, ...], of: Boosts) -> ScoreTerm:
    """Return the boost for what the query asks for literally, scaled by how many of its phrases are there."""
    found = []
    for phrase, chunk_ids in of.phrases:
        places = (
            ("the title", text.holds(_folded(document.title), phrase)),
            ("a heading", any(text.holds(_folded(part), phrase) for heading in headings for part in heading)),
            ("a matched passage", any(match.chunk_id in chunk_ids for match in candidate.matches)),
        )
        where = next((place for place, holds in places if holds), "")
        if where:
            found.append(f'{where} holds "{phrase}"')
    return _term("phrase", len(found) / len(of.phrases) if found else 0.0, "; ".join(found), of)


def _recency(document: Document, of: Boosts) -> ScoreTerm:
    """Return the boost for a document's age on the day of its generation: half of it after each half-life.

    Source: exponential decay; what has no date gains nothing.
    """
    days = document.age.changed
    if days is None:
        return _term("recency", 0.0, "", of)
    days = max(0, days)
    detail = f"changed {days:,} day{'s' if days != 1 else ''} before the index, half-life {of.half_life_days:g}"
    return _term("recency", 0.5 ** (days / of.half_life_days), detail, of)


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
