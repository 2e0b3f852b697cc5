"""What the app knows, without a widget: the question, the settings with their history, the answer, the numbering."""

from __future__ import annotations

from dataclasses import dataclass, field

from kbtui.bookmarks import Bookmark
from kbtui.errors import KbtuiError
from kbtui.model import Answer, Query
from kbtui.settings import Settings, Value
from kbtui.tui.tries import Try


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A numbered request; numbers only grow."""

    number: int
    query: Query
    settings: Settings


@dataclass(slots=True)
class Session:
    """The one mutable state of the Explore screen; every change is a method, none draws anything."""

    settings: Settings
    text: str = ""
    source_types: tuple[str, ...] = ()
    answer: Answer | None = None
    pinned: Try | None = None
    tries: list[Try] = field(default_factory=list)
    saved: Settings = field(default_factory=Settings)
    profiles: dict[str, Settings] = field(default_factory=dict)
    bookmarks: dict[str, Bookmark] = field(default_factory=dict)
    error: KbtuiError | None = None
    _number: int = 0
    _settled: int = 0
    _in_flight: Ask | None = None
    _next: Ask | None = None
    _past: list[Settings] = field(default_factory=list)
    _future: list[Settings] = field(default_factory=list)

    # --- asking ---------------------------------------------------------------------------------

    def ask(self) -> Ask | None:
        """Number a request for the present question; return it when it can leave now.

        One request is under way at a time; of those that come meanwhile only the newest waits.
        """
        self._next = None
        if not self.text.strip():
            return None
        self._number += 1
        ask = Ask(
            number=self._number,
            query=Query(text=self.text, source_types=self.source_types),
            settings=self.settings,
        )
        if self._in_flight is not None:
            self._next = ask
            return None
        self._in_flight = ask
        return ask

    def settle(self, number: int, outcome: Answer | KbtuiError) -> bool:
        """Take a request's outcome in; say whether it is to be shown.

        It is late, and dropped, when a newer one was shown, or when the question has changed since;
        under the same question the rows may follow a moving slider.
        """
        ask = self._in_flight
        if ask is None or ask.number != number or number <= self._settled:
            return False
        self._in_flight = None
        if ask.query != Query(text=self.text, source_types=self.source_types):
            return False
        self._settled = number
        if isinstance(outcome, KbtuiError):
            self.error = outcome
        else:
            self.answer, self.error = outcome, None
        return True

    def follow(self) -> Ask | None:
        """Return the request that waited for the last one to come back, if any; it leaves now."""
        ask, self._next = self._next, None
        if ask is not None:
            self._in_flight = ask
        return ask

    @property
    def waiting(self) -> bool:
        """Whether a request is under way."""
        return self._in_flight is not None

    # --- turning knobs --------------------------------------------------------------------------

    def turn(self, key: str, value: Value) -> bool:
        """Set a knob; say whether anything changed.

        Errors: UsageError for a value out of range.
        """
        return self.restore(self.settings.with_values({key: value}))

    def restore(self, fresh: Settings) -> bool:
        """Put these settings in force; say whether anything changed. It is a change like any other, to be undone."""
        if fresh == self.settings:
            return False
        self._past.append(self.settings)
        self._future.clear()
        self.settings = fresh
        return True

    def keep_try(self, kept: Try) -> None:
        """Keep a try, in the place of one of the same name."""
        self.tries = [each for each in self.tries if each.name != kept.name] + [kept]

    def undo(self) -> bool:
        """Go back to the settings before the last change; say whether there were any."""
        return self._step(self._past, self._future)

    def redo(self) -> bool:
        """Take an undone change back in; say whether there was one."""
        return self._step(self._future, self._past)

    def _step(self, source: list[Settings], target: list[Settings]) -> bool:
        if not source:
            return False
        target.append(self.settings)
        self.settings = source.pop()
        return True
