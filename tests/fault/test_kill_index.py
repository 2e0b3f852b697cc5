"""A build killed at any moment: the next answer is the one before the build or the one after it."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

QUERY = "how does retry backoff work"
LONGEST_S = 4.0
"""Kills are drawn from this stretch; a build of the demo's changed files takes about as long."""


def run(*args: str) -> subprocess.CompletedProcess[str]:
    """Run the CLI to its end."""
    return subprocess.run([sys.executable, "-m", "kbtui", *args], capture_output=True, text=True, check=False)


def answer(store: Path) -> dict[str, Any]:
    """Return a fresh process's answer, context and all."""
    done = run("query", QUERY, "--store", str(store), "--json", "--context", "--candidates")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def change_files(corpus: Path, trial: int, rng: random.Random) -> None:
    """Edit some files, add one, and remove the one that the trial before added."""
    for path in rng.sample(sorted(corpus.rglob("*.md")), 5):
        with path.open("a") as file:
            file.write(f"\n\n## Retry backoff, note {trial}\n\nThe backoff of note {trial} doubles {trial} times.\n")
    (corpus / "guides" / f"extra-{trial}.md").write_text(f"# Retry backoff, extra {trial}\n\nBackoff works {trial}.\n")
    (corpus / "guides" / f"extra-{trial - 1}.md").unlink(missing_ok=True)


def kill_trials(trials: int, tmp_path: Path, demo_corpus: Path, demo_store: Path, seed: int) -> list[str]:
    """Run the trials and return, for each, which side of the build the answer was on.

    They start from a copy of the demo's store: its embedding cache saves the first minute.
    """
    rng = random.Random(seed)
    corpus, store = tmp_path / "corpus", tmp_path / "store"
    shutil.copytree(demo_corpus, corpus)
    shutil.copytree(demo_store, store)
    assert run("index", str(corpus), "--store", str(store), "--quiet").returncode == 0
    sides = []
    for trial in range(1, trials + 1):
        before = answer(store)
        change_files(corpus, trial, rng)
        oracle = tmp_path / f"oracle-{trial}"
        shutil.copytree(store, oracle)
        assert run("index", str(corpus), "--store", str(oracle), "--quiet").returncode == 0
        after = answer(oracle)
        assert after != before
        shutil.rmtree(oracle)

        build = subprocess.Popen(
            [sys.executable, "-m", "kbtui", "index", str(corpus), "--store", str(store), "--quiet"]
        )
        try:
            build.wait(timeout=rng.uniform(0.05, LONGEST_S))
        except subprocess.TimeoutExpired:
            build.send_signal(signal.SIGKILL)
            build.wait()
        got = answer(store)
        assert got in (before, after)
        sides.append("before" if got == before else "after")

        assert run("index", str(corpus), "--store", str(store), "--quiet").returncode == 0
        assert answer(store) == after
    return sides


def test_three_kills_leave_one_side_or_the_other(tmp_path: Path, demo_corpus: Path, demo_store: Path) -> None:
    """The quick form of the promise; the slow one runs twenty."""
    assert len(kill_trials(3, tmp_path, demo_corpus, demo_store, seed=7)) == 3


@pytest.mark.slow
def test_twenty_kills_leave_one_side_or_the_other(tmp_path: Path, demo_corpus: Path, demo_store: Path) -> None:
    """Twenty kills at random moments, each after changed files, and at least one fell inside a build."""
    sides = kill_trials(20, tmp_path, demo_corpus, demo_store, seed=20)
    assert len(sides) == 20
    assert "before" in sides
