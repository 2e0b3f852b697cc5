"""The Budget pane and the meter: what binds, what would fit next, and what other budgets would keep."""

from __future__ import annotations

from dataclasses import replace

from kbtui.errors import UsageError
from kbtui.model import Answer, NextGrant, Query
from kbtui.settings import Settings
from kbtui.tui.curve import TOKENS, rungs
from kbtui.tui.ink import plain
from kbtui.tui.widgets.budget_meter import meter
from kbtui.tui.widgets.budget_view import Found, against, bounds, curve, half_lines
from tests.tui.drive import running
from tests.tui.fakes import FakeLibrary

QUERY = Query(text="state provider")
WAITS = NextGrant(doc_id="pulls/418.md", rank=3, chunk_id="pulls/418.md#4", unit="bytes", needs=1_500, left=300)


def asked(**values: int | None) -> Answer:
    settings = Settings().with_values({key.replace("__", "."): value for key, value in values.items()})
    return FakeLibrary().query(QUERY, settings)


def test_the_curve_holds_the_present_budget_and_keeps_bytes_in_proportion() -> None:
    """At 10,000 tokens and 30,000 bytes each token goes with three bytes; the present settings stay as they are."""
    settings = Settings().with_values({"budget.tokens": 10_000, "budget.bytes": 30_000})
    ladder = rungs(settings)
    assert [rung.tokens for rung in ladder] == sorted({*TOKENS, 5_000, 10_000})
    assert [rung.settings for rung in ladder if rung.present] == [settings]
    assert all(rung.settings.get("budget.bytes") == 3 * (rung.tokens or 0) for rung in ladder)


def test_the_curve_lifts_no_bound_and_sets_none() -> None:
    """Without a bound on bytes none is set; with bytes alone, the present budget stands where its tokens would be."""
    tokens_only = rungs(Settings().with_values({"budget.bytes": None}))
    assert {rung.settings.get("budget.bytes") for rung in tokens_only} == {None}
    bytes_only = rungs(Settings().with_values({"budget.tokens": None, "budget.bytes": 20_000}))
    assert [rung.tokens for rung in bytes_only if rung.present] == [5_000]
    neither = rungs(Settings().with_values({"budget.tokens": None, "budget.bytes": None}))
    assert (neither[-1].tokens, neither[-1].present) == (None, True)


def test_a_line_of_the_curve_counts_fates_and_draws_what_is_kept_to_one_scale() -> None:
    """Half of the most that any budget keeps fills half of the room."""
    ladder = rungs(Settings())
    full, half = asked(), asked(budget__bytes=13_000)
    found: Found = {8_000: full, 4_000: half, 1_000: UsageError("1,000 bytes are too few [/]", "")}
    lines = {plain(line)[:8].strip(): plain(line) for line in curve(full, found, ladder, 80)[2:]}
    lines["4k"] = lines.pop("½     4k")
    assert "too few [/]" in lines["1k"]
    assert lines["2k"].endswith("…")
    counts = [row.allocation.decision for row in full.rows]
    assert lines["▶     8k"].split()[-3:] == [str(counts.count(fate)) for fate in ("whole", "trimmed", "dropped")]
    drawn = [sum(lines[name].count(fill) for fill in "█▉▓▒░▪") for name in ("▶     8k", "4k")]
    assert abs(drawn[1] / drawn[0] - half.usage.tokens / full.usage.tokens) < 0.1


def test_what_happens_at_half_the_budget_is_said_in_words_and_at_its_rung() -> None:
    """By the numbers that the documents have in the list, above the curve and, where there is room, beside it."""
    settings = Settings().with_values({"budget.tokens": 10_000})
    ladder = rungs(settings)
    assert [rung.tokens for rung in ladder if rung.half] == [5_000]
    now, half = asked(), asked(budget__bytes=13_000)
    kept = {row.rank: row.allocation.kept.size_bytes for row in half.rows}
    dropped = [str(row.rank) for row in now.rows if row.allocation.kept.size_bytes and not kept[row.rank]]
    less = [str(row.rank) for row in now.rows if 0 < kept[row.rank] < row.allocation.kept.size_bytes]
    assert dropped
    said = ", ".join(f"{what} {' '.join(of)}" for what, of in (("drops", dropped), ("less of", less)) if of)
    assert against(now, half) == said
    assert against(half, now).startswith("more of")
    found: Found = {5_000: half, 10_000: now}
    assert [plain(line) for line in half_lines(now, found, ladder)] == [f"  half   5k tokens: {said}"]
    wide = [plain(line) for line in curve(now, found, ladder, 120)]
    assert next(line for line in wide if line.startswith("½     5k")).endswith(said)
    assert half_lines(now, {5_000: now}, ladder) == [
        (("  half   ", "dim"), ("5k tokens: ", ""), ("keeps the same", ""))
    ]
    assert half_lines(now, {}, ladder) == []


def test_where_more_budget_keeps_no_more_is_said_once_the_curve_is_known() -> None:
    ladder = rungs(Settings())
    small = replace(asked(budget__bytes=9_000), next_grant=WAITS)
    found: Found = {rung.tokens: small if (rung.tokens or 0) < 6_000 else asked() for rung in ladder}
    assert any("from 6,000 tokens on" in plain(line) for line in curve(asked(), found, ladder, 80))
    del found[64_000]
    assert not any("tokens on" in plain(line) for line in curve(asked(), found, ladder, 80))


def test_what_would_fit_next_is_named_with_what_it_lacks() -> None:
    """1,500 bytes are needed and 300 left: 1,200 are missing, and bytes bind."""
    told = "\n".join(plain(line) for line in bounds(replace(asked(), next_grant=WAITS)))
    assert "[3] Rework the state provider lifecycle" in told
    assert "lacks  1,200 bytes (needs 1,500, 300 left)" in told
    assert [line for line in told.splitlines() if "binds" in line] == [
        line for line in told.splitlines() if line.startswith("  bytes")
    ]
    assert "binds" not in "\n".join(plain(line) for line in bounds(asked()))


def test_the_meter_tells_what_would_fit_next_where_there_is_room() -> None:
    wide, narrow = (plain(meter(replace(asked(), next_grant=WAITS), width)[0]) for width in (140, 80))
    assert wide.endswith("next [3] lacks 1.2k B")
    assert "lacks" not in narrow
    assert all(len(plain(line)) <= 80 for line in meter(replace(asked(), next_grant=WAITS), 80))


async def test_the_budget_pane_asks_every_budget_and_follows_a_knob() -> None:
    library = FakeLibrary()
    async with running(library) as drive:
        await drive.press("b")
        shown = drive.text()
        assert "[budget]" in shown
        assert all(f"{tokens // 1_000}k " in shown for tokens in TOKENS)
        assert {settings.get("budget.tokens") for _, settings in library.asked} == set(TOKENS)
        await drive.press("t")
        drive.explore.drawer.knobs.choose("budget.tokens")
        await drive.press(*"5000", "enter")
        await drive.press("escape")
        assert "▶     5k" in drive.text()
        assert "▶     8k" not in drive.text()


async def test_the_curve_is_asked_only_where_it_is_seen() -> None:
    library = FakeLibrary()
    async with running(library) as drive:
        await drive.press("c", "g", "e")
        assert len(library.asked) == 1
