"""The query pane: the question, the types it is limited to, and the numbers it is asked with."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input

from kbtui import text
from kbtui.settings import Settings
from kbtui.tui.figures import short


class Field(Input):
    """A one-line input; what is pasted into it is made safe first."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Ask", id="query.ask", tooltip="Ask now, and go to the results"),
        Binding("down", "screen.to_list", "List", id="query.to_list", tooltip="Go to the results"),
    ]

    def action_copy(self) -> None:
        """Copy what is selected, and say how to leave: ctrl+c may have been meant for that."""
        super().action_copy()
        self.app.action_help_quit()

    def on_paste(self, event: events.Paste) -> None:
        """Insert pasted text on one line, made safe."""
        self.replace(text.safe_line(event.text), *self.selection)
        event.stop()
        event.prevent_default()


class QuestionField(Field):
    """The question; up and down go through those that were asked before."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "screen.older", "Before", show=False, id="query.older", tooltip="The question before this one"),
        Binding("down", "screen.newer", "List", id="query.newer", tooltip="The question after it; last, the results"),
        Binding("tab", "app.focus_next", "Types", id="query.types", tooltip="Go to the types it is limited to"),
    ]


class QueryBar(Horizontal):
    """Two fields on one line; the border says what limits and bounds are in force."""

    DEFAULT_CSS = """
    QueryBar { height: 3; }
    QueryBar Field { height: 1; border: none; padding: 0 1; background: transparent; }
    QueryBar Field:focus { border: none; }
    QueryBar #query { width: 1fr; }
    QueryBar #types { width: 26; }
    """

    class Asked(Message):
        """The question changed; ``now`` when it was confirmed rather than typed on."""

        def __init__(self, question: str, source_types: tuple[str, ...], *, now: bool) -> None:
            super().__init__()
            self.question = question
            self.source_types = source_types
            self.now = now

    def __init__(self, question: str = "") -> None:
        super().__init__(id="query-bar")
        self.query_field = QuestionField(placeholder="What would an agent ask?", id="query", compact=True)
        self.types_field = Field(placeholder="all types", id="types", compact=True)
        self.border_title = "query"
        self._question = question

    def on_mount(self) -> None:
        """Begin with the question the app was given."""
        self.query_field.value = self._question

    def compose(self) -> ComposeResult:
        """Lay the fields side by side."""
        yield self.query_field
        yield self.types_field

    def show(self, settings: Settings) -> None:
        """Write the numbers in force into the border."""
        budget = settings.budget()
        size = "no bound" if budget.size_bytes is None else f"{short(budget.size_bytes)} B"
        tokens = "no bound" if budget.tokens is None else f"{short(budget.tokens)} tok"
        self.border_subtitle = (
            f"limit {settings.whole('limit')}  expand {settings.whole('expand')}  budget {size}, {tokens}"
        )

    @property
    def source_types(self) -> tuple[str, ...]:
        """The types asked for, in the order written."""
        words = self.types_field.value.replace(",", " ").split()
        return tuple(dict.fromkeys(words))

    def put(self, question: str, source_types: tuple[str, ...]) -> None:
        """Write a question and its types into the fields, without telling of it: whoever puts it there asks it."""
        with self.prevent(Input.Changed):
            self.query_field.value, self.types_field.value = question, " ".join(source_types)
            self.query_field.cursor_position = len(question)

    def _tell(self, *, now: bool) -> None:
        self.post_message(self.Asked(self.query_field.value, self.source_types, now=now))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Ask soon."""
        event.stop()
        self._tell(now=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Ask now."""
        event.stop()
        self._tell(now=True)
