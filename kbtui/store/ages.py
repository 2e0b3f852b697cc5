"""Ages: dates as days before the day of a generation, so that no stage of a query needs a calendar or a clock."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, timedelta

from kbtui.errors import UsageError
from kbtui.model import Age

EPOCH_VARIABLE = "SOURCE_DATE_EPOCH"
"""Seconds since 1970 at which a build shall think it is: the convention of reproducible builds."""


def today() -> str:
    """Return the day of a build, in UTC.

    Errors: UsageError for a ``SOURCE_DATE_EPOCH`` that is no number of seconds.
    """
    given = os.environ.get(EPOCH_VARIABLE)
    if given is None:
        return datetime.now(UTC).date().isoformat()
    try:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(given))).date().isoformat()
    except (ValueError, OverflowError):
        raise UsageError(f"{EPOCH_VARIABLE} takes seconds since 1970, not {given!r}") from None


def age_on(day: str, changed: str, reviewed: str, review_by: str) -> Age:
    """Return how long ago these dates were on a day; ISO dates or times, "" for none."""
    now = _date(day)
    if now is None or not (changed or reviewed or review_by):
        return UNKNOWN
    return Age(changed=_days(now, changed), reviewed=_days(now, reviewed), overdue=_days(now, review_by))


UNKNOWN = Age()


def _days(now: date, written: str) -> int | None:
    then = _date(written)
    return None if then is None else (now - then).days


def _date(written: str) -> date | None:
    """Return the day that an ISO date or time names, None for none: what looks like one may not be in the calendar."""
    try:
        return date.fromisoformat(written[:10]) if written else None
    except ValueError:
        return None
