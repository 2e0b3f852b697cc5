"""The journal of a face that is typed into: a question is logged when it is settled, before its answer or after."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbtui.config import Config
from kbtui.errors import UsageError
from kbtui.journal import Journal
from kbtui.model import Answer, Query
from kbtui.settings import Settings
from kbtui.store.log import read_log
from tests.tui.fakes import FakeLibrary


def logged(store: Path) -> list[str]:
    return [record.query.text for record in read_log(store).records]


def ask(journal: Journal, words: str, limit: int = 5) -> Answer:
    query, settings = Query(text=words), Settings().with_values({"limit": limit})
    return journal.kept(query, settings, "1", lambda: FakeLibrary().query(query, settings))


def journal_of(store: Path, *, typed: bool) -> Journal:
    config = Config(settings=Settings(), store=store, sources={})
    return Journal(store, config, "app" if typed else "mcp", typed=typed)


def test_pieces_of_a_question_are_not_logged_and_what_was_settled_is_whenever_it_is_answered(tmp_path: Path) -> None:
    journal = journal_of(tmp_path, typed=True)
    for words in ("st", "state", "state pro"):
        ask(journal, words)
    assert logged(tmp_path) == []
    journal.settle(Query(text="state pro"))
    assert logged(tmp_path) == ["state pro"]
    ask(journal, "state pro", limit=3)  # a slider
    ask(journal, "state provid")
    journal.settle(Query(text="state provider"))  # what waits is a piece of it
    assert logged(tmp_path) == ["state pro"]
    ask(journal, "state provider")
    assert logged(tmp_path) == ["state pro", "state provider"]


def test_a_settled_question_that_fails_is_logged_with_its_error(tmp_path: Path) -> None:
    journal = journal_of(tmp_path, typed=True)

    def refuse() -> Answer:
        raise UsageError("unknown type")

    with pytest.raises(UsageError):
        journal.kept(Query(text="a"), Settings(), "1", refuse)
    journal.settle(Query(text="a"))
    assert [record.error for record in read_log(tmp_path).records] == ["unknown type"]


def test_every_question_of_another_face_is_logged(tmp_path: Path) -> None:
    journal = journal_of(tmp_path, typed=False)
    for _ in range(2):
        ask(journal, "state")
    assert logged(tmp_path) == ["state", "state"]
