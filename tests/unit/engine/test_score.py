"""A score is a sum of named terms."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kbtui.engine.fuse import FusionWeights
from kbtui.engine.score import Weights, score
from kbtui.model import Age, Candidate, Document, Entry, Gathered, Match, Scored, Span
from kbtui.settings import Settings, Value, tier_of
from tests.engine_fakes import document

MATCH = Match(
    chunk_id="?",
    score=0.6 * 0.5 + 0.4 * 0.25,
    dense=0.5,
    lexical=0.25,
    dense_rank=2,
    lexical_rank=3,
    dense_raw=0.4,
    lexical_raw=9.0,
)
RELEVANCE = 0.6 * 0.5 + 0.4 * 0.25


def scored(
    row: Document,
    text: str = "unrelated",
    *,
    passages: int = 1,
    heading: tuple[str, ...] = (),
    typed: bool = False,
    **values: Value,
) -> Scored:
    """Score one document; values are settings with ``__`` for the dot."""
    settings = Settings().with_values({key.replace("__", "."): value for key, value in values.items()})
    matches = tuple(replace(MATCH, chunk_id=f"{row.doc_id}#{number}") for number in range(passages))
    entries = tuple(
        Entry(
            chunk_id=match.chunk_id,
            doc_id=row.doc_id,
            ordinal=number,
            span=Span(start=0, end=1),
            heading=heading if number == passages - 1 else (),
            size_bytes=1,
            tokens=1,
        )
        for number, match in enumerate(matches)
    )
    candidate = Candidate(
        doc_id=row.doc_id, tier=tier_of(row.source_type), source_type=row.source_type, matches=matches
    )
    gathered = Gathered(pools=(), bounds=(), documents=(row,), entries=entries, edges=(), embedded=1, chunks=1)
    (found,) = score((candidate,), gathered, text, typed, Weights.of(settings))
    return found


def terms(found: Scored) -> dict[str, float]:
    return {term.name: term.value for term in found.terms}


def test_relevance_is_what_each_retriever_gave() -> None:
    """0.6 x 0.5 from meaning and 0.4 x 0.25 from words, and nothing else for a page that matches in nothing else."""
    found = scored(document("a.md"))
    assert terms(found) == {"dense": pytest.approx(0.6 * 0.5), "lexical": pytest.approx(0.4 * 0.25)}
    assert found.score == pytest.approx(RELEVANCE)


def test_a_retriever_that_did_not_bring_it_is_shown_with_zero() -> None:
    """Both retrievers are always there; one that found nothing says so."""
    row = document("a.md")
    candidate = Candidate(
        doc_id="a.md",
        tier="primary",
        source_type="guide",
        matches=(Match(chunk_id="a.md#0", score=0.4, lexical=1.0, lexical_rank=1, lexical_raw=9.0),),
    )
    entry = Entry(
        chunk_id="a.md#0", doc_id="a.md", ordinal=0, span=Span(start=0, end=1), heading=(), size_bytes=1, tokens=1
    )
    gathered = Gathered(pools=(), bounds=(), documents=(row,), entries=(entry,), edges=(), embedded=1, chunks=1)
    weights = Weights(fusion=FusionWeights(dense=0.6, lexical=0.4))
    (found,) = score((candidate,), gathered, "q", False, weights)
    first = found.terms[0]
    assert (first.name, first.value, first.detail) == ("dense", 0.0, "not retrieved")


@pytest.mark.parametrize(
    ("where", "boost", "row", "heading"),
    [
        ("title", 0.05, document("a.md", title="The state machine"), ()),
        ("path", 0.05, document("state/a.md", title="x"), ()),
        ("heading", 0.15, document("a.md"), ("Intro", "State")),
    ],
)
def test_a_match_outside_of_the_text_counts_by_share(
    where: str, boost: float, row: Document, heading: tuple[str, ...]
) -> None:
    """One of the query's two words there is half of the boost."""
    found = scored(row, "state provider", heading=heading)
    assert terms(found)[where] == pytest.approx(boost * 1 / 2)


def test_any_matched_passage_may_have_the_heading() -> None:
    """The heading of the second passage counts as well as that of the best one."""
    assert terms(scored(document("a.md"), "state", passages=2, heading=("State",)))["heading"] == pytest.approx(0.15)


@pytest.mark.parametrize("text", ["docs/Retries.md", "retries.md", " RETRIES ", "adr-7", "ADR-7"])
def test_a_query_that_names_a_document_finds_it(text: str) -> None:
    """Its id, file name, name or alias, in any case, adds 1."""
    row = document("docs/Retries.md", aliases=("adr-7",))
    assert terms(scored(row, text))["identity"] == 1.0
    assert "identity" not in terms(scored(row, "retries please"))


@pytest.mark.parametrize(("passages", "extra"), [(1, 0), (2, 1), (4, 3), (9, 3)])
def test_further_passages_count_three_times_at_most(passages: int, extra: int) -> None:
    """0.02 for each further matched passage; a long document does not win by its length."""
    assert terms(scored(document("a.md"), passages=passages)).get("extra_passages", 0.0) == pytest.approx(0.02 * extra)


def test_a_penalty_is_a_term() -> None:
    """A pull request loses 0.25, unless pull requests were asked for."""
    row = document("p.md", "pull")
    assert scored(row).penalty == pytest.approx(-0.25)
    assert scored(row).score == pytest.approx(RELEVANCE - 0.25)
    assert scored(row, typed=True).penalty == 0.0


def test_a_superseded_document_pays_always() -> None:
    """-0.30 for what another document replaces, typed or not, on top of the type's penalty."""
    row = document("t.md", "ticket", superseded=True)
    assert terms(scored(row, typed=True))["penalty.superseded"] == -0.30
    assert scored(row).penalty == pytest.approx(-0.10 - 0.30)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (replace(document("a.md"), stale="status: outdated"), "its front matter says status: outdated"),
        (
            replace(document("a.md"), review_by="2026-01-31", age=Age(overdue=1)),
            "its review was due 2026-01-31, 1 day before the index",
        ),
        (
            replace(document("a.md"), reviewed="2025-01-01", age=Age(reviewed=366)),
            "last reviewed 2025-01-01, 366 days before the index; a review holds 365 days",
        ),
    ],
)
def test_a_stale_document_pays_and_says_why(row: Document, said: str) -> None:
    """-0.10 by its own word, for a review that is overdue, and for one too long ago; typed or not."""
    for typed in (False, True):
        (term,) = [term for term in scored(row, typed=typed).terms if term.name == "penalty.stale"]
        assert (term.value, term.detail) == (-0.10, said)


@pytest.mark.parametrize(
    "row",
    [
        document("a.md"),
        replace(document("a.md"), review_by="2026-01-31", age=Age(overdue=0)),
        replace(document("a.md"), reviewed="2025-01-01", age=Age(reviewed=365)),
        replace(document("a.md"), review_by="2026-01-31", reviewed="2020-01-01", age=Age(reviewed=2000, overdue=-9)),
    ],
)
def test_a_document_is_not_stale_before_its_day(row: Document) -> None:
    """Due today is not overdue, a year is not over on its last day, and a date named holds whatever a review would."""
    assert "penalty.stale" not in terms(scored(row))


def test_how_long_a_review_holds_is_a_setting() -> None:
    """90 days make a review of 100 days ago stale, none lets it hold for ever."""
    row = replace(document("a.md"), reviewed="2025-01-01", age=Age(reviewed=100))
    assert terms(scored(row, stale__review_days=90))["penalty.stale"] == -0.10
    old = replace(row, age=Age(reviewed=9_999))
    assert "penalty.stale" not in terms(scored(old, stale__review_days=None))


def test_any_type_can_be_penalised_or_preferred() -> None:
    """Penalties and priors take the name of any type or tier; a zero is not shown."""
    row = document("m.md", "meeting")
    found = scored(row, penalty__meeting=-0.4, prior__tier__custom=0.2, prior__type__meeting=0.1)
    assert terms(found) == {
        "dense": pytest.approx(0.3),
        "lexical": pytest.approx(0.1),
        "prior.tier.custom": 0.2,
        "prior.type.meeting": 0.1,
        "penalty.meeting": -0.4,
    }
    assert set(terms(scored(row))) == {"dense", "lexical"}


def test_ties_break_by_id() -> None:
    """Equal scores come in the order of their ids."""
    rows = tuple(document(name) for name in ("c", "a", "b"))
    candidates = tuple(
        Candidate(
            doc_id=row.doc_id,
            tier="primary",
            source_type="guide",
            matches=(replace(MATCH, chunk_id=f"{row.doc_id}#0"),),
        )
        for row in rows
    )
    entries = tuple(
        Entry(
            chunk_id=f"{row.doc_id}#0",
            doc_id=row.doc_id,
            ordinal=0,
            span=Span(start=0, end=1),
            heading=(),
            size_bytes=1,
            tokens=1,
        )
        for row in rows
    )
    gathered = Gathered(pools=(), bounds=(), documents=rows, entries=entries, edges=(), embedded=1, chunks=1)
    found = score(candidates, gathered, "q", False, Weights.of(Settings()))
    assert [one.doc_id for one in found] == ["a", "b", "c"]
