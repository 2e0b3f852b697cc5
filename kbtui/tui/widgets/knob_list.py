"""The knobs of the tune drawer as rows; the list moves as the value moves."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.message import Message

from kbtui import text
from kbtui.errors import UsageError
from kbtui.model import Answer
from kbtui.settings import Settings, Value, knob_for, parse
from kbtui.tui.figures import percent, stretch
from kbtui.tui.ink import Line
from kbtui.tui.knob_use import share, unused
from kbtui.tui.knobs import BIG_STEP, gauge, groups, matching, moved, shown
from kbtui.tui.widgets.lines import CursorView
from kbtui.tui.widgets.sift_field import SiftedList

_TYPED_FIRST = frozenset("0123456789.-n")
_TYPED_NEXT = _TYPED_FIRST | frozenset("eo,_")
_NAME, _VALUE, _SHARE = 23, 7, 5


class KnobList(SiftedList):
    """The rows, under the names of their groups."""

    DEFAULT_CSS = "KnobList { height: 1fr; scrollbar-gutter: stable; overflow-x: hidden; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", "Less", id="tune.less", tooltip="One step down"),
        Binding("right", "step(1)", "More", id="tune.more", tooltip="One step up"),
        Binding(
            "f", "filter", "Filter", id="tune.filter", tooltip="Show only the numbers whose names contain some words"
        ),
        Binding(
            "right_curly_bracket", "group(1)", "Group", key_display="}", id="tune.group", tooltip="To the next group"
        ),
        Binding(
            "left_curly_bracket",
            "group(-1)",
            "Group back",
            show=False,
            key_display="{",
            id="tune.group_back",
            tooltip="To the group before",
        ),
        Binding(
            "shift+left", f"step(-{BIG_STEP})", "Much less", show=False, id="tune.much_less", tooltip="A big step down"
        ),
        Binding(
            "shift+right", f"step({BIG_STEP})", "Much more", show=False, id="tune.much_more", tooltip="A big step up"
        ),
        Binding("backspace,delete", "reset", "Default", id="tune.reset", tooltip="Set this number back to its default"),
        Binding("R", "reset_all", "All default", show=False, id="tune.reset_all", tooltip="Set all back; asks first"),
        Binding("enter", "commit", "Set", show=False, id="tune.set", tooltip="Set the number that was typed"),
        Binding("escape", "plain", "All", show=False, id="tune.plain", tooltip="Show all numbers again"),
    ]

    ALSO: ClassVar[tuple[str, ...]] = ("explore.undo", "explore.save")
    """Keys of the screen that belong to turning numbers: their hints come with the list's own."""

    class Turned(Message):
        """A knob was given another value."""

        def __init__(self, key: str, value: Value) -> None:
            super().__init__()
            self.key = key
            self.value = value

    class AllReset(Message):
        """Every knob is to have its default."""

    class FilterWanted(Message):
        """Words to filter by are to be typed."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(id="knobs")
        self.answer: Answer | None = None
        self.settings = settings
        self.source_types: tuple[str, ...] = ()
        self.typed = ""
        self.problem = ""
        self._words = ""
        self.none_found = False
        self._items: list[tuple[str, bool]] = []
        self._spell_out()
        self.set_reactive(CursorView.cursor, 1)

    def _spell_out(self) -> None:
        every = groups(self.settings, self.source_types)
        found = [(group, kept) for group, names in every if (kept := matching(group, names, self._words))]
        self._items = [
            item for group, names in found or every for item in ((group, False), *((name, True) for name in names))
        ]
        self.none_found = not found

    @property
    def wanted(self) -> str:
        """The words that the rows are kept to."""
        return self._words

    @property
    def key(self) -> str:
        """The setting under the cursor."""
        return self._items[self.cursor][0]

    def sift(self, words: str) -> None:
        """Keep the rows in which every word occurs; where none does, all stay and the note says so."""
        key = self.key
        self._words = words
        self._spell_out()
        self.redraw()
        self.scroll_home(animate=False)
        self.set_reactive(CursorView.cursor, self._items.index((key, True)) if (key, True) in self._items else 1)
        self.watch_cursor()

    @property
    def keys(self) -> tuple[str, ...]:
        """Every setting that has a row."""
        return tuple(name for name, is_knob in self._items if is_knob)

    def choose(self, key: str) -> None:
        """Move the cursor to a setting's row; a filter that hides it is taken away."""
        if (key, True) not in self._items:
            self.sift("")
        self.cursor = self._items.index((key, True))

    def show(self, settings: Settings, source_types: tuple[str, ...]) -> None:
        """Show these values, and a row for every type of the library."""
        key = self.key
        self.settings, self.source_types = settings, source_types
        self._spell_out()
        self.redraw()
        if self.key != key and (key, True) in self._items:
            self.choose(key)

    def can_rest(self, y: int) -> bool:
        """Rest on knobs, not on the names of groups."""
        return self._items[y][1]

    def line_count(self) -> int:
        """Return how many rows and group names there are."""
        return len(self._items)

    def line_at(self, y: int, width: int) -> Line:
        """Return a row or a group's name."""
        name, is_knob = self._items[y]
        if not is_knob:
            return ((name, "head"),)
        typed = self.typed if y == self.cursor else ""
        return knob_line(name, self.settings.get(name), typed, width, self._effect(name))

    def _effect(self, key: str) -> str:
        """Return what a knob does to the answer, in a few characters."""
        if self.answer is None:
            return ""
        if self.why_unused(key):
            return "unused"
        part = share(key, self.answer)
        return "" if part is None else percent(part, 1.0)

    def why_unused(self, key: str) -> str:
        """Return why a knob does nothing for this query, "" where it does something or nothing was asked."""
        return unused(key, self.answer, self.settings) if self.answer is not None else ""

    def measure(self, answer: Answer) -> None:
        """Show what each knob does to this answer."""
        self.answer = answer
        self.refresh()

    def watch_cursor(self) -> None:
        """Leave what was typed half when the cursor goes on."""
        self.typed = self.problem = ""
        super().watch_cursor()

    def on_key(self, event: events.Key) -> None:
        """Take typed digits; esc gives up what was typed."""
        character = event.character or ""
        if character in (_TYPED_NEXT if self.typed else _TYPED_FIRST) and character:
            self.typed += character
        elif self.typed and event.key == "backspace":
            self.typed = self.typed[:-1]
        elif self.typed and event.key == "escape":
            self.typed = ""
        elif not (self.typed and event.is_printable):  # until enter or esc, letters are no commands
            return
        event.stop()
        event.prevent_default()
        self.problem = ""
        self.refresh()
        self.post_message(self.Moved())

    def action_step(self, steps: int) -> None:
        """Move the value by steps."""
        self._turn(moved(self.key, self.settings.get(self.key), steps))

    def action_filter(self) -> None:
        """Ask for the words."""
        self.post_message(self.FilterWanted())

    def action_plain(self) -> None:
        """Show all rows again; without a filter it is no matter of the list."""
        if not self._words:
            raise SkipAction
        self.sift("")

    def action_group(self, step: int) -> None:
        """Go to the first row of the next group, or of the one before."""
        heads = [y for y, (_, is_knob) in enumerate(self._items) if not is_knob]
        at = max(number for number, y in enumerate(heads) if y < self.cursor)
        head = heads[max(0, min(len(heads) - 1, at + step))]
        self.cursor = head + 1
        self.scroll_to(y=head, animate=False)

    def action_reset(self) -> None:
        """Set the default."""
        self._turn(knob_for(self.key).default)

    def action_reset_all(self) -> None:
        """Ask for all defaults."""
        self.post_message(self.AllReset())

    def action_commit(self) -> None:
        """Set what was typed."""
        if not self.typed:
            return
        try:
            value = parse(self.key, self.typed)
        except UsageError as error:
            self.problem = error.message
            self.post_message(self.Moved())
            return
        self._turn(value)

    def _turn(self, value: Value) -> None:
        self.typed = self.problem = ""
        self.refresh()
        self.post_message(self.Turned(self.key, value))


def knob_line(key: str, value: Value, typed: str, width: int, effect: str = "") -> Line:
    """Return a setting's row: a mark when it differs from its default, name, value, bar, and what it does."""
    changed = value != knob_for(key).default
    name = text.clip(text.safe_line(key), _NAME)
    figure = f"{typed}▏" if typed else shown(key, value)
    room = max(0, width - _NAME - _VALUE - _SHARE - 6)
    if effect == "unused":
        return (
            ("• " if changed else "  ", "accent"),
            (name + " " * (_NAME - text.cell_width(name)), "dim"),
            (f"{figure:>{_VALUE}}  ", "key" if typed else "dim"),
            (text.clip("not used", max(0, width - _NAME - _VALUE - 4)), "dim"),
        )
    before, drawn, after = stretch(*gauge(key, value), room)
    return (
        ("• " if changed else "  ", "accent"),
        (name + " " * (_NAME - text.cell_width(name)), ""),
        (f"{figure:>{_VALUE}}  ", "key" if typed else "strong" if changed else ""),
        ("╌" * len(before), "rule"),
        (drawn if value is not None else "∞" * len(drawn), "accent" if changed else "boost"),
        ("╌" * len(after), "rule"),
        (f"{effect:>{_SHARE}}", "dim"),
    )
