"""The tab line: the names of the panes, each with the letter that opens it."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.reactive import reactive

from kbtui.tui import keymap
from kbtui.tui.ink import Line, Run
from kbtui.tui.widgets.lines import Plate


@dataclass(frozen=True, slots=True)
class Pane:
    """A pane: its name, the letter of the name that opens it, and what it shows."""

    name: str
    letter: str
    summary: str


RESULTS = "results"
PANES = (
    Pane("explain", "e", "Why a row is where it is"),
    Pane("context", "c", "The text an agent gets"),
    Pane("graph", "g", "What a document is related to"),
    Pane("read", "r", "The whole document"),
    Pane("pools", "l", "What each tier found"),
)


class PaneTabs(Plate):
    """The panes by name; brackets stand around the open one, so that it shows without colour."""

    DEFAULT_CSS = "PaneTabs { height: 1; width: 1fr; padding: 0 1; }"

    open = reactive("explain")

    class Picked(Message):
        """A tab was clicked."""

        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

    def __init__(self, names: tuple[str, ...], widget_id: str) -> None:
        super().__init__(id=widget_id)
        self._names = names

    def lines(self, width: int) -> list[Line]:
        """Return the one line."""
        del width
        runs: list[Run] = []
        for name in self._names:
            letter = next((key for key in keymap.keys_of(self.app, f"explore.{name}") if len(key) == 1), "")
            runs.extend(_tab(name, letter, is_open=name == self.open))
        return [tuple(runs)]

    def on_click(self, event: events.Click) -> None:
        """Open the tab under the mouse."""
        at = event.x - self.gutter.left
        for name in self._names:
            width = len(name) + 2
            if 0 <= at < width:
                self.post_message(self.Picked(name))
                return
            at -= width


def _tab(name: str, letter: str, *, is_open: bool) -> list[Run]:
    """Return a tab; the letter that opens the pane is marked where it is one of the name's."""
    left, right = ("[", "]") if is_open else (" ", " ")
    ink = "strong" if is_open else "dim"
    runs: list[Run] = [(left, "accent")]
    at = name.find(letter) if letter else -1
    runs.extend([(name[:at], ink), (letter, "key"), (name[at + 1 :], ink)] if at >= 0 else [(name, ink)])
    return [*runs, (right, "accent")]
