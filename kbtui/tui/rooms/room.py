"""A room: a whole screen over Explore, with what Explore has open and asks for; it goes when it is left."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widget import Widget

from kbtui.tui.screens.chooser import Choice
from kbtui.tui.screens.including import Including
from kbtui.tui.screens.wayfinding import Wayfinder
from kbtui.tui.widgets.key_hints import KeyHints
from kbtui.tui.widgets.too_small import HEIGHTS, WIDTHS, TooSmall


class Room(Wayfinder):
    """A screen whose ``home`` is Explore; what a room finds out it asks the library of its home.

    ``about`` is the document that it was entered with, "" for none.
    """

    HORIZONTAL_BREAKPOINTS = WIDTHS
    VERTICAL_BREAKPOINTS = HEIGHTS
    SHOWS: ClassVar[str] = ""
    """What the room shows, in a few sentences: the head of its help."""

    def __init__(self, home: Including, about: str = "") -> None:
        super().__init__()
        self.home = home
        self.about = about

    def furnish(self) -> list[Widget]:
        """Return what stands in the room, from top to bottom."""
        raise NotImplementedError

    def renew(self) -> None:
        """Look again: there is another generation."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """Lay the room out."""
        yield TooSmall(id="too-small")
        yield Vertical(*self.furnish(), id="house")
        yield KeyHints()

    @property
    def place(self) -> str:
        """The room's name."""
        return self.ROOM

    @property
    def shows(self) -> str:
        """What it shows."""
        return self.SHOWS

    def numbers(self) -> tuple[Choice, ...]:
        """Return the settings of Explore."""
        return self.home.numbers()

    def turn_to(self, key: str) -> None:
        """Leave for Explore's drawer."""
        self.visit("").turn_to(key)

    def visit(self, room: str, about: str = "") -> Wayfinder:
        """Leave for Explore, or for another room."""
        return self.home.visit(room, about)
