"""A record of the query log, for tests of all that writes, reads and shows one."""

from __future__ import annotations

from kbtui.model import Filters, LogRecord, Placing, Query, Usage


def record(number: int = 1, text: str = "retry backoff", error: str = "") -> LogRecord:
    """Return a record of a query."""
    return LogRecord(
        record_id=f"{number:010x}",
        time="2026-12-01T05:18:04.373+00:00",
        face="cli",
        query=Query(text=text, source_types=("pull",), filters=Filters(paths=("a/*",), statuses=("open",))),
        settings_hash="fecc3bbac4fe",
        values=(("budget.bytes", None), ("limit", 3)),
        changed=(("limit", 3),),
        placings=()
        if error
        else (Placing(doc_id="a.md", rank=1, fate="whole", source_type="pull", score=0.5, kept_bytes=12),),
        usage=None if error else Usage(size_bytes=100, tokens=25, items=1),
        elapsed_ms=12.5,
        generation="000001",
        context_hash="abc",
        error=error,
        exit_code=5 if error else 0,
    )
