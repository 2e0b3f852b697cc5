"""The README's walk through the demo: every command runs, and what is said about it is so."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from kbtui import cli

README = (Path(__file__).parents[2] / "README.md").read_text()
WALK = README.partition("## Two minutes with the demo")[2].partition("\n## ")[0]
GUIDE = "guides/failed-loads.md"


def steps() -> list[list[str]]:
    """Return the arguments of each command of the walk that asks the demo's store."""
    lines = [
        line.partition("  #")[0]
        for block in re.findall(r"```sh\n(.*?)```", WALK, re.DOTALL)
        for line in block.splitlines()
    ]
    return [shlex.split(line)[1:] for line in lines if line.startswith("kbtui ")]


def run(capsys: pytest.CaptureFixture[str], store: Path, args: list[str]) -> str:
    """Run a step on the store and return what it prints; it must end well."""
    code = cli.main([str(store) if arg == "$KB" else arg for arg in args])
    said = capsys.readouterr()
    assert (code, said.err) == (0, ""), args
    return said.out


def answers(capsys: pytest.CaptureFixture[str], store: Path) -> list[dict[str, Any]]:
    """Return the JSON of each question of the walk, in order."""
    asked = [args for args in steps() if args[0] == "query"]
    return [json.loads(run(capsys, store, [*args, "--json"])) for args in asked]


def test_every_step_runs(demo_store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 0, something printed, nothing on standard error."""
    assert len(steps()) >= 8
    for args in steps():
        assert run(capsys, demo_store, args)


def test_what_is_said_about_the_steps_is_so(demo_store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Penalty, trimming and shares do in the demo what the README says they do."""
    asked, without_penalty, oversized, tiered, historical = answers(capsys, demo_store)

    def ids(answer: dict[str, Any]) -> list[str]:
        return [row["id"] for row in answer["results"]]

    def primary(answer: dict[str, Any]) -> int:
        rows = [*answer["results"], *answer["candidates"]]
        return sum(row["tier"] == "primary" and row["origin"] != "neighbour" for row in rows)

    assert ids(asked)[0] == GUIDE
    assert {row["origin"] for row in asked["results"]} == {"ranked", "neighbour"}
    assert without_penalty["results"][0]["type"] == "pull"
    assert GUIDE not in ids(without_penalty)
    first, *others = oversized["results"]
    assert first["cost"]["bytes"] > 64_000
    assert first["fate"] == "trimmed"
    assert {row["fate"] for row in others} == {"whole"}
    assert primary(tiered) >= 4 * primary(historical)


def test_documents_are_dropped_and_it_is_said(demo_store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The small budget of the walk drops a document, and the notice names it."""
    (args,) = [args for args in steps() if args[0] == "context"]
    context = run(capsys, demo_store, args)
    assert len(context.encode()) <= 3_000
    assert re.search(r"^\[\d\] .*: dropped, [\d,]+ bytes", context, re.MULTILINE)
