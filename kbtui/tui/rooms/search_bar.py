"""What is searched for: the pattern, the types and paths it is limited to, and how it is taken."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input

from kbtui.model import TextQuery
from kbtui.tui import keymap
from kbtui.tui.ink import Line, Run
from kbtui.tui.widgets.lines import Plate
from kbtui.tui.widgets.query_bar import Field

ROOM = "search"
SWITCHES = (("regex", "regex"), ("word", "whole words"), ("ignore_case", "any case"))
"""Each way to take a pattern, by the field of the query, and its name."""


class PatternField(Field):
    """A field of the search; enter and down lead to what was found."""

    ROOM = ROOM
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Search", id="search.ask", tooltip="Search now, and go to the lines"),
        Binding("down", "screen.to_hits", "Lines", id="search.to_lines", tooltip="Go to the lines"),
    ]


class SearchBar(Horizontal):
    """Three fields on one line: pattern, types, paths."""

    DEFAULT_CSS = """
    SearchBar { height: 3; }
    SearchBar Field { height: 1; border: none; padding: 0 1; background: transparent; }
    SearchBar Field:focus { border: none; }
    SearchBar #pattern { width: 1fr; }
    SearchBar #search-types, SearchBar #search-paths { width: 18; }
    """
    ROOM = ROOM

    class Changed(Message):
        """Something else is to be searched for; ``now`` when it was confirmed rather than typed on."""

        def __init__(self, *, now: bool) -> None:
            super().__init__()
            self.now = now

    def __init__(self, query: TextQuery) -> None:
        super().__init__(id="search-bar")
        self.pattern = PatternField(query.pattern, placeholder="text to find", id="pattern", compact=True)
        self.types = PatternField(
            " ".join(query.source_types), placeholder="all types", id="search-types", compact=True
        )
        self.paths = PatternField(" ".join(query.paths), placeholder="all paths", id="search-paths", compact=True)
        self.border_title = "search text"

    def compose(self) -> ComposeResult:
        """Lay the fields side by side."""
        yield self.pattern
        yield self.types
        yield self.paths

    def asked(self, how: TextQuery) -> TextQuery:
        """Return what the fields say, to be taken as another query was; a path without a star is a part of one."""
        paths = [path if "*" in path else f"*{path}*" for path in self.paths.value.replace(",", " ").split()]
        types = self.types.value.replace(",", " ").split()
        return replace(
            how,
            pattern=self.pattern.value,
            source_types=tuple(dict.fromkeys(types)),
            paths=tuple(dict.fromkeys(paths)),
        )

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search soon."""
        event.stop()
        self.post_message(self.Changed(now=False))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Search now."""
        event.stop()
        self.post_message(self.Changed(now=True))


class Switches(Plate):
    """How the pattern is taken: each way with its key, filled where it is on; a click turns it."""

    DEFAULT_CSS = "Switches { height: 1; padding: 0 1; }"
    ROOM = ROOM

    class Turned(Message):
        """A switch was clicked."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self) -> None:
        super().__init__(id="search-switches")
        self._query = TextQuery(pattern="")

    def show(self, query: TextQuery) -> None:
        """Show how this one is taken."""
        self._query = query
        self.refresh()

    def _parts(self) -> list[tuple[str, list[Run]]]:
        parts = []
        for name, words in SWITCHES:
            on = bool(getattr(self._query, name))
            key = keymap.shown(keymap.keys_of(self.app, f"search.{name}")[:1])
            runs = [
                (key, "key"),
                (" ● " if on else " ○ ", "accent" if on else "dim"),
                (words, "strong" if on else "dim"),
            ]
            parts.append((name, [*runs, ("   ", "")]))
        return parts

    def lines(self, width: int) -> list[Line]:
        """Return the one line."""
        del width
        return [tuple(run for _, runs in self._parts() for run in runs)]

    def on_click(self, event: events.Click) -> None:
        """Turn the switch under the mouse."""
        at = event.x - self.gutter.left
        for name, runs in self._parts():
            width = sum(len(run) for run, _ in runs)
            if 0 <= at < width:
                self.post_message(self.Turned(name))
                return
            at -= width
