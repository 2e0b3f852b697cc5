"""What the app knows, without a widget: the question, the settings with their history, the answer, the numbering."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kbtui.bookmarks import Bookmark
from kbtui.errors import KbtuiError, UsageError
from kbtui.model import Answer, Filters, Query, TextQuery
from kbtui.settings import Settings, Value
from kbtui.tui.tries import Try, differ


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
    filters: Filters = field(default_factory=Filters)
    include: tuple[str, ...] = ()
    answer: Answer | None = None
    pinned: Try | None = None
    before: Try | None = None
    tries: list[Try] = field(default_factory=list)
    saved: Settings = field(default_factory=Settings)
    profiles: dict[str, Settings] = field(default_factory=dict)
    bookmarks: dict[str, Bookmark] = field(default_factory=dict)
    searched: TextQuery = field(default_factory=lambda: TextQuery(pattern=""))
    error: KbtuiError | None = None
    _number: int = 0
    _settled: int = 0
    _in_flight: Ask | None = None
    _next: Ask | None = None
    _past: list[Settings] = field(default_factory=list)
    _future: list[Settings] = field(default_factory=list)

    # --- the question ---------------------------------------------------------------------------

    @property
    def query(self) -> Query:
        """The present question, with what it is limited to and what was added by hand."""
        return Query(text=self.text, source_types=self.source_types, filters=self.filters, include=self.include)

    def put(self, query: Query) -> None:
        """Take a question in as it is, with what is added to it by hand; what another one was held against is over."""
        if query != self.query:
            self.before = None
        self.text, self.source_types, self.filters, self.include = (
            query.text,
            query.source_types,
            query.filters,
            query.include,
        )

    def type(self, query: Query) -> None:
        """Take in what stands in the fields: what was added by hand stays while it is the same question."""
        if replace(query, include=self.include) != self.query:
            self.put(query)

    def recall(self) -> bool:
        """Where there is no question, take that of the answer back in; say whether it was."""
        if self.text.strip() or self.answer is None:
            return False
        self.put(self.answer.query)
        return True

    def toggle(self, doc_id: str) -> None:
        """Add a document by hand, or take it out again."""
        self.hold()
        there = doc_id in self.include
        self.include = tuple(each for each in self.include if each != doc_id) + (() if there else (doc_id,))

    # --- what later answers are held against ----------------------------------------------------

    def hold(self) -> None:
        """Remember the answer and its settings, before something is tried on it."""
        if self.answer is not None and self.answer.trace.settings_hash == self.settings.digest():
            self.before = Try(name="before", settings=self.settings, answer=self.answer)

    @property
    def reference(self) -> Try | None:
        """What the answer is held against: a pinned one to this question, else the one before something was tried."""
        pinned = self.pinned
        if pinned is not None and (self.before is None or differ(pinned.answer, self.answer) is not None):
            return pinned
        return self.before

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
            query=self.query,
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
        if ask.query != self.query:
            return False
        self._settled = number
        if isinstance(outcome, KbtuiError):
            self.error = outcome
            if isinstance(outcome, UsageError) and self.answer is not None:
                asked = self.answer.query
                if replace(ask.query, include=asked.include) == asked:
                    self.include = asked.include  # a document that cannot be added stays out
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

    def unsaved(self, loaded: Settings) -> dict[str, tuple[Value, Value]]:
        """Return what leaving now would lose: by knob, the file's value and the present one.

        Nothing when the numbers are those the app was started with; flags and environment will be there again.
        """
        values = {} if self.settings == loaded else self.settings.differing(self.saved)
        return {key: (self.saved.get(key), value) for key, value in values.items()}

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
