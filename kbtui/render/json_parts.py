"""The parts that more than one JSON has, and how all of it is written: ASCII, keys in a fixed order."""

from __future__ import annotations

import json

from kbtui.model import Document, Notice, Span

Json = dict[str, object]


def dump(value: Json) -> str:
    """Return JSON in ASCII; DEL is the one control character that ``json`` leaves as it is."""
    return json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False).replace("\x7f", "\\u007f") + "\n"


def line_json(value: Json) -> str:
    """Return the same JSON as one line."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False).replace("\x7f", "\\u007f") + "\n"


def document_json(document: Document) -> Json:
    """Return what names a document; its status where it has one."""
    out: Json = {
        "id": document.doc_id,
        "path": document.path,
        "title": document.title,
        "type": document.source_type,
    }
    if document.status:
        out["status"] = document.status
    return out | ({"superseded": True} if document.superseded else {})


def notice_json(notice: Notice) -> Json:
    """Return a notice; its remedy where there is one."""
    out: Json = {"severity": notice.severity, "code": notice.code, "message": notice.message}
    return out | ({"remedy": notice.remedy} if notice.remedy else {})


def span_json(span: Span) -> Json:
    """Return a range of byte offsets."""
    return {"start": span.start, "end": span.end}
