"""What the demo promises a newcomer holds in a real index, with the default settings."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from kbtui.demo import corpus
from kbtui.explorer import Explorer, index
from kbtui.model import Answer, Query, Row
from kbtui.settings import Settings, Value

pytestmark = pytest.mark.slow

HISTORY = {"ticket", "pull", "discussion", "release"}
DEFAULTS = Settings()
RETRY = "how does retry backoff work"
HEARTBEAT = "why are lease heartbeat renewals coalesced"
TOGETHER = "how do leases, attempts, lanes, idempotency and the siding work together"
REFERENCE = "guides/configuration-and-operations.md"


@pytest.fixture(scope="module")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explorer]:
    store = tmp_path_factory.mktemp("demo") / "store"
    index(corpus(), store)
    opened = Explorer.open(store)
    yield opened
    opened.close()


def ask(explorer: Explorer, text: str, **values: Value) -> Answer:
    changed = {key.replace("__", "."): value for key, value in values.items()}
    return explorer.query(Query(text=text), DEFAULTS.with_values(changed))


def ids(answer: Answer) -> list[str]:
    return [row.document.doc_id for row in answer.rows]


def relevance(row: Row) -> float:
    return sum(term.value for term in row.scored.terms if term.name in ("dense", "lexical"))


def test_without_tiers_and_penalties_history_fills_every_place(explorer: Explorer) -> None:
    answer = ask(explorer, RETRY)
    untiered = sorted(answer.rows + answer.behind, key=relevance, reverse=True)[:7]
    assert {row.document.source_type for row in untiered} <= HISTORY
    assert answer.rows[0].document.doc_id == "guides/failed-loads.md"


def test_without_the_penalty_of_pull_requests_the_guide_leaves_the_response(explorer: Explorer) -> None:
    freed = ask(explorer, RETRY, penalty__pull=0.0)
    assert {row.document.source_type for row in freed.rows} <= HISTORY
    assert "guides/failed-loads.md" not in ids(freed)


def test_a_penalty_turns_the_first_two_round(explorer: Explorer) -> None:
    assert ids(ask(explorer, HEARTBEAT))[:2] == ["guides/leases.md", "pulls/pr-143.md"]
    assert ids(ask(explorer, HEARTBEAT, penalty__pull=0.0))[:2] == ["pulls/pr-143.md", "guides/leases.md"]


def test_the_oversized_guide_is_trimmed_and_leaves_room(explorer: Explorer) -> None:
    answer = ask(explorer, "what does ledger.fsync do")
    first = answer.rows[0]
    assert (first.document.doc_id, first.allocation.decision) == (REFERENCE, "trimmed")
    assert [row.allocation.decision for row in answer.rows[1:3]] == ["whole", "whole"]
    assert REFERENCE in answer.notice


def test_a_small_budget_drops_a_document_and_says_so(explorer: Explorer) -> None:
    assert all(row.allocation.decision == "trimmed" for row in ask(explorer, TOGETHER).rows)
    small = ask(explorer, TOGETHER, budget__bytes=4000)
    assert small.rows[-1].allocation.decision == "dropped"
    assert small.rows[0].allocation.decision == "trimmed"
    assert small.rows[-1].document.doc_id in small.notice


def test_decisions_have_successors_and_predecessors_around_them(explorer: Explorer) -> None:
    answer = ask(explorer, "why is the jitter bounded")
    assert ids(answer)[0].startswith("decisions/adr-0015")
    assert any(row.origin == "neighbour" for row in answer.rows)
    around = explorer.neighbours("adr-0011")
    kinds = {(met.kind, met.doc_id) for met in around.neighbours if met.direction == "out"}
    assert ("superseded_by", ids(answer)[0]) in kinds
    assert ("supersedes", "decisions/adr-0004-fixed-retry-delay.md") in kinds


def test_nothing_in_the_demo_dangles_or_is_skipped(explorer: Explorer) -> None:
    status = explorer.status()
    assert (status.dangling, status.skipped) == (0, ())
