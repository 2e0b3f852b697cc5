"""``query --queries``: one answer a line, in order, whatever the line; the exit codes that README promises."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

GOOD = '{"text": "how does retry backoff work", "_id": "q1", "limit": 2, "expand": 0, "relevant": ["x"]}'


def ask(lines: bytes, *args: str) -> tuple[int, list[dict[str, Any]]]:
    """Ask lines on standard input; return the exit code and what each line of output says."""
    done = subprocess.run(
        [sys.executable, "-m", "kbtui", "query", "--queries", "-", *args],
        input=lines,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert done.stderr == b""
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def test_each_line_is_answered_as_if_asked_alone(demo_store: Path, tmp_path: Path) -> None:
    """Text or an object with settings of its own; ``_id`` is repeated, keys that mean nothing are named."""
    file = tmp_path / "questions.jsonl"
    file.write_text(f"{GOOD}\nleases\n")
    command = [sys.executable, "-m", "kbtui", "query", "--store", str(demo_store)]
    many = subprocess.run([*command, "--queries", str(file)], capture_output=True, check=True).stdout.splitlines()
    first, second = (json.loads(line) for line in many)
    assert (first.pop("_id"), first.pop("_ignored")) == ("q1", ["relevant"])
    for answer, alone in (
        (first, ["how does retry backoff work", "--limit", "2", "--expand", "0"]),
        (second, ["leases"]),
    ):
        assert answer == json.loads(
            subprocess.run([*command, *alone, "--json"], capture_output=True, check=True).stdout
        )


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"", "the query is empty"),
        (b'{"text": 3, "_id": "bad"}', "no text"),
        (b'{"text": "lea', "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b'{"text": "\\ud800"}', "surrogate"),
        (b'{"text": "leases", "_id": 1e999}', "_id takes"),
        (b'{"text": "leases", "_id": NaN}', "not JSON"),
        (b'{"text": "leases", "limit": 0}', "limit must lie between"),
        (b'{"text": "leases", "types": "ticket"}', "types takes a list"),
        (b'{"text": "leases", "types": ["tickt"]}', "no document has the type"),
        (b'{"text": "leases", "budget.bytes": 1}', "bytes"),
    ],
)
def test_a_bad_line_is_an_error_in_its_place(demo_store: Path, line: bytes, says: str) -> None:
    """The lines around it are answered, and the exit code is that of the error."""
    code, (first, bad, last) = ask(b"leases\n" + line + b"\n" + GOOD.encode(), "--store", str(demo_store))
    assert says in bad["error"]["message"]
    assert (bad["line"], bad["error"]["exit_code"], code) == (2, 2, 2)
    assert first["results"]
    assert last["results"]
    assert bad.get("_id") == ("bad" if b"bad" in line else None)


def test_no_hits_at_all_is_exit_code_1(demo_store: Path) -> None:
    """A line without hits is an answer; only when no line has any does the exit code say so."""
    none = b'{"text": "leases", "paths": ["nowhere/*"]}\n'
    assert ask(none, "--store", str(demo_store))[0] == 1
    assert ask(none + b"leases\n", "--store", str(demo_store))[0] == 0


def test_a_question_or_a_file_not_both(demo_store: Path, tmp_path: Path) -> None:
    """Neither, both, and a file that is not there are usage errors."""
    for args in ([], ["leases", "--queries", "-"], ["--queries", str(tmp_path / "none")]):
        done = subprocess.run(
            [sys.executable, "-m", "kbtui", "query", *args, "--store", str(demo_store)],
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stdout) == (2, b"")
