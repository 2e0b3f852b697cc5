"""The stages in their order, remembered, and what the answer says of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count as counter
from typing import Any

import pytest

from kbtui.engine import frame
from kbtui.engine.pipeline import Evidence, Pipeline
from kbtui.engine.score import earn
from kbtui.errors import RetrievalFailed, UsageError
from kbtui.model import Answer, Document, Edge, Filters, PoolStatus, Query, Retriever, ScoreTerm
from kbtui.settings import Settings, Value
from kbtui.text import QUERY_WORDS
from tests.engine_fakes import ToyEvidence, document, real_count

QUERY = Query(text="state provider")
BODIES: dict[Document, tuple[str, ...]] = {
    document("docs/state.md", "guide", "State providers"): (
        "---\ntype: guide\n---\n",
        "# State\nthe state provider keeps state\n",
        "# More\n" + "filler words here " * 60 + "\n",
    ),
    document("docs/old.md", "guide", "Old notes", superseded=True): ("the state before the provider\n",),
    document("docs/new.md", "guide", "Rewritten"): ("nothing of that kind\n",),
    document("pulls/7.md", "pull", "Rework"): ("state provider state provider\n", "a long thread " * 50 + "\n"),
    document("issues/1.md", "ticket", "Leak"): ("a provider leaks\n",),
    document("src/provider.py", "src", "provider.py"): ("class Provider of state\n",),
    document("notes/x.md", "meeting", "Meeting"): ("we spoke of state\n",),
}
EDGES = (
    Edge(source="docs/new.md", target="docs/old.md", kind="supersedes"),
    Edge(source="docs/state.md", target="pulls/7.md", kind="link"),
    Edge(source="docs/state.md", target="gone.md", kind="link", dangling=True),
)


def evidence(**changes: object) -> ToyEvidence:
    return replace(ToyEvidence(bodies=BODIES, edges=EDGES), **changes)  # type: ignore[arg-type]  # its own fields


def asked(of: ToyEvidence, query: Query = QUERY, **values: Value) -> Answer:
    return Pipeline(of).answer(query, settings(**values))


def settings(**values: Value) -> Settings:
    return Settings().with_values({key.replace("__", "."): value for key, value in values.items()})


def ids(answer: Answer) -> list[str]:
    return [row.document.doc_id for row in answer.rows]


def test_the_fake_is_the_port() -> None:
    """What tests ask is what the engine asks a store."""
    port: Evidence = evidence()
    assert port.generation == "7"


def test_a_whole_answer_is_the_documents_text() -> None:
    """Nothing cut: literal headers and whole texts, a usage that is the context's, no notice."""
    of = evidence()
    answer = asked(of, limit=7)
    blocks = [
        f"===== [{row.rank}] {row.document.doc_id} | {row.document.source_type} | {row.document.title} =====\n"
        + of.whole_text(row.document.doc_id)
        + "\n"
        for row in answer.rows
    ]
    assert answer.context == "\n".join(blocks)
    assert answer.notice == ""
    assert answer.truncations == ()
    assert answer.usage.size_bytes == len(answer.context.encode())
    assert answer.usage.tokens == len(answer.context.split())
    assert answer.usage.items == len(answer.rows) == 7


def test_a_cut_answer_ends_with_its_notice() -> None:
    """The notice is the last block of the context, and the usage is within the budget."""
    answer = asked(evidence(), budget__bytes=1_900)
    assert answer.notice.startswith(frame.NOTICE_HEADER)
    assert answer.context.endswith("\n" + answer.notice)
    assert answer.usage.size_bytes == len(answer.context.encode()) <= 1_900


def test_what_is_behind_the_limit_stays_in_sight() -> None:
    """Ranks go on behind the limit, with a cost and the fate "outranked"; the limit is declared."""
    answer = asked(evidence(), limit=3, expand=0)
    assert [row.rank for row in (*answer.rows, *answer.behind)] == [1, 2, 3, 4, 5, 6]
    assert {row.allocation.decision for row in answer.behind} == {"outranked"}
    first = answer.behind[0]
    header = f"===== [4] {first.document.doc_id} | {first.document.source_type} | {first.document.title} =====\n"
    assert first.allocation.cost.size_bytes == len(header) + first.document.text_bytes + 1
    assert first.allocation.cumulative == answer.rows[-1].allocation.cumulative
    (cut,) = answer.truncations
    assert (cut.limit_name, cut.limit, cut.requested, cut.shown, cut.total) == ("limit", 3, 3, 3, 6)
    assert (answer.total, answer.total_relation) == (6, "gte")
    assert cut.remedy.startswith("a higher --limit shows more of at least 6")


def test_all_there_is_is_said_to_be_all() -> None:
    """Nothing behind the limit and no pool that could have held more: the total is exact."""
    answer = asked(evidence(), limit=50)
    assert (answer.total, answer.total_relation) == (7, "eq")


def test_a_full_pool_may_have_more() -> None:
    """Where a tier could have given more documents than it was asked for, the total is a lower bound."""
    bodies: dict[Document, tuple[str, ...]] = {document(f"{number}.md"): ("state\n",) for number in range(30)}
    answer = asked(ToyEvidence(bodies=bodies), limit=5, expand=0, pools__candidates=20)
    assert (answer.total, answer.total_relation) == (20, "gte")


def test_a_superseded_document_brings_its_successor() -> None:
    """The old page pays for being old and is followed by the one that replaces it."""
    answer = asked(evidence(), replace(QUERY, text="before"), limit=2, expand=1)
    assert ids(answer) == ["docs/old.md", "docs/new.md"]
    assert answer.rows[1].origin == "neighbour"
    assert answer.rows[1].passages == ()
    assert [term.name for term in answer.rows[0].scored.terms][-1] == "penalty.superseded"


def test_rows_show_their_passages() -> None:
    """The matched passage with heading, span and match."""
    answer = asked(evidence(), replace(QUERY, source_types=("guide",)))
    (passage,) = answer.rows[0].passages
    assert passage.heading == ("State",)
    assert (passage.span.start, passage.match.dense) == (len("---\ntype: guide\n---\n"), 1.0)


def test_a_typed_query_gets_its_types_alone() -> None:
    """Only pull requests, unpenalised; neighbours of other types are suppressed."""
    answer = asked(evidence(), replace(QUERY, source_types=("pull",)))
    assert ids(answer) == ["pulls/7.md"]
    assert answer.rows[0].scored.penalty == 0
    assert [(one.doc_id, one.outcome) for one in answer.expansions] == [("docs/state.md", "suppressed")]


def test_filters_reach_the_pools() -> None:
    """A path filter leaves what is below that path."""
    answer = asked(evidence(), replace(QUERY, filters=Filters(paths=("src/*",))))
    assert ids(answer) == ["src/provider.py"]


def test_a_blank_query_is_refused() -> None:
    """Nothing asked is no empty answer."""
    with pytest.raises(UsageError, match="empty"):
        asked(evidence(), replace(QUERY, text=" \n\t"))


def test_an_empty_library_says_so() -> None:
    """No documents: no rows, no context, and a notice."""
    answer = asked(ToyEvidence(bodies={}))
    assert (answer.rows, answer.context, answer.total, answer.total_relation) == ((), "", 0, "eq")
    assert [notice.code for notice in answer.notices] == ["empty"]
    assert not answer.degraded


def test_no_retriever_that_counts_is_said() -> None:
    """With both weights at 0 the order is that of boosts and penalties alone, and a notice says so."""
    answer = asked(evidence(), weights__dense=0.0, weights__lexical=0.0)
    assert [notice.code for notice in answer.notices] == ["weights.none"]
    assert answer.rows
    assert asked(evidence(), weights__dense=0.0).notices == ()


def test_a_floor_drops_what_only_meaning_had_found() -> None:
    """Half of the query's words is 0.5: below 0.75 by meaning, but words find the same documents."""
    answer = asked(evidence(), min_similarity=0.75)
    assert answer.below == ()
    assert answer.total == asked(evidence()).total
    by_meaning_alone = evidence(statuses={"lexical": "failed"})
    floored = asked(by_meaning_alone, min_similarity=0.75)
    assert {one.doc_id: one.similarity for one in floored.below} == dict.fromkeys(("issues/1.md", "notes/x.md"), 1 / 2)
    (cut,) = [cut for cut in floored.truncations if cut.limit_name == "min_similarity"]
    assert (cut.limit, cut.shown, cut.total) == (0.75, cut.total - 2, asked(by_meaning_alone).total)
    assert "0.500" in cut.remedy


def test_copies_are_folded_and_the_row_names_them() -> None:
    """Two documents of one text take one place, that of the better one, whatever else there is."""
    text = ("the state provider keeps state\n",)
    bodies: dict[Document, tuple[str, ...]] = {
        document("a.md", "ticket", "Copy", sha256="x"): text,
        document("b.md", "guide", "Copy", sha256="x"): text,
    }
    answer = asked(ToyEvidence(bodies=bodies))
    assert [(row.document.doc_id, row.duplicates) for row in answer.rows] == [("b.md", ("a.md",))]
    assert (answer.total, answer.total_relation) == (1, "eq")
    (step,) = [step for step in answer.trace.steps if step.stage == "fold"]
    assert (step.came, step.went, step.dropped) == (2, 1, (("the same text as another", 1),))


def test_nothing_found_is_exact() -> None:
    """A word that occurs nowhere gives an empty answer that is not degraded and of which there is no more."""
    answer = asked(evidence(), replace(QUERY, text="zebra"))
    assert (answer.rows, answer.context, answer.total, answer.total_relation) == ((), "", 0, "eq")
    assert {pool.status for pool in answer.pools} == {"empty"}
    assert not answer.degraded


@pytest.mark.parametrize("status", ["partial", "timed_out", "failed"])
def test_a_pool_that_is_not_all_there_degrades_the_answer(status: PoolStatus) -> None:
    """The other retriever answers, and the notice names the one that did not."""
    answer = asked(evidence(statuses={"lexical": status}))
    assert answer.degraded
    assert answer.rows
    (notice,) = answer.notices
    assert notice.code == f"lexical.{status}"
    assert notice.message.startswith(f"lexical {status.replace('_', ' ')} for primary, ")


def test_missing_embeddings_are_said_once() -> None:
    """dense: n of m chunks, with the command that ends it."""
    answer = asked(evidence(unembedded=2, statuses={"dense": "partial"}))
    assert [(notice.code, notice.message) for notice in answer.notices] == [("dense.partial", "dense: 7 of 9 chunks")]
    assert answer.degraded


def test_when_every_retriever_fails_there_is_no_answer() -> None:
    """An error is never an empty result."""
    statuses: dict[Retriever, PoolStatus] = {"dense": "failed", "lexical": "failed"}
    with pytest.raises(RetrievalFailed) as failed:
        asked(evidence(statuses=statuses))
    assert "dense failed" in failed.value.hint


def test_an_equal_question_has_an_equal_answer() -> None:
    """Remembered or computed anew, fast or slow: times and reuse are no part of equality."""
    of, ticks = evidence(), counter()
    pipeline = Pipeline(of, lambda: float(next(ticks)))
    first, again = pipeline.answer(QUERY, Settings()), pipeline.answer(QUERY, Settings())
    assert first == again == asked(evidence())
    assert {step.reused for step in again.trace.steps} == {True}
    took = {step.stage: step.elapsed_ms for step in first.trace.steps}
    assert took == dict.fromkeys(STAGES, 1.0) | {"score": 2.0, "expand": 3.0}, "with what is run for them alone"


def test_a_query_is_asked_as_far_as_its_bounds_and_says_so() -> None:
    """The words past the bound find nothing, and the answer is that of the part before them, but for the notice."""
    others = [f"{first}{second}" for first in "bcdfghjklmnpqrst" for second in "bcdfghjklmnpqrst"]
    part = " ".join([QUERY.text, *others[: QUERY_WORDS - 2]])
    whole, cut = asked(evidence(), replace(QUERY, text=part)), asked(evidence(), replace(QUERY, text=f"{part} pulled"))
    assert (whole.pools, whole.context) == (cut.pools, cut.context)
    assert whole.notices == ()
    (notice,) = cut.notices
    assert (notice.severity, notice.code) == ("warning", "query.cut")
    assert f"{len(part) + 7:,} characters, only the first {len(part) + 1:,} are asked" in notice.message


class Nearest(ToyEvidence):
    """To what no document has a word of, the nearest in meaning are those of another question."""

    def _scores(self, retriever: Retriever, text: str) -> dict[str, float]:
        return super()._scores(retriever, QUERY.text if retriever == "dense" else text)


def test_rows_that_no_word_speaks_for_are_said_to_be_so() -> None:
    """Something is always nearest in meaning; nothing is claimed where words did not answer."""

    def evidence(**changes: Any) -> ToyEvidence:
        return Nearest(bodies=BODIES, edges=EDGES, **changes)

    nonsense = replace(QUERY, text="zzzqqq")
    answer = asked(evidence(), nonsense)
    assert answer.rows
    (notice,) = answer.notices
    assert (notice.severity, notice.code) == ("warning", "lexical.none")
    statuses: dict[Retriever, PoolStatus] = {"lexical": "failed"}
    assert [notice.code for notice in asked(evidence(statuses=statuses), nonsense).notices] == ["lexical.failed"]
    assert asked(evidence()).notices == ()


def test_a_moved_penalty_earns_nothing_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a candidate gains for what was asked is remembered; a boost works it out again."""
    times = counter()

    def counted(*given: Any) -> tuple[tuple[ScoreTerm, ...], ...]:
        next(times)
        return earn(*given)

    monkeypatch.setattr("kbtui.engine.pipeline.earn", counted)
    pipeline = Pipeline(evidence())
    for moved in (settings(), settings(penalty__pull=-0.3), settings(prior__tier__primary=0.1)):
        pipeline.answer(QUERY, moved)
    assert next(times) == 1
    pipeline.answer(QUERY, settings(boost__title=0.2))
    assert next(times) == 3


STAGES = ("plan", "gather", "fuse", "score", "fold", "expand", "pack")


@pytest.mark.parametrize(
    ("moved", "reused", "calls"),
    [
        ({"budget.bytes": 1_900}, 6, {"texts": 1}),
        ({"limit": 4}, 5, {"passages": 1, "texts": 1}),
        ({"neighbour.decay": 0.25}, 5, {}),
        ({"penalty.pull": -0.3}, 3, {}),
        ({"boost.title": 0.1}, 3, {}),
        ({"recency.half_life_days": 90}, 3, {}),
        ({"stale.review_days": None}, 3, {}),
        ({"min_similarity": 0.75}, 2, {}),
        ({"weights.dense": 0.7}, 2, {}),
        ({"pools.candidates": 200}, 0, {"gather": 1}),
    ],
)
def test_a_moved_number_runs_what_depends_on_it(moved: dict[str, Value], reused: int, calls: dict[str, int]) -> None:
    """The stages above the one that reads the number are remembered, and the store is asked only what is new."""
    of = evidence()
    pipeline = Pipeline(of)
    pipeline.answer(QUERY, Settings())
    of.calls.clear()
    answer = pipeline.answer(QUERY, Settings().with_values(moved))
    steps = answer.trace.steps
    assert [step.stage for step in steps] == list(STAGES)
    assert [step.stage for step in steps if step.reused][:reused] == list(STAGES[:reused])
    assert not steps[reused].reused
    assert answer == Pipeline(evidence()).answer(QUERY, Settings().with_values(moved))
    assert {name: of.calls[name] for name in calls} == calls
    assert of.calls["gather"] == calls.get("gather", 0)


def test_a_limit_that_needs_more_candidates_asks_again() -> None:
    """At least four candidates for each place: limit 30 and expand 2 need 128 where the setting says 100."""
    of = evidence()
    pipeline = Pipeline(of)
    pipeline.answer(QUERY, Settings())
    pipeline.answer(replace(QUERY, source_types=("guide",)), settings(limit=30))
    (pool, *_) = pipeline.answer(replace(QUERY, source_types=("guide",)), settings(limit=30)).pools
    assert pool.k == 4 * (30 + 2)


def test_an_error_is_not_remembered() -> None:
    """A budget that was refused is refused again, and the next good one is answered."""
    pipeline = Pipeline(evidence())
    for _ in range(2):
        with pytest.raises(UsageError):
            pipeline.answer(QUERY, settings(budget__bytes=5))
    assert pipeline.answer(QUERY, Settings()) == asked(evidence())


def coarse(text: str) -> int:
    """Count what no sum of parts shows: short passages cost nothing, their whole does."""
    return len(text) // 400 * 400


LONG: dict[Document, tuple[str, ...]] = {
    document(f"docs/{name}.md"): ("state " * 40 + "\n",) * 12 for name in ("a", "b", "c")
}


def test_real_text_that_counts_more_gives_grants_back() -> None:
    """With a counter that finds more in the whole than in the parts the last grant goes until the text fits."""
    of = ToyEvidence(bodies=LONG, count=coarse)
    answer = asked(of, budget__bytes=None, budget__tokens=4_000, budget__document_tokens=None)
    assert answer.notice
    assert 1_000 < coarse(answer.context) == answer.usage.tokens <= 4_000


@pytest.mark.parametrize("count", [coarse, len, real_count()])
def test_no_larger_budget_keeps_less(count: Callable[[str], int]) -> None:
    """Token by token upwards, also where the real text gives grants back, nothing that fitted is lost."""
    pipeline = Pipeline(ToyEvidence(bodies=LONG, count=count))
    kept: set[str] = set()
    for tokens in range(1_200, 6_000, 37):
        try:
            answer = pipeline.answer(QUERY, settings(budget__tokens=tokens, budget__document_tokens=None))
        except UsageError:
            assert not kept
            continue
        now = {chunk_id for row in answer.rows for chunk_id in row.allocation.chunk_ids}
        assert kept <= now, tokens
        assert answer.usage.tokens <= tokens
        kept = now
    assert kept


@pytest.mark.parametrize("padding", range(50))
def test_a_longer_number_in_the_notice_costs_no_passage(padding: int) -> None:
    """From 999 to 1,000 the notice grows by two bytes; whatever the text's length, a jump of the counter there."""
    passages = ("state provider " + "x" * padding + "\n", *("state " * 8 + "\n" for _ in range(40)))
    pipeline = Pipeline(ToyEvidence(bodies={document("a.md"): passages}, count=lambda text: len(text) // 1_300 * 1_300))
    less, more = (
        pipeline.answer(QUERY, settings(budget__tokens=tokens, budget__document_tokens=None)).rows[0].allocation
        for tokens in (999, 1_000)
    )
    assert 0 < len(less.chunk_ids) <= len(more.chunk_ids) < len(passages)


def test_the_real_tokenizer_is_within_the_budget() -> None:
    """Usage is what cl100k_base counts in the very text."""
    count = real_count()
    for bound in (600, 700, 900, 8_000):
        answer = asked(evidence(count=count), budget__tokens=bound)
        assert answer.usage.tokens == count(answer.context) <= bound


@pytest.mark.parametrize("budget", [1_500, 2_000, 2_500, None])
def test_every_block_and_every_mark_is_where_the_answer_says(budget: int | None) -> None:
    """At each place stands the block's header, at each mark's the mark, for as many bytes as its span has."""
    answer = asked(evidence(), budget__bytes=budget)
    kept = [row for row in answer.rows if row.allocation.spans]
    assert [place.doc_id for place in answer.places] == [row.document.doc_id for row in kept]
    for row, place in zip(kept, answer.places, strict=True):
        assert answer.context.startswith(frame.header(row.rank, row.document), place.at)
        for left in place.left_out:
            line = answer.context[left.at :].partition("\n")[0]
            assert line == f"[... {left.span.size_bytes:,} bytes left out ...]"
    assert bool(answer.notice) == any(place.left_out for place in answer.places) or len(kept) < len(answer.rows)
    assert (answer.next_grant is None) == (not answer.notice)


def test_a_question_without_tiers_is_ranked_by_the_same_scores() -> None:
    """What both find scores the same, penalties included: only the pools differ."""
    tiered, flat = asked(evidence(), limit=7), asked(evidence(), replace(QUERY, tiered=False), limit=7)
    assert [pool.tier for pool in flat.pools] == ["untiered", "untiered"]
    assert [(row.document, row.scored.score) for row in flat.rows] == [
        (row.document, row.scored.score) for row in tiered.rows
    ]
    assert any(row.scored.penalty for row in flat.rows)


def test_each_step_accounts_for_all_that_came() -> None:
    """What came went on or is counted with a reason."""
    answer = asked(evidence(), replace(QUERY, source_types=("guide",)), limit=2, expand=1, budget__bytes=1_500)
    for step in answer.trace.steps:
        assert step.came == step.went + sum(number for _, number in step.dropped), step
    by_stage = {step.stage: step for step in answer.trace.steps}
    assert by_stage["plan"].dropped == (("type not asked for", 4),)
    assert by_stage["gather"].dropped == (("in no pool", 1),)
    assert answer.trace.generation == "7"
