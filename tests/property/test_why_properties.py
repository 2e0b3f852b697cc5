"""What `why` says agrees with the answer, and its changes do what they say, on arbitrary small knowledge bases."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kbtui.engine.pipeline import Pipeline
from kbtui.engine.why import why
from kbtui.errors import RetrievalFailed, UsageError
from kbtui.model import Answer, Change, Query
from kbtui.settings import Settings, Value, knob_for
from tests.engine_fakes import ToyEvidence
from tests.property.test_engine_properties import answered, libraries, numbers, queries


def given_ids(answer: Answer | None) -> list[str]:
    """Return the documents that are in the answer."""
    return (
        [row.document.doc_id for row in answer.rows if row.allocation.decision in ("whole", "trimmed")]
        if answer
        else []
    )


def one_step_less(change: Change) -> Value:
    """Return the value of the setting one step before the change."""
    knob = knob_for(change.key)
    assert change.before is not None
    assert change.after is not None
    sign = 1 if change.after > change.before else -1
    value = min(knob.high, max(knob.low, change.before + sign * (change.steps - 1) * knob.step))
    return round(value, 6) if knob.kind == "number" else int(value)


@given(libraries(), queries, numbers, st.integers(0, 8))
@settings(max_examples=40, deadline=None)
def test_a_document_is_missing_if_and_only_if_the_context_lacks_it(
    of: ToyEvidence, query: Query, values: dict[str, Value], place: int
) -> None:
    """One in the answer is never explained away; one that is not has a stage, a reason, and changes that hold.

    Each change brings it in, one step less does not, and what falls out is what is named.
    """
    rows = list(of.bodies)
    try:
        answer = answered(of, query, values)
    except RetrievalFailed:
        answer = None
    assume(answer is not None and rows)
    doc_id = rows[place % len(rows)].doc_id
    said = why(of, query, Settings().with_values(values), doc_id)
    before = given_ids(answer)
    assert (said.stage == "answer") == (doc_id in before)
    assert said.reason
    assert doc_id not in before or not said.changes
    for change in said.changes:
        after = given_ids(answered(of, query, values | {change.key: change.after}))
        assert doc_id in after
        assert set(change.out) == set(before) - set(after)
        if change.steps > 1:
            assert doc_id not in given_ids(answered(of, query, values | {change.key: one_step_less(change)}))


@given(libraries(), queries, numbers, st.lists(st.integers(0, 8), min_size=1, max_size=3))
@settings(max_examples=150, deadline=None)
def test_included_documents_are_in_the_response_and_the_limit_holds(
    of: ToyEvidence, query: Query, values: dict[str, Value], places: list[int]
) -> None:
    """What stands in front of them is as it was, every count adds up, and the budget holds for them, too."""
    rows = list(of.bodies)
    assume(rows)
    include = tuple(rows[place % len(rows)].doc_id for place in places)
    chosen = Settings().with_values(values)
    try:
        before = Pipeline(of).answer(query, chosen)
        answer = Pipeline(of).answer(replace(query, include=include), chosen)
    except (UsageError, RetrievalFailed):
        return
    ids = [row.document.doc_id for row in answer.rows]
    assert set(include) <= set(ids)
    assert len(ids) == len(set(ids)) <= chosen.whole("limit")
    front = [row.document.doc_id for row in answer.rows if row.origin != "included"]
    assert front == [row.document.doc_id for row in before.rows][: len(front)]
    for row in answer.rows:
        assert row.scored.score == sum(term.value for term in row.scored.terms)
    for step in answer.trace.steps:
        assert step.came == step.went + sum(number for _, number in step.dropped)
    budget = chosen.budget()
    assert budget.size_bytes is None or answer.usage.size_bytes <= budget.size_bytes
    assert budget.tokens is None or answer.usage.tokens <= budget.tokens
    assert {row.document.doc_id for row in before.rows} <= {*ids, *(row.document.doc_id for row in answer.behind)} | {
        one.doc_id for one in answer.expansions if one.outcome == "over_limit"
    }
