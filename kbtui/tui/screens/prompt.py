"""A sheet that asks for one line, and stays until what is done with it has worked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from kbtui import text
from kbtui.tui.ink import Line, wrap
from kbtui.tui.widgets.lines import Plate
from kbtui.tui.widgets.query_bar import Field

Attempt = Callable[[str, bool], str]
"""Does what was asked for with the line, in a thread; a line entered twice is meant. Returns "", or what is wrong."""


class Answer(Field):
    """The line itself."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Do it", show=False, id="sheet.submit", tooltip="Do it with this line"),
        Binding("down", "nothing", "", show=False, id="sheet.stay", tooltip="Nothing is below the line"),
    ]


class Remark(Plate):
    """What the line is for, or why it did not do."""

    DEFAULT_CSS = "Remark { height: 3; }"

    said: Line = ()

    def lines(self, width: int) -> list[Line]:
        """Return the remark, wrapped."""
        return wrap(self.said, width)

    def say(self, words: str, ink: str) -> None:
        """Say something else."""
        self.said = ((text.safe_line(words), ink),)
        self.refresh()


class Prompt(ModalScreen[str]):
    """Asks for a line; returns the one that worked, or "" when it was put away."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Back", show=False, id="sheet.give_up", tooltip="Put the sheet away"),
    ]

    def __init__(self, title: str, line: str, remark: str, attempt: Attempt) -> None:
        super().__init__()
        self._title = title
        self._words = remark
        self._attempt = attempt
        self._refused = ""
        self.line = Answer(line, id="line", compact=True)
        self.remark = Remark()

    def compose(self) -> ComposeResult:
        """Lay out the sheet."""
        sheet = Vertical(self.line, self.remark, id="sheet")
        sheet.border_title = self._title
        sheet.border_subtitle = "enter does it, esc goes back"
        yield sheet

    def on_mount(self) -> None:
        """Be ready for the line to be changed."""
        self.remark.say(self._words, "dim")
        self.line.focus()
        self.line.cursor_position = len(self.line.value)

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Do it; what is wrong is said here."""
        event.stop()
        wrong = await asyncio.to_thread(self._attempt, event.value, event.value == self._refused)
        if wrong:
            self._refused = event.value
            self.remark.say(wrong, "error")
        else:
            self.dismiss(event.value)

    def action_close(self) -> None:
        """Do nothing."""
        self.dismiss("")
