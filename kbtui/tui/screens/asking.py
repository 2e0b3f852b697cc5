"""Asking: a question is taken in, leaves for the engine, and its answer is shown unless it comes too late."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.widget import Widget

from kbtui.errors import KbtuiError
from kbtui.model import Query
from kbtui.tui import messages
from kbtui.tui.screens.desk import Desk
from kbtui.tui.widgets.banner import Banner
from kbtui.tui.widgets.query_bar import QueryBar
from kbtui.tui.widgets.status_line import StatusLine

DEBOUNCE_S = 0.12
"""How long typing must rest before the question is asked."""
REST_S = 3.0
"""How long typing must rest before what stands there is taken for a question, and logged."""
SLASH = "/"
"""What a search of texts begins with where a question is typed."""


class Asking(Desk):
    """A desk at which questions are asked; what it looks like is for the screen to say."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "A",
            "inactive",
            "Inactive",
            show=False,
            id="explore.inactive",
            tooltip="Ask inactive documents, too, or no longer",
        ),
    ]

    query_bar: QueryBar
    banner: Banner
    status: StatusLine
    _debounce: Timer | None = None
    _rest: Timer | None = None
    _typing = False
    _settled: Query | None = None
    _problems: tuple[str, ...] = ()
    _remarks: tuple[str, ...] = ()
    _trouble: KbtuiError | None = None
    _confirmed_in: Widget | None = None
    _refused: KbtuiError | None = None

    def show_answer(self, *, same_question: bool) -> None:
        """Show the session's answer."""
        raise NotImplementedError

    def search_texts(self, pattern: str) -> None:
        """Search the texts for a pattern."""
        raise NotImplementedError

    def on_query_bar_asked(self, event: QueryBar.Asked) -> None:
        """Take the question in; ask once typing rests, or at once when it was confirmed.

        One that begins with a slash is no question: what follows is searched for in the texts. Filters that cannot be
        read are refused above the rows, which stay those of the question before.
        """
        if event.question.startswith(SLASH):
            self.search_texts(event.question.removeprefix(SLASH))
            return
        if self._debounce is not None:
            self._debounce.stop()
        refused = None if isinstance(event.asked, Query) else event.asked
        if isinstance(event.asked, Query):
            self.session.type(event.asked)
        self._typing = not event.now
        if self._rest is not None:
            self._rest.stop()
        if event.now and not event.question.strip():
            self.tell("Type a question first; ↑ brings back those asked before.")
            self.query_bar.query_field.focus()
        elif event.now:
            self._confirmed_in = self.focused
            self._ask_as_typed(refused)
            if refused is None:
                self.action_to_list()
        else:
            self._debounce = self.set_timer(DEBOUNCE_S, partial(self._ask_as_typed, refused))
            self._rest = self.set_timer(REST_S, self.settle)

    def settle(self) -> None:
        """Take what was typed for a question: confirmed, left standing, or rested on; it is logged, once."""
        self._typing = False
        query = self.session.query
        if query != self._settled and query.text.strip() and self.errands.is_open:
            self._settled = query
            self.errands.settle(query)

    def _ask_as_typed(self, refused: KbtuiError | None) -> None:
        """Ask what stands in the fields, or say why that cannot be asked."""
        changed, self._refused = refused != self._refused, refused
        if changed:
            self.show_banner()
        if refused is None:
            self.ask()

    def put(self, query: Query) -> None:
        """Put a question from elsewhere into the fields; whoever does that asks it."""
        self.query_bar.put(query)
        self.session.put(query)
        self._refused, self._typing = None, False

    def action_inactive(self) -> None:
        """Ask inactive documents, too, or no longer; what cannot be read beside the question is refused first."""
        query = self.query_bar.asked
        if not isinstance(query, Query):
            self._ask_as_typed(query)
            return
        inactive = not query.filters.inactive
        self.put(replace(query, filters=replace(query.filters, inactive=inactive)))
        self.tell(f"Inactive documents are asked{', too' if inactive else ' no longer'}.")
        self.ask()

    def on_descendant_focus(self) -> None:
        """Give the rows their question back when the keyboard leaves an emptied field: it is theirs that is tuned."""
        if self.place != "query" and self.session.recall():
            self.query_bar.put(self.session.query)
            self.show_banner()

    def action_to_list(self) -> None:
        """Move the keyboard to the list."""
        raise NotImplementedError

    def ask(self) -> None:
        """Ask the present question under the present settings."""
        if not self.errands.is_open:
            return
        if not self._typing:
            self.settle()
        ask = self.session.ask()
        if ask is not None:
            self.errands.ask(ask)
        elif not self.session.text.strip():
            self.session.error = None
            self.show_banner()
        self.status.show(waiting=self.session.waiting)

    def on_answered(self, event: messages.Answered) -> None:
        """Show an outcome that is still wanted, and let the request leave that waited for it."""
        before = self.session.answer
        if self.session.settle(event.number, event.outcome):
            self.status.show(elapsed_ms=event.elapsed_ms)
            self.show_banner()
            answer = self.session.answer
            if self.session.error is not None and self._confirmed_in is not None:
                self._confirmed_in.focus()  # what was refused is mended where it was typed
            self._confirmed_in = None
            if answer is not None and answer is not before:
                self.show_answer(same_question=before is not None and before.query == answer.query)
        ask = self.session.follow()
        if ask is not None:
            self.errands.ask(ask)
        self.status.show(waiting=self.session.waiting)

    def show_banner(self) -> None:
        """Say what there is to say above the rows."""
        problems, session = (*self._problems, *self._remarks), self.session
        emptied = session.answer is not None and not session.query.text.strip()
        said = self._trouble or self._refused or session.error
        self.banner.show(said, session.answer, problems, emptied=emptied)

    def warn(self, problems: tuple[str, ...]) -> None:
        """Say what of the configuration, the keys and the themes cannot be followed now."""
        self._problems = problems
        self.show_banner()
