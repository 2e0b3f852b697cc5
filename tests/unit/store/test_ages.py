"""Ages are counted from the day of the generation."""

from __future__ import annotations

import pytest

from kbtui.errors import UsageError
from kbtui.model import Age
from kbtui.store.ages import age_on, today


def test_ages_are_days_before_that_day() -> None:
    """From the day alone, whatever the time; a date to come is negative, one that is none is unknown."""
    assert age_on("2026-03-01", "2026-02-28T23:59:59Z", "2025-03-01", "2026-03-11") == Age(
        changed=1, reviewed=365, overdue=-10
    )
    assert age_on("2026-03-01", "2026-02-30", "", "") == Age()
    assert age_on("", "2026-02-28", "", "") == Age()


def test_a_build_can_be_given_its_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the convention of reproducible builds, in UTC; what is no number of seconds is refused."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(86_400 * 365 - 1))
    assert today() == "1970-12-31"
    for wrong in ("soon", "9" * 30):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", wrong)
        with pytest.raises(UsageError, match="SOURCE_DATE_EPOCH"):
            today()
