"""The four reports from the field that define the job, each built small and asked through the command line.

A knowledge base in which history outnumbers the guides, repeats the question's words more often than they do, and in
which a few documents are larger than any budget.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kbtui import cli
from kbtui.explorer import Explorer, index
from kbtui.model import Query
from kbtui.settings import Settings
from tests.engine_fakes import real_count

QUESTION = "lane splitting take"
NOTICE = "===== kbtui: this context was cut ====="
PULLS, HITS = 160, 320
SAME = "# Lane splitting\n\nA lane is split once it holds more loads than a worker can carry in one run.\n"
LONG = "".join(f"## Part {n}\n\n{'The depot keeps a ledger of every waybill it has seen. ' * 12}\n" for n in range(90))

Ask = Callable[..., Any]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """160 pull requests about nothing but the question, four guides, three ledgers of 60 kB, a page of 20 links."""
    root = tmp_path_factory.mktemp("field")
    files = {
        f"pulls/{n:03}.md": f"# Lane splitting {n}\n\nLane splitting: lane splitting, take {n}.\n" for n in range(PULLS)
    }
    files |= {
        "guides/lanes.md": SAME,
        "pulls/lanes.md": f"{SAME}\n",  # another file, of the same words
        "guides/splitting.md": (
            "# Lane splitting\n\nLane splitting will take one run of the scheduler; after it the loads that waited are "
            "found in two lanes of about half the length.\n"
        ),
        "guides/hub.md": "# Hub\n\nThe waybill hub.\n" + "".join(f"[spoke](spoke-{n}.md)\n" for n in range(20)),
    }
    files |= {f"guides/spoke-{n}.md": f"# Spoke {n}\n\nA page about wheels, number {n}.\n" for n in range(20)}
    files |= {f"guides/ledger-{n}.md": f"# Ledger {n}\n\nThe ledger, volume {n}.\n\n{LONG}" for n in range(3)}
    for name, text in files.items():
        path = root / "kb" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert index(root / "kb", root / "store").skipped == ()
    return root / "store"


@pytest.fixture
def printed(store: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    """What a command prints."""

    def ask(*args: str, code: int = 0) -> str:
        assert cli.main([*args, "--store", str(store)]) == code
        return capsys.readouterr().out

    return ask


@pytest.fixture
def asked(printed: Ask) -> Ask:
    """The JSON that a command prints."""
    return lambda *args: json.loads(printed(*args, "--json"))


# --- a context that nothing bounds ---


def test_a_context_is_bounded_in_bytes_and_in_tokens(printed: Ask) -> None:
    """Three ledgers of 60 kB are asked for: what comes is within both bounds, and says at its end what it lacks."""
    context = printed("context", "ledger of waybills")
    assert len(context.encode()) <= 32_000
    assert real_count()(context) <= 8_000
    notice = context.partition(NOTICE)[2]
    assert "guides/ledger-" in notice


def test_a_document_larger_than_the_budget_leaves_room_for_another(printed: Ask, asked: Ask) -> None:
    """Its cap binds it, whatever the budget is, and no header stands without text."""
    small = ("--max-bytes", "6000", "--max-tokens", "none")
    answer = asked("query", "ledger of waybills", *small)
    emitted = [row for row in answer["results"] if row["fate"] in ("whole", "trimmed")]
    assert len(emitted) >= 2
    context = printed("context", "ledger of waybills", *small)
    assert len(context.encode()) <= 6000
    assert [f"===== [{row['rank']}] {row['id']}" in context for row in answer["results"]] == [
        row in emitted for row in answer["results"]
    ]
    capped = asked("query", "ledger of waybills", "--max-bytes", "none", "--max-tokens", "none")
    assert all(row["kept"]["bytes"] <= 8_000 for row in capped["results"])


# --- a limit that bounds the seeds, not the response ---


@pytest.mark.parametrize("limit", [1, 2, 3, 5])
def test_a_limit_bounds_the_response_with_the_graph_inside(asked: Ask, limit: int) -> None:
    """A page of 20 links brings as many neighbours as were given places, and not one more."""
    answer = asked("query", "waybill hub", "--limit", str(limit), "--expand", "2")
    assert len(answer["results"]) == limit
    brought = [row for row in answer["results"] if row["origin"] == "neighbour"]
    assert len(brought) == min(2, limit - 1)


# --- history that crowds out the truth ---


def test_in_one_pool_no_guide_is_even_a_candidate(store: Path) -> None:
    """And so no penalty, however large, can bring one back."""
    explorer = Explorer.open(store)
    try:
        for penalty in (0.0, -2.0):
            settings = Settings().with_values({"penalty.pull": penalty, "expand": 0})
            answer = explorer.what_if(Query(text=QUESTION, tiered=False), settings)
            found = {row.scored.source_type for row in (*answer.rows, *answer.behind)}
            assert found == {"pull"}
    finally:
        explorer.close()


def test_pools_keep_room_for_guides_and_the_penalty_orders_them(asked: Ask) -> None:
    """The same question as it is asked: the guide is first, and history has what room is left."""
    answer = asked("query", QUESTION, "--expand", "0", "--candidates")
    assert answer["results"][0]["id"] == "guides/splitting.md"
    types = {row["type"] for row in (*answer["results"], *answer["candidates"])}
    assert types == {"guide", "pull"}


def test_a_pull_request_is_below_a_guide_of_equal_relevance(asked: Ask) -> None:
    """The same words in a file of the same name: what parts them is the penalty, to the last digit."""
    answer = asked("query", SAME.splitlines()[-1], "--expand", "0", "--explain")
    rows = {row["id"]: row for row in answer["results"]}
    guide, pull = rows["guides/lanes.md"], rows["pulls/lanes.md"]
    assert guide["rank"] < pull["rank"]
    terms = [{one["name"]: one["value"] for one in row["terms"]} for row in (guide, pull)]
    assert terms[1].pop("penalty.pull") == -0.25
    assert terms[0] == pytest.approx(terms[1])
    assert guide["score"] - pull["score"] == pytest.approx(0.25)


def test_who_asks_for_history_gets_it_without_a_penalty(asked: Ask) -> None:
    """An explicit type is a wish, not a mistake."""
    answer = asked("query", QUESTION, "--type", "pull", "--explain")
    assert {row["type"] for row in answer["results"]} == {"pull"}
    assert all(not one["name"].startswith("penalty") for row in answer["results"] for one in row["terms"])


# --- a result that a limit cut and that looks complete ---


def test_a_search_that_a_limit_bound_says_so(printed: Ask, asked: Ask) -> None:
    """How many there are, that the count is exact, which limit bound it, and how to go on."""
    answer = asked("search", "lane splitting", "--ignore-case", "--limit", "50")
    assert answer["count"] == 50
    assert answer["total"] > HITS
    assert (answer["total_relation"], answer["_truncated_by_limit"], answer["_limit_applied"]) == ("eq", True, 50)
    said = printed("search", "lane splitting", "--ignore-case", "--limit", "50")
    assert f"{answer['total']:,}" in said
    assert "--cursor" in said
    whole = asked("search", "lane splitting", "--ignore-case", "--limit", "5000")
    assert whole["count"] == whole["total"] == answer["total"]
    assert "_truncated_by_limit" not in whole


def test_a_filter_holds_before_the_limit(asked: Ask) -> None:
    """The one page that the filter lets through comes after hundreds of others, and is found."""
    found = asked("search", "lane", "--ignore-case", "--path", "pulls/lanes.md", "--limit", "2")
    assert {line["path"] for line in found["lines"]} == {"pulls/lanes.md"}
    answer = asked("query", QUESTION, "--type", "guide", "--type", "pull", "--path", "guides/*", "--expand", "0")
    assert {row["id"].partition("/")[0] for row in answer["results"]} == {"guides"}
    assert len(answer["results"]) == 5
