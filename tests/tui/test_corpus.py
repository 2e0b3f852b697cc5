"""The corpus room: what the store holds and what deserves a look, section by section, and the ways out of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kbtui.errors import StoreError
from kbtui.model import Budget, Status, Survey
from kbtui.settings import Settings
from kbtui.tui.ink import plain
from kbtui.tui.rooms.corpus_rows import Entry, sections
from tests.tui.drive import Drive, running
from tests.tui.fakes import FakeDoors, FakeLibrary
from tests.tui.test_hostile import assert_harmless, hostile

SECTIONS = ("types", "skipped", "dangling", "oversized", "duplicates", "notices", "store")


def opened(drive: Drive) -> str:
    return drive.corpus._open


async def test_the_room_opens_on_types_under_their_tiers_and_esc_goes_back() -> None:
    async with running() as drive:
        await drive.press("C")
        shown = drive.text()
        assert shown.index("primary") < shown.index("decision") < shown.index("historical") < shown.index("pull")
        assert "[types 9]" in shown
        await drive.press("escape")
        assert drive.app.screen is drive.explore


async def test_every_section_is_reached_by_keys_and_says_what_there_is() -> None:
    said = {
        "skipped": "94 MB, at most 20 MB",
        "dangling": "2 relations",
        "oversized": "89%",
        "duplicates": "2 documents of the same 1.9k bytes",
        "notices": "There is nothing else that you must know.",
        "store": "2026-11-30 14:02:11 UTC",
    }
    async with running() as drive:
        await drive.press("C")
        for name in SECTIONS[1:]:
            await drive.press("right_square_bracket")
            assert opened(drive) == name
            assert said[name] in drive.text()
        await drive.press("tab")
        assert opened(drive) == "types"
        await drive.press("left_square_bracket")
        assert opened(drive) == "store"


async def test_a_click_opens_a_section_and_a_double_click_a_row() -> None:
    async with running() as drive:
        await drive.press("C")
        line = drive.text().splitlines()[0]
        await drive.pilot.click("#section-tabs", offset=(line.index("dangling") + 1, 0))
        await drive.rest()
        assert opened(drive) == "dangling"
        await drive.pilot.click("#section-list", offset=(6, 1), times=2)
        await drive.rest()
        assert drive.app.screen is drive.explore
        assert drive.explore.pane == "read"


async def test_enter_on_a_document_reads_it_in_explore() -> None:
    async with running() as drive:
        await drive.press("C", "right", "right", "down", "enter")
        assert drive.app.screen is drive.explore
        assert drive.explore.pane == "read"
        reading = drive.explore.reader.reading
        assert reading is not None
        assert reading.document.doc_id == "pulls/418.md"
        assert drive.explore.reader.has_focus


async def test_a_on_a_type_limits_the_question_to_it_and_says_so() -> None:
    library = FakeLibrary()
    async with running(library) as drive:
        await drive.press("C")
        assert drive.corpus.rows.current is not None
        wanted = drive.corpus.rows.current.source_type
        await drive.press("a")
        assert drive.explore.query_bar.types_field.value == wanted
        assert library.asked[-1][0].source_types == (wanted,)
        assert library.asked[-1][0].text == "state provider"
        assert f"Asked of the type {wanted} alone" in drive.told()
        assert "1 filter" in drive.text()


async def test_enter_on_a_type_lists_its_documents_enter_reads_one_and_esc_goes_back() -> None:
    async with running() as drive:
        await drive.press("C")
        assert drive.corpus.rows.current is not None
        assert drive.corpus.rows.current.source_type == "decision"
        before = drive.corpus.rows.cursor
        await drive.press("enter")
        assert "1 document of the type decision" in drive.text()
        await drive.press("escape")
        assert "1 document of the type decision" not in drive.text()
        assert drive.corpus.rows.cursor == before
        await drive.press("enter", "right", "left")
        assert "[types 9]" in drive.text()
        assert drive.corpus.rows.cursor == before
        await drive.press("enter", "enter")
        assert drive.explore.reader.reading is not None
        assert drive.explore.reader.reading.document.doc_id == "adr/0007-state.md"


async def test_a_asks_for_the_document_by_its_id() -> None:
    library = FakeLibrary()
    async with running(library) as drive:
        await drive.press("C", "right", "right", "a")
        assert library.asked[-1][0].text == "docs/state.md"
        assert drive.explore.query_bar.query_field.value == "docs/state.md"
        assert drive.explore.results.has_focus


@pytest.mark.parametrize("key", ["enter", "a", "o"])
async def test_a_row_without_a_document_says_so(key: str) -> None:
    async with running() as drive:
        await drive.press("C", "right", key)
        assert "There is no document behind this row." in drive.told()
        assert opened(drive) == "skipped"


async def test_o_looks_for_the_file_to_edit() -> None:
    async with running() as drive:
        await drive.press("C", "right", "right", "o")
        await drive.until(drive.told)
        assert "docs/state.md is not there any more" in drive.told()
        assert opened(drive) == "dangling"


async def test_sizes_are_measured_against_the_budget_in_force_now() -> None:
    budgets: list[Budget] = []

    class Library(FakeLibrary):
        def survey(self, budget: Budget) -> Survey:
            budgets.append(budget)
            return super().survey(budget)

    async with running(Library(), settings=Settings().with_values({"budget.bytes": 16_000})) as drive:
        await drive.press("C")
        assert [budget.size_bytes for budget in budgets] == [16_000]


class Refusing(FakeLibrary):
    """A library whose survey fails."""

    def survey(self, budget: Budget) -> Survey:
        """Refuse."""
        raise StoreError("the catalogue is gone", "Run: kbtui index")


async def test_an_error_is_said_in_place() -> None:
    async with running(Refusing()) as drive:
        await drive.press("C")
        assert "✗ the catalogue is gone. Run: kbtui index" in drive.text()
        await drive.press("right", "enter", "escape")
        assert drive.app.screen is drive.explore


async def test_with_no_library_it_says_so_and_fills_when_one_opens() -> None:
    doors = FakeDoors(missing=True)
    async with running(doors=doors, question="") as drive:
        await drive.press("escape", "C")
        assert "No knowledge base is open yet" in drive.text()
        doors.missing = False
        drive.explore.errands.open()
        await drive.until(lambda: "[types 9]" in drive.text())


async def test_the_cursor_of_each_section_stays_where_it_was() -> None:
    async with running() as drive:
        await drive.press("C", "down", "right", "left")
        first = drive.corpus.rows.cursor
        await drive.press("right", "right", "left", "left")
        assert drive.corpus.rows.cursor == first


async def test_the_palette_goes_to_a_room_to_do_what_works_there_and_back() -> None:
    async with running() as drive:
        await drive.press("colon", *"corpus.next_section", "enter")
        await drive.until(lambda: len(drive.app.screen_stack) == 2 and opened(drive) == "skipped")
        await drive.press("colon", *"explore.tune", "enter")
        await drive.until(lambda: drive.app.screen is drive.explore)
        assert drive.explore.has_class("-tuning")


async def test_help_tells_what_the_room_shows_and_its_keys() -> None:
    async with running(size=(120, 60)) as drive:
        await drive.press("C", "question_mark")
        assert "keys in corpus" in drive.text()
        assert "What the store holds, by tier and type" in " ".join(drive.text().split())


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (120, 40)])
async def test_hostile_strings_are_shown_literally(size: tuple[int, int]) -> None:
    class Library(FakeLibrary):
        def status(self) -> Status:
            status = super().status()
            bad = self.documents[0][1].doc_id
            skipped = tuple(replace(each, path=bad, reason=bad, detail=bad) for each in status.skipped)
            return replace(status, skipped=skipped, store=bad, corpus=bad, embedder=bad, built=bad)

        def survey(self, budget: Budget) -> Survey:
            survey = super().survey(budget)
            bad = self.documents[0][1].doc_id
            return replace(survey, dangling=tuple(replace(each, target=bad, kind=bad) for each in survey.dangling))

    base = hostile()
    async with running(Library(documents=base.documents, bodies=base.bodies), size=size) as drive:
        await drive.press("C")
        for _ in SECTIONS:
            assert_harmless(drive)
            await drive.press("right")
        await drive.press("right", "right")
        assert "[/] [0]" in drive.text()


@pytest.mark.parametrize("width", [20, 58, 78, 118, 300])
def test_every_line_keeps_to_its_width(width: int) -> None:
    library = FakeLibrary()
    for section in sections(library.status(), library.survey(Settings().budget())):
        for item in section.items:
            assert len(plain(item.draw(width)).rstrip()) <= max(width, 50), section.name


def test_what_a_bounded_list_leaves_out_is_counted() -> None:
    library = FakeLibrary()
    survey = replace(library.survey(Settings().budget()), dangling_total=9)
    dangling = next(section for section in sections(library.status(), survey) if section.name == "dangling")
    assert dangling.count == 9
    assert sum(isinstance(item, Entry) for item in dangling.items) == 2
    assert "and 7 more, not listed" in plain(dangling.items[-1].draw(60))
