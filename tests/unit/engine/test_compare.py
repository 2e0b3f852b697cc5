"""Two rankings: who moved, who is new, who is out, whose order turned round."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from kbtui.engine.compare import compare, ranking, totals
from kbtui.model import Fate, Placing, Ranking, Usage
from kbtui.render.comparison import comparison_text, difference_line
from kbtui.text import safe
from tests.answers import cut_answer, hostile_answer


def ranked(
    *doc_ids: str,
    limit: int = 9,
    fates: dict[str, Fate] | None = None,
    kept: dict[str, int] | None = None,
    size: int = 100,
) -> Ranking:
    """Return a ranking in which what is behind the limit is outranked."""
    return Ranking(
        placings=tuple(
            Placing(
                doc_id=doc_id,
                rank=rank,
                fate=(fates or {}).get(doc_id, "whole") if rank <= limit else "outranked",
                kept_bytes=(kept or {}).get(doc_id),
            )
            for rank, doc_id in enumerate(doc_ids, start=1)
        ),
        usage=Usage(size_bytes=size, tokens=size // 4, items=min(limit, len(doc_ids))),
        generation="000001",
    )


def test_each_document_of_either_response_is_told_of_once() -> None:
    """By the rank after; then what is out, by the rank before. What is behind both limits is nobody's concern."""
    difference = compare(ranked("a", "b", "c", "d", "e", limit=3), ranked("d", "b", "a", "c", "e", limit=3))
    assert [(move.doc_id, move.change) for move in difference.moves] == [
        ("d", "new"),
        ("b", "same"),
        ("a", "moved"),
        ("c", "out"),
    ]
    assert difference.reversals == (("a", "b"),)
    assert difference_line(difference) == "1 moved, 1 new, 1 out; largest 4 to 1"


def test_a_document_that_nothing_brought_before_has_no_rank() -> None:
    """It is new, and no way is measured."""
    difference = compare(ranked("a"), ranked("a", "b"))
    assert [(move.change, move.before) for move in difference.moves[1:]] == [("new", None)]
    assert difference.largest is None
    assert difference_line(difference) == "1 new"


def test_the_same_ranking_has_no_difference() -> None:
    """And says so."""
    difference = compare(ranked("a", "b"), ranked("a", "b"))
    assert difference.unchanged
    assert difference.reversals == ()
    assert difference_line(difference) == "no document moved"


def test_a_fate_that_changes_is_told_without_a_move() -> None:
    """A smaller budget moves nobody, and is a difference all the same."""
    difference = compare(ranked("a", "b"), ranked("a", "b", fates={"b": "dropped"}, size=60))
    assert not difference.unchanged
    assert difference_line(difference) == "1 cut otherwise"
    assert (difference.before.usage.size_bytes, difference.after.usage.size_bytes) == (100, 60)


def test_a_trimmed_document_of_which_less_is_kept_is_cut_otherwise() -> None:
    """Its fate is the same word, and the agent gets less; where a log does not know how much, nothing is claimed."""
    fates: dict[str, Fate] = {"b": "trimmed"}
    before = ranked("a", "b", fates=fates, kept={"a": 10, "b": 6700})
    after = ranked("a", "b", fates=fates, kept={"a": 10, "b": 1800})
    difference = compare(before, after)
    assert difference_line(difference) == "1 cut otherwise"
    assert not difference.unchanged
    assert "trimmed to 6,700  trimmed to 1,800" in comparison_text(difference, "q", ())
    assert compare(before, before).unchanged
    assert compare(ranked("a", "b", fates=fates), after).unchanged


def test_an_answer_is_compared_with_its_rows_behind_the_limit() -> None:
    """The first row behind the limit is known by its rank, and equal contexts are said to be."""
    answer = cut_answer()
    placed = ranking(answer)
    assert [one.rank for one in placed.placings] == list(range(1, len(answer.rows) + len(answer.behind) + 1))
    assert [one.fate for one in placed.placings[: len(answer.rows)]] == [row.allocation.decision for row in answer.rows]
    assert compare(placed, placed).same_context is True
    other = ranking(replace(answer, context=answer.context + "x"))
    assert compare(placed, other).same_context is False
    assert compare(replace(placed, context_hash=""), other).same_context is None


def test_nothing_of_a_document_or_question_reaches_a_terminal_raw() -> None:
    """Titles, ids and the question are made safe."""
    answer = hostile_answer()
    text = comparison_text(compare(ranking(answer), ranking(answer)), answer.query.text, [])
    assert text == safe(text)
    assert answer.rows[0].document.title not in text


def test_totals_are_sums() -> None:
    """Of two questions one changed: 1 moved twice."""
    one = compare(ranked("a", "b"), ranked("b", "a", size=40))
    sums = totals([one, compare(ranked("a"), ranked("a"))])
    assert (sums.questions, sums.changed, sums.moved, sums.reversals) == (2, 1, 2, 1)
    assert (sums.before.size_bytes, sums.after.size_bytes) == (100 + 100, 40 + 100)


ORDERS = st.permutations([f"d{number}" for number in range(7)])


@given(before=ORDERS, after=ORDERS, limits=st.tuples(st.integers(0, 7), st.integers(0, 7)))
def test_both_directions_tell_the_same(before: list[str], after: list[str], limits: tuple[int, int]) -> None:
    """New one way is out the other way, moved and reversed are the same both ways, and the counts add up."""
    one, other = ranked(*before, limit=limits[0]), ranked(*after, limit=limits[1])
    there, back = compare(one, other), compare(other, one)
    assert (there.count("new"), there.count("out")) == (back.count("out"), back.count("new"))
    assert (there.count("moved"), len(there.reversals)) == (back.count("moved"), len(back.reversals))
    assert there.count("same") + there.count("moved") + there.count("new") == limits[1]
    assert there.count("same") + there.count("moved") + there.count("out") == limits[0]
