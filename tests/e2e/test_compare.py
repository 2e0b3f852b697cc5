"""`kbtui compare`: two settings side by side, the same answers as `kbtui query` gives under each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
QUERY = "how does retry backoff work"


def run(*args: str, cwd: Path | None = None, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run the CLI to its end."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "kbtui", *args]
    return subprocess.run(command, cwd=cwd, capture_output=True, encoding="utf-8", check=False, env=env, input=stdin)


def data(*args: str, cwd: Path | None = None) -> dict[str, Any]:
    """Return the JSON of a command that succeeds."""
    done = run(*args, "--json", cwd=cwd)
    assert (done.returncode, done.stderr) == (0, "")
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def ids(answer: dict[str, Any]) -> list[str]:
    """Return the ids of a response."""
    return [row["id"] for row in answer["results"]]


def test_both_sides_are_what_query_gives(demo_store: Path) -> None:
    """Ranks, fates and usage are those of two queries; flags hold on both sides."""
    common = (QUERY, "--store", str(demo_store), "--limit", "4")
    compared = data("compare", *common, "--with", "penalty.pull=0", "--with", "expand=0")
    before = data("query", *common)
    after = data("query", *common, "--set", "penalty.pull=0", "--set", "expand=0")
    for side, answer in (("before", before), ("after", after)):
        placed = [move for move in compared["moves"] if move[side] and move[side]["fate"] != "outranked"]
        placed.sort(key=lambda move: move[side]["rank"])
        assert [move["id"] for move in placed] == ids(answer)
        assert [move[side]["fate"] for move in placed] == [row["fate"] for row in answer["results"]]
        assert compared[side]["usage"] == answer["usage"]
    assert compared["settings"] == [
        {"key": "expand", "before": 2, "after": 0},
        {"key": "penalty.pull", "before": -0.25, "after": 0.0},
    ]
    assert compared["new"] == len(set(ids(after)) - set(ids(before)))


def test_a_profile_can_be_the_other_side(demo_store: Path, tmp_path: Path) -> None:
    """`--with-profile` is what `--profile` would be, `--with` on top of it."""
    (tmp_path / "kbtui.toml").write_text("[profile.wide]\nlimit = 8\nexpand = 0\n")
    store = ("--store", str(demo_store))
    compared = data("compare", QUERY, *store, "--with-profile", "wide", "--with", "limit=7", cwd=tmp_path)
    assert (compared["before"]["count"], compared["after"]["count"]) == (5, 7)
    assert run("compare", QUERY, *store, "--with-profile", "wild", cwd=tmp_path).returncode == 2


def test_many_questions_are_summed_up(demo_store: Path) -> None:
    """A line each, errors in their place, then the totals; the same numbers as JSON."""
    args = ("compare", "--queries", "-", "--store", str(demo_store), "--with", "limit=2", "--with", "expand=0")
    lines = f'{QUERY}\n{{"text": "leases", "_id": 7, "limit": 2, "expand": 0}}\n\n'
    done = run(*args, stdin=lines)
    assert done.returncode == 2
    first, summary, *rest = done.stdout.splitlines()
    assert (first, summary[:9]) == (QUERY, "    3 out")
    assert rest[:3] == ["leases", "    no document moved", "line 3: error: the query is empty"]
    assert "2 questions: 1 changed\n" in done.stdout
    value = json.loads(run(*args, "--json", stdin=lines).stdout)
    assert [line.get("_id") for line in value["questions"]] == [None, 7, None]
    assert value["questions"][1]["summary"] == "no document moved"
    assert value["questions"][2]["error"]["exit_code"] == 2
    assert (value["totals"]["questions"], value["totals"]["changed"], value["totals"]["out"]) == (2, 1, 3)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((QUERY,), "nothing to compare with"),
        ((QUERY, "--with", "limit"), "--with takes KEY=VALUE"),
        ((QUERY, "--with", "limit=0"), "limit must lie between"),
        (("--with", "limit=1"), "required: TEXT"),
    ],
)
def test_a_mistake_is_named(demo_store: Path, args: tuple[str, ...], said: str) -> None:
    """Exit code 2, and nothing on standard output."""
    done = run("compare", *args, "--store", str(demo_store))
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
