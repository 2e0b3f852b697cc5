"""What is different between two answers, as text for people and JSON for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kbtui.model import Compared, Comparison, Move, Placing, Ranking, Shift, Totals
from kbtui.render.json_parts import Json, dump
from kbtui.render.layout import folded, one_line, plural, table
from kbtui.settings import Settings, Value
from kbtui.text import safe_line

_COUNTED: tuple[Shift, ...] = ("moved", "new", "out")
_INDENT = "    "

Pair = tuple[str, Value, Value]
"""A setting with its value before and after."""


def settings_between(before: Settings, after: Settings) -> tuple[Pair, ...]:
    """Return every setting that differs, with both values, in the register's order."""
    return tuple((key, before.get(key), value) for key, value in after.differing(before).items())


def difference_line(difference: Comparison) -> str:
    """Return what is different in one line: ``3 moved, 1 new, 1 out; largest 9 to 2``."""
    parts = [f"{number} {change}" for change in _COUNTED if (number := difference.count(change))]
    if difference.recut:
        parts.append(f"{difference.recut} cut otherwise")
    said = ", ".join(parts) or "no document moved"
    largest = difference.largest
    if largest is not None and largest.before is not None and largest.after is not None:
        said += f"; largest {largest.before.rank} to {largest.after.rank}"
    return said


def comparison_text(difference: Comparison, question: str, settings: Sequence[Pair]) -> str:
    """Return two rankings side by side: both ranks, scores and fates of every document of either response."""
    lines = [one_line(question), difference_line(difference)]
    lines += [line for pair in settings for line in folded(_setting(pair))]
    lines += _context_lines(difference)
    if difference.moves:
        head = ("before", "after", "", "type", "score", "", "fate", "")
        found = table([head, *map(_figures, difference.moves)], ">><<>><<")
        lines += ["", found[0]]
        for line, move in zip(found[1:], difference.moves, strict=True):
            lines.append(line)
            title = next((one.title for one in (move.after, move.before) if one is not None and one.title), "")
            lines += [_INDENT + one_line(title, 76)] if title else []
            lines.append(_INDENT + safe_line(move.doc_id))
    if difference.reversals:
        lines += ["", f"{plural(len(difference.reversals), 'pair')} in the other order than before:"]
        lines += [f"{_INDENT}{safe_line(low)} now behind {safe_line(high)}" for low, high in difference.reversals]
    return "".join(f"{line}\n" for line in lines)


def comparison_json(compared: Compared, settings: Sequence[Pair]) -> str:
    """Return one question under two settings."""
    query = compared.after.query
    return dump(
        {"query": {"text": query.text, "types": list(query.source_types)}} | _value(compared.difference, settings)
    )


def _value(difference: Comparison, settings: Sequence[Pair]) -> Json:
    return {
        "settings": [{"key": key, "before": before, "after": after} for key, before, after in settings],
        **comparison_value(difference),
        "before": _ranking(difference.before),
        "after": _ranking(difference.after),
    }


def comparison_value(difference: Comparison) -> Json:
    """Return what is different, without the settings."""
    return {
        "summary": difference_line(difference),
        **{change: difference.count(change) for change in _COUNTED},
        "cut_otherwise": difference.recut,
        "same_context": difference.same_context,
        "moves": [
            {"id": move.doc_id, "change": move.change, "before": _placing(move.before), "after": _placing(move.after)}
            for move in difference.moves
        ],
        "reversals": [list(pair) for pair in difference.reversals],
    }


def totals_text(totals: Totals) -> str:
    """Return what many comparisons add up to."""
    lines = [
        f"{plural(totals.questions, 'question')}: {totals.changed} changed",
        (
            f"{totals.moved} moved, {totals.new} new, {totals.out} out, {totals.reversals} reversed, "
            f"{totals.recut} cut otherwise"
        ),
        (
            f"context: {totals.before.size_bytes:,} -> {totals.after.size_bytes:,} bytes, "
            f"{totals.before.tokens:,} -> {totals.after.tokens:,} tokens"
        ),
    ]
    return "".join(f"{line}\n" for line in lines)


def totals_value(totals: Totals) -> Json:
    """Return what many comparisons add up to."""
    return {
        "questions": totals.questions,
        "changed": totals.changed,
        "moved": totals.moved,
        "new": totals.new,
        "out": totals.out,
        "reversals": totals.reversals,
        "cut_otherwise": totals.recut,
        "before": {"bytes": totals.before.size_bytes, "tokens": totals.before.tokens},
        "after": {"bytes": totals.after.size_bytes, "tokens": totals.after.tokens},
    }


def comparisons_json(lines: Sequence[Mapping[str, object]], settings: Sequence[Pair], totals: Totals) -> str:
    """Return the comparisons of many questions and what they add up to."""
    changed = [{"key": key, "before": before, "after": after} for key, before, after in settings]
    return dump({"settings": changed, "questions": [dict(line) for line in lines], "totals": totals_value(totals)})


def comparison_line(difference: Comparison, question: str) -> str:
    """Return the comparison of one question of many."""
    return f"{one_line(question)}\n{_INDENT}{difference_line(difference)}\n"


def settings_text(settings: Sequence[Pair]) -> str:
    """Return which settings differ, one a line."""
    return "".join(f"{line}\n" for pair in settings for line in folded(_setting(pair)))


def _setting(pair: Pair) -> str:
    key, before, after = pair
    return f"{key}: {_written(before)} -> {_written(after)}"


def _written(value: Value) -> str:
    return "none" if value is None else f"{value:,}"


def _context_lines(difference: Comparison) -> list[str]:
    before, after = difference.before, difference.after
    same = {True: ", the same text", False: "", None: ""}[difference.same_context]
    lines = [
        (
            f"context: {before.usage.size_bytes:,} -> {after.usage.size_bytes:,} bytes, "
            f"{before.usage.tokens:,} -> {after.usage.tokens:,} tokens{same}"
        )
    ]
    if before.generation != after.generation:
        lines.append(f"generation: {one_line(before.generation, 30)} -> {one_line(after.generation, 30)}")
    if before.degraded or after.degraded:
        which = {(True, True): "both are", (True, False): "the one before is", (False, True): "the one after is"}
        lines.append(f"warning: {which[before.degraded, after.degraded]} degraded: some pool did not answer in full")
    return lines


def _figures(move: Move) -> tuple[str, ...]:
    before, after = move.before, move.after
    source_type = next((one.source_type for one in (after, before) if one is not None and one.source_type), "")
    return (
        _rank(before),
        _rank(after),
        "" if move.change == "same" else move.change,
        one_line(source_type, 10),
        _score(before),
        _score(after),
        _fate(before),
        _fate(after),
    )


def _rank(placing: Placing | None) -> str:
    return "-" if placing is None else str(placing.rank)


def _fate(placing: Placing | None) -> str:
    if placing is None:
        return "-"
    known = placing.fate == "trimmed" and placing.kept_bytes is not None
    return f"{placing.fate} to {placing.kept_bytes:,}" if known else placing.fate


def _score(placing: Placing | None) -> str:
    return "-" if placing is None or placing.score is None else f"{placing.score:.3f}"


def _placing(placing: Placing | None) -> Json | None:
    if placing is None:
        return None
    return {"rank": placing.rank, "score": placing.score, "fate": placing.fate, "kept_bytes": placing.kept_bytes}


def _ranking(ranking: Ranking) -> Json:
    usage = ranking.usage
    return {
        "count": sum(placing.fate != "outranked" for placing in ranking.placings),
        "usage": {"bytes": usage.size_bytes, "tokens": usage.tokens, "items": usage.items},
        "generation": ranking.generation,
        "degraded": ranking.degraded,
    }
