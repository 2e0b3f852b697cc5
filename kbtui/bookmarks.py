"""Bookmarks: questions with a name, with the types and settings they are asked with; tables of a ``kbtui.toml``.

::

    [bookmark."state providers"]
    question = "how do state providers work"
    types = ["guide"]
    settings.limit = 8
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from kbtui.errors import UsageError
from kbtui.settings import Value

BOOKMARK = "bookmark"
"""The table of bookmarks: ``[bookmark.NAME]``."""

_KEYS = ("question", "types", "settings")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bookmark:
    """A question by its name; ``values`` are the settings that differ from what the files say, ``file`` holds it."""

    name: str
    question: str
    source_types: tuple[str, ...] = ()
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
    question, types, chosen = table.get("question"), table.get("types", []), table.get("settings", {})
    if not isinstance(question, str) or not question.strip():
        raise UsageError(f"{BOOKMARK} {name} has no question", 'Write: question = "..."')
    if not isinstance(types, list) or not all(isinstance(one, str) and one.strip() for one in types):
        raise UsageError(f"the types of {BOOKMARK} {name} are no list of texts", 'Write: types = ["guide"]')
    if not isinstance(chosen, Mapping):
        raise UsageError(f"the settings of {BOOKMARK} {name} are no table", "Write: settings.limit = 8")
    return Bookmark(name=name, question=question, source_types=tuple(types), values=settings(chosen), file=file)
