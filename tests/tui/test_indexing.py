"""Opening, building and leaving: the app is there first, works as soon as it can, and lets go of everything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Event

from kbtui.errors import StoreError
from kbtui.model import Progress
from kbtui.tui.widgets.status_line import Pace, progress_runs
from tests.tui.drive import running
from tests.tui.fakes import FakeDoors, FakeLibrary

CORPUS = Path("corpus")


async def test_a_missing_store_without_a_corpus_is_told_with_what_to_do() -> None:
    async with running(doors=FakeDoors(missing=True), question="") as drive:
        await drive.until(lambda: "no store here" in drive.text())
        shown = drive.text()
        assert "no store here" in shown
        assert "Run: kbtui index" in shown
        await drive.ask("anything")
        assert drive.app.is_running


async def test_a_missing_store_is_built_with_progress_and_answers_from_the_first_generation_on() -> None:
    hold = Event()
    doors = FakeDoors(
        missing=True,
        hold=hold,
        steps=(
            Progress(stage="read", done=0, total=400),
            Progress(stage="publish", done=1, total=1),
            Progress(stage="embed", done=100, total=400),
        ),
    )
    async with running(doors=doors, corpus=CORPUS, question="") as drive:
        await drive.until(lambda: "indexing" in drive.text())
        assert "no store here" not in drive.text()
        await drive.until(lambda: drive.explore.errands.is_open)
        drive.explore.query_bar.query_field.value = "state"
        await drive.pilot.press("enter")
        await drive.until(lambda: drive.explore.session.answer)
        assert "State providers" in drive.text()
        assert doors.indexed == 0
        hold.set()
        await drive.until(lambda: doors.indexed == 1)
        await drive.until(lambda: "indexing" not in drive.text())


async def test_a_question_typed_before_the_store_is_open_is_answered_when_it_is() -> None:
    hold = Event()
    doors = FakeDoors(missing=True, hold=hold)
    async with running(doors=doors, corpus=CORPUS, question="") as drive:
        await drive.pilot.press(*"state", "enter")
        assert drive.explore.session.answer is None
        hold.set()
        await drive.until(lambda: drive.explore.session.answer)
        assert drive.answer.query.text == "state"


async def test_a_build_that_fails_is_told_in_place_and_the_old_store_goes_on() -> None:
    doors = FakeDoors(failure=StoreError("the store is locked", "Wait for the other one."))
    async with running(doors=doors, corpus=CORPUS) as drive:
        await drive.until(lambda: "not refreshed: the store is locked" in drive.text())
        assert drive.titles()


async def test_a_first_build_that_fails_is_told_with_what_to_do() -> None:
    doors = FakeDoors(missing=True, failure=StoreError("the disk is full", "Make room."))
    async with running(doors=doors, corpus=CORPUS, question="") as drive:
        await drive.until(lambda: "the disk is full" in drive.text())
        assert "Make room." in drive.text()


async def test_leaving_cancels_the_build_and_lets_go_of_the_store() -> None:
    library = FakeLibrary()
    doors = FakeDoors(library=library, hold=Event())
    async with running(doors=doors, corpus=CORPUS) as drive:
        await drive.pilot.press("q")
    assert library.closed
    assert doors.hold is not None
    assert not doors.hold.is_set()


def test_the_app_is_imported_without_what_is_heavy() -> None:
    heavy = ("chromadb", "networkx", "tiktoken", "numpy", "tantivy", "onnxruntime", "tokenizers", "sqlite3")
    code = f"import sys, kbtui.tui.app; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_pace_tells_rate_and_time_left_of_a_stage() -> None:
    pace = Pace()
    assert pace.left(Progress(stage="read", done=0, total=1_000), 10.0) == ""
    assert pace.left(Progress(stage="read", done=100, total=1_000), 12.0) == "50/s, 18 s left"
    assert pace.left(Progress(stage="read", done=100, total=100_000), 12.0) == "50/s, 33 min left"
    assert pace.left(Progress(stage="embed", done=5, total=10), 13.0) == ""


def test_progress_of_unknown_length_has_no_bar() -> None:
    words = "".join(run for run, _ in progress_runs(Progress(stage="scan", done=12, total=0), "", 80))
    assert words.split() == ["indexing:", "looking", "at", "files", "12"]
