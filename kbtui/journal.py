"""The journal of one face: what it asks, and what came of it, becomes records of the query log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from time import perf_counter
from uuid import uuid4

from kbtui.config import Config
from kbtui.engine.compare import ranking
from kbtui.errors import KbtuiError
from kbtui.model import Answer, LogRecord, Query
from kbtui.settings import Settings, Value
from kbtui.store.log import QueryLog
from kbtui.text import valid


def asked_again(record: LogRecord, settings: Settings, own: tuple[tuple[str, Value], ...]) -> Settings:
    """Return what a record is asked again under: these settings, what its query brought along, then one's own ones."""
    return settings.with_values(dict((*record.changed, *own)))


class Journal:
    """Logs what one face asks, as soon as it is answered.

    A ``typed`` face asks while somebody types: a question is logged when it is settled, before its answer or after,
    and anew only after another one was. Thread-safe.
    """

    def __init__(self, store: Path, config: Config, face: str, *, typed: bool = False) -> None:
        self._log = QueryLog(store, most_bytes=config.log_bytes, once=typed)
        self._typed = typed
        self._lock = Lock()
        self._settled: Query | None = None
        self._waiting: LogRecord | None = None
        self._saved = config.saved
        self._face = face

    @property
    def trouble(self) -> str:
        """Why the log could not be written, the first time it could not; "" while it can."""
        return self._log.trouble

    def kept(self, query: Query, settings: Settings, generation: str, ask: Callable[[], Answer]) -> Answer:
        """Return what asking gives, or raise what it raises, with a record of either."""
        start = perf_counter()
        try:
            answer = ask()
        except KbtuiError as error:
            record = self._record(query, settings, generation, start)
            self._take(replace(record, error=error.message, exit_code=error.exit_code))
            raise
        placed = ranking(answer)
        self._take(
            replace(
                self._record(query, settings, generation, start),
                placings=tuple(one for one in placed.placings if one.fate != "outranked"),
                usage=placed.usage,
                degraded=placed.degraded,
                context_hash=placed.context_hash,
            )
        )
        return answer

    def settle(self, query: Query) -> None:
        """Log this question, now or when it is answered: it is no piece of another that is being typed."""
        query = _valid(query)
        with self._lock:
            self._settled = query
            waiting, self._waiting = self._waiting, None
        if waiting is not None and waiting.query == query:
            self._log.append(waiting)

    def _take(self, record: LogRecord) -> None:
        """Log a record, or keep it until its question is settled."""
        with self._lock:
            waits = self._typed and record.query != self._settled
            self._waiting = record if waits else None
        if not waits:
            self._log.append(record)

    def _record(self, query: Query, settings: Settings, generation: str, start: float) -> LogRecord:
        return LogRecord(
            record_id=uuid4().hex[:10],
            time=datetime.now(UTC).isoformat(timespec="milliseconds"),
            face=self._face,
            query=_valid(query),
            settings_hash=settings.digest(),
            values=settings.changed,
            changed=tuple(settings.differing(self._saved).items()),
            placings=(),
            usage=None,
            elapsed_ms=1000 * (perf_counter() - start),
            generation=generation,
        )


def _valid(query: Query) -> Query:
    """Return a question as it is logged."""
    return replace(query, text=valid(query.text))
