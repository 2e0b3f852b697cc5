"""Which documents may answer, as words in a field: types, and what else `kbtui query` can be limited to; pure.

::

    guide decision path:docs/* path:"my notes/*" status:accepted is:inactive

A plain word is a type, as ``type:`` before it says, too. Words end at spaces and commas; double quotes hold both, and
in them a backslash stands before a quote or a backslash.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from difflib import get_close_matches

from kbtui import text
from kbtui.errors import UsageError
from kbtui.model import Filters, Query

KNOWN = "TYPE  path:GLOB  status:NAME  is:inactive"
"""What can be written, in words."""

_INACTIVE = "inactive"
_EXAMPLES = {"type": "type:guide", "path": "path:docs/*", "status": "status:accepted", "is": f"is:{_INACTIVE}"}
_SPLITS = " \t\r\n,"


def limited(question: str, words: str) -> Query:
    """Return a question with the types and filters that some words say, each once, in their order.

    Errors: UsageError for a word with a prefix that is none, one without a value, and a quote that is not closed.
    """
    found: dict[str, dict[str, None]] = {name: {} for name in _EXAMPLES}
    for word in _split(words):
        name, value = _named(word)
        found[name][value] = None
    return Query(
        text=question,
        source_types=tuple(found["type"]),
        filters=Filters(paths=tuple(found["path"]), statuses=tuple(found["status"]), inactive=bool(found["is"])),
    )


def written(query: Query) -> str:
    """Return the words that say what a question is limited to, "" for nothing."""
    words = [("type:" if ":" in name else "") + _quoted(name) for name in query.source_types]
    words += [f"path:{_quoted(path)}" for path in query.filters.paths]
    words += [f"status:{_quoted(status)}" for status in query.filters.statuses]
    words += [f"is:{_INACTIVE}"] if query.filters.inactive else []
    return " ".join(words)


def count(query: Query) -> int:
    """Return how many words say what a question is limited to."""
    filters = query.filters
    return len(query.source_types) + len(filters.paths) + len(filters.statuses) + filters.inactive


def safe(query: Query) -> Query:
    """Return a question that came from elsewhere as it can stand in the fields; ids of included documents stay."""
    filters = query.filters
    types, paths, statuses = (
        tuple(map(text.safe_line, names)) for names in (query.source_types, filters.paths, filters.statuses)
    )
    return replace(
        query,
        text=text.safe_line(query.text),
        source_types=types,
        filters=replace(filters, paths=paths, statuses=statuses),
    )


def _split(words: str) -> list[str]:
    """Return the words, without their quotes.

    Errors: UsageError for a quote that is not closed.
    """
    lexer = shlex.shlex(words, posix=True)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters, lexer.quotes = _SPLITS, True, "", '"'
    try:
        return list(lexer)
    except ValueError:
        raise UsageError(f"a quote is not closed in: {words}", 'Write: path:"my notes/*"') from None


def _named(word: str) -> tuple[str, str]:
    """Return what a word limits, and to what.

    Errors: UsageError for anything else.
    """
    name, colon, value = word.partition(":")
    if not colon:
        return "type", word
    if name not in _EXAMPLES:
        near = get_close_matches(name, _EXAMPLES, n=1)
        hint = f"Did you mean {near[0]}:? " if near else ""
        raise UsageError(f"no filter is called {name!r}", f"{hint}Filters: {KNOWN}")
    if not value or (name == "is" and value != _INACTIVE):
        said = f"{name}: does not take {value!r}" if value else f"{name}: names nothing"
        raise UsageError(said, f"Write: {_EXAMPLES[name]}")
    return name, value


def _quoted(value: str) -> str:
    """Return a value as it is written: in quotes where something in it would end it or be taken for a quote."""
    if not any(sign in value for sign in (*_SPLITS, '"', "\\")):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
