"""What a document gains beside the relevance of its passages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kbtui.engine.boosts import Boosts, boosts
from kbtui.model import Age, Candidate, Document, Entry, Gathered, Match, Phrase, ScoreTerm, Span
from kbtui.settings import Settings, Value
from tests.engine_fakes import document


def gained(
    row: Document,
    text: str,
    *headings: tuple[str, ...],
    phrases: tuple[Phrase, ...] = (),
    half_life: float = 180.0,
    **worth: Value,
) -> dict[str, ScoreTerm]:
    """Return the boosts of a document with one matched passage under each heading."""
    entries = tuple(
        Entry(
            chunk_id=f"{row.doc_id}#{place}",
            doc_id=row.doc_id,
            ordinal=place,
            span=Span(start=place, end=place + 1),
            heading=heading,
            size_bytes=1,
            tokens=1,
        )
        for place, heading in enumerate(headings or ((),))
    )
    candidate = Candidate(
        doc_id=row.doc_id,
        tier="primary",
        source_type=row.source_type,
        matches=tuple(Match(chunk_id=entry.chunk_id, score=0.5) for entry in entries),
    )
    gathered = Gathered(
        pools=(), bounds=(), documents=(row,), entries=entries, edges=(), embedded=1, chunks=1, phrases=phrases
    )
    settings = Settings().with_values({f"boost.{name}": value for name, value in worth.items()})
    return {
        term.name: term
        for term in boosts(candidate, row, Boosts.of(gathered, text, dict(settings.family("boost.")), half_life))
    }


# --- phrase ---


@pytest.mark.parametrize(
    ("row", "heading", "chunk_ids", "said"),
    [
        (document("a.md", title="All of  RETRY\tBackoff"), (), (), 'the title holds "retry backoff"'),
        (document("a.md"), ("Top", "Retry backoff, in short"), (), 'a heading holds "retry backoff"'),
        (document("a.md"), (), ("z.md#0", "a.md#0"), 'a matched passage holds "retry backoff"'),
    ],
)
def test_a_phrase_counts_where_it_stands(
    row: Document, heading: tuple[str, ...], chunk_ids: tuple[str, ...], said: str
) -> None:
    """0.10 for a title, a heading or a matched passage that holds it, and the detail says which."""
    term = gained(row, "retry backoff", heading, phrases=(Phrase(words="retry backoff", chunk_ids=chunk_ids),))[
        "phrase"
    ]
    assert term == ScoreTerm(name="phrase", value=0.10, detail=said)


def test_a_phrase_of_another_document_does_not_count() -> None:
    """Its words are there, but not literally; a passage that holds it is of another document."""
    row = document("a.md", title="Backoff of a retry")
    assert "phrase" not in gained(
        row, "retry backoff", ("Retries",), phrases=(Phrase(words="retry backoff", chunk_ids=("b.md#0",)),)
    )


def test_of_two_quoted_phrases_one_is_half() -> None:
    """0.10 x 1 / 2 where one of two quoted parts is there."""
    phrases = (Phrase(words="full jitter", chunk_ids=("a.md#0",)), Phrase(words="cold start", chunk_ids=()))
    assert gained(document("a.md"), '"full jitter" "cold start"', phrases=phrases)["phrase"].value == pytest.approx(
        0.10 * 1 / 2
    )


# --- symbol ---


@pytest.mark.parametrize("asked", ["claim loop", "ClaimLoop", "claim_loop", "claimLoop", "CLAIM_LOOP"])
@pytest.mark.parametrize("symbol", ["ClaimLoop", "claim_loop", "_claimLoop"])
def test_a_symbol_is_found_however_it_is_spelled(asked: str, symbol: str) -> None:
    """camelCase and snake_case are taken apart on both sides: all of the query is there, 0.05."""
    row = replace(document("a.py", "src", "x"), code=True)
    assert gained(row, asked, (symbol,))["symbol"].value == pytest.approx(0.05)


def test_a_symbol_counts_by_share_instead_of_a_heading() -> None:
    """One of two words of the query is half of the boost, and one boost applies, not both."""
    row = replace(document("a.py", "src", "x"), code=True)
    found = gained(row, "claim timeout", ("Worker", "claim_loop"), symbol=0.2)
    assert found["symbol"] == ScoreTerm(name="symbol", value=0.2 * 1 / 2, detail="claim")
    assert "heading" not in found
    prose = gained(document("a.md", "src", "x"), "claim timeout", ("Worker", "The claim loop"), symbol=0.2)
    assert prose["heading"].value == pytest.approx(0.15 * 1 / 2)
    assert "symbol" not in prose


# --- recency ---


@pytest.mark.parametrize(("days", "left"), [(0, 1.0), (-30, 1.0), (90, 0.5), (180, 0.25), (900, 0.5**10)])
def test_recency_halves_with_each_half_life(days: int, left: float) -> None:
    """0.2 on the day of the index or after it, half of that after 90 days, a quarter after 180."""
    row = replace(document("a.md"), age=Age(changed=days))
    assert gained(row, "x", half_life=90.0, recency=0.2)["recency"].value == pytest.approx(0.2 * left)


def test_recency_is_off_and_needs_a_date() -> None:
    """The default is 0, which is not shown; a document without a date gains nothing."""
    assert "recency" not in gained(replace(document("a.md"), age=Age(changed=0)), "x")
    assert "recency" not in gained(document("a.md"), "x", recency=0.2)


def test_letters_that_are_lower_otherwise_in_a_line_are_found() -> None:
    """A Greek word ends in another sigma than the same word before more letters, which a line may go on with."""
    assert gained(document("a.md", title="ΟΔΟΣ.ΑΒ"), "ΟΔΟΣ")["title"].detail == "οδος"
    assert "title" in gained(document("a.md", title="Retry"), "RETRY")
    assert "title" not in gained(document("a.md", title="Retry"), "backoff")
