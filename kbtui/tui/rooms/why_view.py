"""What is known of a missing document: the stage that lost it, and changes that can be tried from here."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from kbtui import text
from kbtui.errors import KbtuiError
from kbtui.model import Change, Why
from kbtui.tui.ink import Line
from kbtui.tui.rooms.names import ROOM
from kbtui.tui.rooms.why_lines import why_lines
from kbtui.tui.widgets.stops import StopPage


class WhyView(StopPage):
    """The lines of a Why; the cursor goes from change to change, and past them the page scrolls."""

    DEFAULT_CSS = "WhyView { height: 1fr; padding: 0 1; scrollbar-gutter: stable; overflow-x: hidden; }"
    ROOM = ROOM
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "try", "Try it", id="why.try", tooltip="Make this change, and see the list follow"),
        Binding("i", "screen.include", "Include", id="why.include", tooltip="Add it to the answer by hand, a what-if"),
        Binding("slash", "screen.name", "Document", id="why.name", tooltip="Ask about another document"),
        Binding("up,k,N", "step(-1)", "Up", show=False, id="why.up", tooltip="To the change above, or up"),
        Binding("down,j,n", "step(1)", "Down", show=False, id="why.down", tooltip="To the change below, or down"),
    ]

    class Tried(Message):
        """A change is to be made."""

        def __init__(self, change: Change) -> None:
            super().__init__()
            self.change = change

    def __init__(self) -> None:
        super().__init__("why-view")
        self.why: Why | None = None
        self._waiting = False
        self._trouble: KbtuiError | None = None
        self._note = ""
        self.inactive = ""
        """The key that lets the document in, where it is missing only because it is inactive; "" elsewhere."""

    @property
    def change(self) -> Change | None:
        """The change that the cursor is on."""
        changes = self.why.changes if self.why is not None else ()
        return changes[self.stop] if self.stop is not None and self.stop < len(changes) else None

    def show(self, why: Why, *, waiting: bool, inactive: str = "") -> None:
        """Show what is known; while changes are being tried, that."""
        self.inactive = inactive
        home = self.why is None or self.why.doc_id != why.doc_id
        self.why, self._waiting, self._trouble, self._note = why, waiting, None, ""
        self.stop = 0 if why.changes else None
        self.rebuild(home=home)

    def fail(self, trouble: KbtuiError) -> None:
        """Say in place why it cannot be known."""
        self.why, self._trouble, self._note, self.stop, self.inactive = None, trouble, "", None, ""
        self.rebuild(home=True)

    def wait(self, note: str) -> None:
        """Say what is awaited."""
        self.why, self._trouble, self._note, self.stop, self.inactive = None, None, note, None, ""
        self.rebuild(home=True)

    def build(self, width: int) -> list[Line]:
        """Return what is known, or what is awaited, or what went wrong."""
        self.stops = []
        if self._trouble is not None:
            hint = self._trouble.hint
            lines: list[Line] = [(("✗ ", "error"), (text.safe_line(self._trouble.message), "error"))]
            return [*lines, *([(("  ", ""), (text.safe_line(hint), ""))] if hint else [])]
        if self.why is None:
            return [((text.safe_line(self._note), "dim"),)]
        made = why_lines(self.why, width, waiting=self._waiting, inactive=self.inactive)
        self.stops = made.starts
        return made.lines

    def wash_at(self, y: int) -> str:
        """Mark the change with the cursor, what it costs included."""
        if self.stop is None or self.stop >= len(self.stops):
            return ""
        first, last = self.reach(self.stops[self.stop])[0], self.reach(self.stops[self.stop] + 1)[1]
        if not first <= y < last:
            return ""
        return "cursor" if self.has_focus else "resting"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to make a change where there is one, to add the document where it could be."""
        if action == "try":
            return self.change is not None
        return super().check_action(action, parameters)

    def rebuild(self, *, home: bool = False) -> None:
        """Build again, and offer what can be done now."""
        super().rebuild(home=home)
        self.refresh_bindings()

    def action_step(self, step: int) -> None:
        """Go to the next change; where there is none, scroll."""
        wanted = (self.stop if self.stop is not None else -1) + step
        if 0 <= wanted < len(self.stops):
            self.stop = wanted
            self.come_to()
        else:
            self.scroll_relative(y=step, animate=False)

    def action_try(self) -> None:
        """Make the change under the cursor."""
        if self.change is not None:
            self.post_message(self.Tried(self.change))

    def on_click(self, event: events.Click) -> None:
        """Rest on the change under the mouse; a second click makes it."""
        y = event.y - self.gutter.top + self.scroll_offset.y
        for at, index in enumerate(self.stops):
            if self.reach(index)[0] <= y < self.reach(index + 1)[1]:
                if at == self.stop:
                    self.action_try()
                self.stop = at
                self.refresh()
