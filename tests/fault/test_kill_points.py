"""A build that dies, or finds the disk full, at any file operation: the generation before it, or the one after."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
KILLED = int(signal.SIGKILL)


def trials(work: Path, accident: str, when: str, points: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Run `kill_points` and return its first line and the others."""
    command = [sys.executable, "-m", "tests.fault.kill_points", str(work), accident, when, str(points)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    first, *others = (json.loads(line) for line in done.stdout.splitlines())
    assert len(others) == points
    return first, others


def check_later(first: dict[str, Any], others: list[dict[str, Any]]) -> None:
    """Before or after, nothing between; the next build ends it, and embeds no text for a second time."""
    assert first["before"] != first["after"]
    states = [one["state"] for one in others]
    assert all(state in (first["before"], first["after"]) for state in states)
    assert first["before"] in states
    for one in others:
        assert (one["last"], one["final"], one["twice"]) == ("", first["after"], 1)


def test_a_kill_leaves_the_generation_before_or_after(tmp_path: Path) -> None:
    """At eight operations spread over a build of changed files."""
    first, others = trials(tmp_path, "kill", "later", 8)
    assert [one["signal"] for one in others] == [KILLED] * 8
    check_later(first, others)


@pytest.mark.slow
def test_a_kill_at_every_operation(tmp_path: Path) -> None:
    """At each file operation there is; the last ones fall behind the publication."""
    first, others = trials(tmp_path, "kill", "later", 45)
    assert len({one["point"] for one in others}) == first["operations"]
    check_later(first, others)
    assert first["after"] in [one["state"] for one in others]


def test_a_full_disk_is_said_and_changes_nothing(tmp_path: Path) -> None:
    """From any operation on no file can be made: a StoreError that names the disk, and the generation before."""
    first, others = trials(tmp_path, "full", "later", 6)
    check_later(first, others)
    for one in others:
        assert one["signal"] == 0
        assert "disk is full" in one["error"] or one["state"] == first["after"]


def test_a_first_index_that_is_killed_is_resumed(tmp_path: Path) -> None:
    """It leaves nothing, or the documents whole with some types embedded; the next build finishes it."""
    first, others = trials(tmp_path, "kill", "first", 8)
    assert first["before"] is None
    for one in others:
        assert one["signal"] == KILLED
        if one["state"] is not None:
            assert one["state"]["texts"] == first["after"]["texts"]
            assert one["state"]["words"] == first["after"]["words"]
            assert all(embedded in (0, chunks) for embedded, chunks in one["state"]["embedded"].values())
        assert (one["last"], one["final"], one["twice"]) == ("", first["after"], 1)
    assert any(one["state"] is None for one in others)
    assert any(one["state"] is not None for one in others)
