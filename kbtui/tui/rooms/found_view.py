"""A document read at a line that a search found; every line that it found there is marked."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from kbtui.tui.ink import Line
from kbtui.tui.rooms.search_bar import ROOM
from kbtui.tui.widgets.read_view import Reading, ReadView


class FoundView(ReadView):
    """The document's text; n and N go through the lines that were found."""

    ROOM = ROOM
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "stop(1)", "Next match", id="search.next_match", tooltip="The next line that matches"),
        Binding("N", "stop(-1)", "Last match", show=False, id="search.last_match", tooltip="The line before"),
    ]

    def __init__(self) -> None:
        super().__init__("found")
        self._numbers: tuple[int, ...] = ()
        self._arriving = False

    def show_at(self, reading: Reading, numbers: tuple[int, ...], line: int) -> None:
        """Show a document at a line, 1-based; ``numbers`` are all that were found in it."""
        self._numbers = numbers
        self.show(reading)
        self.stop = numbers.index(line) if line in numbers else None
        self._arriving = True
        self.rebuild()

    @property
    def line(self) -> int:
        """The line that was stopped at."""
        return self._numbers[self.stop or 0] if self._numbers else 1

    def build(self, width: int) -> list[Line]:
        """Return the document's lines, those that were found behind a mark of their own."""
        lines = super().build(width)
        if self.reading is None:
            return lines
        self.stops = [self.first_of[number - 1] for number in self._numbers if number <= len(self.first_of)]
        for index in self.stops:
            (mark, ink), *rest = lines[index]
            lines[index] = ((mark[0] + "›", ink or "cut"), *rest)
        return lines

    def rebuild(self, *, home: bool = False) -> None:
        """Build again; the first time that the document is seen, at its line."""
        super().rebuild(home=home)
        if self._arriving and self._built_for > 0:
            self._arriving = False
            self.come_to()
