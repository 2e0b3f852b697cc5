"""A sheet of lines over the screen: to be read, or to be agreed to."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from kbtui import text
from kbtui.tui.ink import Line
from kbtui.tui.widgets.lines import Page

Lines = Callable[[int], list[Line]]
"""The lines for a width."""


class SheetPage(Page):
    """The lines of a sheet."""

    DEFAULT_CSS = "SheetPage { height: 1fr; overflow-x: hidden; }"

    def __init__(self, make: Lines) -> None:
        super().__init__("sheet-page")
        self._make = make

    def build(self, width: int) -> list[Line]:
        """Return the lines."""
        return self._make(width)


class Sheet(ModalScreen[bool]):
    """Shows lines; returns whether they were agreed to, where ``agree`` says what enter does."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Back", id="sheet.leave", tooltip="Put the sheet away, and change nothing"),
        Binding("enter", "agree", "Do it", show=False, id="sheet.agree", tooltip="Agree to what the sheet shows"),
    ]

    def __init__(self, title: str, make: Lines, agree: str = "") -> None:
        super().__init__()
        self._title = title
        self._agree = agree
        self.page = SheetPage(make)

    def compose(self) -> ComposeResult:
        """Lay out the sheet."""
        sheet = Vertical(self.page, id="help-sheet")
        sheet.border_title = text.safe_line(self._title).replace("[", "\\[")
        sheet.border_subtitle = f"enter {self._agree}, esc goes back" if self._agree else "esc goes back"
        yield sheet

    def on_mount(self) -> None:
        """Let keys scroll it."""
        self.page.focus()

    def action_leave(self) -> None:
        """Change nothing."""
        self.dismiss(False)

    def action_agree(self) -> None:
        """Agree, where there is something to agree to."""
        self.dismiss(bool(self._agree))
