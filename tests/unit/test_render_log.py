"""The query log for people and for programs."""

from __future__ import annotations

import json

from kbtui.engine.compare import compare, logged, ranking, totals
from kbtui.model import LogPage, Replayed
from kbtui.render.log import log_json, log_text, record_line_json, record_text, replay_text, replays_json, replays_text
from kbtui.text import safe
from tests.answers import HOSTILE, cut_answer
from tests.unit.store.test_log import record


def test_a_record_is_what_was_asked_what_it_cost_and_what_was_particular() -> None:
    """Two lines or three."""
    assert record_text(record()) == (
        "0000000001  2026-12-01 05:18:04  cli  1 hit  100 bytes  25 tokens  12 ms\n"
        "    retry backoff\n"
        "    type pull; path a/*; status open; limit=3\n"
    )
    assert record_text(record(error="no retriever answered")).endswith("; error: no retriever answered\n")


def test_the_log_says_what_it_left_out() -> None:
    """Older records, and lines that are damaged."""
    page = LogPage(records=(record(1), record(2)), damaged=1)
    assert log_text(page, page.records[1:]).endswith("and 1 record more\n1 line damaged, and left out\n")
    assert log_text(LogPage(records=()), ()) == "nothing is logged\n"
    value = json.loads(log_json(page, page.records[1:]))
    assert (value["count"], value["total"], value["damaged"]) == (1, 2, 1)
    assert json.loads(record_line_json(record()))["id"] == "0000000001"


def test_what_others_asked_reaches_no_terminal_raw() -> None:
    """An agent's query is foreign text."""
    one = record(text=HOSTILE, error=HOSTILE)
    for text in (record_text(one), replay_text(Replayed(record=one, answer=None, difference=None, error=HOSTILE), [])):
        assert text == safe(text)


def test_a_replay_compares_what_was_logged_with_the_present() -> None:
    """Generations are named where they differ, and a failure is told on either side."""
    answer = cut_answer()
    replayed = Replayed(record=record(), answer=answer, difference=compare(logged(record()), ranking(answer)))
    text = replay_text(replayed, [("limit", 3, 5)])
    assert "limit: 3 -> 5" in text
    assert f"generation: 000001 -> {answer.trace.generation}" in text
    failed = Replayed(record=record(error="locked"), answer=None, difference=None, error="no type 'pull'")
    assert "it failed then" in replay_text(failed, [])
    assert "it fails now: no type 'pull'" in replay_text(failed, [])
    sums = totals([one for one in (replayed.difference,) if one is not None])
    said = replays_text([replayed, failed], sums)
    assert "1 not answered" in said
    assert "1 question: 1 changed" in said
    value = json.loads(replays_json([replayed, failed], sums))
    assert value["replays"][1]["error"] == "no type 'pull'"
    assert value["totals"]["questions"] == 1
