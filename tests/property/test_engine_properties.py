"""The invariants of the engine, on arbitrary small knowledge bases, settings and budgets."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from kbtui.engine import frame
from kbtui.engine.pipeline import Pipeline
from kbtui.errors import UsageError
from kbtui.model import Age, Answer, Document, Edge, Filters, PoolStatus, Query
from kbtui.settings import Settings, Value
from tests.engine_fakes import RETRIEVERS, ToyEvidence, document, real_count, word_count

WORDS = ("state", "provider", "the", "Größe", "深い")
TYPES = ("guide", "src", "test", "ticket", "pull", "meeting")
COUNT_REAL = real_count()


def superadditive(text: str) -> int:
    """Count more in a whole than in its parts, by much: what the estimate of ``pack`` must survive."""
    return len(text) // 97 * 30


COUNTERS = (word_count, superadditive, COUNT_REAL)

passage = st.builds(
    lambda head, words, times, tail: f"{head}{' '.join(words * times)}{tail}",
    st.sampled_from(("", "", "# Head\n", "# state\n", "---\n")),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5),
    st.integers(0, 40),
    st.sampled_from(("\n", "", "\n\n", " ")),
)


@st.composite
def libraries(draw: st.DrawFn) -> ToyEvidence:
    """Draw up to nine documents of several passages, relations between them, and broken retrievers."""
    number = draw(st.sampled_from((9, 7, 5, 3, 2, 1, 0)))
    bodies: dict[Document, tuple[str, ...]] = {}
    for place in range(number):
        row = replace(
            document(
                f"{draw(st.sampled_from(('docs', 'src')))}/{place}.md",
                draw(st.sampled_from(TYPES)),
                " ".join(draw(st.lists(st.sampled_from(WORDS), max_size=3))),
                superseded=draw(st.integers(0, 3)) == 3,
                inactive=draw(st.integers(0, 7)) == 7,
                archived=draw(st.integers(0, 9)) == 9,
                sha256=draw(st.sampled_from(("", "", "", "one", "two"))),
            ),
            stale=draw(st.sampled_from(("", "", "", "stale: true"))),
            age=Age(changed=draw(st.sampled_from((None, -1, 0, 400))), overdue=draw(st.sampled_from((None, -1, 1)))),
        )
        bodies[row] = tuple(draw(st.lists(passage, min_size=draw(st.integers(0, 4)), max_size=7)))
    names = [row.doc_id for row in bodies] or ["nothing"]
    ends = st.sampled_from([*names, "dangling"])
    kinds = st.sampled_from(("link", "supersedes", "superseded_by", "mention"))
    edges = draw(st.lists(st.builds(lambda a, b, k: Edge(source=a, target=b, kind=k), ends, ends, kinds), max_size=12))
    broken: tuple[PoolStatus, ...] = ("ok", "ok", "ok", "partial", "timed_out", "failed")
    retrievers = st.sampled_from(RETRIEVERS)
    return ToyEvidence(
        bodies=bodies,
        edges=tuple(replace(edge, dangling="dangling" in (edge.source, edge.target)) for edge in edges),
        count=draw(st.sampled_from(COUNTERS)),
        depth=draw(st.sampled_from((None, None, 1, 3))),
        statuses=draw(st.dictionaries(retrievers, st.sampled_from(broken), max_size=1)),
    )


queries = st.builds(
    Query,
    text=st.lists(st.sampled_from(WORDS), max_size=2).map(lambda words: " ".join(("state", *words))),
    source_types=st.sampled_from(((), (), (), ("guide",))),
    filters=st.builds(Filters, paths=st.sampled_from(((), (), (), ("docs/*",))), inactive=st.booleans()),
)


def bound(*near: int) -> st.SearchStrategy[int | None]:
    """Draw no bound, or one around these sizes."""
    return st.one_of(st.none(), *(st.integers(one // 2, one * 2) for one in near))


numbers: st.SearchStrategy[dict[str, Value]] = st.fixed_dictionaries(
    {
        "limit": st.integers(1, 8),
        "expand": st.integers(0, 4),
        "budget.bytes": bound(1_000, 3_000),
        "budget.tokens": bound(400, 1_000),
        "budget.document_bytes": bound(300, 1_000),
        "budget.document_tokens": bound(100, 300),
    },
    optional={
        "weights.dense": st.floats(0, 2),
        "penalty.ticket": st.floats(-2, 0),
        "prior.tier.primary": st.floats(-2, 2),
        "pools.candidates": st.integers(4, 12),
        "min_similarity": st.floats(0, 1),
        "boost.phrase": st.floats(0, 2),
        "boost.recency": st.floats(0, 2),
    },
)


def answered(of: ToyEvidence, query: Query, values: dict[str, Value]) -> Answer | None:
    """Answer, or None where the request is refused."""
    try:
        return Pipeline(of).answer(query, Settings().with_values(values))
    except UsageError:
        return None


def kept(answer: Answer) -> set[str]:
    return {chunk_id for row in answer.rows for chunk_id in row.allocation.chunk_ids}


@given(libraries(), queries, numbers)
@settings(deadline=None)
def test_every_answer_keeps_the_promises(of: ToyEvidence, query: Query, values: dict[str, Value]) -> None:
    """Sums, accounts, bounds and notices hold for whatever is asked of whatever there is."""
    answer = answered(of, query, values)
    if answer is None:
        return
    for row in (*answer.rows, *answer.behind):
        assert row.scored.score == sum(term.value for term in row.scored.terms)
        assert row.scored.penalty <= 0
    ranks = [row.rank for row in (*answer.rows, *answer.behind)]
    assert ranks == list(range(1, answer.total + 1))
    candidates = {hit.doc_id for pool in answer.pools for hit in pool.hits}
    brought = {one.doc_id for one in answer.expansions if one.outcome == "kept"}
    nothing_is_lost(answer, candidates, brought)
    for step in answer.trace.steps:
        assert step.came == step.went + sum(number for _, number in step.dropped)
    assert answer.degraded == any(pool.status in ("partial", "timed_out", "failed") for pool in answer.pools)
    the_budget_is_kept(of, answer)
    what_was_cut_is_said(answer)
    the_limit_is_kept(answer, values)


def nothing_is_lost(answer: Answer, candidates: set[str], brought: set[str]) -> None:
    """Whatever was found is shown once, stood for by a row of the same text, or listed as below the floor."""
    rows = (*answer.rows, *answer.behind)
    shown = [row.document.doc_id for row in rows]
    copies = [doc_id for row in rows for doc_id in row.duplicates]
    below = {one.doc_id for one in answer.below}
    assert len(shown) == len(set(shown))
    assert len(copies) == len(set(copies))
    assert not set(shown).intersection(copies)
    assert (candidates | brought) - set(shown) - set(copies) == below - set(shown) - set(copies)
    assert set(shown) <= candidates | brought
    texts = [row.document.sha256 for row in rows if row.document.sha256 and row.document.text_bytes]
    assert len(texts) == len(set(texts))
    if answer.below:
        assert any(one.limit_name == "min_similarity" for one in answer.truncations)


def the_budget_is_kept(of: ToyEvidence, answer: Answer) -> None:
    size, tokens = len(answer.context.encode()), of.count(answer.context)
    assert (answer.usage.size_bytes, answer.usage.tokens) == (size, tokens)
    assert answer.budget.size_bytes is None or size <= answer.budget.size_bytes
    assert answer.budget.tokens is None or tokens <= answer.budget.tokens
    for row in answer.rows:
        granted = row.allocation
        assert answer.budget.document_bytes is None or granted.kept.size_bytes <= answer.budget.document_bytes
        assert granted.kept.size_bytes <= granted.cumulative.size_bytes <= size
        assert sum(span.size_bytes for span in granted.spans) <= row.document.text_bytes


def what_was_cut_is_said(answer: Answer) -> None:
    cut = [row for row in answer.rows if row.allocation.decision != "whole"]
    assert bool(answer.notice) == (frame.NOTICE_HEADER in answer.context) == bool(cut)
    assert answer.context.endswith(answer.notice)
    assert bool(cut) == any(one.stage == "pack" for one in answer.truncations)
    assert all(row.document.doc_id in answer.notice and row.allocation.reason for row in cut[:5])
    assert bool(answer.behind) == any(one.limit_name == "limit" for one in answer.truncations)


def the_limit_is_kept(answer: Answer, values: dict[str, Value]) -> None:
    limit, neighbours = values["limit"], [row for row in answer.rows if row.origin == "neighbour"]
    assert limit is not None
    assert len(answer.rows) == min(int(limit), answer.total)
    assert len(neighbours) <= answer.expand < int(limit)
    assert values["expand"] or not neighbours
    assert not answer.rows or answer.rows[0].origin == "ranked"
    seen = {row.document.doc_id for row in answer.rows}
    assert {one.doc_id for one in answer.expansions if one.outcome == "kept"} <= seen
    assert {row.document.doc_id for row in neighbours} == {
        one.doc_id for one in answer.expansions if one.outcome == "kept"
    }


@given(libraries(), queries, numbers, st.integers(1, 4_000), st.integers(1, 2_000))
@settings(deadline=None)
def test_a_larger_budget_keeps_all(
    of: ToyEvidence, query: Query, values: dict[str, Value], more_bytes: int, more_tokens: int
) -> None:
    """Raising either bound of the context, or lifting it, never takes a passage away, nor is it refused."""
    before = answered(of, query, values)
    if before is None:
        return
    size, tokens = values["budget.bytes"], values["budget.tokens"]
    wider: tuple[dict[str, Value], ...] = (
        {"budget.bytes": None if size is None else size + more_bytes},
        {"budget.tokens": None if tokens is None else tokens + more_tokens},
        {"budget.bytes": None, "budget.tokens": None},
    )
    for raised in wider:
        after = answered(of, query, values | raised)
        assert after is not None
        assert kept(before) <= kept(after)


@given(libraries(), queries, numbers)
@settings(deadline=None)
def test_enough_is_the_plain_texts(of: ToyEvidence, query: Query, values: dict[str, Value]) -> None:
    """At exactly what the whole context costs, it is the documents' texts with their headers, and nothing else."""
    free: dict[str, Value] = {
        "budget.bytes": None,
        "budget.tokens": None,
        "budget.document_bytes": None,
        "budget.document_tokens": None,
    }
    answer = answered(of, query, values | free)
    if answer is None:
        return
    assert answer.context == "\n".join(
        frame.header(row.rank, row.document) + of.whole_text(row.document.doc_id) + "\n"
        for row in answer.rows
        if row.document.text_bytes
    )
    if answer.context and of.count is not superadditive:
        exact = free | {"budget.bytes": answer.usage.size_bytes, "budget.tokens": max(1, answer.usage.tokens)}
        again = answered(of, query, values | exact)
        assert again is not None
        assert again.context == answer.context


@given(libraries(), queries, numbers, numbers)
@settings(deadline=None)
def test_what_was_asked_before_changes_nothing(
    of: ToyEvidence, query: Query, first: dict[str, Value], second: dict[str, Value]
) -> None:
    """A pipeline that remembers gives the answer that a fresh one gives."""
    pipeline = Pipeline(of)
    for values in (first, second, first):
        try:
            answer = pipeline.answer(query, Settings().with_values(values))
        except UsageError:
            answer = None
        assert answer == answered(of, query, values)


@given(libraries(), queries, numbers, st.floats(0, 1))
@settings(deadline=None)
def test_a_share_moves_no_score(of: ToyEvidence, query: Query, values: dict[str, Value], share: float) -> None:
    """Whoever is a candidate under both shares has the same score under both, term by term."""
    before, after = (
        answered(of, query, values | {"pools.primary": one, "budget.bytes": None, "budget.tokens": None})
        for one in (0.65, share)
    )
    if before is None or after is None:
        return
    scores = {row.document.doc_id: row.scored for row in (*before.rows, *before.behind) if row.scored.matches}
    for row in (*after.rows, *after.behind):
        other = scores.get(row.document.doc_id)
        if other is not None and row.scored.matches:
            told = [[(term.name, term.value) for term in scored.terms] for scored in (other, row.scored)]
            assert told[0] == told[1]
            assert other.score == row.scored.score
