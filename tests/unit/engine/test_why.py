"""Each stage that can lose a document is named as the one that did, with what it takes to see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from kbtui.engine.pipeline import Pipeline
from kbtui.engine.why import not_indexed, why
from kbtui.model import Answer, Document, Edge, Filters, Query, Skipped, Why
from kbtui.settings import Settings, Value
from tests.engine_fakes import ToyEvidence, document

LONG = "state provider " * 30 + "\n"
LIBRARY: dict[Document, tuple[str, ...]] = {
    document("docs/best.md"): (LONG, "and more of it " * 150 + "\n"),
    document("docs/good.md"): ("state provider state provider\n",),
    document("docs/fair.md"): ("state provider\n",),
    document("docs/weak.md"): ("a provider\n",),
    document("docs/last.md"): ("one provider more\n",),
    document("docs/silent.md"): ("nothing of the kind\n",),
    document("docs/replaced.md", superseded=True): ("nothing of that kind either\n",),
    document("docs/old.md", status="withdrawn", inactive=True): ("state provider\n",),
    document("docs/gone.md", archived=True): ("state provider\n",),
    document("docs/draft.md", status="draft"): ("state provider\n",),
    document("pulls/1.md", "pull"): ("state provider state provider state\n",),
    document("tests/1.md", "test"): ("state of a test\n",),
    document("notes/1.md", "meeting"): ("state of a meeting\n",),
}
EDGES = (
    Edge(source="docs/best.md", target="docs/replaced.md", kind="link"),
    Edge(source="docs/best.md", target="docs/good.md", kind="link"),
    Edge(source="docs/best.md", target="docs/silent.md", kind="link"),
)
QUERY = Query(text="state provider")


Values = Mapping[str, Value]
DEFAULTS: Values = {}


def asked(doc_id: str, values: Values = DEFAULTS, *, query: Query = QUERY, edges: tuple[Edge, ...] = ()) -> Why:
    return why(ToyEvidence(bodies=LIBRARY, edges=edges), query, Settings().with_values(dict(values)), doc_id)


def answered(values: Values = DEFAULTS, *, edges: tuple[Edge, ...] = ()) -> Answer:
    return Pipeline(ToyEvidence(bodies=LIBRARY, edges=edges)).answer(QUERY, Settings().with_values(dict(values)))


def given(answer: Answer) -> set[str]:
    return {row.document.doc_id for row in answer.rows if row.allocation.chunk_ids}


def test_a_file_that_was_skipped_is_said_to_be_with_the_reason() -> None:
    """However its path is written."""
    skipped = (Skipped(path="docs/Logo.png", reason="binary", detail="a NUL byte"),)
    said = not_indexed(QUERY, "./docs/logo.png", skipped)
    assert (said.stage, said.doc_id, said.reason) == ("index", "docs/Logo.png", "skipped: binary (a NUL byte)")
    assert said.skipped


def test_a_name_of_nothing_is_said_to_be_one() -> None:
    """No document, no skipped file; what to look at is named."""
    said = not_indexed(QUERY, "docs/none.md", ())
    assert (said.stage, said.skipped) == ("index", False)
    assert "kbtui index" in said.remedy


@pytest.mark.parametrize(
    ("doc_id", "query", "reason", "remedy"),
    [
        ("docs/gone.md", QUERY, "archived", "never"),
        ("docs/old.md", QUERY, "inactive: withdrawn", "--inactive"),
        ("pulls/1.md", replace(QUERY, source_types=("guide",)), "type pull was not asked for", "--type pull"),
        ("docs/draft.md", replace(QUERY, filters=Filters(statuses=("final",))), "status draft", "--status draft"),
        ("pulls/1.md", replace(QUERY, filters=Filters(paths=("docs/*",))), "path was not asked for", "--path"),
    ],
)
def test_what_the_question_keeps_out_is_lost_at_the_filter(doc_id: str, query: Query, reason: str, remedy: str) -> None:
    """With the ground and the flag that lets it in; no setting is tried, since none could."""
    said = asked(doc_id, query=query)
    assert said.stage == "filter"
    assert reason in said.reason
    assert remedy in said.remedy
    assert (said.changes, said.runs) == ((), 0)


def test_what_becomes_of_it_when_nothing_is_kept_out_is_said() -> None:
    """The remedy was tried: a flag that would help nothing is not passed off as one that does."""
    assert "with nothing kept out it is in the answer (rank 5, whole)" in asked("docs/old.md", {"expand": 0}).remedy
    assert "it is outranked (rank 5" in asked("docs/old.md", {"limit": 2, "expand": 0}).remedy
    assert "nothing kept out" not in asked("docs/gone.md").remedy


def test_a_question_that_no_budget_answers_without_its_filter_is_no_error() -> None:
    """The filtered question has an answer, so its document has a reason; the other one's refusal is said."""
    query = replace(QUERY, filters=Filters(paths=("docs/fair.md",)))
    said = asked("docs/best.md", {"limit": 1, "budget.document_bytes": 100}, query=query)
    assert said.stage == "filter"
    assert "with nothing kept out there is no answer: 100 bytes for each document" in said.remedy


def test_one_that_no_pool_reached_is_lost_there_with_its_true_rank() -> None:
    """Its rank when the pool is asked deeper, against k, and what it would score beside the last place."""
    values: Values = {"limit": 1, "expand": 0, "pools.candidates": 4}
    said = asked("docs/last.md", values)
    assert said.stage == "pool"
    assert [(depth.retriever, depth.rank, depth.k) for depth in said.depths] == [("dense", 5, 1), ("lexical", 5, 1)]
    assert "dense rank 5, k is 1" in said.reason
    assert said.row is None
    assert said.gap is not None
    assert said.gap.score < said.gap.other_score


def test_one_that_no_retriever_finds_has_no_rank() -> None:
    """However deep its pool is asked."""
    said = asked("docs/silent.md")
    assert said.stage == "pool"
    assert [depth.rank for depth in said.depths] == [None, None]
    assert "lexical does not find it" in said.reason


def test_one_below_the_floor_is_lost_there_and_a_lower_floor_brings_it_in() -> None:
    """Only hits by meaning had found it, none of them near enough."""
    bodies: dict[Document, tuple[str, ...]] = {
        document("docs/near.md"): ("state provider\n",),
        document("docs/far.md"): ("a provider\n",),
    }
    evidence = ToyEvidence(bodies=bodies, statuses={"lexical": "failed"})
    said = why(evidence, QUERY, Settings().with_values({"min_similarity": 0.6}), "docs/far.md")
    assert said.stage == "floor"
    assert "its cosine is 0.500, min_similarity is 0.6" in said.reason
    assert ("min_similarity", 0.6, 0.5, 2) in [(one.key, one.before, one.after, one.steps) for one in said.changes]


def test_a_copy_is_lost_to_the_document_that_stands_for_it() -> None:
    """Its text is there, under another name: nothing needs to be brought in."""
    bodies = {replace(document(f"docs/{name}.md"), sha256="same"): ("state provider\n",) for name in ("a", "b")}
    said = why(ToyEvidence(bodies={**bodies}), QUERY, Settings(), "docs/b.md")
    assert (said.stage, said.changes, said.runs) == ("copy", (), 0)
    assert said.reason == "it has the same text as docs/a.md, which stands for both and is in the answer"


def test_one_that_was_outranked_is_compared_term_by_term() -> None:
    """With the document in the last place that ranking gives; the differences add up to the gap."""
    values: Values = {"limit": 2, "expand": 0}
    said, last = asked("docs/fair.md", values), answered(values).rows[-1]
    assert said.stage == "rank"
    assert said.gap is not None
    assert (said.gap.other, said.gap.rank, said.gap.other_score) == (last.document.doc_id, 2, last.scored.score)
    lacks = sum(term.value - term.other for term in said.gap.terms)
    assert lacks == pytest.approx(said.gap.score - said.gap.other_score)
    assert f"{said.gap.other_score - said.gap.score:.3f} short of place 2" in said.reason


def test_a_place_of_a_neighbour_is_not_compared_with() -> None:
    """The graph gave it, so no score takes it: the last place by rank is the seed's."""
    said = asked("docs/fair.md", {"limit": 2, "expand": 1}, edges=EDGES)
    assert said.gap is not None
    assert (said.gap.other, said.gap.rank) == ("docs/best.md", 1)


def test_a_suppressed_neighbour_is_lost_there_with_the_reason() -> None:
    """No pool has it, the graph would have brought it."""
    said = asked("docs/replaced.md", {"limit": 3, "expand": 2}, edges=EDGES)
    assert said.stage == "neighbour"
    assert said.reason.startswith("superseded; as a result of its own it is in no pool")
    assert said.neighbour is not None
    assert said.neighbour.via.seed == "docs/best.md"


def test_a_neighbour_without_a_place_is_lost_there() -> None:
    """The places for neighbours were taken by others."""
    said = asked("docs/silent.md", {"limit": 2, "expand": 1}, edges=EDGES)
    assert said.stage == "neighbour"
    assert "all 1 places for neighbours are taken" in said.reason


def test_one_that_the_budget_dropped_is_lost_there_with_what_it_needs() -> None:
    """The reason is the allocation's, and a step of the budget is the smallest change."""
    said = asked("docs/draft.md", {"limit": 3, "expand": 0, "budget.bytes": 1_560})
    assert (said.stage, said.reason) == ("budget", "budget: needs 71 bytes, 5 left")
    assert ("budget.bytes", 1_560, 2_560, 1) in [
        (change.key, change.before, change.after, change.steps) for change in said.changes
    ]


@pytest.mark.parametrize("bound", [32_000, 1_560])
def test_one_in_the_answer_is_never_missing(bound: int | None) -> None:
    """Whole or trimmed, with what trimmed it; there is nothing to bring in."""
    values: Values = {"limit": 3, "expand": 0, "budget.bytes": bound}
    answer = answered(values)
    for row in answer.rows[:2]:
        said = asked(row.document.doc_id, values)
        assert said.stage == "answer"
        assert row.allocation.decision in said.reason
        assert row.allocation.reason in said.reason
        assert (said.row, said.changes) == (row, ())


def test_the_changes_are_of_one_setting_smallest_first() -> None:
    """Each is so many steps of its setting, brings the document in, and says what falls out."""
    values: Values = {"limit": 2, "expand": 0}
    said, before = asked("docs/fair.md", values), given(answered(values))
    assert said.changes
    assert [change.steps for change in said.changes] == sorted(change.steps for change in said.changes)
    assert len({change.key for change in said.changes}) == len(said.changes)
    for change in said.changes:
        after = answered({**values, change.key: change.after})
        assert "docs/fair.md" in given(after)
        assert set(change.out) == before - given(after)
        (row,) = [row for row in after.rows if row.document.doc_id == "docs/fair.md"]
        assert (change.rank, change.fate) == (row.rank, row.allocation.decision)


def test_a_penalty_is_the_change_that_brings_a_pull_request_in() -> None:
    """It lost a place by the penalty alone: taking it back is among the changes, from its value before."""
    said = asked("pulls/1.md", {"limit": 2, "expand": 0})
    (change,) = [change for change in said.changes if change.key == "penalty.pull"]
    assert (change.before, change.steps, change.rank) == (-0.25, 5, 2)
    assert change.out == ("docs/good.md",)


def test_where_nothing_helps_it_says_so() -> None:
    """No setting makes a retriever find what is not there: no change, and how many were tried."""
    said = asked("docs/silent.md")
    assert said.changes == ()
    assert said.runs > 100
    assert said.exhausted


def test_a_type_that_no_setting_can_name_is_no_obstacle() -> None:
    """Front matter may call a type anything; a name with a dot has no penalty and no prior of its own."""
    odd: dict[Document, tuple[str, ...]] = {
        document("odd.md", "v1.2"): ("state provider\n",),
        document("docs/a.md"): ("state provider state\n",),
    }
    said = why(ToyEvidence(bodies=odd), QUERY, Settings().with_values({"limit": 1, "expand": 0}), "odd.md")
    assert said.stage == "rank"
    assert said.changes


def test_the_search_can_be_ended_with_what_was_found() -> None:
    """It is told of each trial; what is left untried is said to be."""
    told: list[str] = []

    def watch(number: int, setting: str) -> bool:
        told.append(setting)
        return number < 20

    said = why(ToyEvidence(bodies=LIBRARY), QUERY, Settings(), "docs/silent.md", watch)
    assert (said.runs, said.exhausted) == (20, False)
    assert len(told) == 21


def test_all_but_the_changes_is_told_before_the_first_trial() -> None:
    """Once, where there are trials; what is in the answer has none."""
    told: list[Why | str] = []

    def watch(number: int, setting: str) -> bool:
        told.append(setting)
        return True

    said = why(ToyEvidence(bodies=LIBRARY), QUERY, Settings(), "docs/silent.md", watch, told.append)
    assert told[0] == replace(said, changes=(), runs=0, exhausted=True)
    assert all(isinstance(each, str) for each in told[1:])


def test_a_plan_is_asked_for_once() -> None:
    """However many settings are tried, the retrievers are asked again only for pools of another size."""
    evidence = ToyEvidence(bodies=LIBRARY)
    said = why(evidence, QUERY, Settings().with_values({"limit": 2, "expand": 0}), "docs/fair.md")
    assert said.runs > 20
    assert evidence.calls["gather"] <= 8
