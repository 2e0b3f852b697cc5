"""The forms in which an answer leaves the app: as JSON, as a shell line, as an MCP call, as CSV."""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from kbtui import render, text
from kbtui.model import Answer, Query, Row, TextQuery
from kbtui.settings import Settings, Value

FLAGS = {
    "limit": "limit",
    "expand": "expand",
    "budget.bytes": "max-bytes",
    "budget.tokens": "max-tokens",
    "budget.document_bytes": "per-document",
}
"""The settings that have an option of their own."""
_COLUMNS = (
    "rank",
    "fate",
    "origin",
    "tier",
    "type",
    "score",
    "penalty",
    "bytes",
    "tokens",
    "kept_bytes",
    "kept_tokens",
    "id",
    "path",
    "title",
)


def as_json(answer: Answer) -> str:
    """Return what `kbtui query --json` prints."""
    return render.answer_json(answer)


def everything_as_json(answer: Answer) -> str:
    """Return what `kbtui query --json` prints with all that it can be asked for."""
    return render.answer_json(answer, candidates=True, context=True, explain=True, trace=True)


def turned(settings: Settings, loaded: Settings) -> list[tuple[str, Value]]:
    """Return every setting to name, so that the answer is the same whatever the configuration files say.

    Those are the ones that differ from their defaults, here or in what the app was started with.
    """
    names = {key for key, _ in (*settings.changed, *loaded.changed)}
    ordered = [key for key in (*settings.keys(), *loaded.keys()) if key in names]
    return [(key, settings.get(key)) for key in dict.fromkeys(ordered)]


def command_line(query: Query, settings: Settings, loaded: Settings, store: Path) -> str:
    """Return the shell line that prints the same answer as JSON."""
    words = ["kbtui", "query"]
    dashed = query.text.startswith("-")
    if not dashed:
        words.append(query.text)
    words += ["--store", str(store)]
    words += _asked(query, settings, loaded)
    words.append("--json")
    if dashed:
        words += ["--", query.text]
    return shlex.join(words)


def _option(name: str, value: str) -> list[str]:
    """Return an option with its value; in one word where the value looks like an option itself."""
    return [f"{name}={value}"] if value.startswith("-") else [name, value]


def _asked(query: Query, settings: Settings, loaded: Settings) -> list[str]:
    """Return the options that a question, its filters and its settings are written as."""
    words: list[str] = []
    for name, values in (
        ("--type", query.source_types),
        ("--path", query.filters.paths),
        ("--status", query.filters.statuses),
        ("--include", query.include),
    ):
        words += [word for value in values for word in _option(name, value)]
    if query.filters.inactive:
        words.append("--inactive")
    for key, value in turned(settings, loaded):
        written = "none" if value is None else str(value)
        words += _option(f"--{FLAGS[key]}", written) if key in FLAGS else ["--set", f"{key}={written}"]
    return words


def why_command(doc_id: str, query: Query, settings: Settings, loaded: Settings, store: Path) -> str:
    """Return the shell line that prints why a document is, or is not, in the answer."""
    words = ["--store", str(store), *_option("--query", query.text), *_asked(query, settings, loaded)]
    named = [*words, "--", doc_id] if doc_id.startswith("-") else [doc_id, *words]
    return shlex.join(["kbtui", "why", *named])


def search_command(query: TextQuery, store: Path) -> str:
    """Return the shell line that prints the lines a search of texts found."""
    words = ["kbtui", "search"]
    dashed = query.pattern.startswith("-")
    words += [] if dashed else [query.pattern]
    words += ["--store", str(store)]
    for flag, on in (("--regex", query.regex), ("--word", query.word), ("--ignore-case", query.ignore_case)):
        words += [flag] if on else []
    for name, values in (("--type", query.source_types), ("--path", query.paths)):
        words += [word for value in values for word in _option(name, value)]
    return shlex.join([*words, "--", query.pattern] if dashed else words)


def mcp_call(query: Query, settings: Settings, loaded: Settings) -> str:
    """Return the call of the tool that gives an agent the same answer, as JSON."""
    arguments: dict[str, object] = {"query": query.text}
    for name, values in (
        ("types", query.source_types),
        ("paths", query.filters.paths),
        ("statuses", query.filters.statuses),
        ("include", query.include),
    ):
        if values:
            arguments[name] = list(values)
    if query.filters.inactive:
        arguments["inactive"] = True
    others: dict[str, Value] = {}
    for key, value in turned(settings, loaded):
        if key in FLAGS:
            arguments[FLAGS[key].replace("-", "_")] = value
        else:
            others[key] = value
    if others:
        arguments["set"] = others
    return json.dumps({"name": "query_documents", "arguments": arguments}, ensure_ascii=False, indent=2) + "\n"


def as_csv(answer: Answer) -> str:
    """Return every row of the list, those behind the limit included, under a line of names."""
    return as_table(_COLUMNS, map(_cells, (*answer.rows, *answer.behind)))


def as_table(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV under a line of names; whatever text is in them is foreign, and made harmless."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([_cell(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return out.getvalue()


def _cells(row: Row) -> tuple[object, ...]:
    document, scored, allocation = row.document, row.scored, row.allocation
    return (
        row.rank,
        allocation.decision,
        row.origin,
        scored.tier,
        scored.source_type,
        scored.score,
        scored.penalty,
        allocation.cost.size_bytes or document.text_bytes,
        allocation.cost.tokens or document.tokens,
        allocation.kept.size_bytes,
        allocation.kept.tokens,
        document.doc_id,
        document.path,
        document.title,
    )


def _cell(foreign: str) -> str:
    """Return foreign text on one line; where a spreadsheet would run it as a formula, an apostrophe keeps it text."""
    safe = text.safe_line(foreign)
    return f"'{safe}" if safe.startswith(("=", "+", "-", "@")) else safe
