"""`kbtui search` against `grep -rnF`: the same lines, page after page, and everything that it says of a cut."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DEMO_PATTERNS = ("backoff", "def ", "retry", "#", "- ", "the ", "lane", "zzzz", "(", "Load", "`", "e.g.")
NEO_PATTERNS = (
    *("the ", "state", "function", "import ", "config", "Neo.", "{", "- "),  # over 1,000 hits each
    *("resolver", "StateProvider", "useCapture", "TODO", "$1", "[x]", "\\n", "a|b", "#9770", "worker.App"),
    *("Ünïcode", "—", "…", "zzzqqq"),
)


def run(*args: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the CLI to its end."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), **environ}
    command = [sys.executable, "-m", "kbtui", *args]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, env=env)


def page(store: Path, pattern: str, *args: str, **environ: str) -> dict[str, Any]:
    """Return the JSON of a page; its exit code says whether anything matches."""
    done = run("search", "--store", str(store), "--json", *args, "--", pattern, **environ)
    assert done.stderr == ""
    value: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == (0 if value["total"] else 1)
    return value


def grep(corpus: Path, *args: str) -> list[tuple[str, int]]:
    """Return path and line number of what grep finds, in order of paths."""
    command = ["grep", "-rnIZ", *args, "."]
    done = subprocess.run(
        command, cwd=corpus, capture_output=True, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"}
    )
    found = re.findall(rb"^\./([^\0]+)\0(\d+):", done.stdout, re.MULTILINE)
    return sorted((path.decode(), int(number)) for path, number in found)


def everything(store: Path, pattern: str, *args: str, limit: int) -> tuple[list[tuple[str, int]], int]:
    """Return path and line number of every page's lines, and how many pages there were."""
    found: list[tuple[str, int]] = []
    pages, cursor = 0, ""
    while pages == 0 or cursor:
        one = page(store, pattern, *args, "--limit", str(limit), *(["--cursor", cursor] if cursor else []))
        pages += 1
        cursor = one.get("cursor", "")
        assert one["total_relation"] == "eq"
        assert ("_truncated_by_limit" in one) == bool(cursor)
        found += [(line["path"], line["line"]) for line in one["lines"]]
        assert len(found) == one["total"] or cursor
    return found, pages


@pytest.mark.parametrize("pattern", DEMO_PATTERNS)
def test_the_demo_gives_what_grep_gives(demo_store: Path, demo_corpus: Path, pattern: str) -> None:
    """Path and line number of every hit, read to the end."""
    found, _ = everything(demo_store, pattern, limit=1000)
    assert found == grep(demo_corpus, "-F", "-e", pattern)


@pytest.mark.parametrize(
    ("flags", "same"),
    [
        (("--word",), ("-F", "-w")),
        (("--ignore-case",), ("-F", "-i")),
        (("--word", "--ignore-case"), ("-F", "-w", "-i")),
    ],
)
def test_words_and_case_are_those_of_grep(
    demo_store: Path, demo_corpus: Path, flags: tuple[str, ...], same: tuple[str, ...]
) -> None:
    found, _ = everything(demo_store, "Retry", *flags, limit=1000)
    assert found == grep(demo_corpus, *same, "-e", "Retry")
    assert found


@pytest.mark.parametrize("pattern", [r"retr(y|ies)", r"^#+ ", r"[0-9]{3}$", r"^$", r"\bload\b.*\blane\b"])
def test_expressions_are_those_of_grep(demo_store: Path, demo_corpus: Path, pattern: str) -> None:
    found, _ = everything(demo_store, pattern, "--regex", limit=1000)
    assert found == grep(demo_corpus, "-E", "-e", pattern)
    assert found


def test_a_limit_says_that_it_bound_and_the_cursor_goes_on(demo_store: Path, demo_corpus: Path) -> None:
    """Which limit, how many there are, exactly, how to go on; the pages together are everything, once."""
    one = page(demo_store, "retry", "--limit", "7")
    assert (one["count"], one["_limit_applied"]) == (7, 7)
    assert one["total"] == len(grep(demo_corpus, "-F", "-e", "retry")) > 7
    assert "count_is_exact" not in one
    assert "_limit_requested" not in one
    assert "--cursor" in one["truncation_note"]
    found, pages = everything(demo_store, "retry", limit=25)
    assert found == grep(demo_corpus, "-F", "-e", "retry")
    assert pages == -(-len(found) // 25)
    text = run("search", "retry", "--limit", "7", "--store", str(demo_store)).stdout
    assert f"7 of {one['total']:,} lines that match" in text
    assert "cut by limit 7" in text


def test_filters_hold_before_the_limit(demo_store: Path) -> None:
    """A hundred lines of other documents take no place of those that were asked for."""
    guides = page(demo_store, "the", "--type", "guide", "--limit", "5")
    assert {line["type"] for line in guides["lines"]} == {"guide"}
    assert guides["count"] == 5
    last = page(demo_store, "the", "--path", "tickets/*", "--limit", "5")
    assert last["count"] == 5
    assert all(line["path"].startswith("tickets/") for line in last["lines"])
    assert last["total"] + guides["total"] <= page(demo_store, "the")["total"]


def test_the_ceiling_binds_and_says_so(demo_store: Path) -> None:
    """What was asked for is told only where the ceiling chose."""
    one = page(demo_store, "the", "--limit", "50", KBTUI_SEARCH_TEXT_MAX_LIMIT="10")
    assert (one["count"], one["_limit_applied"], one["_limit_requested"]) == (10, 10, 50)
    assert "KBTUI_SEARCH_TEXT_MAX_LIMIT" in one["truncation_note"]


@pytest.mark.parametrize("typo", ["10k", "0", "-5", "1e2", "none"])
def test_a_typo_keeps_the_ceiling_and_status_says_so(demo_store: Path, typo: str) -> None:
    """It never lifts the bound, and it is no reason to stop."""
    one = page(demo_store, "e", "--limit", "5000", KBTUI_SEARCH_TEXT_MAX_LIMIT=typo)
    assert (one["count"], one["_limit_requested"]) == (1000, 5000)
    status = json.loads(run("status", "--store", str(demo_store), "--json", KBTUI_SEARCH_TEXT_MAX_LIMIT=typo).stdout)
    assert status["search_limit"] == 1000
    assert [notice["code"] for notice in status["notices"]][:1] == ["search_limit"]
    assert "at most 1,000 lines" in run("status", "--store", str(demo_store)).stdout


def test_spans_are_the_bytes_of_the_file(demo_store: Path, demo_corpus: Path) -> None:
    """Of the line, and of each match in it."""
    for line in page(demo_store, "retry", "--limit", "1000")["lines"]:
        data = (demo_corpus / line["path"]).read_bytes()
        span = line["span"]
        assert data[span["start"] : span["end"]] == data.split(b"\n")[line["line"] - 1]
        assert line["matches"]
        assert all(data[match["start"] : match["end"]] == b"retry" for match in line["matches"])


def test_nothing_found_says_so(demo_store: Path) -> None:
    done = run("search", "zzzqqq", "--store", str(demo_store))
    assert (done.returncode, done.stderr) == (1, "")
    assert re.fullmatch(r"no line matches in \d+ documents\n", done.stdout)


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("",), 2, "empty"),
        (("a\nb",), 2, "several lines"),
        (("(", "--regex"), 2, "no regular expression"),
        (("x", "--limit", "0"), 2, "at least 1"),
        (("x", "--type", "nonesuch"), 2, "Types: "),
        (("x", "--cursor", "nonsense"), 2, "no cursor"),
        (("x", "--timeout", "0"), 2, "seconds"),
        (("zzzqqq", "--timeout", "1e-9"), 5, "stopped"),
    ],
)
def test_an_error_never_looks_like_an_empty_result(
    demo_store: Path, args: tuple[str, ...], code: int, said: str
) -> None:
    done = run("search", *args, "--store", str(demo_store))
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr


@pytest.mark.slow
def test_neo_gives_what_grep_gives(neo_corpus: Path, tmp_path: Path) -> None:
    """Twenty patterns and more on 4,084 files, several with thousands of hits read to the end through the cursor."""
    ready = os.environ.get("KBTUI_TEST_NEO_STORE")
    store = Path(ready) if ready else tmp_path / "store"
    if not ready:
        assert run("index", str(neo_corpus), "--store", str(store), "--lexical", "--quiet").returncode == 0
    long = 0
    for pattern in NEO_PATTERNS:
        found, pages = everything(store, pattern, limit=1000)
        assert found == grep(neo_corpus, "-F", "-e", pattern), pattern
        long += pages > 1
    assert len(NEO_PATTERNS) >= 20
    assert long >= 3
