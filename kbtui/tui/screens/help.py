"""Help: what the pane with the focus shows, its keys, the keys that work everywhere, and what the marks mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from kbtui import text
from kbtui.tui.ink import Line, tier_fill, tier_ink, wrap
from kbtui.tui.widgets.lines import Page

KeyHelp = tuple[str, str]
"""A key as it is shown, and what it does."""

_KEYS = 14
"""Cells for the keys of a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaneHelp:
    """What there is to say of a pane: its name, what it shows, its keys, and those that work everywhere."""

    name: str
    shows: str
    keys: tuple[KeyHelp, ...]
    everywhere: tuple[KeyHelp, ...]


_MARKS: tuple[Line, ...] = (
    (("whole", "strong"), ("      the document is in the context in full", "")),
    (("kept 8.0k", "cut"), ("  only its best passages are, 8.0k bytes of them", "")),
    (("dropped", "dim"), ("    it was selected, and the budget left nothing for it", "")),
    (("outranked", "dim"), ("  it was a candidate, and the limit ended before it", "")),
    (("↳", "accent"), ("  brought by the graph     ", ""), ("+", "accent"), ("  took a place the graph left", "")),
    (("◇", "accent"), ("  added by hand: a what-if  ", "")),
    (("▪", "cut"), ("  in the budget meter: frame and notice", "")),
)


class HelpPage(Page):
    """The text of the help."""

    DEFAULT_CSS = "HelpPage { height: 1fr; overflow-x: hidden; }"

    def __init__(self, pane: PaneHelp) -> None:
        super().__init__("help-page")
        self._pane = pane

    def build(self, width: int) -> list[Line]:
        """Return what the pane shows, keys, tiers and marks."""
        lines: list[Line] = [((self._pane.name, "head"),)]
        lines.extend((("  ", ""), *piece) for piece in wrap(((self._pane.shows, ""),), max(1, width - 2)))
        for title, keys in (
            (f"keys in {self._pane.name}", self._pane.keys),
            ("keys everywhere", self._pane.everywhere),
        ):
            if keys:
                lines.extend([(), ((title, "head"),)])
                lines.extend(line for key, does in keys for line in _key_lines(key, does, width))
        lines.append(())
        lines.append((("tiers", "head"),))
        for tier in ("primary", "secondary", "historical", "custom"):
            lines.append(((f"  {tier_fill(tier) * 3} {tier}", tier_ink(tier)),))
        lines.append(())
        lines.append((("marks", "head"),))
        lines.extend((("  ", ""), *mark) for mark in _MARKS)
        return lines


def _key_lines(key: str, does: str, width: int) -> list[Line]:
    """Return a key with what it does beside it; what does not fit goes on below its own beginning."""
    first, *rest = wrap(((does, ""),), max(8, width - _KEYS - 2))
    if text.cell_width(key) >= _KEYS:
        return [((f"  {key}", "key"),), *(((" " * (_KEYS + 2), ""), *piece) for piece in (first, *rest))]
    label = key + " " * (_KEYS - text.cell_width(key))
    return [((f"  {label}", "key"), *first), *(((" " * (_KEYS + 2), ""), *piece) for piece in rest)]


class HelpScreen(ModalScreen[None]):
    """A sheet over the screen; esc or `?` puts it away."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q", "app.pop_screen", "Back", id="sheet.help_close", tooltip="Put the help away"),
    ]

    def __init__(self, pane: PaneHelp) -> None:
        super().__init__()
        self._pane = pane

    def compose(self) -> ComposeResult:
        """Lay out the sheet."""
        sheet = Vertical(HelpPage(self._pane), id="help-sheet")
        sheet.border_title = "help"
        sheet.border_subtitle = "esc goes back"
        yield sheet
