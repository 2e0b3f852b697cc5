"""The tune drawer: every knob as a row, what the one under the cursor means, and a field to filter them by."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical

from kbtui import text
from kbtui.model import Answer
from kbtui.settings import Settings, knob_for
from kbtui.tui.ink import Line
from kbtui.tui.knobs import shown
from kbtui.tui.widgets.knob_list import KnobList
from kbtui.tui.widgets.lines import CursorView, Plate
from kbtui.tui.widgets.sift_field import SiftField


class KnobNote(Plate):
    """What the knob under the cursor means, its default and range; or why a typed value was refused."""

    DEFAULT_CSS = "KnobNote { height: 3; }"

    def __init__(self, knobs: KnobList) -> None:
        super().__init__()
        self.knobs = knobs

    def lines(self, width: int) -> list[Line]:
        """Return three short lines."""
        key = self.knobs.key
        knob = knob_for(key)
        high = (
            "no bound" if knob.kind == "bound" else shown(key, knob.high if knob.kind == "number" else int(knob.high))
        )
        low = shown(key, knob.low if knob.kind == "number" else int(knob.low))
        second = (
            (text.clip(text.safe_line(self.knobs.problem), width), "error")
            if self.knobs.problem
            else (text.clip(f"default {shown(key, knob.default)}, from {low} to {high}", width), "dim")
        )
        why = self.knobs.why_unused(key)
        keys = f"not used: {text.safe_line(why)}" if why else "←→ step  shift ×10  digits  ⌫ default  R all"
        if self.knobs.wanted:
            keys = f"only {text.safe_line(self.knobs.wanted)}; esc shows all"
        if self.knobs.none_found:
            keys = f"no number goes by {text.safe_line(self.knobs.wanted)}"
        if self.knobs.typed:
            keys = "enter sets, esc leaves"
        return [((text.clip(knob.summary, width), ""),), (second,), ((text.clip(keys, width), "dim"),)]


class TuneDrawer(Vertical):
    """The knobs and the note below them."""

    DEFAULT_CSS = "TuneDrawer { height: 1fr; }"

    def __init__(self, settings: Settings) -> None:
        super().__init__(id="drawer")
        self.knobs = KnobList(settings)
        self.note = KnobNote(self.knobs)
        self.filter = SiftField(self.knobs, "words of a number's name or meaning", "knob-filter")
        self.border_title = "tune"

    def compose(self) -> ComposeResult:
        """Lay the note under the rows."""
        yield self.filter
        yield self.knobs
        yield self.note

    def show(self, settings: Settings, source_types: tuple[str, ...]) -> None:
        """Show these values."""
        self.knobs.show(settings, source_types)
        self.note.refresh()

    def measure(self, answer: Answer) -> None:
        """Show what each knob does to this answer."""
        self.knobs.measure(answer)
        self.note.refresh()

    def on_knob_list_filter_wanted(self, event: KnobList.FilterWanted) -> None:
        """Open the field for the words."""
        event.stop()
        self.filter.open()

    def on_cursor_view_moved(self, event: CursorView.Moved) -> None:
        """Explain another knob."""
        event.stop()
        self.note.refresh()
