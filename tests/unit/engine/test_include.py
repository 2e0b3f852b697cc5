"""Documents added by hand: where they stand, what they score, what gives way, and that it is said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kbtui.engine.pipeline import Pipeline
from kbtui.errors import UsageError
from kbtui.model import Answer, Document, Edge, Filters, Query
from kbtui.settings import Settings, Value
from tests.engine_fakes import ToyEvidence, document

GUIDES = {document(f"docs/{place}.md"): (f"{'state ' * (9 - place)}provider\n",) for place in range(6)}
FAR = document("docs/far.md")
SILENT = document("docs/silent.md")
LIBRARY: dict[Document, tuple[str, ...]] = {
    **GUIDES,
    FAR: ("provider alone\n",),
    SILENT: ("nothing of the kind\n",),
    document("docs/old.md", status="withdrawn", inactive=True): ("state provider\n",),
    document("docs/gone.md", archived=True): ("state provider\n",),
    document("pulls/1.md", "pull"): ("state\n",),
}
QUERY = Query(text="state provider")


def asked(*include: str, edges: tuple[Edge, ...] = (), query: Query = QUERY, **values: Value) -> Answer:
    chosen = Settings().with_values({key.replace("__", "."): value for key, value in values.items()})
    return Pipeline(ToyEvidence(bodies=LIBRARY, edges=edges)).answer(replace(query, include=include), chosen)


def ids(answer: Answer) -> list[str]:
    return [row.document.doc_id for row in answer.rows]


def test_it_has_the_last_place_and_the_limit_holds() -> None:
    """Nothing moves but the one document that gives way, and that one is the first behind the limit."""
    before, after = asked(limit=3, expand=0), asked("docs/5.md", limit=3, expand=0)
    assert ids(after) == [*ids(before)[:2], "docs/5.md"]
    assert [row.origin for row in after.rows] == ["ranked", "ranked", "included"]
    assert after.behind[0].document.doc_id == ids(before)[2]
    assert after.total == before.total


def test_a_candidate_keeps_its_terms() -> None:
    """What ranked it behind the limit is what it shows as an included one, and what it costs is charged."""
    behind = {row.document.doc_id: row for row in asked(limit=3, expand=0).behind}
    included = asked("docs/5.md", limit=3, expand=0).rows[-1]
    assert included.scored == behind["docs/5.md"].scored
    assert included.allocation.decision == "whole"
    assert included.allocation.cost == behind["docs/5.md"].allocation.cost


def test_one_that_no_pool_reached_is_looked_for_deeper_down() -> None:
    """Its terms are those it has when its pool is large enough, and no other score moves."""
    far = asked("docs/far.md", limit=1, expand=0, pools__candidates=4).rows[-1]
    found = {row.document.doc_id: row.scored for row in asked(limit=1, expand=0, pools__candidates=100).behind}
    assert "docs/far.md" not in ids(asked(limit=1, expand=0, pools__candidates=4))
    assert far.scored == found["docs/far.md"]
    assert far.passages


def test_one_that_no_retriever_finds_has_terms_of_nothing() -> None:
    """It is packed all the same, and both retrievers are shown to have found nothing."""
    row = asked("docs/silent.md", limit=2, expand=0).rows[-1]
    assert [(term.name, term.value) for term in row.scored.terms] == [("dense", 0.0), ("lexical", 0.0)]
    assert row.allocation.decision == "whole"


def test_one_that_is_in_the_answer_anyway_keeps_its_place() -> None:
    """The answer is the one without it, but for what is said."""
    before, after = asked(limit=3, expand=0), asked("docs/0.md", limit=3, expand=0)
    assert after.rows == before.rows
    assert [notice.message for notice in after.notices] == ["what-if: in the answer anyway: docs/0.md"]


def test_the_answer_says_that_it_is_a_what_if() -> None:
    """As a notice of the answer, never in the context, which holds what was asked for."""
    answer = asked("docs/5.md", limit=3, expand=0)
    assert [(one.code, one.message) for one in answer.notices] == [("what_if", "what-if: included by hand: docs/5.md")]
    assert "what-if" not in answer.context
    assert not asked(limit=3).notices


def test_a_neighbour_gives_way_and_it_is_said() -> None:
    """The last place was a neighbour's: its outcome says what has it now, and every count still adds up."""
    edges = (Edge(source="docs/0.md", target="docs/silent.md", kind="link"),)
    assert ids(asked(edges=edges, limit=2, expand=1)) == ["docs/0.md", "docs/silent.md"]
    answer = asked("docs/5.md", edges=edges, limit=2, expand=1)
    assert ids(answer) == ["docs/0.md", "docs/5.md"]
    (tried,) = answer.expansions
    assert (tried.outcome, tried.reason) == ("over_limit", "a document that was included has its place")
    for step in answer.trace.steps:
        assert step.came == step.went + sum(number for _, number in step.dropped)


def test_two_share_the_last_places_best_first() -> None:
    """The better score stands first; a name given twice is one document."""
    assert ids(asked("docs/5.md", "docs/4.md", "docs/5.md", limit=3, expand=0)) == [
        "docs/0.md",
        "docs/4.md",
        "docs/5.md",
    ]


@pytest.mark.parametrize(
    ("include", "query", "says"),
    [
        (("nowhere.md",), QUERY, "no document 'nowhere.md'"),
        (("docs/gone.md",), QUERY, "archived"),
        (("docs/old.md",), QUERY, "inactive: withdrawn"),
        (("pulls/1.md",), replace(QUERY, source_types=("guide",)), "type pull was not asked for"),
        (("pulls/1.md",), replace(QUERY, filters=Filters(paths=("docs/*",))), "path was not asked for"),
        (("docs/0.md", "docs/1.md", "docs/2.md"), QUERY, "3 documents are included, and the limit is 2"),
    ],
)
def test_what_cannot_be_in_the_response_is_refused(include: tuple[str, ...], query: Query, says: str) -> None:
    """With the reason; filters hold for what is added by hand, too."""
    with pytest.raises(UsageError, match=says):
        asked(*include, query=query, limit=2)
