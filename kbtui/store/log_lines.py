"""A record of the query log as a line of JSON, and back; ASCII, so that a terminal may be shown one."""

from __future__ import annotations

import json
from typing import Any, get_args

from kbtui.errors import UsageError
from kbtui.model import Fate, Filters, LogRecord, Placing, Query, Usage
from kbtui.settings import Value, check


def line_of(record: LogRecord) -> bytes:
    """Return a record as one line, its end included."""
    return json.dumps(value_of(record)).encode() + b"\n"


def value_of(record: LogRecord) -> dict[str, object]:
    """Return a record as JSON has it, keys in a fixed order."""
    query, usage = record.query, record.usage
    said: dict[str, object] = {
        "id": record.record_id,
        "time": record.time,
        "face": record.face,
        "text": query.text,
        "types": list(query.source_types),
        "paths": list(query.filters.paths),
        "statuses": list(query.filters.statuses),
        "inactive": query.filters.inactive,
        "include": list(query.include),
        "settings": record.settings_hash,
        "values": dict(record.values),
        "changed": dict(record.changed),
        "results": [
            {
                "id": one.doc_id,
                "type": one.source_type,
                "score": one.score,
                "fate": one.fate,
                "kept_bytes": one.kept_bytes,
            }
            for one in record.placings
        ],
        "usage": usage and {"bytes": usage.size_bytes, "tokens": usage.tokens, "items": usage.items},
        "elapsed_ms": round(record.elapsed_ms, 3),
        "generation": record.generation,
        "degraded": record.degraded,
        "context_hash": record.context_hash,
    }
    if record.error:
        said["error"] = {"message": record.error, "exit_code": record.exit_code}
    return said


def record_of(line: bytes) -> LogRecord | None:
    """Return the record that a line holds, None for a line that holds none."""
    try:
        said = json.loads(line)
        return _record(said)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _record(said: dict[str, Any]) -> LogRecord:
    usage, error = said["usage"], said.get("error", {})
    return LogRecord(
        record_id=_text(said["id"]),
        time=_text(said["time"]),
        face=_text(said["face"]),
        query=Query(
            text=_text(said["text"]),
            source_types=tuple(map(_text, said["types"])),
            filters=Filters(
                paths=tuple(map(_text, said["paths"])),
                statuses=tuple(map(_text, said["statuses"])),
                inactive=bool(said["inactive"]),
            ),
            include=tuple(map(_text, said.get("include", ()))),
        ),
        settings_hash=_text(said["settings"]),
        values=_values(said["values"]),
        changed=_values(said["changed"]),
        placings=tuple(_placing(rank, one) for rank, one in enumerate(said["results"], start=1)),
        usage=usage and Usage(size_bytes=int(usage["bytes"]), tokens=int(usage["tokens"]), items=int(usage["items"])),
        elapsed_ms=float(said["elapsed_ms"]),
        generation=_text(said["generation"]),
        degraded=bool(said["degraded"]),
        context_hash=_text(said["context_hash"]),
        error=_text(error.get("message", "")),
        exit_code=int(error.get("exit_code", 0)),
    )


def _placing(rank: int, said: dict[str, Any]) -> Placing:
    if said["fate"] not in get_args(Fate):
        raise ValueError(said["fate"])
    score = None if said["score"] is None else float(said["score"])
    kept = said.get("kept_bytes")  # records of before it was kept do not have it
    return Placing(
        doc_id=_text(said["id"]),
        rank=rank,
        fate=said["fate"],
        source_type=_text(said["type"]),
        score=score,
        kept_bytes=None if kept is None else int(kept),
    )


def _values(said: dict[str, Any]) -> tuple[tuple[str, Value], ...]:
    """Return settings; those that another version had, and this one does not know, are left out."""
    found: list[tuple[str, Value]] = []
    for key, value in said.items():
        try:
            found.append((key, check(key, value)))
        except UsageError:
            continue
    return tuple(found)


def _text(said: object) -> str:
    if not isinstance(said, str):
        raise TypeError(said)
    return said
