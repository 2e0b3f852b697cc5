"""The tune drawer: every setting has a row, and the list moves as the value moves."""

from __future__ import annotations

import pytest

from kbtui.settings import KNOBS, TIER_TYPES, Settings, knob_for
from kbtui.tui.knobs import gauge, groups, moved, shown
from tests.tui.drive import running
from tests.tui.fakes import FakeLibrary, many


async def test_every_setting_of_the_register_has_a_row_families_spelled_out() -> None:
    async with running() as drive:
        keys = set(drive.explore.drawer.knobs.keys)
        assert {knob.key for knob in KNOBS if not knob.family} <= keys
        types = {document.source_type for _, document in FakeLibrary().documents}
        assert {f"penalty.{name}" for name in types} <= keys
        assert {f"prior.type.{name}" for name in types} <= keys
        assert {f"prior.tier.{name}" for name, _ in TIER_TYPES} <= keys


def test_a_setting_of_a_type_that_the_library_has_not_keeps_its_row() -> None:
    settings = Settings().with_values({"penalty.minutes": -0.4})
    rows = dict(groups(settings, ()))
    assert "penalty.minutes" in rows["penalties"]


async def test_the_drawer_shows_the_settings_values() -> None:
    settings = Settings().with_values({"limit": 7, "penalty.pull": -0.4})
    async with running(settings=settings) as drive:
        await drive.press("t")
        knobs = drive.explore.drawer.knobs
        assert knobs.settings == settings
        assert "-0.40" in drive.text()


async def test_a_step_moves_the_value_and_the_list_with_it() -> None:
    library = FakeLibrary()
    async with running(library) as drive:
        before = drive.titles()
        await drive.press("t")
        drive.explore.drawer.knobs.choose("penalty.pull")
        for _ in range(5):
            await drive.press("right")
        assert drive.explore.session.settings.get("penalty.pull") == pytest.approx(0.0)
        assert drive.titles() != before
        assert drive.titles()[1] == "Rework the state provider lifecycle"
        assert library.asked[-1][1] == drive.explore.session.settings


async def test_every_knob_reaches_the_engine_as_it_stands_in_the_drawer() -> None:
    library = many(5)
    async with running(library) as drive:
        await drive.press("t")
        knobs = drive.explore.drawer.knobs
        for key in knobs.keys:
            knobs.choose(key)
            before = drive.explore.session.settings.get(key)
            steps = -1 if before == knob_for(key).high else 1
            knobs.action_step(steps)
            after = moved(key, before, steps)
            assert after != before, key
            await drive.until(lambda: library.asked[-1][1] == drive.explore.session.settings)
            assert library.asked[-1][1].get(key) == after, key
        assert drive.explore.session.settings.changed == library.asked[-1][1].changed
        assert len(library.asked[-1][1].changed) == len(knobs.keys)


async def test_shift_steps_by_ten() -> None:
    async with running() as drive:
        await drive.press("t")
        drive.explore.drawer.knobs.choose("limit")
        await drive.press("shift+right")
        assert drive.explore.session.settings.get("limit") == 5 + 10


async def test_digits_type_a_value_zero_included_and_enter_sets_it() -> None:
    async with running() as drive:
        await drive.press("t")
        drive.explore.drawer.knobs.choose("budget.bytes")
        await drive.press(*"12000")
        assert drive.explore.session.settings.get("budget.bytes") == 32_000
        await drive.press("enter")
        assert drive.explore.session.settings.get("budget.bytes") == 12_000
        assert drive.answer.budget.size_bytes == 12_000
        await drive.press("backspace")
        assert drive.explore.session.settings.get("budget.bytes") == 32_000
        drive.explore.drawer.knobs.choose("penalty.pull")
        await drive.press("0", "enter")
        assert drive.explore.session.settings.get("penalty.pull") == 0.0


async def test_none_lifts_a_bound_and_a_step_down_brings_it_back() -> None:
    async with running() as drive:
        await drive.press("t")
        drive.explore.drawer.knobs.choose("budget.bytes")
        await drive.press(*"none", "enter")
        assert drive.answer.budget.size_bytes is None
        assert "no bound" in drive.text()
        await drive.press("left")
        assert drive.answer.budget.size_bytes == 32_000


async def test_a_refused_value_says_why_and_changes_nothing() -> None:
    async with running() as drive:
        await drive.press("t")
        drive.explore.drawer.knobs.choose("weights.dense")
        await drive.press(*"9", "enter")
        assert "weights.dense must lie between" in drive.text()
        assert drive.explore.session.settings == Settings()


async def test_esc_gives_up_what_was_typed_then_closes_the_drawer() -> None:
    async with running() as drive:
        await drive.press("t", *"12", "escape")
        assert drive.explore.has_class("-tuning")
        assert drive.explore.drawer.knobs.typed == ""
        await drive.press("escape")
        assert not drive.explore.has_class("-tuning")
        assert drive.explore.results.has_focus


async def test_undo_and_redo_walk_through_the_changes() -> None:
    library = FakeLibrary()
    async with running(library) as drive:
        await drive.press("t")
        drive.explore.drawer.knobs.choose("limit")
        await drive.press("right", "right")
        assert len(drive.answer.rows) == 7
        await drive.press("u")
        assert len(drive.answer.rows) == 6
        await drive.press("u", "u")
        assert len(drive.answer.rows) == 5
        await drive.press("U")
        assert len(drive.answer.rows) == 6


async def test_the_cursor_stays_on_its_document_while_the_list_moves() -> None:
    async with running() as drive:
        await drive.press("down", "down", "down")
        assert drive.explore.row is not None
        held = drive.explore.row.document.doc_id
        await drive.press("t")
        drive.explore.drawer.knobs.choose("penalty.pull")
        await drive.press("backspace", "right", "right", "right", "right", "right")
        assert drive.explore.row.document.doc_id == held
        assert drive.explore.row.rank == 2


@pytest.mark.parametrize(
    ("key", "value", "steps", "expected"),
    [
        ("limit", 5, 1, 6),
        ("limit", 1, -1, 1),
        ("budget.bytes", 32_000, 1, 33_000),
        ("budget.bytes", 31_500, -1, 31_000),
        ("budget.bytes", 31_500, 1, 32_000),
        ("budget.bytes", 1, -1, 1),
        ("budget.bytes", None, 1, None),
        ("budget.bytes", None, -1, 32_000),
        ("penalty.pull", -0.25, 1, -0.2),
        ("penalty.pull", 0.0, 1, 0.0),
        ("penalty.pull", -0.25, -10, -0.75),
        ("weights.dense", 1.95, 10, 2.0),
    ],
)
def test_a_step_goes_to_the_next_multiple_and_stays_in_range(
    key: str, value: float | None, steps: int, expected: float | None
) -> None:
    assert moved(key, value, steps) == expected


def test_values_are_written_by_kind() -> None:
    assert shown("budget.bytes", 32_000) == "32,000"
    assert shown("budget.bytes", None) == "none"
    assert shown("penalty.pull", -0.25) == "-0.25"


def test_gauges_begin_where_nothing_is() -> None:
    assert gauge("weights.dense", 0.6) == (0.0, 0.6)
    assert gauge("penalty.pull", -0.25) == (1 - 0.25, 1.0)
    assert gauge("prior.tier.primary", 0.0) == (0.5, 0.5)
    assert gauge("limit", 5) == (0.0, 0.5)


async def test_letters_are_no_commands_while_a_value_is_typed() -> None:
    """`u` half-way through a number must not undo something underneath."""
    async with running() as drive:
        await drive.press("t")
        knobs = drive.explore.drawer.knobs
        knobs.choose("limit")
        await drive.press("right", "7", "u", "q")
        assert drive.explore.session.settings.whole("limit") == 6
        await drive.press("enter")
        assert drive.explore.session.settings.whole("limit") == 7


async def test_words_show_only_the_numbers_that_contain_them_and_esc_shows_all_again() -> None:
    async with running(size=(80, 24)) as drive:
        await drive.press("t")
        knobs = drive.explore.drawer.knobs
        every = knobs.keys
        await drive.press("f", *"pull", "enter")
        assert knobs.has_focus
        assert knobs.keys
        assert set(knobs.keys) < set(every)
        assert "penalty.pull" in knobs.keys
        assert all("pull" in key for key in knobs.keys)
        await drive.press("escape")
        assert knobs.keys == every
        assert drive.explore.has_class("-tuning")


async def test_words_that_no_number_goes_by_are_told_and_a_hidden_number_can_be_chosen() -> None:
    async with running() as drive:
        await drive.press("t", "f", *"zebra")
        knobs = drive.explore.drawer.knobs
        assert "no number goes by zebra" in drive.text()
        await drive.press("escape", "f", *"pull", "enter")
        knobs.choose("limit")
        assert knobs.key == "limit"


async def test_braces_go_from_group_to_group() -> None:
    async with running() as drive:
        await drive.press("t")
        knobs = drive.explore.drawer.knobs
        firsts = [names[0] for _, names in groups(knobs.settings, knobs.source_types)]
        await drive.press("down", "right_curly_bracket")
        assert knobs.key == firsts[1]
        await drive.press("right_curly_bracket")
        assert knobs.key == firsts[2]
        await drive.press("left_curly_bracket")
        assert knobs.key == firsts[1]


async def test_on_a_small_terminal_the_drawer_is_higher_than_the_list_and_names_its_keys() -> None:
    async with running(size=(80, 24)) as drive:
        await drive.press("t")
        assert drive.explore.drawer.knobs.size.height >= 7
        footer = drive.text().splitlines()[-1]
        for words in ("← Less", "→ More", "f Filter", "s Save", "u Undo"):
            assert words in footer, drive.text()
