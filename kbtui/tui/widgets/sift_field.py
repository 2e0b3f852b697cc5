"""A field above a list for the words that its rows must contain; there only while they are typed."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input

from kbtui.tui.widgets.lines import CursorView
from kbtui.tui.widgets.query_bar import Field


class SiftedList(CursorView):
    """A list whose rows can be kept to those that contain some words."""

    @property
    def wanted(self) -> str:
        """The words that its rows contain now."""
        raise NotImplementedError

    def sift(self, words: str) -> None:
        """Keep the rows that contain these words, all for none."""
        raise NotImplementedError


class SiftField(Field):
    """Takes the words, and keeps the list to them while they are typed."""

    DEFAULT_CSS = (
        "SiftField { height: 1; border: none; padding: 0 1; display: none; } SiftField.-open { display: block; }"
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "keep", "Keep", id="filter.keep", tooltip="Keep the filter, and go to the rows"),
        Binding("down", "keep", "Rows", show=False, id="filter.rows", tooltip="Keep the filter, and go to the rows"),
        Binding("escape", "clear", "Clear", id="filter.clear", tooltip="Show all rows again"),
    ]

    def __init__(self, rows: SiftedList, placeholder: str, widget_id: str) -> None:
        super().__init__(placeholder=placeholder, id=widget_id, compact=True)
        self._rows = rows

    def open(self) -> None:
        """Take words."""
        self.add_class("-open")
        self.value = self._rows.wanted
        self.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter as they are typed."""
        event.stop()
        if self.has_class("-open"):
            self._rows.sift(event.value)

    def action_keep(self) -> None:
        """Go to the rows."""
        self.remove_class("-open")
        self._rows.focus()

    def action_clear(self) -> None:
        """Show all rows again."""
        self.value = ""
        self._rows.sift("")
        self.action_keep()
