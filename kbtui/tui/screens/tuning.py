"""Tuning: knobs are turned, and turned back; the list follows."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from kbtui.settings import Settings, knob_for
from kbtui.tui.ink import Line
from kbtui.tui.knobs import change_line, groups, shown
from kbtui.tui.screens.asking import Asking
from kbtui.tui.screens.chooser import Choice
from kbtui.tui.screens.sheet import Sheet
from kbtui.tui.widgets.knob_list import KnobList
from kbtui.tui.widgets.tune_drawer import TuneDrawer

NUMBERS = "settings"
"""The heading of the settings in the palette."""


class Tuning(Asking):
    """A desk with a drawer of knobs."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("t", "tune", "Tune", id="explore.tune", tooltip="Turn the numbers, and see the list follow"),
        Binding("u", "undo", "Undo", id="explore.undo", tooltip="Take the last change of a number back"),
        Binding("U", "redo", "Redo", show=False, id="explore.redo", tooltip="Make an undone change again"),
    ]

    drawer: TuneDrawer
    _source_types: tuple[str, ...] = ()

    def numbers(self) -> tuple[Choice, ...]:
        """Return every setting that has a row in the drawer."""
        settings = self.session.settings
        return tuple(
            Choice(value=key, name=key, key=shown(key, settings.get(key)), help=knob_for(key).summary, group=NUMBERS)
            for _, keys in groups(settings, self._source_types)
            for key in keys
        )

    def turn_to(self, key: str) -> None:
        """Open the drawer, the cursor on a setting."""
        self.show_drawer()
        self.drawer.knobs.choose(key)
        self.drawer.knobs.focus()

    def action_back(self) -> None:
        """Go back one step."""
        raise NotImplementedError

    def show_drawer(self) -> None:
        """Bring the drawer to light beside the list."""
        raise NotImplementedError

    def know_types(self, source_types: tuple[str, ...]) -> None:
        """Give every type of the library its knobs."""
        self._source_types = source_types
        self.drawer.show(self.session.settings, source_types)

    def action_tune(self) -> None:
        """Open the drawer, or close it."""
        if self.has_class("-tuning") and self.drawer.knobs.has_focus:
            self.action_back()
            return
        self.show_drawer()
        self.drawer.knobs.focus()

    def on_knob_list_turned(self, event: KnobList.Turned) -> None:
        """Take a knob's value in and ask again; the engine runs only what the knob reaches."""
        if self.session.turn(event.key, event.value):
            self.resettle()

    def on_knob_list_all_reset(self) -> None:
        """Set every knob back to its default, after asking."""
        settings = self.session.settings
        changed = [(key, settings.get(key), knob_for(key).default) for key, _ in settings.changed]
        if not changed:
            self.tell("All numbers are at their defaults.")
            return

        def lines(width: int) -> list[Line]:
            return [change_line(key, now, default, width) for key, now, default in changed]

        def agreed(yes: bool | None) -> None:
            if yes and self.session.restore(Settings()):
                self.resettle()

        self.app.push_screen(Sheet("all numbers to their defaults", lines, "sets them; u undoes it"), agreed)

    def resettle(self) -> None:
        """Show the settings as they are now, and ask again; what was said of the old ones no longer holds."""
        self.app.clear_notifications()
        self.drawer.show(self.session.settings, self._source_types)
        self.query_bar.show(self.session.settings)
        self.ask()

    def action_undo(self) -> None:
        """Take the last change of a knob back."""
        if self.session.undo():
            self.resettle()
        else:
            self.tell("Nothing to undo.")

    def action_redo(self) -> None:
        """Make an undone change again."""
        if self.session.redo():
            self.resettle()
        else:
            self.tell("Nothing to redo.")
