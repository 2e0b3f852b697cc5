"""Boosts: what a document gains for matches beside its passages' own text, for literal ones, and for being recent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from kbtui import text
from kbtui.model import Candidate, Document, Gathered, ScoreTerm

EXTRA_PASSAGES = 3
"""Most further passages that count: a long document must not win by its length."""

Heading = tuple[str, ...]
Found = Iterator[ScoreTerm]

REMEMBERED = 16_384
"""Titles, paths and headings whose words are remembered: every moved weight asks for them again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Boosts:
    """What a query asks for, what was found of it, and what each boost is worth."""

    named: str
    asked: frozenset[str]
    headings: Mapping[str, Heading]
    phrases: tuple[tuple[str, frozenset[str]], ...]
    worth: Mapping[str, float]
    half_life_days: float

    @classmethod
    def of(cls, gathered: Gathered, query_text: str, worth: Mapping[str, float], half_life_days: float) -> Boosts:
        """Return the boosts of a query."""
        return cls(
            named=query_text.strip().casefold(),
            asked=_words(query_text),
            headings={entry.chunk_id: entry.heading for entry in gathered.entries},
            phrases=tuple((phrase.words, frozenset(phrase.chunk_ids)) for phrase in gathered.phrases),
            worth=worth,
            half_life_days=half_life_days,
        )


def boosts(candidate: Candidate, document: Document, of: Boosts) -> tuple[ScoreTerm, ...]:
    """Return the boosts that apply to a candidate; of those that do not there is no term."""
    headings = tuple(dict.fromkeys([of.headings[match.chunk_id] for match in candidate.matches]))
    return (
        *_overlap("title", _words_of(document.title, of), of),
        *_overlap("path", _words_of(document.path, of), of),
        *_best_heading(headings, document.code, of),
        *_phrase(candidate, document, headings, of),
        *_identity(document, of),
        *_extra_passages(len(candidate.matches) - 1, of),
        *_recency(document, of),
    )


def _term(name: str, times: float, detail: str, of: Boosts) -> Found:
    value = of.worth.get(name, 0.0) * times
    if value:
        yield ScoreTerm(name=name, value=value, detail=detail)


def _overlap(name: str, words: frozenset[str], of: Boosts) -> Found:
    """Yield a boost scaled by the share of the query's words that are among these."""
    shared = of.asked & words
    if shared:
        yield from _term(name, len(shared) / len(of.asked), " ".join(sorted(shared)), of)


def _words_of(line: str, of: Boosts) -> frozenset[str]:
    """Return the words of a line when any of the query's may be among them: most lines need not be taken apart.

    Of letters beyond ASCII some are lower otherwise in a word than in its line (a Greek sigma at the end).
    """
    lower = line.lower()
    may_share = not line.isascii() or any(word in lower for word in of.asked)
    return _words(line) if may_share else frozenset()


def _best_heading(headings: tuple[Heading, ...], code: bool, of: Boosts) -> Found:
    """Yield the boost for the matched heading that says most of the query; in source code a heading is a symbol."""
    if code:
        found = [_symbol_words(heading) for heading in headings]
    else:
        found = [_words_of(" ".join(heading), of) for heading in headings]
    return _overlap("symbol" if code else "heading", max(found, key=lambda said: len(of.asked & said)), of)


def _phrase(candidate: Candidate, document: Document, headings: tuple[Heading, ...], of: Boosts) -> Found:
    """Yield the boost for what the query asks for literally, scaled by how many of its phrases are there."""
    found = []
    for phrase, chunk_ids in of.phrases:
        if text.holds(_folded((document.title,)), phrase):
            found.append(f'the title holds "{phrase}"')
        elif any(text.holds(_folded(heading), phrase) for heading in headings):
            found.append(f'a heading holds "{phrase}"')
        elif any(match.chunk_id in chunk_ids for match in candidate.matches):
            found.append(f'a matched passage holds "{phrase}"')
    if found:
        yield from _term("phrase", len(found) / len(of.phrases), "; ".join(found), of)


def _identity(document: Document, of: Boosts) -> Found:
    """Yield the boost for a query that names the document."""
    file_name = document.path.rpartition("/")[2]
    ways = (  # the strongest first
        ("id", (document.doc_id,)),
        ("path", (document.path,)),
        ("alias", document.aliases),
        ("file name", (file_name, file_name.rpartition(".")[0])),
    )
    for way, names in ways:
        if any(name.casefold() == of.named for name in names if name):
            yield from _term("identity", 1.0, f"the query is its {way}", of)
            return


def _extra_passages(further: int, of: Boosts) -> Found:
    counted = min(EXTRA_PASSAGES, further)
    return _term("extra_passages", counted, f"{counted} more", of)


def _recency(document: Document, of: Boosts) -> Found:
    """Yield the boost for a document's age on the day of its generation: half of it after each half-life.

    What has no date gains nothing.
    """
    if document.age.changed is None or not of.worth.get("recency"):
        return
    days = max(0, document.age.changed)
    unit = "day" if days == 1 else "days"
    detail = f"changed {days:,} {unit} before the index, half-life {of.half_life_days:g}"
    yield from _term("recency", 0.5 ** (days / of.half_life_days), detail, of)


@lru_cache(maxsize=REMEMBERED)
def _words(line: str) -> frozenset[str]:
    return frozenset(text.words(line))


@lru_cache(maxsize=REMEMBERED)
def _symbol_words(heading: Heading) -> frozenset[str]:
    """Return the words of symbols, each symbol also as one: claim_loop and ClaimLoop are found by either."""
    return _words(" ".join(heading)).union(name.replace("_", "").lower() for name in heading)


@lru_cache(maxsize=REMEMBERED)
def _folded(lines: Heading) -> str:
    """Return lines as they are looked through for a phrase, which never goes on from one to the next."""
    return "\n".join(text.folded(line) for line in lines)
