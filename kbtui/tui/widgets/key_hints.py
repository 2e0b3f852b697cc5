"""The last line: the keys that work here, as many as fit whole; the way to all the others always does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.dom import DOMNode
from textual.events import Resize
from textual.screen import Screen
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

from kbtui.tui.keymap import TYPED

GAP = 2
"""Blank cells after a hint."""
FIRST = ("explore.tune", "app.why", "explore.query", "app.palette", "app.copy", "app.quit", "explore.save")
"""The screen's bindings that are told before its others, after those of what has the keyboard."""
LAST = "app.help"
"""The binding whose hint stays however narrow the terminal is."""


class KeyHints(Footer):
    """Textual's footer, less the keys that would only be typed where text is typed, and never half a hint."""

    DEFAULT_CSS = "KeyHints.-compact FooterKey { margin-right: 2; }"

    def __init__(self) -> None:
        super().__init__(compact=True, show_command_palette=False)

    def compose(self) -> ComposeResult:
        """Give each hint that fits a place, in the order of the bindings: what has the keyboard comes first."""
        if self._bindings_ready:
            for binding, enabled, tooltip in fitting(list(self._hints()), self.app.size.width):
                yield FooterKey(
                    binding.key,
                    binding.key_display or "",
                    binding.description,
                    binding.action,
                    disabled=not enabled,
                    tooltip=tooltip,
                ).data_bind(compact=Footer.compact)

    def on_resize(self, event: Resize) -> None:
        """Choose anew: another width has other hints."""
        del event
        self.call_after_refresh(self.recompose)

    def _hints(self) -> Iterator[Hint]:
        """Yield each action's first key that works here: of what has the keyboard, then of the screen."""
        told = set()
        also = getattr(self.screen.focused, "ALSO", ())
        active = sorted(self.screen.active_bindings.values(), key=lambda each: turn(each[0], each[1], also))
        for _, binding, enabled, tooltip in active:
            if binding.show and binding.action not in told and not self._is_typed(binding.key):
                told.add(binding.action)
                yield replace(binding, key_display=self._shown(binding)), enabled, tooltip

    def _is_typed(self, key: str) -> bool:
        """Whether the key would be taken as text by what has the keyboard."""
        focused = self.screen.focused
        return focused is not None and focused.check_consume_key(key, TYPED.get(key))

    def _shown(self, binding: Binding) -> str:
        """Return how a key is shown; what was written for another key of the same action is not this one's."""
        return self.app.get_key_display(binding if binding.key in TYPED else replace(binding, key_display=None))


def turn(node: DOMNode, binding: Binding, also: tuple[str, ...]) -> int:
    """Return where a binding comes: those of a widget and of a room, those that it counts among its own, the others."""
    part = (binding.id or "").partition(".")[0]
    if not isinstance(node, Screen | App) or part == getattr(node, "ROOM", None):
        return -2
    if binding.id in also:
        return -1
    return FIRST.index(binding.id) if binding.id in FIRST else len(FIRST)


Hint = tuple[Binding, bool, str]
"""A binding, its key as it is shown, whether it works now, and what it does."""


def fitting(hints: list[Hint], width: int) -> list[Hint]:
    """Return the hints that fit a width whole, in order; the last of them is the one for help, where it is offered."""
    last = [hint for hint in hints if hint[0].id == LAST]
    room = width - sum(map(_cells, last))
    chosen = []
    for hint in hints:
        if hint not in last and (cells := _cells(hint)) <= room:
            room -= cells
            chosen.append(hint)
    return chosen + last


def _cells(hint: Hint) -> int:
    binding = hint[0]
    return cell_len(binding.key_display or "") + 1 + cell_len(binding.description) + GAP
