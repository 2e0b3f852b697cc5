"""The session: one request under way, late answers dropped, knobs undone and redone."""

from __future__ import annotations

import pytest

from kbtui.errors import RetrievalFailed, UsageError
from kbtui.model import Filters, Query
from kbtui.settings import Settings
from kbtui.tui.session import Session
from tests.tui.fakes import FakeLibrary

ANSWER = FakeLibrary().query(Query(text="a"), Settings())


def test_a_blank_question_is_not_asked() -> None:
    assert Session(Settings(), text=" \t").ask() is None


def test_one_request_is_under_way_and_only_the_newest_waits() -> None:
    session = Session(Settings(), text="a")
    first = session.ask()
    assert first is not None
    for limit in (6, 7, 8):
        session.turn("limit", limit)
        assert session.ask() is None
    assert session.settle(first.number, ANSWER)
    waited = session.follow()
    assert waited is not None
    assert waited.settings.get("limit") == 8
    assert session.follow() is None
    assert session.waiting


def test_an_answer_to_another_question_is_dropped() -> None:
    session = Session(Settings(), text="a")
    first = session.ask()
    assert first is not None
    session.text = "b"
    assert session.ask() is None
    assert not session.settle(first.number, ANSWER)
    assert session.answer is None
    second = session.follow()
    assert second is not None
    assert session.settle(second.number, ANSWER)


def test_an_answer_that_was_settled_or_never_asked_for_is_dropped() -> None:
    session = Session(Settings(), text="a")
    first = session.ask()
    assert first is not None
    assert not session.settle(first.number + 1, ANSWER)
    assert session.settle(first.number, ANSWER)
    assert not session.settle(first.number, ANSWER)


def test_an_error_keeps_the_answer_and_an_answer_takes_the_error_away() -> None:
    session = Session(Settings(), text="a")
    for outcome in (ANSWER, RetrievalFailed("all of them")):
        ask = session.ask()
        assert ask is not None
        assert session.settle(ask.number, outcome)
    assert session.answer is ANSWER
    assert isinstance(session.error, RetrievalFailed)
    ask = session.ask()
    assert ask is not None
    assert session.settle(ask.number, ANSWER)
    assert session.error is None


def test_a_question_that_became_blank_meanwhile_shows_nothing() -> None:
    session = Session(Settings(), text="a")
    ask = session.ask()
    assert ask is not None
    session.text = ""
    assert session.ask() is None
    assert not session.settle(ask.number, ANSWER)
    assert session.follow() is None


def test_undo_and_redo_and_a_new_change_forgets_what_was_undone() -> None:
    session = Session(Settings())
    assert session.turn("limit", 6)
    assert not session.turn("limit", 6)
    assert session.turn("limit", 7)
    assert session.undo()
    assert session.settings.get("limit") == 6
    assert session.redo()
    assert session.settings.get("limit") == 7
    assert session.undo()
    assert session.turn("expand", 0)
    assert not session.redo()
    assert session.undo()
    assert session.undo()
    assert not session.undo()
    assert session.settings == Settings()


def test_a_refused_value_changes_nothing() -> None:
    session = Session(Settings())
    with pytest.raises(UsageError):
        session.turn("limit", 0)
    assert session.settings == Settings()
    assert not session.undo()


def test_what_was_added_by_hand_stays_with_its_question_and_another_filter_makes_another_question() -> None:
    session = Session(Settings(), text="a")
    session.toggle("docs/state.md")
    session.type(Query(text="a"))
    assert session.include == ("docs/state.md",)
    session.type(Query(text="a", filters=Filters(inactive=True)))
    assert session.query == Query(text="a", filters=Filters(inactive=True))
    session.put(Query(text="a", filters=Filters(inactive=True), include=("x.md",)))
    assert session.include == ("x.md",)
    session.put(Query(text="a"))
    assert session.query == Query(text="a")
