"""The Read pane: a whole document in its language's colours, with the parts that are in the context marked."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType

from kbtui import text
from kbtui.model import Document
from kbtui.tui.ink import Line, Run, wrap
from kbtui.tui.widgets.stops import StopPage


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A document cut at the edges of what was granted, and its text as inked runs; both join to the whole."""

    document: Document
    pieces: tuple[tuple[str, bool], ...]
    runs: tuple[Run, ...]


class ReadView(StopPage):
    """A document's safe text; a bar at the left and a ground of its own mark what the agent gets of it."""

    DEFAULT_CSS = "ReadView { height: 1fr; padding: 0 1; scrollbar-gutter: stable; overflow-x: hidden; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "stop(1)", "Next part", id="read.next_part", tooltip="The next part that an agent gets"),
        Binding("N", "stop(-1)", "Previous part", show=False, id="read.last_part", tooltip="The part before"),
    ]

    reading: Reading | None = None
    note = ""

    def __init__(self, widget_id: str) -> None:
        super().__init__(widget_id)
        self._granted: frozenset[int] = frozenset()
        self.first_of: list[int] = []
        """Where each line of the text begins, as an index of what ``build`` returned last."""

    def show(self, reading: Reading) -> None:
        """Show another document."""
        changed = self.reading is None or self.reading.document.doc_id != reading.document.doc_id
        if changed or self.reading is None or self.reading.pieces != reading.pieces:
            self.stop = None
        self.reading, self.note = reading, ""
        self.rebuild(home=changed)

    @property
    def line(self) -> int:
        """The line of the file where the part begins that was stopped at; before a stop, that of the first part."""
        parts, line, wanted = 0, 1, (self.stop or 0) + 1
        for piece, granted in self.reading.pieces if self.reading is not None else ():
            parts += granted
            if granted and parts == wanted:
                return line
            line += piece.count("\n")
        return 1

    def tell(self, note: str) -> None:
        """Say in place why there is no document to read."""
        self.reading, self.note = None, note
        self.rebuild(home=True)

    def build(self, width: int) -> list[Line]:
        """Return the document's lines behind their marks."""
        self.stops, self.first_of, self._granted = [], [], frozenset()
        if self.reading is None:
            ink = "error" if self.note else "dim"
            return [(), ((text.safe_line(self.note) or "Press enter on a row to read its document here.", ink),)]
        document = self.reading.document
        parts = sum(granted for _, granted in self.reading.pieces)
        legend = f"▌ in the context, {parts} part{'s' * (parts != 1)}" if parts else "not in the context"
        facts = f"{document.text_bytes:,} B, {document.tokens:,} tok  "
        lines: list[Line] = [
            ((text.safe_line(document.title) or text.safe_line(document.doc_id), "strong"),),
            ((text.safe_line(document.path), "dim"),),
            ((facts, "dim"), (legend, "match" if parts else "dim")),
            (),
        ]
        granted = set()
        before = False
        for number, marked, line in marked_lines(self.reading, width):
            if number > len(self.first_of):
                self.first_of.append(len(lines))
            if marked:
                granted.add(len(lines))
                if not before:
                    self.stops.append(len(lines))
            before = marked
            lines.append(line)
        self._granted = frozenset(granted)
        return lines

    def wash_at(self, y: int) -> str:
        """Lay a quiet ground under what was granted, the cursor's under the part that was stopped at."""
        stopped = super().wash_at(y)
        return stopped or ("resting" if bisect_right(self._starts, y) - 1 in self._granted else "")


def marked_lines(reading: Reading, width: int) -> Iterator[tuple[int, bool, Line]]:
    """Yield the text's lines with their numbers and whether they are granted.

    They are wrapped so that every line of a granted part has its mark; the number is 1-based, of the line of the text.
    """
    for number, line in enumerate(_lines(reading), 1):
        # A blank line belongs to the part that it ends in; of an empty document there is none.
        told = [granted for part, _, granted in line if part] or [granted for _, _, granted in line[-1:]]
        marked = any(told)
        runs = tuple(
            (part.expandtabs(4), ink if granted or not marked else "dim") for part, ink, granted in line if part
        )
        mark = ("▌ ", "match") if marked else ("  ", "")
        for wrapped in wrap(runs, max(1, width - 2)):
            yield number, marked, (mark, *wrapped)


def _lines(reading: Reading) -> Iterator[list[tuple[str, str, bool]]]:
    """Yield the lines of a text as parts with their ink and whether they are granted."""
    line: list[tuple[str, str, bool]] = []
    for whole, ink, granted in _joined(reading):
        first, *rest = whole.split("\n")
        line.append((first, ink, granted))
        for part in rest:
            yield line
            line = [(part, ink, granted)]
    yield line


def _joined(reading: Reading) -> Iterator[tuple[str, str, bool]]:
    """Yield the text cut wherever its ink changes or a granted part begins or ends."""
    runs = iter(reading.runs)
    run, ink = next(runs, ("", ""))
    for piece, granted in reading.pieces:
        at = 0
        while at < len(piece):
            if not run:
                run, ink = next(runs)
            part = piece[at : at + len(run)]
            yield part, ink, granted
            at, run = at + len(part), run[len(part) :]
