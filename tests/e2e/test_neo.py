"""The real corpus of 4,084 files, end to end through the CLI (slow: the embedding alone takes minutes)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

BLOG = "learn/blog/context-engineering-done-right.md"
WIDE = ["--max-bytes", "2000000", "--max-tokens", "none", "--per-document", "1000000"]
WIDE += ["--set", "budget.document_tokens=none"]


def kbtui(*args: str) -> str:
    """Run the CLI in a process of its own and return what it prints."""
    done = subprocess.run([sys.executable, "-m", "kbtui", *args], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@pytest.fixture(scope="module")
def neo_store(tmp_path_factory: pytest.TempPathFactory, neo_corpus: Path) -> Path:
    """A full index; KBTUI_TEST_NEO_STORE names one that is already there, to save the minutes."""
    ready = os.environ.get("KBTUI_TEST_NEO_STORE")
    store = Path(ready) if ready else tmp_path_factory.mktemp("neo") / "store"
    kbtui("index", str(neo_corpus), "--store", str(store), "--quiet")
    return store


def asked(query: str, store: Path, *args: str) -> dict[str, Any]:
    """Return the JSON of a query."""
    found: dict[str, Any] = json.loads(kbtui("query", query, "--store", str(store), "--json", *args))
    return found


def test_status_counts_every_file(neo_store: Path) -> None:
    """All 4,084 files are in, by type, embedded, none skipped."""
    status = json.loads(kbtui("status", "--store", str(neo_store), "--json"))
    counts = {row["type"]: row["documents"] for row in status["types"]}
    assert counts == {"ticket": 3533, "pull": 222, "release": 166, "discussion": 17, "blog": 11, "guide": 135}
    assert status["documents"] == sum(counts.values()) == 4084
    assert status["embedded"] == status["chunks"]
    assert status["skipped"] == []


def test_guides_come_first(neo_store: Path) -> None:
    """A question that guides answer is answered by guides, though tickets outnumber them 26 to 1."""
    answer = asked("how does the state provider work", neo_store)
    assert answer["results"][0]["type"] == "guide"
    assert len(answer["results"]) == 5
    assert answer["usage"]["bytes"] <= 32_000
    assert answer["usage"]["tokens"] <= 8_000


@pytest.mark.parametrize(("limit", "expand", "count"), [(3, 0, 3), (3, 2, 3), (1, 2, 1)])
def test_the_limit_bounds_the_response(neo_store: Path, limit: int, expand: int, count: int) -> None:
    """`--limit 3` returned 9 once; here it never returns more than it says."""
    args = ("--limit", str(limit), "--expand", str(expand))
    rows = asked("how does the state provider work", neo_store, *args)["results"]
    assert len(rows) == count
    if expand == 0 or limit == 1:
        assert {row["origin"] for row in rows} == {"ranked"}


def test_one_oversized_document_leaves_room(neo_store: Path) -> None:
    """A document of 75,740 bytes is trimmed to its cap, said so, and another one is there too."""
    context = kbtui("context", "context engineering done right", "--store", str(neo_store))
    answer = asked("context engineering done right", neo_store, "--context")
    assert answer["context"] == context
    assert len(context.encode()) <= 32_000
    assert answer["usage"]["tokens"] <= 8_000
    emitted = [row["id"] for row in answer["results"] if row["fate"] in ("whole", "trimmed")]
    assert BLOG in emitted
    assert len(emitted) >= 2
    assert BLOG in context.partition("===== kbtui: this context was cut =====")[2]


def test_a_larger_budget_keeps_what_a_smaller_one_kept(neo_store: Path) -> None:
    """6,000, 12,000 and 120,000 bytes: nothing kept is lost on the way up."""
    smaller: set[tuple[str, int]] = set()
    for size in ("6000", "12000", "120000"):
        answer = asked("context engineering done right", neo_store, "--max-bytes", size)
        now = {
            (row["id"], position)
            for row in answer["results"]
            for span in row["kept"]["spans"]
            for position in range(span["start"], span["end"])
        }
        assert smaller <= now
        smaller = now


def test_an_uncut_context_is_the_files(neo_store: Path, neo_corpus: Path) -> None:
    """Byte-identical to literal headers and the files on disk where everything fits."""
    query = "context engineering done right"
    rows = asked(query, neo_store, *WIDE)["results"]
    blocks = [
        f"===== [{row['rank']}] {row['id']} | {row['type']} | {row['title']} =====\n"
        + (neo_corpus / row["id"]).read_text()
        + "\n"
        for row in rows
    ]
    assert kbtui("context", query, "--store", str(neo_store), *WIDE) == "\n".join(blocks)


def test_a_second_run_embeds_nothing(neo_store: Path, neo_corpus: Path) -> None:
    """Without changes nothing is read, embedded or published."""
    report = json.loads(kbtui("index", str(neo_corpus), "--store", str(neo_store), "--json"))
    assert report["embedded"] == 0
    assert report["changed"] == report["added"] == report["removed"] == 0


@pytest.mark.parametrize(
    ("doc_id", "stage"),
    [
        ("learn/guides/datahandling/StateProviders.md", "answer"),
        ("learn/tutorials/Earthquakes.md", "rank"),
        ("issues/issue-6983.md", "rank"),
        ("pulls/pr-4782.md", "pool"),
    ],
)
def test_why_names_the_stage_and_a_change_that_works(neo_store: Path, doc_id: str, stage: str) -> None:
    """The stage agrees with the answer, the pool's rank is past its k, and the best change brings the document in."""
    question = "how does the state provider work"
    why = json.loads(kbtui("why", doc_id, "--query", question, "--store", str(neo_store), "--json"))
    ids = {row["id"] for row in asked(question, neo_store)["results"]}
    assert (why["stage"] == "answer") == (doc_id in ids)
    assert why["stage"] == stage
    if stage == "pool":
        assert all(pool["rank"] is None or pool["rank"] > pool["k"] for pool in why["pools"])
    for change in why.get("changes", [])[:1]:
        flag = f"{change['setting']}={change['after']}"
        after = {row["id"]: row["rank"] for row in asked(question, neo_store, "--set", flag)["results"]}
        assert after[doc_id] == change["rank"]
