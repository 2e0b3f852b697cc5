"""The query log as text and JSON, and what asking again made different."""

from __future__ import annotations

from collections.abc import Sequence

from kbtui.model import LogPage, LogRecord, Replayed, Totals
from kbtui.render.comparison import (
    Pair,
    comparison_text,
    comparison_value,
    difference_line,
    totals_text,
    totals_value,
)
from kbtui.render.json_parts import Json, dump, line_json
from kbtui.render.layout import folded, one_line, plural
from kbtui.settings import Value
from kbtui.store.log_lines import value_of

_INDENT = "    "


def log_text(page: LogPage, chosen: Sequence[LogRecord]) -> str:
    """Return records oldest first, and what is to be said of the log."""
    more = len(page.records) - len(chosen)
    lines = [f"and {plural(more, 'record')} more\n"] if more and chosen else []
    lines += ["nothing is logged\n"] if not chosen else []
    lines += [f"{plural(page.damaged, 'line')} damaged, and left out\n"] if page.damaged else []
    return "".join([*map(record_text, chosen), *lines])


def record_text(record: LogRecord) -> str:
    """Return a record in two lines or three: what it cost, what was asked, and what was particular about it."""
    head = [record.record_id, record.time[:19].replace("T", " "), record.face]
    if record.usage is not None:
        head += [
            plural(len(record.placings), "hit"),
            f"{record.usage.size_bytes:,} bytes",
            f"{record.usage.tokens:,} tokens",
        ]
    lines = ["  ".join([*(one_line(word, 24) for word in head), f"{record.elapsed_ms:,.0f} ms"])]
    lines.append(_INDENT + one_line(record.query.text, 76))
    particular = _particular(record)
    lines += folded(particular, _INDENT) if particular else []
    return "".join(f"{line}\n" for line in lines)


def _particular(record: LogRecord) -> str:
    filters = record.query.filters
    parts = [f"type {', '.join(record.query.source_types)}"] if record.query.source_types else []
    parts += [f"path {', '.join(filters.paths)}"] if filters.paths else []
    parts += [f"status {', '.join(filters.statuses)}"] if filters.statuses else []
    parts += ["inactive, too"] if filters.inactive else []
    parts += [f"{key}={_written(value)}" for key, value in record.changed]
    parts += ["degraded"] if record.degraded else []
    parts += [f"error: {record.error}"] if record.error else []
    return "; ".join(parts)


def log_json(page: LogPage, chosen: Sequence[LogRecord]) -> str:
    """Return records oldest first; ``total`` counts all of the log."""
    return dump(
        {
            "count": len(chosen),
            "total": len(page.records),
            "damaged": page.damaged,
            "records": [value_of(record) for record in chosen],
        }
    )


def record_line_json(record: LogRecord) -> str:
    """Return a record as one line of JSON."""
    return line_json(value_of(record))


def replay_text(replayed: Replayed, settings: Sequence[Pair]) -> str:
    """Return a record, and what asking it again made different."""
    said = record_text(replayed.record)
    if replayed.record.error:
        said += "it failed then: what it would get now is all new\n"
    if replayed.difference is None:
        return said + "".join(f"{line}\n" for line in folded(f"it fails now: {replayed.error}"))
    return f"{said}\n{comparison_text(replayed.difference, replayed.record.query.text, settings)}"


def replay_json(replayed: Replayed, settings: Sequence[Pair]) -> str:
    """Return a record, and what asking it again made different."""
    pairs = [{"key": key, "before": before, "after": after} for key, before, after in settings]
    return dump({"record": value_of(replayed.record), "settings": pairs, **_difference(replayed)})


def replays_text(replays: Sequence[Replayed], totals: Totals) -> str:
    """Return what became of every record, and what it adds up to."""
    lines = []
    for one in replays:
        said = f"it fails now: {one.error}" if one.difference is None else difference_line(one.difference)
        lines.append(f"{one.record.record_id}  {one_line(one.record.query.text, 66)}".rstrip())
        lines += folded(said, _INDENT)
    failed = sum(one.difference is None for one in replays)
    lines += [f"{failed} not answered"] if failed else []
    return "".join(f"{line}\n" for line in lines) + f"\n{totals_text(totals)}"


def replays_json(replays: Sequence[Replayed], totals: Totals) -> str:
    """Return what became of every record, and what it adds up to."""
    found = [{"id": one.record.record_id, "text": one.record.query.text, **_difference(one)} for one in replays]
    return dump({"replays": found, "totals": totals_value(totals)})


def _difference(replayed: Replayed) -> Json:
    difference = replayed.difference
    if difference is None:
        return {"error": replayed.error}
    generations = {"before": difference.before.generation, "after": difference.after.generation}
    return {"generation": generations, **comparison_value(difference)}


def _written(value: Value) -> str:
    return "none" if value is None else f"{value:,}"
