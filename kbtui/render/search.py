"""Lines found in texts, as text for people and JSON for programs; what is behind the limit is said in both."""

from __future__ import annotations

from kbtui.model import TextLine, TextLines
from kbtui.render.json_parts import Json, dump, span_json
from kbtui.render.layout import at_least, folded, plural
from kbtui.text import safe_line


def lines_json(found: TextLines) -> str:
    """Return a page of lines; the keys that say that something is missing only where it is."""
    query = found.query
    asked: Json = {
        "pattern": query.pattern,
        "regex": query.regex,
        "word": query.word,
        "ignore_case": query.ignore_case,
        "paths": list(query.paths),
        "types": list(query.source_types),
        "limit": found.limit,
    }
    out: Json = {"query": asked, "count": len(found.lines), "total": found.total}
    out |= {"total_relation": found.total_relation, "documents": found.documents}
    if _bound(found):
        out |= {"_truncated_by_limit": True, "_limit_applied": found.limit}
    if found.requested is not None:
        out["_limit_requested"] = found.requested
    if found.total_relation != "eq":
        out["count_is_exact"] = False
    if note := " ".join(_notes(found)):
        out["truncation_note"] = note
    if found.cursor:
        out["cursor"] = found.cursor
    return dump(out | {"lines": [_line(line) for line in found.lines]})


def lines_text(found: TextLines) -> str:
    """Return ``path:number:text`` line by line, then how many there are and how to go on."""
    lines = [f"{safe_line(line.path)}:{line.number}:{_shown(line)}" for line in found.lines]
    searched = plural(found.documents, "document")
    if not found.total:
        return f"no line matches in {searched}\n"
    lines += ["", f"{len(found.lines):,} of {_total(found)} lines that match, in {searched} searched"]
    lines += [line for note in _notes(found) for line in folded(note)]
    if found.cursor:
        lines.append(f"cursor: {found.cursor}")
    return "".join(f"{line}\n" for line in lines)


def _line(line: TextLine) -> Json:
    out: Json = {"path": line.path, "type": line.source_type, "line": line.number, "span": span_json(line.span)}
    out |= {} if line.span_is_exact else {"span_is_exact": False}
    out |= {"matches": [span_json(match) for match in line.matches], "text": line.text}
    return out | ({} if line.text_is_whole else {"text_is_whole": False})


def _shown(line: TextLine) -> str:
    return line.text if line.text_is_whole else f"\u2026{line.text}\u2026"


def _bound(found: TextLines) -> bool:
    return bool(found.cursor) and len(found.lines) == found.limit


def _total(found: TextLines) -> str:
    return at_least(found.total, found.total_relation)


def _notes(found: TextLines) -> list[str]:
    """Return in words which bound cut what, and what helps."""
    notes = []
    if _bound(found):
        notes.append(
            f"cut by limit {found.limit:,}: this page holds {len(found.lines):,} of {_total(found)} lines that match. "
            "Go on with --cursor, or narrow with --path or --type; they are applied before the limit."
        )
    if found.requested is not None:
        notes.append(
            f"{found.requested:,} lines were asked for; the ceiling is {found.limit:,} "
            "(KBTUI_SEARCH_TEXT_MAX_LIMIT). A larger --limit does not help."
        )
    if found.total_relation != "eq":
        notes.append("The time was over before all documents were searched: the total is a lower bound. See --timeout.")
    return notes
