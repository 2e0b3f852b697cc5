"""Filters beside the question: one Query goes through fields, session, history, bookmarks and copies."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from kbtui.config import load
from kbtui.errors import UsageError
from kbtui.model import Filters, Query
from kbtui.tui import copies
from kbtui.tui.history import History
from kbtui.tui.widgets.query_bar import ALL
from tests.tui.drive import APART, Drive, running
from tests.tui.fakes import FakeLibrary

WORDS = 'guide path:docs/* path:"my notes/*" status:accepted is:inactive'
WANTED = Query(
    text="state provider",
    source_types=("guide",),
    filters=Filters(paths=("docs/*", "my notes/*"), statuses=("accepted",), inactive=True),
)


async def limit(drive: Drive, words: str) -> None:
    drive.explore.query_bar.types_field.value = words
    drive.explore.query_bar.types_field.focus()
    await drive.press("enter")


def banner(drive: Drive) -> str:
    return "\n".join("".join(run for run, _ in line) for line in drive.explore.banner.build(80))


async def test_what_is_typed_is_asked_counted_in_the_border_and_copied() -> None:
    library = FakeLibrary()
    async with running(library) as drive:
        await limit(drive, WORDS)
        assert library.asked[-1][0] == WANTED == drive.answer.query
        assert "5 filters  limit 5" in drive.text()
        place, settings = drive.explore.errands.place, drive.explore.session.settings
        shell = copies.command_line(drive.answer.query, settings, place.loaded, place.store)
        assert "--type guide --path 'docs/*' --path 'my notes/*' --status accepted --inactive" in shell
        said = json.loads(copies.mcp_call(drive.answer.query, settings, place.loaded))["arguments"]
        assert (said["paths"], said["statuses"], said["inactive"]) == (["docs/*", "my notes/*"], ["accepted"], True)
        await limit(drive, "guide")
        assert "1 filter  limit 5" in drive.text()
        await limit(drive, "")
        assert "filter" not in str(drive.explore.query_bar.border_subtitle)


async def test_an_unknown_word_is_left_to_the_engine_and_an_unknown_prefix_refused_in_place() -> None:
    library = FakeLibrary()
    async with running(library) as drive:
        before = len(library.asked)
        await limit(drive, "pth:docs/*")
        assert "no filter is called 'pth'" in banner(drive)
        assert "Did you mean path:?" in banner(drive)
        assert "the rows below are of the question before" in banner(drive)
        assert len(library.asked) == before
        assert drive.explore.query_bar.types_field.has_focus
        await drive.press("escape", "t", "escape")
        assert drive.explore.session.turn("limit", 3)
        drive.explore.resettle()
        await drive.rest()
        assert library.asked[-1][0].filters == Filters()  # a slider asks what was asked before
        assert "no filter is called 'pth'" in banner(drive)  # and the refusal stays in sight
        await limit(drive, "zebra")
        assert isinstance(drive.explore.session.error, UsageError)
        assert "unknown type 'zebra'" in banner(drive)
        await limit(drive, "guide")
        assert banner(drive) == ""


async def test_a_refusal_waits_until_typing_rests_and_what_is_refused_is_not_remembered() -> None:
    async with running() as drive:
        drive.explore.query_bar.types_field.focus()
        await drive.pilot.press(*"path:")
        await drive.until(lambda: "path: names nothing" in banner(drive))
        await drive.press(*"docs/")
        await drive.until(lambda: banner(drive) == "")
        await limit(drive, 'path:"')
        drive.explore.query_bar.query_field.focus()
        await drive.press("enter")
        assert [each.text for each in drive.explore.history.questions] == ["state provider"]
        assert all('"' not in path for each in drive.explore.history.questions for path in each.filters.paths)


async def test_a_asks_inactive_documents_too_and_no_longer() -> None:
    library = FakeLibrary()
    async with running(library) as drive:
        await limit(drive, "guide")
        await drive.press("A")
        assert library.asked[-1][0] == Query(
            text="state provider", source_types=("guide",), filters=Filters(inactive=True)
        )
        assert drive.explore.query_bar.types_field.value == "guide is:inactive"
        assert "2 filters" in drive.text()
        assert "Inactive documents are asked, too." in drive.told()
        await drive.press("A")
        assert library.asked[-1][0].filters == Filters()
        assert drive.explore.query_bar.types_field.value == "guide"


async def test_the_field_says_what_can_be_written_while_it_is_empty_and_has_the_keyboard() -> None:
    async with running(size=(80, 24)) as drive:
        field = drive.explore.query_bar.types_field
        field.focus()
        await drive.rest()
        assert "path:GLOB" in drive.text()
        drive.explore.results.focus()
        await drive.rest()
        assert field.placeholder == ALL


async def test_filters_come_back_with_their_question_and_an_older_file_of_questions_is_read(tmp_path: Path) -> None:
    library = FakeLibrary()
    path = tmp_path / "questions.jsonl"
    path.write_text('{"text": "older", "types": ["guide"]}\n{"text": "x", "types": [], "inactive": 3}\n')
    async with running(library, question="") as drive:
        drive.explore.history = History(path)
        assert drive.explore.history.questions == [Query(text="older", source_types=("guide",))]
        await drive.ask("state provider")
        await limit(drive, WORDS)
        await limit(drive, "")
        await drive.press("H", *"accepted", "enter")
        assert library.asked[-1][0] == WANTED
    assert WANTED in History(path).questions


async def test_a_bookmark_holds_the_filters(tmp_path: Path) -> None:
    library = FakeLibrary()
    async with running(library, store=tmp_path / ".kbtui") as drive:
        await limit(drive, WORDS)
        await drive.press("M", "ctrl+a", "ctrl+k", *"mark", "enter")
        await drive.until(lambda: "Kept as mark" in drive.told())
        await limit(drive, "")
        await drive.press("B")
        assert "state provider · of guide path:docs/*" in drive.text()
        await drive.press("enter")
        assert library.asked[-1][0] == WANTED
    table = tomllib.loads((tmp_path / "kbtui.toml").read_text())["bookmark"]["mark"]
    assert table == {
        "question": "state provider",
        "types": ["guide"],
        "paths": ["docs/*", "my notes/*"],
        "statuses": ["accepted"],
        "inactive": True,
    }
    assert [mark.query for mark in load(tmp_path, environ=APART).bookmarks] == [WANTED]
