"""Help: the keys that work where the focus is, and what the marks mean."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from kbtui.tui.ink import Line, tier_fill, tier_ink
from kbtui.tui.widgets.lines import Page

KeyHelp = tuple[str, str]
"""A key as it is shown, and what it does."""

_MARKS: tuple[Line, ...] = (
    (("whole", "strong"), ("      the document is in the context in full", "")),
    (("trim 8.0k", "cut"), ("  only its best passages are, 8.0k bytes of them", "")),
    (("dropped", "dim"), ("    it was selected, and the budget left nothing for it", "")),
    (("outranked", "dim"), ("  it was a candidate, and the limit ended before it", "")),
    (("↳", "accent"), ("  brought by the graph     ", ""), ("+", "accent"), ("  took a place the graph left", "")),
    (("▪", "cut"), ("  in the budget meter: frame and notice", "")),
)


class HelpPage(Page):
    """The text of the help."""

    DEFAULT_CSS = "HelpPage { height: 1fr; overflow-x: hidden; }"

    def __init__(self, keys: tuple[KeyHelp, ...]) -> None:
        super().__init__("help-page")
        self._keys = keys

    def build(self, width: int) -> list[Line]:
        """Return keys, tiers and marks."""
        del width
        lines: list[Line] = [(("keys that work here", "head"),)]
        lines.extend(((f"  {key:<14}", "key"), (does, "")) for key, does in self._keys)
        lines.append(())
        lines.append((("tiers", "head"),))
        for tier in ("primary", "secondary", "historical", "custom"):
            lines.append(((f"  {tier_fill(tier) * 3} {tier}", tier_ink(tier)),))
        lines.append(())
        lines.append((("marks", "head"),))
        lines.extend((("  ", ""), *mark) for mark in _MARKS)
        return lines


class HelpScreen(ModalScreen[None]):
    """A sheet over the screen; esc or `?` puts it away."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q", "app.pop_screen", "Back", id="help.close"),
    ]

    def __init__(self, keys: tuple[KeyHelp, ...]) -> None:
        super().__init__()
        self._keys = keys

    def compose(self) -> ComposeResult:
        """Lay out the sheet."""
        sheet = Vertical(HelpPage(self._keys), id="help-sheet")
        sheet.border_title = "help"
        sheet.border_subtitle = "esc goes back"
        yield sheet
