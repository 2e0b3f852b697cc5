"""A page with places to stop at: n and N go from one to the next."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Region

from kbtui.tui.widgets.lines import Page


class StopPage(Page):
    """A page whose ``build`` names the lines to stop at; the one that was stopped at is marked."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "stop(1)", "Next", id="page.next_stop", tooltip="To the next place to stop at"),
        Binding("N", "stop(-1)", "Previous", show=False, id="page.last_stop", tooltip="To the place before"),
    ]

    def __init__(self, widget_id: str) -> None:
        super().__init__(widget_id)
        self.stops: list[int] = []
        """The lines to stop at, as indexes of what ``build`` returned last."""
        self.stop: int | None = None
        """The place among them, None before one was chosen."""

    def wash_at(self, y: int) -> str:
        """Mark the line that was stopped at."""
        if self.stop is None or self.stop >= len(self.stops):
            return ""
        first, last = self.reach(self.stops[self.stop])
        if not first <= y < last:
            return ""
        return "cursor" if self.has_focus else "resting"

    def on_focus(self) -> None:
        """Show that keys arrive here."""
        self.refresh()

    def on_blur(self) -> None:
        """Show that keys go elsewhere."""
        self.refresh()

    def action_stop(self, step: int) -> None:
        """Go to the next or the last place; the first time to the nearest one in sight or past it."""
        if not self.stops:
            self.notify("There is nowhere to go to here.", markup=False)
            return
        self.stop = self.nearest(step) if self.stop is None else (self.stop + step) % len(self.stops)
        self.come_to()

    def nearest(self, step: int) -> int:
        """Return the first place at or below the top of the view, or the last one above it."""
        top = self.scroll_offset.y
        below = [at for at, index in enumerate(self.stops) if self.reach(index)[0] >= top]
        if step > 0:
            return below[0] if below else 0
        return (below[0] if below else len(self.stops)) - 1

    def come_to(self) -> None:
        """Bring the place into view, with what is below it."""
        if self.stop is not None:
            first, _ = self.reach(self.stops[self.stop])
            height = min(max(1, self.size.height - 2), 12)
            self.scroll_to_region(Region(0, max(0, first - 1), 1, height), animate=False, force=True)
        self.refresh()
