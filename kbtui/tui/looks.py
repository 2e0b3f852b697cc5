"""What a pane can look up besides the answer: each look yields messages, in a worker thread, and raises nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from textual.message import Message
from textual.message_pump import MessagePump

from kbtui.errors import KbtuiError, StoreError
from kbtui.tui.doors import Library

T = TypeVar("T")

Look = Callable[[Library], Iterator[Message]]
Fetch = Callable[[str, MessagePump, Look], None]
"""A look's name, who is told, and the look: `Errands.fetch`."""


def attempt(call: Callable[[], T]) -> T | KbtuiError:
    """Return a call's result or its error; what no door has mapped becomes an error in place, not the app's end."""
    try:
        return call()
    except KbtuiError as error:
        return error
    except Exception as error:
        return StoreError(f"unexpected {type(error).__name__}: {error}", "Please report this; the app goes on.")
