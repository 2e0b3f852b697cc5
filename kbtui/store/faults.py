"""The one place where what a storage library raises becomes a StoreError."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from kbtui.errors import KbtuiError, StoreError

REPAIR = "Repair it: kbtui index CORPUS --store STORE --rebuild (known embeddings are reused)."


@contextmanager
def mapped(what: str) -> Iterator[None]:
    """Turn any failure inside into a StoreError that says what could not be done.

    Rust panics too: chromadb's ``PanicException`` derives from BaseException, so that ``except
    Exception`` lets it through.
    """
    try:
        yield
    except KbtuiError:
        raise
    except Exception as error:
        raise _store_error(what, error) from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":
            raise _store_error(what, error) from error
        raise


def _store_error(what: str, error: BaseException) -> StoreError:
    reason = str(error) or type(error).__name__
    if _is_full(error):
        return StoreError(f"{what}: the disk is full ({reason})", "Free some space and run kbtui index again.")
    if isinstance(error, PermissionError) or "readonly database" in reason:
        return StoreError(f"{what}: no permission ({reason})", "A store must be writable, for its readers too.")
    return StoreError(f"{what}: {reason}", REPAIR)


def _is_full(error: BaseException) -> bool:
    if isinstance(error, sqlite3.Error):
        return error.args[:1] == ("database or disk is full",)
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
