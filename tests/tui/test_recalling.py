"""What was asked before is reached again: up and down in the question, the list of questions, bookmarks."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from kbtui.config import load
from kbtui.model import Query
from kbtui.settings import Settings
from kbtui.tui.history import HELD, History
from tests.tui.drive import APART, Drive, running
from tests.tui.fakes import FakeLibrary
from tests.tui.test_hostile import CONTROL, MARKUP, assert_harmless


def asking(drive: Drive) -> str:
    return drive.explore.query_bar.query_field.value


async def asked(drive: Drive, *questions: str) -> None:
    for question in questions:
        await drive.ask(question)


# --- history ------------------------------------------------------------------------------------------


async def test_up_and_down_go_through_the_questions_and_back_to_what_was_being_typed() -> None:
    async with running(question="") as drive:
        await asked(drive, "state provider", "blog posts")
        await drive.press("slash", "ctrl+a", *"draft")
        draft = asking(drive)
        await drive.press("up")
        assert asking(drive) == "blog posts"
        await drive.press("up", "up", "up")
        assert asking(drive) == "state provider"
        await drive.until(lambda: drive.answer.query.text == "state provider")
        await drive.press("down", "down")
        assert asking(drive) == draft
        await drive.press("down")
        assert drive.explore.results.has_focus


async def test_up_begins_before_the_question_that_stands_there() -> None:
    async with running(question="") as drive:
        await asked(drive, "first", "second")
        await drive.press("slash", "up")
        assert asking(drive) == "first"
        await drive.press("down")
        assert asking(drive) == "second"


async def test_typing_on_a_question_of_before_makes_it_a_new_one() -> None:
    async with running(question="") as drive:
        await asked(drive, "first", "second")
        await drive.press("slash", "up", "end", *" more", "enter")
        assert [each.text for each in drive.explore.history.questions] == ["first", "second", "first more"]


async def test_types_come_back_with_their_question() -> None:
    library = FakeLibrary()
    async with running(library, question="") as drive:
        drive.explore.query_bar.types_field.value = "guide pull"
        await asked(drive, "with types")
        drive.explore.query_bar.types_field.value = ""
        await asked(drive, "without")
        await drive.press("slash", "up")
        assert drive.explore.query_bar.types_field.value == "guide pull"
        await drive.until(lambda: library.asked[-1][0].source_types == ("guide", "pull"))


async def test_a_question_that_is_left_standing_is_remembered_and_a_half_typed_one_is_not() -> None:
    async with running(question="") as drive:
        await drive.until(lambda: drive.explore.errands.is_open)
        drive.explore.query_bar.query_field.focus()
        await drive.press(*"provider")
        assert drive.explore.history.questions == []
        await drive.press("down")
        assert [each.text for each in drive.explore.history.questions] == ["provider"]


async def test_the_list_of_questions_asks_the_one_that_is_picked() -> None:
    library = FakeLibrary()
    async with running(library, question="") as drive:
        await drive.press("escape", "H")
        assert "No question was asked here before." in drive.told()
        await asked(drive, "state provider", "a longer question about state providers", "blog")
        await drive.press("H")
        assert "a longer question about state providers" in drive.text()
        await drive.press(*"longer", "enter")
        assert asking(drive) == "a longer question about state providers"
        assert library.asked[-1][0].text == "a longer question about state providers"
        await drive.press("slash", "ctrl+r", "escape")
        assert len(drive.app.screen_stack) == 1


def test_questions_are_kept_across_runs_each_once_and_no_more_than_a_bound(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "questions.jsonl"
    first = History(path)
    for number in range(3 * HELD):
        first.keep(Query(text=f"question {number}"))
    first.keep(Query(text="question 7", source_types=("guide",)))
    first.keep(Query(text=f"question {3 * HELD - 2}"))
    first.keep(Query(text="  "))
    again = History(path)
    assert again.questions == first.questions
    assert len(again.questions) == HELD
    assert again.questions[-1].text == f"question {3 * HELD - 2}"
    assert len(path.read_bytes().splitlines()) == HELD
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_line_that_is_no_question_is_left_out_and_nothing_of_it_is_raw(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_bytes(
        b'{"text": "good", "types": []}\n{"text": 3}\nnull\n\xff\n{"text": "\\u001b[31mred", "types": []}\n{"te'
    )
    questions = History(path).questions
    assert questions[0] == Query(text="good")
    assert len(questions) == 2
    assert "\x1b" not in questions[1].text


async def test_a_history_that_cannot_be_kept_is_said_once_and_harms_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    async with running(question="") as drive:
        drive.explore.history = History(tmp_path / "file" / "questions.jsonl")
        await asked(drive, "state provider", "blog")
        assert drive.told().count("questions are not kept") == 1
        assert len(drive.explore.history.questions) == 2


# --- bookmarks ----------------------------------------------------------------------------------------


async def test_a_bookmark_holds_question_types_and_numbers_and_brings_them_back(tmp_path: Path) -> None:
    library = FakeLibrary()
    file = tmp_path / "kbtui.toml"
    file.write_text("# mine\nexpand = 0\n")
    async with running(library, store=tmp_path / ".kbtui", settings=Settings()) as drive:
        assert drive.explore.session.turn("limit", 3)
        drive.explore.query_bar.types_field.value = "guide"
        await drive.ask("state provider")
        await drive.press("M", "ctrl+a", "ctrl+k", *"mark", "enter")
        await drive.until(lambda: "Kept as mark" in drive.told())
        table = tomllib.loads(file.read_text())["bookmark"]["mark"]
        assert (table["question"], table["types"], table["settings"]["limit"]) == ("state provider", ["guide"], 3)
        assert file.read_text().startswith("# mine\nexpand = 0\n")
        assert drive.explore.session.turn("limit", 5)
        drive.explore.query_bar.types_field.value = ""
        await drive.ask("blog")
        await drive.press("B")
        assert "state provider · of guide · 1 number" in drive.text()
        await drive.press("enter")
        query, settings = library.asked[-1]
        assert (query.text, query.source_types, settings.whole("limit")) == ("state provider", ("guide",), 3)
        await drive.press("u")
        assert drive.explore.session.settings.whole("limit") == 5
    kept = load(tmp_path, environ=APART)
    assert kept.problems == ()
    assert [(mark.name, mark.values) for mark in kept.bookmarks] == [("mark", (("limit", 3),))]


async def test_a_bookmark_is_renamed_and_removed_after_it_was_shown(tmp_path: Path) -> None:
    file = tmp_path / "kbtui.toml"
    async with running(store=tmp_path / ".kbtui") as drive:
        await drive.press("B")
        assert "There is no bookmark" in drive.told()
        await drive.press("M", "enter")
        await drive.until(lambda: file.exists() and len(drive.app.screen_stack) == 1)
        await drive.press("B", *"rename", "enter", "ctrl+a", "ctrl+k", *"other", "enter")
        await drive.until(lambda: "Kept as other" in drive.told())
        assert list(tomllib.loads(file.read_text())["bookmark"]) == ["other"]
        await drive.press("B", *"remove", "enter")
        assert '- question = "state provider"' in drive.text()
        await drive.press("escape")
        assert list(drive.explore.session.bookmarks) == ["other"]
        await drive.press("B", *"remove", "enter", "enter")
        assert drive.explore.session.bookmarks == {}
        assert "bookmark" not in tomllib.loads(file.read_text())


async def test_a_name_that_is_taken_gives_way_only_when_it_is_meant(tmp_path: Path) -> None:
    async with running(store=tmp_path / ".kbtui") as drive:
        await drive.press("M", "enter")
        await drive.until(lambda: len(drive.app.screen_stack) == 1)
        assert drive.explore.session.turn("limit", 2)
        await drive.press("M", "enter")
        assert "There is a bookmark of this name" in drive.text()
        await drive.press("enter")
        await drive.until(lambda: len(drive.app.screen_stack) == 1)
        assert dict(drive.explore.session.bookmarks["state provider"].values) == {"limit": 2}
        await drive.press("M", "ctrl+a", "ctrl+k", "enter")
        assert "A bookmark needs a name." in drive.text()


async def test_a_file_with_mistakes_is_said_and_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "kbtui.toml"
    for wrong in ('limit = "many"\n', "[bookmark.x\n"):
        file.write_text(wrong)
        async with running(store=tmp_path / ".kbtui") as drive:
            await drive.press("M", "enter")
            assert "mistakes" in drive.text() or "cannot be read as TOML" in drive.text()
            assert drive.explore.session.bookmarks == {}
        assert file.read_text() == wrong


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("[bookmark]\nx = 3", "bookmark.x is no table"),
        ("bookmark = 3", "bookmark.NAME is no table"),
        ("[bookmark.x]\ntypes = []", "bookmark x has no question"),
        ('[bookmark.x]\nquestion = "q"\ntypes = "guide"', "the types of bookmark x are no list of texts"),
        ('[bookmark.x]\nquestion = "q"\npaths = [3]', "the paths of bookmark x are no list of texts"),
        ('[bookmark.x]\nquestion = "q"\ninactive = "yes"', "inactive of bookmark x is neither true nor false"),
        ('[bookmark.x]\nquestion = "q"\nsettings = 3', "the settings of bookmark x are no table"),
        ('[bookmark.x]\nquestion = "q"\nsettings.limt = 3', "limt"),
        (
            '[bookmark.x]\nquestion = "q"\nquestoin = "q"',
            "unknown key 'questoin' in bookmark x. Did you mean question?",
        ),
    ],
)
def test_a_mistake_in_a_bookmark_is_named_and_costs_that_bookmark_alone(
    tmp_path: Path, written: str, said: str
) -> None:
    (tmp_path / "kbtui.toml").write_text(f"limit = 7\n{written}\n")
    config = load(tmp_path, environ=APART)
    assert len(config.problems) == 1
    assert said in config.problems[0]
    assert config.bookmarks == ()
    assert config.settings.whole("limit") == 7


async def test_hostile_questions_and_names_are_shown_literally(tmp_path: Path) -> None:
    from kbtui.bookmarks import Bookmark

    bad = f"{MARKUP}{CONTROL}"
    async with running(question="") as drive:
        drive.explore.history.questions.append(Query(text=bad, source_types=(bad,)))
        drive.explore.session.bookmarks[bad] = Bookmark(
            name=bad, query=Query(text=bad, source_types=(bad,)), file="elsewhere"
        )
        await drive.press("escape")
        for keys in (("H",), ("B",), ("B", *"remove", "enter"), ("B", "enter")):
            await drive.press(*keys)
            assert_harmless(drive)
            await drive.press("escape")
        assert "\x1b" not in asking(drive)
