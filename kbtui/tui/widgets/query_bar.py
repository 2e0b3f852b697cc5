"""The query pane: the question, what it is limited to, and the numbers it is asked with."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input

from kbtui import text
from kbtui.errors import KbtuiError
from kbtui.model import Query
from kbtui.settings import Settings
from kbtui.tui import only
from kbtui.tui.figures import short
from kbtui.tui.looks import attempt

ALL = "all types"
"""What stands where a question is limited to nothing."""


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


class OnlyField(Field):
    """What the question is limited to; while it is empty and has the keyboard it says what can be written."""

    def on_focus(self) -> None:
        """Say what can be written."""
        self.placeholder = only.KNOWN

    def on_blur(self) -> None:
        """Say that nothing is."""
        self.placeholder = ALL


class QueryBar(Horizontal):
    """Two fields on one line; the border says what limits and bounds are in force."""

    DEFAULT_CSS = """
    QueryBar { height: 3; }
    QueryBar Field { height: 1; border: none; padding: 0 1; background: transparent; }
    QueryBar Field:focus { border: none; }
    QueryBar #query { width: 1fr; }
    QueryBar #types { width: 26; }
    QueryBar #types:focus { width: 1fr; }
    """

    class Asked(Message):
        """The question changed; ``now`` when it was confirmed rather than typed on.

        ``asked`` is the question as the fields say it, or why what they say cannot be asked.
        """

        def __init__(self, question: str, asked: Query | KbtuiError, *, now: bool) -> None:
            super().__init__()
            self.question = question
            self.asked = asked
            self.now = now

    def __init__(self, question: str = "") -> None:
        super().__init__(id="query-bar")
        self.query_field = QuestionField(placeholder="What would an agent ask?", id="query", compact=True)
        self.types_field = OnlyField(placeholder=ALL, id="types", compact=True)
        self.border_title = "query"
        self._question = question
        self._numbers = ""

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
        self._numbers = f"limit {settings.whole('limit')}  expand {settings.whole('expand')}  budget {size}, {tokens}"
        self._tell_border(self.asked)

    def _tell_border(self, asked: Query | KbtuiError) -> None:
        """Say how many filters are in force, as soon as they can be read, and the numbers."""
        if isinstance(asked, Query):
            number = only.count(asked)
            filters = f"{number} filter{'s' * (number != 1)}  " if number else ""
            self.border_subtitle = filters + self._numbers

    @property
    def asked(self) -> Query | KbtuiError:
        """The question that the fields say, or why what they say cannot be asked."""
        return attempt(lambda: only.limited(self.query_field.value, self.types_field.value))

    def put(self, query: Query) -> None:
        """Write a question into the fields, without telling of it: whoever puts it there asks it."""
        with self.prevent(Input.Changed):
            self.query_field.value, self.types_field.value = query.text, only.written(query)
            self.query_field.cursor_position = len(query.text)
        self._tell_border(self.asked)

    def _tell(self, *, now: bool) -> None:
        asked = self.asked
        self._tell_border(asked)
        self.post_message(self.Asked(self.query_field.value, asked, now=now))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Ask soon."""
        event.stop()
        self._tell(now=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Ask now."""
        event.stop()
        self._tell(now=True)
