"""Asking: a question is taken in, leaves for the engine, and its answer is shown unless it comes too late."""

from __future__ import annotations

from textual.timer import Timer
from textual.widget import Widget

from kbtui.errors import KbtuiError
from kbtui.tui import messages
from kbtui.tui.screens.desk import Desk
from kbtui.tui.widgets.banner import Banner
from kbtui.tui.widgets.query_bar import QueryBar
from kbtui.tui.widgets.status_line import StatusLine

DEBOUNCE_S = 0.12
"""How long typing must rest before the question is asked."""
SLASH = "/"
"""What a search of texts begins with where a question is typed."""


class Asking(Desk):
    """A desk at which questions are asked; what it looks like is for the screen to say."""

    query_bar: QueryBar
    banner: Banner
    status: StatusLine
    _debounce: Timer | None = None
    _problems: tuple[str, ...] = ()
    _remarks: tuple[str, ...] = ()
    _trouble: KbtuiError | None = None
    _confirmed_in: Widget | None = None

    def show_answer(self, *, same_question: bool) -> None:
        """Show the session's answer."""
        raise NotImplementedError

    def search_texts(self, pattern: str) -> None:
        """Search the texts for a pattern."""
        raise NotImplementedError

    def on_query_bar_asked(self, event: QueryBar.Asked) -> None:
        """Take the question in; ask once typing rests, or at once when it was confirmed.

        One that begins with a slash is no question: what follows is searched for in the texts.
        """
        if event.question.startswith(SLASH):
            self.search_texts(event.question.removeprefix(SLASH))
            return
        self.session.put(event.question, event.source_types)
        if self._debounce is not None:
            self._debounce.stop()
        if event.now and not event.question.strip():
            self.tell("Type a question first; ↑ brings back those asked before.")
            self.query_bar.query_field.focus()
        elif event.now:
            self._confirmed_in = self.focused
            self.ask()
            self.action_to_list()
        else:
            self._debounce = self.set_timer(DEBOUNCE_S, self.ask)

    def on_descendant_focus(self) -> None:
        """Give the rows their question back when the keyboard leaves an emptied field: it is theirs that is tuned."""
        if self.place != "query" and self.session.recall():
            self.query_bar.put(self.session.text, self.session.source_types)
            self.show_banner()

    def action_to_list(self) -> None:
        """Move the keyboard to the list."""
        raise NotImplementedError

    def ask(self) -> None:
        """Ask the present question under the present settings."""
        if not self.errands.is_open:
            return
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
        emptied = session.answer is not None and not session.text.strip()
        self.banner.show(self._trouble or session.error, session.answer, problems, emptied=emptied)

    def warn(self, problems: tuple[str, ...]) -> None:
        """Say what of the configuration, the keys and the themes cannot be followed now."""
        self._problems = problems
        self.show_banner()
