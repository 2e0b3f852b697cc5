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
    Pane("budget", "b", "What the budget keeps, and what it cuts"),
)
_LETTERS = {pane.name: pane.letter for pane in PANES}


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
        edge, roomy = " ", self._is_roomy(width)
        for name, shown in self._shown(width):
            is_open = name == self.open
            if roomy and runs:
                runs.append((edge, "accent"))
                edge = " "
            runs.extend([("[" if is_open else edge, "accent"), *_tab(shown, self._letter(name), is_open=is_open)])
            edge = "]" if is_open else " "
        return [(*runs, (edge, "accent"))]

    def _is_roomy(self, width: int) -> bool:
        """Say whether each name can have a cell of its own on both sides; else neighbours share one."""
        return sum(len(name) + 2 for name in self._names) <= width

    def _shown(self, width: int) -> list[tuple[str, str]]:
        """Return the names and as much of each as there is room for; the open one's is whole."""
        for most in range(max(map(len, self._names)), 0, -1):
            shown = [
                (name, name if name == self.open else name[: max(most, self._least(name))]) for name in self._names
            ]
            if sum(len(part) + 1 for _, part in shown) < width:
                break
        return shown

    def _letter(self, name: str) -> str:
        """Return the letter that opens a pane now, "" where no single one does."""
        keys = keymap.remapped(self.app, f"explore.{name}", _LETTERS.get(name, ""))
        return next((key for key in keys if len(key) == 1), "")

    def _least(self, name: str) -> int:
        """Return how much of a name there must be for its letter to be seen."""
        letter = self._letter(name)
        return name.find(letter) + 1 if letter in name and letter else 1

    def on_click(self, event: events.Click) -> None:
        """Open the tab under the mouse."""
        at = event.x - self.gutter.left
        for name, shown in self._shown(self.size.width):
            width = len(shown) + 1 + self._is_roomy(self.size.width)
            if 0 <= at < width:
                self.post_message(self.Picked(name))
                return
            at -= width


def _tab(shown: str, letter: str, *, is_open: bool) -> list[Run]:
    """Return a tab; the letter that opens the pane is marked where it is one of the name's."""
    ink = "strong" if is_open else "dim"
    at = shown.find(letter) if letter else -1
    return [(shown[:at], ink), (letter, "key"), (shown[at + 1 :], ink)] if at >= 0 else [(shown, ink)]
