"""What a search of texts found: lines under their documents, the matches marked; more come as one goes down."""

from __future__ import annotations

from itertools import groupby
from typing import ClassVar

from rich.cells import cell_len
from textual.binding import Binding, BindingType
from textual.message import Message

from kbtui.model import TextLine, TextLines
from kbtui.render.layout import at_least, plural
from kbtui.settings import tier_of
from kbtui.tui.ink import Line, Run, one, tier_ink
from kbtui.tui.rooms.search_bar import ROOM
from kbtui.tui.widgets.lines import CursorView

NEAR_THE_END = 30
"""Lines before the last one at which the next page is asked for."""


class HitList(CursorView):
    """The lines, each under its document."""

    DEFAULT_CSS = "HitList { height: 1fr; scrollbar-gutter: stable; overflow-x: hidden; }"
    ROOM = ROOM
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Read", id="search.read", tooltip="Read the document at this line"),
        Binding(
            "i", "screen.include", "Include", id="search.include", tooltip="Add it to the answer by hand, a what-if"
        ),
        Binding("slash", "screen.pattern", "Pattern", id="search.pattern", tooltip="Search for something else"),
        Binding("n", "document(1)", "Next file", show=False, id="search.next_document", tooltip="The next document"),
        Binding("N", "document(-1)", "Last file", show=False, id="search.last_document", tooltip="The one before"),
    ]

    class Chosen(Message):
        """A line's document is to be read."""

    class Wanted(Message):
        """The end is near: the next page is wanted."""

    def __init__(self) -> None:
        super().__init__(id="hits")
        self._hits: list[TextLine] = []
        self._items: list[str | TextLine] = []
        self._more = False

    def show(self, hits: tuple[TextLine, ...], *, more: bool, onward: bool) -> None:
        """Show these lines; ``onward`` they come below those that are there."""
        self._hits = [*self._hits, *hits] if onward else list(hits)
        self._more = more
        self._items = []
        for path, lines in groupby(self._hits, key=lambda hit: hit.path):
            self._items += [path, *lines]
        if not onward:
            self.set_reactive(CursorView.cursor, 1 if self._hits else 0)
            self.scroll_home(animate=False)
        self.redraw()

    @property
    def hits(self) -> tuple[TextLine, ...]:
        """The lines that are here."""
        return tuple(self._hits)

    @property
    def current(self) -> TextLine | None:
        """The line under the cursor."""
        item = self._items[self.cursor] if self.cursor < len(self._items) else None
        return item if isinstance(item, TextLine) else None

    def can_rest(self, y: int) -> bool:
        """Rest on lines, not on the names of documents."""
        return isinstance(self._items[y], TextLine)

    def line_count(self) -> int:
        """Return how many lines and names there are."""
        return len(self._items)

    def line_at(self, y: int, width: int) -> Line:
        """Return a document's name or a line of it."""
        item = self._items[y]
        if isinstance(item, TextLine):
            return hit_line(item, width)
        inside = [hit for hit in self._hits if hit.path == item]
        last = self._more and self._hits[-1].path == item
        said = f"  {inside[0].source_type}  {plural(len(inside), 'line')}{'+' if last else ''}"
        room = min(cell_len(item), max(8, width - len(said)))
        return one(item, room, "name"), (said, tier_ink(tier_of(inside[0].source_type)))

    def watch_cursor(self) -> None:
        """Ask for more before the end is reached."""
        super().watch_cursor()
        self._look_ahead(self.cursor)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Ask for more where the wheel comes near the end."""
        super().watch_scroll_y(old_value, new_value)
        self._look_ahead(round(new_value) + self.size.height)

    def _look_ahead(self, y: int) -> None:
        if self._more and y >= len(self._items) - NEAR_THE_END:
            self.post_message(self.Wanted())

    def action_choose(self) -> None:
        """Read the document at this line."""
        if self.current is not None:
            self.post_message(self.Chosen())

    def action_document(self, step: int) -> None:
        """Go to the first line of the next document, or of the one before."""
        names = [y for y, item in enumerate(self._items) if isinstance(item, str)]
        wanted = [y for y in names if (y > self.cursor if step > 0 else y < self.cursor - 1)]
        if wanted:
            self.cursor = (wanted[0] if step > 0 else wanted[-1]) + 1


def hit_line(hit: TextLine, width: int) -> Line:
    """Return a line behind its number; a long one is cut before its first match, so that this is seen."""
    number = f"{hit.number:>6,} "
    room = max(8, width - len(number))
    start = 0
    if hit.marks and cell_len(hit.text[: hit.marks[0][1]]) > room:
        start = max(0, hit.marks[0][0] - room // 3)
    cut = start > 0 or not hit.text_is_whole
    runs: list[Run] = [(number, "dim"), *([("…", "dim")] if cut else [])]
    at = start
    for begin, end in hit.marks:
        if end > at:
            runs += [(hit.text[at : max(at, begin)], ""), (hit.text[max(at, begin) : end], "found")]
            at = end
    return tuple(run for run in (*runs, (hit.text[at:], "")) if run[0])


def told(found: TextLines, here: int) -> tuple[str, str]:
    """Return in words how much was found, and what of it is not here and why; "" where all is."""
    exact = found.total_relation == "eq"
    total = plural(found.total, "line") if exact else f"{at_least(found.total, found.total_relation)} lines"
    said = f"{total} in {plural(found.documents, 'document')} searched" if found.total else "no line matches"
    if not found.total:
        said += f" in {plural(found.documents, 'document')}"
    missing = []
    if found.cursor:
        missing.append(f"{here:,} are here (limit {found.limit:,} a page); more come as you go down")
    if not exact:
        missing.append("the time was over before all documents were searched: the total is a lower bound")
    return said, "; ".join(missing)
