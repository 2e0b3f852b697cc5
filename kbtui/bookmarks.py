"""Bookmarks: questions with a name, their filters and the settings they are asked with; tables of a ``kbtui.toml``.

::

    [bookmark."state providers"]
    question = "how do state providers work"
    types = ["guide"]
    paths = ["docs/*"]
    statuses = ["accepted"]
    inactive = true
    settings.limit = 8
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from kbtui.errors import UsageError
from kbtui.model import Filters, Query
from kbtui.settings import Value

BOOKMARK = "bookmark"
"""The table of bookmarks: ``[bookmark.NAME]``."""

LISTS = (("types", "guide"), ("paths", "docs/*"), ("statuses", "accepted"))
"""What a bookmark can be limited to by several names, each with an example."""

_KEYS = ("question", *(name for name, _ in LISTS), "inactive", "settings")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bookmark:
    """A question by its name; ``values`` are the settings that differ from what the files say, ``file`` holds it."""

    name: str
    query: Query
    values: tuple[tuple[str, Value], ...] = ()
    file: str = ""


def bookmark_of(
    name: str, table: object, settings: Callable[[Mapping[str, object]], tuple[tuple[str, Value], ...]], file: str
) -> Bookmark:
    """Return the bookmark that a table is; ``settings`` reads the settings in it.

    Errors: UsageError for anything else.
    """
    if not isinstance(table, Mapping):
        raise UsageError(f"{BOOKMARK}.{name} is no table", f"Bookmarks are: [{BOOKMARK}.NAME]")
    for key in table:
        if key not in _KEYS:
            near = get_close_matches(key, _KEYS, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"It holds {', '.join(_KEYS)}."
            raise UsageError(f"unknown key {key!r} in {BOOKMARK} {name}", hint)
    question, inactive, chosen = table.get("question"), table.get("inactive", False), table.get("settings", {})
    if not isinstance(question, str) or not question.strip():
        raise UsageError(f"{BOOKMARK} {name} has no question", 'Write: question = "..."')
    types, paths, statuses = (_texts(name, table, key, example) for key, example in LISTS)
    if not isinstance(inactive, bool):
        raise UsageError(f"inactive of {BOOKMARK} {name} is neither true nor false", "Write: inactive = true")
    if not isinstance(chosen, Mapping):
        raise UsageError(f"the settings of {BOOKMARK} {name} are no table", "Write: settings.limit = 8")
    filters = Filters(paths=paths, statuses=statuses, inactive=inactive)
    query = Query(text=question, source_types=types, filters=filters)
    return Bookmark(name=name, query=query, values=settings(chosen), file=file)


def _texts(name: str, table: Mapping[str, object], key: str, example: str) -> tuple[str, ...]:
    """Return a list of texts in a bookmark's table.

    Errors: UsageError for anything else.
    """
    found = table.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, str) and one.strip() for one in found):
        raise UsageError(f"the {key} of {BOOKMARK} {name} are no list of texts", f'Write: {key} = ["{example}"]')
    return tuple(found)
