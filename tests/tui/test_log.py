"""The log room: what every face asked, live; asked again without a trace; and the ways back to Explore."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from kbtui.engine.compare import compare
from kbtui.errors import StoreError, UsageError
from kbtui.model import LogPage, LogRecord, Query, Replayed
from kbtui.settings import Settings
from kbtui.store.log import FOLDER, NEWEST, OLDER, QueryLog
from kbtui.store.log_lines import line_of
from kbtui.tui.doors import ExplorerDoors, Tail
from kbtui.tui.ink import plain
from kbtui.tui.rooms import log_rows
from kbtui.tui.rooms.log_rows import LogView, row_line
from tests.tui.drive import Drive, running
from tests.tui.fakes import LOGGED, FakeDoors, FakeLibrary, asked
from tests.tui.test_hostile import CONTROL, MARKUP, assert_harmless


def questions(drive: Drive) -> list[str]:
    return [record.query.text for record in drive.log.rows.rows]


async def test_the_newest_comes_first_with_all_of_it_beside_it() -> None:
    async with running() as drive:
        await drive.press("L")
        assert questions(drive) == [record.query.text for record in reversed(LOGGED.records)]
        await drive.press("end", "up")
        shown = drive.text()
        for said in (
            "4 records  ·  1 damaged line left out",
            "cli · 2026-12-01 05:00:02 UTC · 12 ms · generation 11",
            "2 documents, 9,100 bytes, 2,275 tokens",
            "what it got",
            "src/state/provider.py",
        ):
            assert said in " ".join(shown.split("\n")), said
        assert "• limit" in shown
        await drive.press("up")
        assert "✗ the query is empty" in drive.text()


async def test_what_is_logged_meanwhile_appears_and_the_cursor_stays_on_its_record() -> None:
    doors = FakeDoors()
    async with running(doors=doors) as drive:
        await drive.press("L", "down")
        held = drive.log.rows.current
        doors.appended.append(LogPage(records=(asked(9, "fresh"), LOGGED.records[0]), damaged=2))
        drive.log.look()
        await drive.until(lambda: "fresh" in drive.text())
        assert questions(drive)[0] == "fresh"
        assert len(questions(drive)) == 5  # what is there already comes once
        assert drive.log.rows.current == held
        assert "3 damaged lines left out" in drive.text()


async def test_the_log_is_looked_at_by_itself() -> None:
    doors = FakeDoors()
    async with running(doors=doors) as drive:
        await drive.press("L")
        doors.appended.append(LogPage(records=(asked(9, "fresh"),)))
        await drive.until(lambda: "fresh" in drive.text())


async def test_words_and_faces_sift_it_and_esc_takes_that_away_before_it_leaves() -> None:
    async with running() as drive:
        await drive.press("L", "f", *"handles")
        assert questions(drive) == ["how are handles closed"]
        assert "1 shown with handles" in drive.text()
        await drive.press("enter")
        assert drive.log.rows.has_focus
        await drive.press("F")
        assert questions(drive) == []
        await drive.press("escape")
        assert len(questions(drive)) == 4
        await drive.press("F", "F")
        assert [record.face for record in drive.log.rows.rows] == ["cli"]
        await drive.press("F", "F")
        assert len(questions(drive)) == 4
        await drive.press("f", *"zebra", "escape")
        assert len(questions(drive)) == 4
        await drive.press("escape")
        assert drive.app.screen is drive.explore


async def test_enter_asks_again_under_the_present_settings_and_what_the_query_brought_along() -> None:
    library = FakeLibrary()
    settings = Settings().with_values({"penalty.pull": -0.9, "limit": 4})
    async with running(library, settings=settings) as drive:
        await drive.press("L", "down", "down", "enter")
        query, used = library.asked[-1]
        assert query == Query(text="state provider")
        assert used.whole("limit") == 4  # turned here: it wins over the 2 of the query
        assert used.get("penalty.pull") == -0.9
        shown = drive.text()
        assert "asked again now  not logged" in shown
        assert "context  other bytes  9.1k B, 2.3k tok →" in shown
        assert "generation 11 → 12" in shown
        assert "penalty.pull" in shown
        assert "gone.md" in shown.partition("asked again now")[2].partition("what it got")[0]
    async with running(library) as drive:
        await drive.press("L", "down", "down", "enter")
        assert library.asked[-1][1].whole("limit") == 2


async def test_a_replay_says_where_nothing_is_different() -> None:
    class Same(FakeLibrary):
        def replay(self, record: LogRecord, settings: Settings) -> Replayed:
            found = super().replay(record, settings)
            assert found.difference is not None
            return replace(found, difference=compare(found.difference.after, found.difference.after))

    async with running(Same()) as drive:
        await drive.press("L", "enter")
        assert "no difference" in drive.text()
        assert "the same bytes" in drive.text()
        assert " = " in drive.text()


async def test_all_that_is_shown_is_asked_again_and_added_up() -> None:
    library = FakeLibrary()
    async with running(library) as drive:
        before = len(library.asked)
        await drive.press("L", "f", *"state", "enter", "a")
        assert len(library.asked) == before + 1
        await drive.press("escape", "a")
        await drive.until(lambda: "asked again 4:" in drive.text())
        assert "4 changed" in drive.text()
        assert len(library.asked) == before + 5


async def test_esc_stops_asking_again_and_late_outcomes_are_dropped() -> None:
    library = FakeLibrary()
    async with running(library) as drive:
        library.gate = Event()
        await drive.press("L")
        await drive.pilot.press("a")
        await drive.until(lambda: "4 left, esc stops" in drive.text())
        await drive.pilot.press("escape")
        library.gate.set()
        await drive.rest()
        assert "Stopped; what was asked again so far is kept." in drive.told()
        assert drive.log.rows.replays == {}
        assert drive.app.screen is drive.log


async def test_a_failure_is_a_result_like_another() -> None:
    class Refusing(FakeLibrary):
        def replay(self, record: LogRecord, settings: Settings) -> Replayed:
            raise UsageError("unknown type 'zebra'")

    async with running(Refusing()) as drive:
        await drive.press("L", "enter")
        assert "✗ it fails now: unknown type 'zebra'" in drive.text()
        assert " fails " in drive.text()


async def test_what_failed_then_says_that_all_is_new() -> None:
    async with running() as drive:
        await drive.press("L", "down", "enter")
        assert "it failed then: what it would get now is all new" in drive.text()


@pytest.mark.parametrize(("key", "limit"), [("o", 2), ("O", 5)])
async def test_a_record_opens_in_explore_under_its_own_settings_or_the_present_ones(key: str, limit: int) -> None:
    library = FakeLibrary()
    async with running(library, question="something else") as drive:
        await drive.press("L", "down", "down", key)
        assert drive.app.screen is drive.explore
        assert drive.explore.query_bar.query_field.value == "state provider"
        assert library.asked[-1][0].text == "state provider"
        assert drive.explore.session.settings.whole("limit") == limit
        assert drive.answer.limit == limit
        if key == "o":
            await drive.press("u")
            assert drive.explore.session.settings.whole("limit") == 5


@pytest.mark.parametrize("key", ["o", "O"])
async def test_a_record_opens_with_all_that_its_query_was_limited_to(key: str) -> None:
    from tests.records import record

    library = FakeLibrary()
    asked_for = replace(record().query, include=("releases/2.4.md",))
    doors = FakeDoors(library=library, logged=LogPage(records=(replace(record(), query=asked_for),)))
    async with running(doors=doors) as drive:
        await drive.press("L", key)
        assert library.asked[-1][0] == asked_for == drive.explore.session.query
        assert drive.explore.query_bar.types_field.value == "pull path:a/* status:open"
        assert "3 filters" in drive.text()
        assert "what-if, by hand" in drive.text()


async def test_a_log_that_is_off_or_empty_or_unreadable_says_so() -> None:
    async with running(doors=FakeDoors(logged=LogPage(records=())), log_bytes=0) as drive:
        await drive.press("L")
        assert "log.bytes is 0: what this app asks is not logged" in drive.text()
        assert "Nothing is logged yet." in drive.text()
        await drive.press("enter", "a", "o", "O", "F")
        assert drive.app.screen is drive.log
    async with running(doors=FakeDoors(unlogged=StoreError("the query log cannot be read", "Look."))) as drive:
        await drive.press("L")
        assert "✗ the query log cannot be read. Look." in drive.text()


async def test_nothing_is_asked_again_while_no_knowledge_base_is_open() -> None:
    async with running(doors=FakeDoors(missing=True), question="") as drive:
        await drive.press("escape", "L", "enter")
        assert "No knowledge base is open yet." in drive.told()


async def test_a_double_click_asks_again() -> None:
    library = FakeLibrary()
    async with running(library) as drive:
        await drive.press("L")
        before = len(library.asked)
        await drive.pilot.click("#log-list", offset=(30, 0), times=2)
        await drive.rest()
        assert len(library.asked) == before + 1


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (120, 40)])
async def test_hostile_strings_are_shown_literally(size: tuple[int, int]) -> None:
    bad = f"{MARKUP}{CONTROL}"
    base = asked(1, bad)
    placings = tuple(replace(each, doc_id=f"{bad}{each.rank}", source_type=bad) for each in base.placings)
    worse = replace(
        base, face=bad, time=bad, generation=bad, placings=placings, query=Query(text=bad, source_types=(bad,))
    )
    doors = FakeDoors(logged=LogPage(records=(worse, replace(asked(2, bad, error=bad), query=Query(text=bad)))))
    async with running(doors=doors, size=size) as drive:
        await drive.press("L")
        assert_harmless(drive)
        await drive.press("a", "down", "F", "f", *"[/", "enter")
        assert_harmless(drive)
        assert "[/] [0]" in drive.text()
        await drive.press("o")
        assert_harmless(drive)


async def test_the_real_log_is_followed_over_a_torn_line_and_a_rotation(tmp_path: Path) -> None:
    class Doors(FakeDoors):
        """The real log beside a library that is not."""

        def log(self, store: Path) -> LogPage:
            from kbtui.store.log import read_log

            return read_log(store)

        def follow(self, store: Path) -> Tail:
            return ExplorerDoors().follow(store)

    def write(number: int, text: str) -> None:
        QueryLog(tmp_path, most_bytes=3_000).append(asked(number, text))

    write(1, "first")
    async with running(doors=Doors(), store=tmp_path) as drive:
        await drive.press("L")
        await drive.until(lambda: questions(drive) == ["first"])
        with (tmp_path / FOLDER / NEWEST).open("ab") as file:
            file.write(line_of(asked(2))[:50])
        for number, text in ((3, "third"), (4, "fourth"), (5, "fifth")):
            write(number, text)
            drive.log.look()
            await drive.until(lambda text=text: questions(drive)[0] == text)  # type: ignore[misc]
        assert (tmp_path / FOLDER / OLDER).exists()
        assert questions(drive) == ["fifth", "fourth", "third", "first"]
        assert "1 damaged line left out" in drive.text()


def test_no_more_than_a_bound_is_held_and_the_rest_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_rows, "HELD", 3)
    view = LogView().with_more([asked(number) for number in range(5)], 0)
    assert [record.record_id for record in view.shown] == [f"{number:010x}" for number in (4, 3, 2)]
    assert view.older == 2
    assert "2 older ones not held" in plain(view.told())


@pytest.mark.parametrize("replays", [False, True])
@pytest.mark.parametrize("width", [40, 58, 80, 120])
def test_a_row_keeps_to_its_width(width: int, *, replays: bool) -> None:
    assert len(plain(row_line(asked(1, "word " * 60), width, replays=replays, replayed=None))) == width
