"""The Explore screen: asking, moving, reading, and what every key does."""

from __future__ import annotations

from dataclasses import replace
from threading import Event

from textual.widgets import Input

from kbtui.errors import RetrievalFailed
from kbtui.model import Answer, Below, Notice, Query
from kbtui.settings import Settings
from kbtui.tui.columns import Columns, row_line
from kbtui.tui.list_view import layout
from kbtui.tui.widgets.explain import ExplainView
from tests.tui.drive import running
from tests.tui.fakes import FakeLibrary, many


async def test_a_confirmed_question_shows_tier_penalty_cost_and_fate_of_every_row() -> None:
    async with running() as drive:
        shown = drive.text()
        assert "pri" in shown
        assert "-0.25" in shown
        assert "kept 8.0k" in shown
        assert "outranked" in shown
        assert "limit ends: 5 of 9+ documents" in shown
        assert "26,045 / 32,000 B" in shown
        assert drive.explore.results.has_focus


async def test_typing_asks_once_it_rests_and_only_then() -> None:
    library = FakeLibrary()
    async with running(library, question="") as drive:
        await drive.pilot.press(*"state")
        await drive.until(lambda: drive.explore.session.answer)
        assert [query.text for query, _ in library.asked] == ["state"]
        assert isinstance(drive.app.focused, Input)


async def test_rows_are_the_answers_rows_in_the_answers_order() -> None:
    async with running() as drive:
        items = layout(drive.answer)
        rows = [item for item in items if not isinstance(item, str)]
        assert rows == [*drive.answer.rows, *drive.answer.behind]
        line = "".join(run for run, _ in row_line(rows[3], drive.explore.results.columns_for(80), 80))
        assert line.split()[:2] == ["4↳", "his"]
        assert f"{rows[3].scored.score:.3f}" in line


async def test_a_rule_stands_where_the_budget_ends_and_dropped_rows_behind_it() -> None:
    async with running() as drive:
        await drive.press("t")
        drive.explore.drawer.knobs.choose("budget.bytes")
        await drive.press(*"9000", "enter")
        items = layout(drive.answer)
        rule = next(at for at, item in enumerate(items) if isinstance(item, str) and item.startswith("budget ends"))
        behind = [item.allocation.decision for item in items[rule:] if not isinstance(item, str)]
        assert set(behind[: len(drive.answer.rows) - rule]) == {"dropped"}
        assert "9.0k bytes" in drive.text()


async def test_the_cursor_skips_rules_and_explain_follows_it() -> None:
    async with running() as drive:
        await drive.press("down", "down", "down", "down", "down")
        row = drive.explore.row
        assert row is not None
        assert row.rank == 6
        assert "Why we moved state out of the view" in drive.text()
        await drive.press("home")
        assert drive.explore.row is drive.answer.rows[0]
        await drive.press("end")
        assert drive.explore.row is drive.answer.behind[-1]


async def test_explain_shows_terms_that_add_up_to_the_score() -> None:
    async with running(size=(160, 40)) as drive:
        await drive.press("down", "down", "down")
        shown = drive.text()
        assert "penalty.pull" in shown
        assert "-0.250" in shown
        row = drive.explore.row
        assert row is not None
        assert f"{sum(term.value for term in row.scored.terms):.3f}" in shown
        assert "docs/state.md links to it, depth 1" in shown


async def test_the_context_pane_holds_the_answers_context_and_nothing_else() -> None:
    async with running() as drive:
        await drive.press("c")
        assert drive.explore.context.shown_text == drive.answer.context
        assert "===== [1] docs/state.md" in drive.text()


async def test_enter_reads_the_document_with_what_was_granted_marked() -> None:
    async with running() as drive:
        await drive.press("enter")
        assert drive.explore.reader.has_focus
        reading = drive.explore.reader.reading
        assert reading is not None
        assert [len(piece) for piece, granted in reading.pieces if granted] == [8_000]
        assert [len(piece) for piece, granted in reading.pieces if not granted] == [8_100 - 8_000]
        assert "▌ State providers" in drive.text()
        await drive.press("escape")
        assert drive.explore.results.has_focus


async def test_the_graph_groups_neighbours_by_kind_and_marks_what_is_in_the_answer() -> None:
    async with running() as drive:
        await drive.press("g")
        shown = drive.text()
        assert "→ link 1" in shown
        assert "← link 1" in shown
        assert "● 4 kept 8.0k pull" in shown
        assert "gone.md  not in this" in shown
        assert "3 more relations not listed" in shown


async def test_the_graph_unfolds_reroots_goes_back_and_opens() -> None:
    async with running() as drive:
        await drive.press("g", "g")
        graph = drive.explore.graph
        assert graph.has_focus
        await drive.press("down", "down")
        assert graph.root_id == "docs/state.md"
        await drive.press("right")
        assert "↻" in drive.text()
        await drive.press("full_stop")
        assert graph.root_id == "pulls/418.md"
        await drive.press("backspace")
        assert graph.root_id == "docs/state.md"
        await drive.press("down", "down", "enter")
        assert drive.explore.reader.has_focus
        assert drive.explore.reader.reading is not None
        assert drive.explore.reader.reading.document.doc_id == "pulls/418.md"


async def test_the_pools_pane_tells_what_every_tier_brought() -> None:
    async with running() as drive:
        await drive.press("l", "l")
        assert "historical" in drive.text()
        await drive.press("end")
        shown = drive.text()
        assert "gather" in shown
        assert "kept" in shown


async def test_brackets_turn_the_panes_and_a_letter_twice_moves_into_one() -> None:
    async with running() as drive:
        await drive.press("right_square_bracket")
        assert drive.explore.pane == "context"
        await drive.press("left_square_bracket")
        assert drive.explore.pane == "explain"
        assert drive.explore.results.has_focus
        await drive.press("e")
        assert drive.explore.explain.has_focus


async def test_slash_moves_to_the_question_and_esc_back_and_esc_never_quits() -> None:
    async with running() as drive:
        await drive.press("slash")
        assert drive.app.focused is drive.explore.query_bar.query_field
        for _ in range(5):
            await drive.press("escape")
        assert drive.app.is_running
        assert drive.explore.results.has_focus


async def test_letters_type_in_the_question_and_act_in_the_list() -> None:
    async with running() as drive:
        await drive.press("slash", "end", "q", "t")
        assert drive.explore.query_bar.query_field.value == "state providerqt"
        assert not drive.explore.has_class("-tuning")
        await drive.press("escape", "q")
        assert not drive.app.is_running


async def test_y_copies_the_context_byte_for_byte() -> None:
    async with running() as drive:
        await drive.press("y", "y")
        assert drive.app.clipboard == drive.answer.context


async def test_help_lists_keys_and_marks_and_esc_puts_it_away() -> None:
    async with running() as drive:
        await drive.press("question_mark")
        assert len(drive.app.screen_stack) == 2
        shown = drive.text()
        assert "keys in results" in shown
        assert "keys everywhere" in shown
        await drive.press("escape")
        assert len(drive.app.screen_stack) == 1


async def test_types_limit_the_question_and_an_unknown_one_is_told_in_place() -> None:
    library = FakeLibrary()
    async with running(library) as drive:
        await drive.press("slash", "tab")
        assert drive.app.focused is drive.explore.query_bar.types_field
        await drive.press(*"pull", "enter")
        assert [row.scored.source_type for row in drive.answer.rows] == ["pull"]
        await drive.press("slash", "tab", "end", *"x", "enter")
        assert library.asked[-1][0].source_types == ("pullx",)
        assert "unknown type 'pullx'" in drive.text()
        assert "Known: guide, pull" in drive.text()
        assert drive.titles() == ["Rework the state provider lifecycle"]


async def test_a_refused_type_is_mended_where_it_was_typed() -> None:
    async with running() as drive:
        await drive.press("slash", "tab")
        field = drive.explore.query_bar.types_field
        field.value = "gude"
        await drive.press("enter")
        await drive.until(lambda: drive.explore.session.error is not None)
        await drive.pilot.pause()
        assert field.has_focus
        field.value = "guide"
        await drive.press("enter")
        await drive.until(lambda: drive.explore.session.error is None)
        assert drive.explore.results.has_focus


async def test_an_emptied_question_is_said_and_comes_back_with_the_keyboard_elsewhere() -> None:
    """The rows that are tuned are those of the question that the field shows."""
    async with running() as drive:
        await drive.press("slash", "end", "ctrl+u")
        await drive.until(lambda: not drive.explore.session.text)
        await drive.until(lambda: "No question. The rows are still those of: state provider" in drive.text())
        await drive.press("enter")
        assert drive.explore.query_bar.query_field.has_focus
        assert "Type a question first" in drive.told()
        await drive.press("escape")
        assert drive.explore.query_bar.query_field.value == "state provider"
        assert "No question" not in drive.text()
        before = drive.answer
        await drive.press("t")
        drive.explore.drawer.knobs.choose("limit")
        await drive.press("left")
        await drive.until(lambda: drive.answer is not before)
        assert len(drive.answer.rows) < len(before.rows)


async def test_ctrl_c_says_how_to_leave_from_where_the_keyboard_is() -> None:
    async with running() as drive:
        drive.explore.results.focus()
        await drive.press("ctrl+c")
        assert drive.told() == "To leave kbtui: q. To copy: y."
        await drive.press("slash", "ctrl+c")
        assert "esc, then q" in drive.told()


async def test_an_error_of_the_engine_is_a_message_in_place_and_the_old_rows_stay() -> None:
    library = FakeLibrary()
    async with running(library) as drive:
        before = drive.titles()
        library.failure = RetrievalFailed("no retriever answered", "Run: kbtui status")
        await drive.ask("another")
        shown = drive.text()
        assert "no retriever answered" in shown
        assert "Run: kbtui status" in shown
        assert drive.titles() == before
        assert drive.app.is_running
        library.failure = None
        await drive.ask("a third")
        assert "no retriever answered" not in drive.text()


class Broken(FakeLibrary):
    """A library with a mistake in it."""

    def query(self, query: Query, settings: Settings) -> Answer:
        """Fail as no door would."""
        raise ZeroDivisionError("[/] a mistake")


async def test_what_no_door_mapped_is_shown_too_and_does_not_end_the_app() -> None:
    async with running(Broken()) as drive:
        assert "unexpected ZeroDivisionError: [/] a mistake" in drive.text()
        assert drive.app.is_running


async def test_a_late_answer_to_another_question_is_dropped() -> None:
    gate = Event()
    library = FakeLibrary()
    async with running(library) as drive:
        library.gate = gate
        drive.explore.query_bar.query_field.value = "first"
        drive.explore.query_bar.query_field.focus()
        await drive.pilot.press("enter")
        await drive.until(lambda: len(library.asked) == 2)
        drive.explore.query_bar.query_field.value = "second"
        drive.explore.query_bar.query_field.focus()
        await drive.pilot.press("enter")
        gate.set()
        await drive.until(lambda: drive.answer.query.text == "second")
        assert [query.text for query, _ in library.asked] == ["state provider", "first", "second"]


async def test_notices_are_told_above_the_rows() -> None:
    told = Notice(severity="warning", code="partial", message="dense: 40 of 120 chunks")
    async with running(FakeLibrary(notices=(told,))) as drive:
        assert "dense: 40 of 120 chunks" in drive.text()


async def test_problems_of_the_configuration_stay_on_the_screen() -> None:
    async with running(problems=("kbtui.toml: unknown setting 'limitt'",)) as drive:
        assert "unknown setting 'limitt'" in drive.text()


async def test_twenty_thousand_rows_are_drawn_only_where_they_are_seen() -> None:
    library = many(20_000)
    async with running(library) as drive:
        await drive.press("end")
        row = drive.explore.row
        assert row is not None
        assert row.rank == 20_000
        assert "Document 19999" in drive.text()


async def test_copies_and_what_a_floor_kept_out_are_seen() -> None:
    """A row says how many copies it stands for, Explain which; a rule at the end counts what is below the floor."""
    async with running() as drive:
        first = replace(drive.answer.rows[0], duplicates=("old/copy.md",))
        answer = replace(
            drive.answer,
            rows=(first, *drive.answer.rows[1:]),
            below=(Below(doc_id="far.md", similarity=0.25), Below(doc_id="off.md", similarity=0.125)),
        )
        line = "".join(run for run, _ in row_line(first, Columns.fit(drive.answer, 120), 120))
        assert "(+1 same text)" in line
        assert layout(answer)[-1] == "min_similarity: 2 documents below it, the nearest 0.25"
        view = ExplainView(lambda *_: None)
        view.answer, view.row = answer, first
        said = ["".join(run for run, _ in line) for line in view.build(80)]
        assert "  = same text: old/copy.md" in said


async def test_a_second_click_reads_the_row() -> None:
    async with running() as drive:
        await drive.pilot.click("#results", offset=(20, 1), times=2)
        await drive.rest()
        assert drive.explore.pane == "read"
        assert drive.explore.reader.reading is not None
        assert drive.explore.reader.reading.document.doc_id == drive.answer.rows[1].document.doc_id
