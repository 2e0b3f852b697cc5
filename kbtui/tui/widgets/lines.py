"""The three ways a widget draws inked lines: a fixed plate, a list with a cursor, a page that wraps."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from kbtui import text
from kbtui.tui import inkwell
from kbtui.tui.ink import Line, hang, wrap


def _strip(line: Line, base: Style, inks: Mapping[str, Style]) -> Strip:
    """Return a line as styled segments.

    Lines are made of safe text already; here, at the last door before the terminal, it is made sure of.
    """
    return Strip(
        Segment(text.safe(run).replace("\n", " ").replace("\t", " "), base + inks[ink] if ink else base)
        for run, ink in line
    )


class Plate(Widget):
    """A few lines of its own width, drawn anew when what they show changes."""

    ALLOW_SELECT = False
    _inks: Mapping[str, Style]

    def lines(self, width: int) -> list[Line]:
        """Return what to draw in this width."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Take the theme's inks, and take them again when the theme changes."""
        self._take_inks()
        self.app.theme_changed_signal.subscribe(self, lambda _: self._take_inks())

    def _take_inks(self) -> None:
        self._inks = inkwell.fill(self.app.theme_variables)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        width = self.size.width
        lines = self.lines(width)
        base = self.rich_style
        strip = _strip(lines[y], base, self._inks) if y < len(lines) else Strip([])
        return strip.adjust_cell_length(width, base)


class LineView(ScrollView, can_focus=True):
    """A scrolling list of lines that are made only when they come into view."""

    ALLOW_SELECT = False
    _inks: Mapping[str, Style]

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k", "scroll_up", "Up", show=False, id="page.up", tooltip="Scroll up"),
        Binding("j", "scroll_down", "Down", show=False, id="page.down", tooltip="Scroll down"),
    ]

    def line_count(self) -> int:
        """Return how many lines there are."""
        raise NotImplementedError

    def line_at(self, y: int, width: int) -> Line:
        """Return a line for this width."""
        raise NotImplementedError

    def wash_at(self, y: int) -> str:
        """Return the ink to lay over a line, "" for none."""
        del y
        return ""

    @property
    def inner_width(self) -> int:
        """Cells a line may take."""
        return self.scrollable_content_region.width

    def on_mount(self) -> None:
        """Take the theme's inks, and take them again when the theme changes."""
        self._take_inks()
        self.app.theme_changed_signal.subscribe(self, lambda _: self._take_inks())

    def _take_inks(self) -> None:
        self._inks = inkwell.fill(self.app.theme_variables)
        self.refresh()

    def redraw(self) -> None:
        """Fit the scroll range to the lines and draw them anew."""
        self.virtual_size = Size(self.inner_width, self.line_count())
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one visible line."""
        width = self.inner_width
        index = y + self.scroll_offset.y
        if index >= self.line_count():
            return Strip.blank(width, self.rich_style)
        base = self.rich_style
        if wash := self.wash_at(index):
            base += self._inks[wash]
        return _strip(self.line_at(index, width), base, self._inks).adjust_cell_length(width, base)


class CursorView(LineView):
    """A list of lines with a cursor that rests only on lines that stand for something."""

    cursor = reactive(0, init=False)

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False, id="list.up", tooltip="To the line above"),
        Binding("down,j", "move(1)", "Down", show=False, id="list.down", tooltip="To the line below"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="list.page_up", tooltip="A screenful up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="list.page_down", tooltip="A screenful down"),
        Binding("home", "edge(-1)", "First", show=False, id="list.first", tooltip="To the first line"),
        Binding("end", "edge(1)", "Last", show=False, id="list.last", tooltip="To the last line"),
    ]

    class Moved(Message):
        """The cursor rests on another line."""

    def can_rest(self, y: int) -> bool:
        """Say whether the cursor may rest on a line."""
        del y
        return True

    def wash_at(self, y: int) -> str:
        """Mark the cursor's line where the cursor can rest, more quietly while the keyboard is elsewhere."""
        if y != self.cursor or not self.can_rest(y):
            return ""
        return "cursor" if self.has_focus else "resting"

    def watch_cursor(self) -> None:
        """Bring the cursor into view and tell of it."""
        self.scroll_to_region(Region(0, self.cursor, 1, 1), animate=False, force=True)
        self.refresh()
        self.post_message(self.Moved())

    def on_focus(self) -> None:
        """Show that keys arrive here."""
        self.refresh()

    def on_blur(self) -> None:
        """Show that keys go elsewhere."""
        self.refresh()

    def _settle(self, wanted: int, step: int) -> None:
        last = self.line_count() - 1
        at = max(0, min(last, wanted))
        while 0 <= at <= last and not self.can_rest(at):
            at += step
        if not 0 <= at <= last:
            at = max(0, min(last, wanted))
            while 0 <= at <= last and not self.can_rest(at):
                at -= step
        if 0 <= at <= last:
            self.cursor = at

    def action_move(self, step: int) -> None:
        """Move by one line."""
        self._settle(self.cursor + step, step)

    def action_page(self, step: int) -> None:
        """Move by a screenful."""
        self._settle(self.cursor + step * max(1, self.size.height - 2), step)

    def action_edge(self, step: int) -> None:
        """Move to the first or last line."""
        self._settle(0 if step < 0 else self.line_count() - 1, -step)
        if step < 0:
            self.scroll_home(animate=False)

    def on_click(self, event: events.Click) -> None:
        """Rest the cursor where the mouse was; a second click chooses, where the list has something to choose."""
        at = event.y - self.gutter.top + self.scroll_offset.y
        if 0 <= at < self.line_count() and self.can_rest(at):
            self.cursor = at
            if event.chain > 1:
                self.action_choose()

    def action_choose(self) -> None:
        """Do what Enter does with the line under the cursor: by itself nothing."""


class Page(LineView):
    """Lines that are built for a width, wrapped to it, and built again when it changes.

    ``HANGS`` lets what a line goes on with stand further in; a page of somebody's text keeps to its characters.
    """

    HANGS: ClassVar[bool] = False

    def __init__(self, widget_id: str) -> None:
        super().__init__(id=widget_id)
        self._lines: list[Line] = []
        self._starts: list[int] = []
        self._built_for = 0

    def build(self, width: int) -> list[Line]:
        """Return the lines for this width; longer ones are wrapped."""
        raise NotImplementedError

    def line_count(self) -> int:
        """Return how many lines there are."""
        return len(self._lines)

    def line_at(self, y: int, width: int) -> Line:
        """Return a line as it was built."""
        del width
        return self._lines[y]

    def reach(self, index: int) -> tuple[int, int]:
        """Return the first line, and the one after the last, that a line of the last ``build`` was wrapped to."""
        return self._starts[index], self._starts[index + 1]

    def rebuild(self, *, home: bool = False) -> None:
        """Build again for the present width, from the top when asked; a page out of sight waits until it is seen."""
        self._built_for = self.inner_width
        if self._built_for > 0:
            broken = hang if self.HANGS else wrap
            wrapped = [broken(line, self._built_for) for line in self.build(self._built_for)]
            self._lines = [piece for pieces in wrapped for piece in pieces]
            self._starts = [0, *accumulate(len(pieces) for pieces in wrapped)]
            self.redraw()
        if home:
            self.scroll_home(animate=False)

    def on_resize(self) -> None:
        """Build for the new width."""
        if self.inner_width != self._built_for:
            self.rebuild()

    def on_show(self) -> None:
        """Build what changed while the page was out of sight."""
        self.rebuild()
