"""The journal of one face: what it asks, and what came of it, becomes records of the query log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
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
    """Logs what one face asks. With ``once`` a question is logged anew only after another one."""

    def __init__(self, store: Path, config: Config, face: str, *, once: bool = False) -> None:
        self._log = QueryLog(store, most_bytes=config.log_bytes, once=once)
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
            self._log.append(replace(record, error=error.message, exit_code=error.exit_code))
            raise
        placed = ranking(answer)
        self._log.append(
            replace(
                self._record(query, settings, generation, start),
                placings=tuple(one for one in placed.placings if one.fate != "outranked"),
                usage=placed.usage,
                degraded=placed.degraded,
                context_hash=placed.context_hash,
            )
        )
        return answer

    def _record(self, query: Query, settings: Settings, generation: str, start: float) -> LogRecord:
        return LogRecord(
            record_id=uuid4().hex[:10],
            time=datetime.now(UTC).isoformat(timespec="milliseconds"),
            face=self._face,
            query=replace(query, text=valid(query.text)),
            settings_hash=settings.digest(),
            values=settings.changed,
            changed=tuple(settings.differing(self._saved).items()),
            placings=(),
            usage=None,
            elapsed_ms=1000 * (perf_counter() - start),
            generation=generation,
        )
