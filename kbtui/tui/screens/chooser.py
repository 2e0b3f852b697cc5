"""A sheet to choose from: the palette, the copy menu, what to export, the themes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input

from kbtui import text
from kbtui.tui.ink import Line, one
from kbtui.tui.widgets.lines import CursorView
from kbtui.tui.widgets.query_bar import Field


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Something to choose: the name it goes by, the key to show, what it does, and the heading it stands under.

    ``words`` are others that it is found by when the choices are sifted.
    """

    value: str
    name: str
    key: str = ""
    help: str = ""
    group: str = ""
    words: str = ""

    def fits(self, wanted: list[str]) -> int:
        """Return how well it goes by words, -1 for not at all: the more of them its name or its own words have."""
        said = f"{self.group} {self.name} {self.help} {self.value} {self.words}".lower()
        if not all(word in said for word in wanted):
            return -1
        named, own = self.name.lower().split(), self.words.split()
        return sum(2 * any(each.startswith(word) for each in named) + (word in own) for word in wanted)


class Choices(CursorView):
    """The choices under their headings; in a menu without a field, a choice's key takes it."""

    DEFAULT_CSS = "Choices { height: auto; max-height: 100%; overflow-x: hidden; }"

    class Taken(Message):
        """A choice was clicked, or its key pressed."""

        def __init__(self, value: str) -> None:
            super().__init__()
            self.value = value

    def __init__(self, choices: tuple[Choice, ...], *, keys_take: bool) -> None:
        super().__init__(id="choices")
        self._all = choices
        self._keys_take = keys_take
        self._items: list[Choice | str] = []
        self.sift("")

    def sift(self, words: str) -> None:
        """Keep the choices in which every word occurs, those first that go by them best."""
        wanted = words.lower().split()
        self._items = []
        group = ""
        fit = [(choice.fits(wanted), choice) for choice in self._all]
        for _, choice in sorted((each for each in fit if each[0] >= 0), key=lambda each: -each[0]):
            if choice.group != group:
                group = choice.group
                self._items.append(group)
            self._items.append(choice)
        first = next((y for y, item in enumerate(self._items) if isinstance(item, Choice)), 0)
        self.set_reactive(CursorView.cursor, first)
        if self.is_mounted:
            self.redraw()
            self.watch_cursor()

    @property
    def current(self) -> Choice | None:
        """The choice under the cursor."""
        item = self._items[self.cursor] if self.cursor < len(self._items) else None
        return item if isinstance(item, Choice) else None

    def choose(self, value: str) -> None:
        """Move the cursor to a choice."""
        for y, item in enumerate(self._items):
            if isinstance(item, Choice) and item.value == value:
                self.cursor = y

    def on_mount(self) -> None:
        """Be as high as there are lines."""
        super().on_mount()
        self.redraw()

    def get_content_height(self, *_: object) -> int:
        """Return a line for each choice and heading, and one to say that nothing is left."""
        return max(1, len(self._items))

    def can_rest(self, y: int) -> bool:
        """Rest on choices, not on headings."""
        return y < len(self._items) and isinstance(self._items[y], Choice)

    def line_count(self) -> int:
        """Return how many lines there are."""
        return max(1, len(self._items))

    def line_at(self, y: int, width: int) -> Line:
        """Return a choice or a heading."""
        if not self._items:
            return (("nothing goes by these words", "dim"),)
        item = self._items[y]
        if isinstance(item, str):
            return ((item, "head"),)
        keys = max((text.cell_width(choice.key) + 2 for choice in self._all if choice.key), default=0)
        longest = max((text.cell_width(text.safe_line(choice.name)) for choice in self._all), default=0)
        helps = max((text.cell_width(text.safe_line(choice.help)) for choice in self._all), default=0)
        names = min(longest, max(24, width - 3 - keys - helps))  # what the helps leave is the names'
        return (
            (" ", ""),
            one(item.key, keys, "key" if self._keys_take else "accent"),
            one(item.name, names, ""),
            ("  ", ""),
            one(item.help, max(0, width - 3 - keys - names), "dim"),
        )

    def wash_at(self, y: int) -> str:
        """Mark the cursor's line, wherever the keyboard is: in the field above, too, enter takes it."""
        return "cursor" if y == self.cursor and self._items else ""

    def on_key(self, event: events.Key) -> None:
        """Take the choice whose key this is."""
        for choice in self._all if self._keys_take else ():
            if event.character is not None and event.character == choice.key:
                event.stop()
                event.prevent_default()
                self.post_message(self.Taken(choice.value))

    def on_click(self, event: events.Click) -> None:
        """Take the choice under the mouse."""
        super().on_click(event)
        if self.current is not None:
            self.post_message(self.Taken(self.current.value))


class Sieve(Field):
    """The field above the choices: it sifts them, while up and down move among them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "screen.move(-1)", "Up", show=False, id="sheet.up", tooltip="To the choice above"),
        Binding("down", "screen.move(1)", "Down", show=False, id="sheet.down", tooltip="To the choice below"),
        Binding("pageup", "screen.page(-1)", "Page up", show=False, id="sheet.page_up", tooltip="A screenful up"),
        Binding("pagedown", "screen.page(1)", "Page down", show=False, id="sheet.page_down", tooltip="And down"),
        Binding("enter", "screen.take", "Take", show=False, id="sheet.take_sifted", tooltip="Take this choice"),
    ]


class Chooser(ModalScreen[str]):
    """A sheet of choices over the screen; esc puts it away, and nothing was chosen then."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Back", show=False, id="sheet.close", tooltip="Put the sheet away"),
        Binding("enter", "take", "Take", show=False, id="sheet.take", tooltip="Take this choice"),
    ]

    def __init__(
        self,
        title: str,
        choices: tuple[Choice, ...],
        *,
        sift: bool = False,
        hint: str = "type to find an action",
        start: str = "",
        preview: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__()
        self._title = title
        self._start = start
        self._preview = preview
        self.sieve = Sieve(placeholder=hint, id="sieve", compact=True) if sift else None
        self.choices = Choices(choices, keys_take=not sift)

    def compose(self) -> ComposeResult:
        """Lay out the sheet."""
        parts = [self.choices] if self.sieve is None else [self.sieve, self.choices]
        sheet = Vertical(*parts, id="sheet", classes="-sifted" if self.sieve is not None else "")
        sheet.border_title = self._title
        sheet.border_subtitle = "enter takes it, esc goes back"
        yield sheet

    def on_mount(self) -> None:
        """Begin where the present choice is."""
        (self.sieve or self.choices).focus()
        if self._start:
            self.choices.choose(self._start)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Sift."""
        event.stop()
        self.choices.sift(event.value)

    def on_cursor_view_moved(self, event: CursorView.Moved) -> None:
        """Show what this choice would do, where that can be shown."""
        event.stop()
        if self._preview is not None and self.choices.current is not None:
            self._preview(self.choices.current.value)

    def on_choices_taken(self, event: Choices.Taken) -> None:
        """Choose."""
        event.stop()
        self.dismiss(event.value)

    def action_move(self, step: int) -> None:
        """Move among the choices."""
        self.choices.action_move(step)

    def action_page(self, step: int) -> None:
        """Move by a screenful."""
        self.choices.action_page(step)

    def action_take(self) -> None:
        """Choose what is under the cursor."""
        if self.choices.current is not None:
            self.dismiss(self.choices.current.value)

    def action_close(self) -> None:
        """Choose nothing."""
        self.dismiss("")
