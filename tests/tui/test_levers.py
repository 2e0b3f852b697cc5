"""Which settings would turn a rank: read off the terms, and true when they are turned."""

from __future__ import annotations

import pytest

from kbtui.explorer import Explorer
from kbtui.model import Answer, Query, Row
from kbtui.settings import Settings, Value
from kbtui.tui.ink import plain
from kbtui.tui.levers import rivals
from kbtui.tui.widgets.explain import would_matter
from tests.tui.drive import running
from tests.tui.fakes import FakeLibrary

QUERY = Query(text="state provider")


def asked(**values: Value) -> tuple[Answer, Settings]:
    settings = Settings().with_values({key.replace("__", "."): value for key, value in values.items()})
    return FakeLibrary().query(QUERY, settings), settings


def ranked(answer: Answer, doc_id: str) -> Row:
    return next(row for row in (*answer.rows, *answer.behind) if row.document.doc_id == doc_id)


def test_the_gap_is_the_sum_of_what_makes_it() -> None:
    answer, settings = asked()
    for row in (*answer.rows, *answer.behind):
        for rival in rivals(answer, row, settings):
            assert rival.leads == pytest.approx(sum(value for _, value in rival.made_of))
            assert rival.leads == pytest.approx(rival.row.scored.score - row.scored.score)


def test_a_penalty_is_named_with_the_value_that_turns_the_rank() -> None:
    """The blog post has 0.61 - 0.05, the test behind it 0.52: one step of 0.05 more turns them."""
    answer, settings = asked()
    below = rivals(answer, ranked(answer, "blog/state.md"), settings)[-1]
    assert below.row.document.doc_id == "tests/test_provider.py"
    assert below.leads == pytest.approx(-0.04)
    lever = next(lever for lever in below.levers if lever.key == "penalty.blog")
    assert (lever.now, lever.wanted, lever.steps) == (-0.05, -0.10, 1)
    turned, _ = asked(penalty__blog=lever.wanted)
    assert [row.document.doc_id for row in turned.behind].index(below.row.document.doc_id) < [
        row.document.doc_id for row in turned.behind
    ].index("blog/state.md")


def test_levers_stay_within_their_settings_range_and_the_nearest_comes_first() -> None:
    answer, settings = asked(penalty__pull=-2.0)
    for row in (*answer.rows, *answer.behind):
        for rival in rivals(answer, row, settings):
            assert [lever.steps for lever in rival.levers] == sorted(lever.steps for lever in rival.levers)
            for lever in rival.levers:
                settings.with_values({lever.key: lever.wanted})


def test_a_neighbours_place_is_the_graphs() -> None:
    answer, settings = asked()
    neighbour = next(row for row in answer.rows if row.origin == "neighbour")
    assert rivals(answer, neighbour, settings) == ()
    assert "its place is the graph's" in "\n".join(plain(line) for line in would_matter(answer, neighbour, settings))


def test_a_row_behind_the_limit_names_the_limit() -> None:
    answer, settings = asked()
    shown = "\n".join(plain(line) for line in would_matter(answer, answer.behind[1], settings))
    assert "limit 5 → 7 or more" in shown


def test_on_a_real_store_each_setting_turns_what_it_says(demo_store: object) -> None:
    """Of the first rows' nearest levers, but for those of weights, whose best passage may change, each one holds."""
    from pathlib import Path

    assert isinstance(demo_store, Path)
    explorer = Explorer.open(demo_store)
    query = Query(text="how does retry backoff work")
    try:
        settings = Settings().with_values({"expand": 0, "limit": 20})
        answer, tried = explorer.query(query, settings), 0
        for row in answer.rows[:6]:
            for rival in rivals(answer, row, settings):
                for lever in rival.levers:
                    if lever.key.startswith("weights."):
                        continue
                    turned = explorer.query(query, settings.with_values({lever.key: lever.wanted}))
                    one, other = (ranked(turned, each.document.doc_id).scored.score for each in (row, rival.row))
                    assert (one > other) == (rival.leads >= 0), lever
                    tried += 1
        assert tried > 5
    finally:
        explorer.close()


async def test_explain_shows_words_pool_raw_scores_and_what_would_matter() -> None:
    async with running(size=(200, 60)) as drive:
        shown = drive.text()
        assert "words      state" in shown
        assert "not there  provider" in shown
        assert "primary: asked 65, found 65/65, left 64/64, used 3" in shown
        assert "raw 0.91" in shown
        assert "would matter" in shown
        assert "trails by" in shown
        await drive.press("down", "down", "down")
        assert "would matter" in drive.text()
