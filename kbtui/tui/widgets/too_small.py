"""Sizes: the classes that a screen has from so many columns and rows on, and what a terminal too small shows."""

from __future__ import annotations

from kbtui.tui.ink import Line
from kbtui.tui.widgets.lines import Plate

WIDTHS = [(0, "-tiny"), (60, "-narrow"), (100, "-wide"), (165, "-roomy")]
HEIGHTS = [(0, "-flat"), (15, "-tall")]
"""The class that the screen has from this many columns, or rows, on; the style sheet gives each its layout."""


class TooSmall(Plate):
    """What a terminal shows that is too small for the panes."""

    DEFAULT_CSS = "TooSmall { width: 1fr; height: 1fr; }"

    def lines(self, width: int) -> list[Line]:
        """Return a plain line, and what would do."""
        del width
        size = self.app.size
        return [((f"kbtui needs 60x15, this is {size.width}x{size.height}", ""),), (("q quits", "dim"),)]
