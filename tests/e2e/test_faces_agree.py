"""One pipeline, three views of it: the app's panes, `kbtui context` and `kbtui query --json` hold the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kbtui.cli import main
from kbtui.tui.doors import ExplorerDoors
from tests.tui.drive import Drive, running

QUESTIONS = (
    "how does retry backoff work",
    "worker pool size",
    "delivery guarantees",
    "complete configuration reference",
    "what replaced leases",
    "release notes",
    "why do jobs run twice",
    "upgrade without downtime",
    "schedule a job every night",
    "adr-0003",
)

Printed = Callable[..., str]


@pytest.fixture
def printed(capsysbinary: pytest.CaptureFixture[bytes]) -> Printed:
    """Run a command line in this process and return what it printed."""

    def run(*args: str) -> str:
        capsysbinary.readouterr()
        code = main(args)
        out, err = capsysbinary.readouterr()
        assert code == 0, err.decode()
        return out.decode()

    return run


def shown(drive: Drive) -> list[tuple[object, ...]]:
    """Return the numbers of the app's list, as its rows hold them."""
    return [
        (
            row.rank,
            row.document.doc_id,
            row.scored.tier,
            row.scored.score,
            row.scored.penalty,
            row.allocation.cost.size_bytes,
            row.allocation.cost.tokens,
            row.allocation.decision,
        )
        for row in (*drive.answer.rows, *drive.answer.behind)
    ]


def told(answer: dict[str, Any]) -> list[tuple[object, ...]]:
    """Return the same numbers from the CLI's JSON."""
    return [
        (
            row["rank"],
            row["id"],
            row["tier"],
            row["score"],
            sum(term["value"] for term in row["terms"] if term["name"].startswith("penalty.")),
            row["cost"]["bytes"],
            row["cost"]["tokens"],
            row["fate"],
        )
        for row in (*answer["results"], *answer["candidates"])
    ]


async def test_ten_questions_have_one_answer(demo_store: Path, printed: Printed) -> None:
    """The context pane, `kbtui context` and `--context --json` are byte for byte equal, and the list's numbers too."""
    answers, contexts = {}, {}
    for question in QUESTIONS:  # before the app runs: it takes standard output for itself
        args = (question, "--store", str(demo_store))
        answers[question] = json.loads(printed("query", *args, "--json", "--context", "--candidates"))
        contexts[question] = printed("context", *args)
    async with running(doors=ExplorerDoors(), store=demo_store, question=QUESTIONS[0], size=(160, 40)) as drive:
        await drive.press("c")
        for question in QUESTIONS:
            await drive.ask(question)
            assert drive.explore.context.shown_text == answers[question]["context"] == contexts[question]
            assert shown(drive) == told(answers[question])


async def test_a_penalty_in_the_drawer_is_the_same_as_set(demo_store: Path, printed: Printed) -> None:
    """A value typed in the drawer gives the rows that --set gives."""
    question = QUESTIONS[0]
    args = ("query", question, "--store", str(demo_store), "--json", "--candidates", "--set", "penalty.pull=-0.6")
    expected = told(json.loads(printed(*args)))
    async with running(doors=ExplorerDoors(), store=demo_store, question=question) as drive:
        untouched = shown(drive)
        await drive.press("t")
        drive.explore.drawer.knobs.choose("penalty.pull")
        await drive.press(*"-.6", "enter")
        assert shown(drive) == expected
        assert shown(drive) != untouched
