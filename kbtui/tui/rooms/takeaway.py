"""What the rooms write to files, beside the picture: what the CLI prints of the same, and rows as CSV; pure."""

from __future__ import annotations

from kbtui import render
from kbtui.model import LogPage, LogRecord, Status, Survey, TextLines, Why
from kbtui.tui import copies, only
from kbtui.tui.export import Export


def of_corpus(status: Status, survey: Survey) -> tuple[Export, ...]:
    """Return what `kbtui status` prints, and a line for every type."""
    rows = (
        (each.tier, each.source_type, each.documents, each.chunks, each.embedded, each.size_bytes, each.tokens)
        for each in status.types
    )
    names = ("tier", "type", "documents", "passages", "embedded", "bytes", "tokens")
    return (
        _json(render.status_json(status, survey), "what `kbtui status --json` prints"),
        _csv(copies.as_table(names, rows), "a line for every type"),
        _text(render.status_text(status, survey), "what `kbtui status` prints"),
    )


def of_log(page: LogPage, shown: tuple[LogRecord, ...]) -> tuple[Export, ...]:
    """Return the records that are shown, oldest first."""
    chosen = tuple(reversed(shown))
    names = ("id", "time", "face", "question", "filters", "documents", "bytes", "tokens", "ms", "generation", "error")
    return (
        _json(render.log_json(page, chosen), "the records that are shown, as `kbtui log --json` has them"),
        _csv(copies.as_table(names, map(_record, chosen)), "a line for every record that is shown"),
        _text(render.log_text(page, chosen), "the records that are shown, as `kbtui log` prints them"),
    )


def _record(record: LogRecord) -> tuple[object, ...]:
    usage = record.usage
    cost = (usage.items, usage.size_bytes, usage.tokens) if usage is not None else ("", "", "")
    asked = (record.query.text, only.written(record.query))
    took = (round(record.elapsed_ms, 1), record.generation, record.error)
    return (record.record_id, record.time, record.face, *asked, *cost, *took)


def of_why(why: Why) -> tuple[Export, ...]:
    """Return what `kbtui why` prints, and a line for every change that brings the document in."""
    names = ("setting", "before", "after", "steps", "rank", "fate", "out")
    rows = (
        (each.key, each.before, each.after, each.steps, each.rank, each.fate, " ".join(each.out))
        for each in why.changes
    )
    return (
        _json(render.why_json(why), "what `kbtui why --json` prints"),
        _csv(copies.as_table(names, rows), "a line for every change that brings it in"),
        _text(render.why_text(why), "what `kbtui why` prints"),
    )


def of_search(found: TextLines) -> tuple[Export, ...]:
    """Return the lines that are here."""
    rows = ((each.path, each.number, each.source_type, each.text) for each in found.lines)
    return (
        _json(render.lines_json(found), "the lines that are here, as `kbtui search --json` has them"),
        _csv(copies.as_table(("path", "line", "type", "text"), rows), "each line that is here"),
        _text("".join(f"{each.path}:{each.number}:{each.text}\n" for each in found.lines), "as grep prints them"),
    )


def _json(content: str, said: str) -> Export:
    return Export(key="j", name="JSON", help=said, suffix="json", content=lambda _: content)


def _csv(content: str, said: str) -> Export:
    return Export(key="c", name="CSV", help=said, suffix="csv", content=lambda _: content)


def _text(content: str, said: str) -> Export:
    return Export(key="t", name="text", help=said, suffix="txt", content=lambda _: content)
