"""The tab line: the names of the panes, each with the letter that opens it."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.reactive import reactive

from kbtui.tui.ink import Line, Run
from kbtui.tui.widgets.lines import Plate


@dataclass(frozen=True, slots=True)
class Pane:
    """A pane: its name, and the letter of the name that opens it."""

    name: str
    letter: str


RESULTS = "results"
PANES = (
    Pane("explain", "e"),
    Pane("context", "c"),
    Pane("graph", "g"),
    Pane("read", "r"),
    Pane("pools", "l"),
    Pane("budget", "b"),
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
        runs: list[Run] = []
        edge = " "
        for name, shown in self._shown(width):
            is_open = name == self.open
            runs.extend([("[" if is_open else edge, "accent"), *_tab(name, shown, is_open=is_open)])
            edge = "]" if is_open else " "
        return [(*runs, (edge, "accent"))]

    def _shown(self, width: int) -> list[tuple[str, str]]:
        """Return the names and as much of each as there is room for; the open one's is whole."""
        for most in range(max(map(len, self._names)), 0, -1):
            shown = [(name, name if name == self.open else name[: max(most, _least(name))]) for name in self._names]
            if sum(len(part) + 1 for _, part in shown) < width:
                break
        return shown

    def on_click(self, event: events.Click) -> None:
        """Open the tab under the mouse."""
        at = event.x - self.gutter.left
        for name, shown in self._shown(self.size.width):
            width = len(shown) + 1
            if 0 <= at < width:
                self.post_message(self.Picked(name))
                return
            at -= width


def _letter(name: str) -> str:
    return next((pane.letter for pane in PANES if pane.name == name), "")


def _least(name: str) -> int:
    """Return how much of a name there must be for its letter to be seen."""
    letter = _letter(name)
    return name.find(letter) + 1 if letter else 1


def _tab(name: str, shown: str, *, is_open: bool) -> list[Run]:
    letter = _letter(name)
    ink = "strong" if is_open else "dim"
    at = shown.find(letter) if letter else -1
    return [(shown[:at], ink), (letter, "key"), (shown[at + 1 :], ink)] if at >= 0 else [(shown, ink)]
