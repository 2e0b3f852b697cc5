"""What the app shows is what the explorer answers, on the demo knowledge base: the same bytes, the same rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kbtui.explorer import Explorer, index
from kbtui.journal import Journal
from kbtui.model import Answer, Query
from kbtui.settings import Settings
from kbtui.tui.doors import ExplorerDoors
from tests.tui.drive import running

QUESTIONS = ("how is a session kept alive", "release notes", "why was the cache removed", "retry", "what is new in 2.0")


@pytest.mark.parametrize("question", QUESTIONS)
async def test_the_context_pane_and_the_list_are_the_explorers_answer(demo_store: Path, question: str) -> None:
    explorer = Explorer.open(demo_store)
    try:
        expected = explorer.query(Query(text=question), Settings())
    finally:
        explorer.close()
    async with running(doors=ExplorerDoors(), store=demo_store, question=question, size=(160, 40)) as drive:
        await drive.press("c")
        assert drive.explore.context.shown_text.encode() == expected.context.encode()
        assert drive.answer == expected


async def test_a_knob_turned_in_the_drawer_gives_the_rows_of_the_same_settings(demo_store: Path) -> None:
    question = QUESTIONS[0]
    settings = Settings().with_values({"penalty.ticket": -0.6, "limit": 8})
    explorer = Explorer.open(demo_store)
    try:
        expected = explorer.query(Query(text=question), settings)
    finally:
        explorer.close()
    async with running(doors=ExplorerDoors(), store=demo_store, question=question) as drive:
        await drive.press("t")
        knobs = drive.explore.drawer.knobs
        knobs.choose("penalty.ticket")
        await drive.press(*"-.6", "enter")
        knobs.choose("limit")
        await drive.press("8", "enter")
        assert drive.answer == expected


async def test_read_and_graph_show_the_document_under_the_cursor(demo_store: Path) -> None:
    async with running(doors=ExplorerDoors(), store=demo_store, question=QUESTIONS[0], size=(160, 40)) as drive:
        row = drive.explore.row
        assert row is not None
        await drive.press("enter")
        reading = drive.explore.reader.reading
        assert reading is not None
        assert reading.document.doc_id == row.document.doc_id
        granted = sum(len(piece.encode()) for piece, inside in reading.pieces if inside)
        assert granted > 0
        await drive.press("g")
        assert drive.explore.graph.root_id == row.document.doc_id
        assert drive.explore.graph.root.children


async def test_what_another_process_indexed_is_found_by_the_next_question(tmp_path: Path) -> None:
    """An app that stays open all day answers from the newest generation, whoever built it."""
    corpus, store = tmp_path / "guides", tmp_path / "store"
    corpus.mkdir()
    (corpus / "lanes.md").write_text("# Lanes\n\nLoads wait in lanes.\n")
    index(corpus, store)
    async with running(doors=ExplorerDoors(), store=store, question="lanes") as drive:
        assert drive.titles() == ["Lanes"]
        (corpus / "siding.md").write_text("# Siding\n\nLoads that gave up wait in the siding.\n")
        index(corpus, store)
        await drive.ask("siding")
        assert drive.titles()[0] == "Siding"


async def test_a_store_that_vanishes_is_told_and_heals(tmp_path: Path) -> None:
    """The open generation goes on answering, a lasting line says what is wrong, and goes when it is right again."""
    corpus, store = tmp_path / "guides", tmp_path / "store"
    corpus.mkdir()
    (corpus / "lanes.md").write_text("# Lanes\n\nLoads wait in lanes.\n")
    index(corpus, store)
    async with running(doors=ExplorerDoors(), store=store, question="lanes") as drive:
        store.rename(tmp_path / "elsewhere")
        await drive.ask("loads")
        assert "not refreshed: nothing is indexed" in drive.text()
        (tmp_path / "elsewhere").rename(store)
        await drive.ask("lanes")
        assert drive.titles() == ["Lanes"]
        assert "not refreshed" not in drive.text()


class Refusing(Journal):
    """A journal that is not to be written in."""

    def __init__(self) -> None:
        """Open nothing."""

    def kept(self, query: Query, settings: Settings, generation: str, ask: Callable[[], Answer]) -> Answer:
        """Say that something was logged."""
        raise AssertionError("logged")


def test_what_panes_ask_for_comparison_is_not_logged(demo_store: Path) -> None:
    """The curve's budgets and the question without tiers are nobody's questions."""
    explorer = Explorer.open(demo_store, journal=Refusing())
    try:
        explorer.what_if(Query(text="retry", tiered=False), Settings())
        with pytest.raises(AssertionError, match="logged"):
            explorer.query(Query(text="retry"), Settings())
    finally:
        explorer.close()
