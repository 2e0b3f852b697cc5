"""The exception tree; every class carries the exit code the CLI leaves with.

::

    KbtuiError                1  (never raised itself)
    ├── UsageError            2  the request is wrong: query, config, budget, unknown type
    ├── StoreError            3  the store is missing, locked, corrupt, foreign, read-only or full
    ├── SourceError           4  the corpus cannot be read at all (a bad file is skipped, not raised)
    └── RetrievalFailed       5  no retriever could answer

Exit code 1 without an error means "no hits", 130 an interrupt.
"""

from __future__ import annotations

from typing import ClassVar


class KbtuiError(Exception):
    """What happened, to what, and (``hint``) what to do about it."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(KbtuiError):
    """The request cannot be carried out as asked; nothing was changed."""

    exit_code = 2


class StoreError(KbtuiError):
    """The store cannot serve: missing, locked, corrupt, of another version, read-only or full."""

    exit_code = 3


class SourceError(KbtuiError):
    """The corpus cannot be read at all."""

    exit_code = 4


class RetrievalFailed(KbtuiError):
    """Every retriever failed; an empty answer would be a lie."""

    exit_code = 5
