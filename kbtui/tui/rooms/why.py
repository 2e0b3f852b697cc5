"""The room Why not: which stage lost a document, and the smallest changes that bring it in, to be tried at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from threading import Event
from time import monotonic
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Input
from textual.worker import get_current_worker

from kbtui import render, text
from kbtui.errors import KbtuiError, StoreError
from kbtui.model import Progress, Query, Why
from kbtui.render.layout import plural
from kbtui.settings import Settings
from kbtui.tui import copies, keymap
from kbtui.tui.doors import Library
from kbtui.tui.export import PICTURE, Export
from kbtui.tui.ink import Line
from kbtui.tui.looks import Look, attempt
from kbtui.tui.rooms import takeaway
from kbtui.tui.rooms.names import ROOM, NameField, Offered, Offers, find, missing
from kbtui.tui.rooms.room import Room
from kbtui.tui.rooms.why_view import WhyView
from kbtui.tui.screens.chooser import Choice
from kbtui.tui.screens.including import Including
from kbtui.tui.widgets.lines import Plate

DEBOUNCE_S = 0.12
TICK_S = 0.25
"""How often it is told how long the trials have taken."""
REPORT_S = 0.1
"""How long a report of a trial waits for the one before."""
_TRIALS = "why"


class Told(Message):
    """What is known of a document so far, or at last; or why it cannot be known.

    ``inactive``: to ask inactive documents, too, is all that it takes to have it.
    """

    def __init__(self, number: int, outcome: Why | KbtuiError, *, last: bool, inactive: bool = False) -> None:
        super().__init__()
        self.number = number
        self.outcome = outcome
        self.last = last
        self.inactive = inactive


class Trying(Message):
    """A change is being tried."""

    def __init__(self, number: int, progress: Progress) -> None:
        super().__init__()
        self.number = number
        self.progress = progress


def inquiry(number: int, name: str, query: Query, settings: Settings, to: Widget, stop: Event) -> Look:
    """Return the look that finds out why a document is missing; ``stop`` ends the trials with what was found."""

    def look(library: Library) -> Iterator[Message]:
        worker = get_current_worker()
        told = 0.0

        def report(progress: Progress) -> None:
            nonlocal told
            if monotonic() - told >= REPORT_S and not worker.is_cancelled:
                told = monotonic()
                to.post_message(Trying(number, progress))

        def diagnosed(why: Why) -> None:
            if not worker.is_cancelled:
                to.post_message(Told(number, why, last=False))

        outcome = attempt(
            lambda: library.why(
                name,
                query,
                settings,
                report=report,
                cancelled=lambda: stop.is_set() or worker.is_cancelled,
                diagnosed=diagnosed,
            )
        )
        inactive = isinstance(outcome, Why) and attempt(lambda: _comes_in_inactive(library, outcome, settings)) is True
        yield Told(number, outcome, last=True, inactive=inactive)

    return look


def _comes_in_inactive(library: Library, why: Why, settings: Settings) -> bool:
    """Say whether a document is missing only because it is inactive: whether the same question, that apart, has it."""
    filters, document = why.query.filters, why.document
    if why.stage != "filter" or filters.inactive or document is None or not document.inactive:
        return False
    asked = replace(why.query, filters=replace(filters, inactive=True), include=())
    answer = library.what_if(asked, settings)
    kept = [row.document.doc_id for row in answer.rows if row.allocation.decision in ("whole", "trimmed")]
    return why.doc_id in kept


class TrialLine(Plate):
    """One line: how far the trials are and for how long; nothing while there are none."""

    DEFAULT_CSS = "TrialLine { height: 1; padding: 0 1; }"
    ROOM = ROOM

    def __init__(self) -> None:
        super().__init__(id="why-trials")
        self._said: Line = ()

    def say(self, said: Line) -> None:
        """Say something else."""
        if said != self._said:
            self._said = said
            self.refresh()

    def lines(self, width: int) -> list[Line]:
        """Return the line."""
        del width
        return [self._said]


class WhyRoom(Room):
    """Asks for a document, and shows why it is not in the answer to the present question."""

    ROOM = ROOM
    SHOWS = (
        "Which stage lost a document that the answer does not hold, its score beside that of the last place, its true "
        "rank in its pools; and the smallest changes of one setting that bring it in, found by trying, with what falls "
        "out for each. Enter makes a change: the list follows, and undo takes it back. Type a part of an id or a title "
        "to ask about another document."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "Copy", id="why.copy", tooltip="Copy what is shown, the command for it, or the id"),
        Binding("o", "edit", "Edit", show=False, id="why.edit", tooltip="Open the document's file in $EDITOR"),
        Binding(
            "A", "inactive", "Inactive", id="why.inactive", tooltip="Ask inactive documents, too, and go to this one"
        ),
        Binding("escape", "leave", "Back", id="why.leave", tooltip="End the trials; once more, back to the list"),
    ]

    def __init__(self, home: Including, about: str = "") -> None:
        super().__init__(home, about)
        self.field = NameField(placeholder="a part of an id, a path or a title", id="why-name", compact=True)
        self.offers = Offers()
        self.view = WhyView()
        self.trials = TrialLine()
        self.switcher = ContentSwitcher(self.offers, self.view, initial="why-offers", id="why-body")
        self._number = 0
        self._stop = Event()
        self._began: float | None = None
        self._progress: Progress | None = None
        self._debounce: Timer | None = None
        self._clock: Timer | None = None

    def furnish(self) -> list[Widget]:
        """Return the field, what goes by it or what is known, and how far the trials are."""
        bar = Container(self.field, id="why-bar")
        bar.border_title = "why not"
        question = text.clip(text.safe_line(self.home.session.text), 50)
        bar.border_subtitle = f"the answer to: {question}".replace("[", "\\[")
        return [bar, self.switcher, self.trials]

    def on_mount(self) -> None:
        """Begin with the document that the room was entered with, unless the context holds it."""
        answer = self.home.session.answer
        held = {
            row.document.doc_id
            for row in (answer.rows if answer is not None else ())
            if row.allocation.decision in ("whole", "trimmed")
        }
        if self.about and self.about not in held:
            self.ask(self.about)
        else:
            self.choose()

    def on_unmount(self) -> None:
        """End what is under way: nobody waits for it."""
        self._stop.set()
        self.home.errands.cancel(_TRIALS)

    def renew(self) -> None:
        """Ask again of the new generation what is not being asked."""
        if self._began is None and self.view.why is not None:
            self.ask(self.view.why.doc_id)

    @property
    def subject(self) -> str:
        """The document that is asked about."""
        return self.view.why.doc_id if self.view.why is not None else self.offers.current

    @property
    def exports(self) -> tuple[Export, ...]:
        """What is known of the document, as the CLI prints it."""
        return (*(takeaway.of_why(self.view.why) if self.view.why is not None else ()), PICTURE)

    # --- naming a document ----------------------------------------------------------------------

    def choose(self) -> None:
        """Let a document be named; before anything is typed, what the answer left out is offered."""
        self.switcher.current = "why-offers"
        if not self.field.value:
            self._offer_missing()
        self.field.focus()

    def _offer_missing(self) -> None:
        answer = self.home.session.answer
        offers = missing(answer)
        said = "Which document? These were ranked, and left out:" if offers else "Which document?"
        if answer is None:
            said = "Ask a question first (esc goes back): why a document is missing depends on it."
        self.offers.show(offers, said)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Offer what goes by the words, once typing rests."""
        event.stop()
        if self._debounce is not None:
            self._debounce.stop()
        if self.field.has_focus:
            self.switcher.current = "why-offers"
            self._debounce = self.set_timer(DEBOUNCE_S, self._find)

    def _find(self) -> None:
        words = self.field.value.strip()
        if words:
            self.end()  # the trials would hold the store while names are looked up
            self.home.errands.fetch("names", self, find(words, self.home.session.answer))
        else:
            self._offer_missing()

    def on_offered(self, event: Offered) -> None:
        """Show what goes by the words, unless they are others by now."""
        if event.words != self.field.value.strip():
            return
        if isinstance(event.outcome, KbtuiError):
            self.offers.show((), event.outcome.message, "error")
        elif event.outcome:
            self.offers.show(event.outcome, f"{len(event.outcome):,} that go by these words; enter asks about one")
        else:
            self.offers.show((), "No document goes by these words; enter asks about them as they are.")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Ask about what the cursor is on; where nothing is offered, about what was typed."""
        event.stop()
        name = self.offers.current or self.field.value.strip()
        if name:
            self.ask(name)

    def on_offers_taken(self, event: Offers.Taken) -> None:
        """Ask about the document that was chosen."""
        self.ask(event.doc_id)

    def action_move(self, step: int) -> None:
        """Move among what is offered."""
        self.offers.action_move(step)

    def action_page(self, step: int) -> None:
        """Move by a screenful."""
        self.offers.action_page(step)

    def action_name(self) -> None:
        """Ask about another document."""
        self.field.value = ""
        self.choose()

    # --- asking ---------------------------------------------------------------------------------

    def ask(self, name: str) -> None:
        """Find out why a document is missing."""
        session, errands = self.home.session, self.home.errands
        self.end()
        if self._debounce is not None:
            self._debounce.stop()
        with self.prevent(Input.Changed):
            self.field.value = text.safe_line(name)
        self.switcher.current = "why-view"
        self.view.focus()
        if not errands.is_open:
            self.view.fail(StoreError("no knowledge base is open yet", "Ask again when it is."))
            return
        if not session.text.strip():
            self.view.fail(StoreError("nothing has been asked yet", "Why a document is missing depends on a question."))
            return
        self._number += 1
        self._stop, self._began, self._progress = Event(), monotonic(), None
        self.view.wait("Looking where it was lost …")
        self._clock = self.set_interval(TICK_S, self._tick)
        self._tick()
        errands.fetch(_TRIALS, self, inquiry(self._number, name, session.query, session.settings, self, self._stop))

    def end(self) -> None:
        """End the trials; what was found comes still."""
        self._stop.set()
        if self._clock is not None:
            self._clock.stop()
        self._began, self._clock = None, None
        self.trials.say(())

    def _tick(self) -> None:
        """Say how far the trials are."""
        if self._began is None:
            return
        words = "asking the retrievers"
        if self._progress is not None:
            key = text.safe_line(self._progress.detail)
            words = f"{plural(self._progress.done, 'answer')} tried, now {key}"
        seconds = monotonic() - self._began
        self.trials.say(((f"{words} · {seconds:.0f} s", "accent"), ("  esc ends it with what was found", "dim")))

    def on_trying(self, event: Trying) -> None:
        """Take in how far the trials are."""
        if event.number == self._number:
            self._progress = event.progress

    def on_told(self, event: Told) -> None:
        """Show what is known, unless another document was asked about since."""
        if event.number != self._number:
            return
        if event.last:
            self.end()
        if isinstance(event.outcome, KbtuiError):
            self.view.fail(event.outcome)
        else:
            keys = keymap.keys_of(self.app, "why.inactive") if event.inactive else ()
            waiting = not event.last and self._began is not None
            self.view.show(event.outcome, waiting=waiting, inactive=keymap.shown(keys[:1]))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to add the document by hand where the engine would take it."""
        why = self.view.why
        if action == "include" and (why is None or why.stage in ("index", "filter", "answer")):
            return False
        if action == "inactive":
            return bool(self.view.inactive)
        return super().check_action(action, parameters)

    # --- what follows from it -------------------------------------------------------------------

    def on_why_view_tried(self, event: WhyView.Tried) -> None:
        """Make a change, and see in the list what comes of it."""
        doc_id = self.subject
        self.home.visit("")
        self.home.change(event.change.key, event.change.after, doc_id)

    def action_inactive(self) -> None:
        """Ask inactive documents, too, and see the document in the list."""
        doc_id = self.subject
        self.home.visit("")
        self.home.action_to_list()
        self.home.ask_inactive(doc_id)

    def action_include(self) -> None:
        """Add the document by hand, and see in the list what comes of it."""
        doc_id = self.subject
        self.home.visit("")
        self.home.action_to_list()
        self.home.include(doc_id)

    def action_copy(self) -> None:
        """Offer what can be copied."""
        why, session, place = self.view.why, self.home.session, self.home.errands.place
        if why is None:
            self.tell("There is nothing to copy yet.")
            return
        command = copies.why_command(why.doc_id, why.query, session.settings, place.loaded, place.store)
        self.home.offer_copies(
            [
                (Choice(value="y", key="y", name="text", help="what `kbtui why` prints"), render.why_text(why)),
                (Choice(value="j", key="j", name="JSON", help="what `kbtui why --json` prints"), render.why_json(why)),
                (Choice(value="l", key="l", name="command line", help="the `kbtui why` that asks this"), command),
                (Choice(value="i", key="i", name="id", help=why.doc_id), why.doc_id),
            ]
        )

    def action_edit(self) -> None:
        """Open the document's file."""
        if self.subject:
            self.home.errands.locate(self.subject, 0)

    def action_leave(self) -> None:
        """End the trials; where there are none, go back."""
        if self._began is not None:
            self.end()
            self.trials.say((("ended: what was found until now is shown", "cut"),))
        elif self.switcher.current == "why-offers" and self.view.why is not None:
            self.switcher.current = "why-view"
            self.view.focus()
        else:
            self.home.visit("")
