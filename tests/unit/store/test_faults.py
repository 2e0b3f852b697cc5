"""One mapping: whatever a library raises is a StoreError that says what to do; an interrupt stays one."""

from __future__ import annotations

import errno
import sqlite3

import pytest

from kbtui.errors import KbtuiError, StoreError, UsageError
from kbtui.store.faults import mapped


class PanicException(BaseException):
    """Named as the one that Rust code raises through pyo3, which cannot be imported."""


@pytest.mark.parametrize(
    ("raised", "said", "hint"),
    [
        (ValueError("odd"), "it failed: odd", "--rebuild"),
        (KeyError(), "it failed: KeyError", "--rebuild"),
        (PanicException("index out of bounds"), "it failed: index out of bounds", "--rebuild"),
        (OSError(errno.ENOSPC, "No space left"), "the disk is full", "Free some space"),
        (sqlite3.OperationalError("database or disk is full"), "the disk is full", "Free some space"),
        (PermissionError(errno.EACCES, "Permission denied"), "no permission", "writable"),
        (sqlite3.OperationalError("attempt to write a readonly database"), "no permission", "writable"),
    ],
)
def test_failures_become_store_errors(raised: BaseException, said: str, hint: str) -> None:
    """What was attempted, what happened, what helps; the cause is kept."""
    with pytest.raises(StoreError) as caught, mapped("it failed"):
        raise raised
    assert said in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.__cause__ is raised


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), SystemExit(3), UsageError("theirs"), StoreError("ours")])
def test_interrupts_and_kbtui_errors_pass(raised: BaseException) -> None:
    """They are not the store's to reword."""
    with pytest.raises((KeyboardInterrupt, SystemExit, KbtuiError)) as caught, mapped("it failed"):
        raise raised
    assert caught.value is raised
