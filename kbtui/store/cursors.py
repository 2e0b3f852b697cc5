"""Where a search of texts goes on: a token that belongs to one generation and one request."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass

from kbtui.errors import UsageError
from kbtui.model import TextQuery


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A line of a document; everything up to and with it was seen."""

    path: str
    number: int


def encoded(place: Place, generation: str, query: TextQuery) -> str:
    """Return the cursor that goes on behind a place."""
    data = json.dumps([generation, _digest(query), place.path, place.number], separators=(",", ":"))
    return base64.urlsafe_b64encode(data.encode()).decode().rstrip("=")


def decoded(cursor: str, generation: str, query: TextQuery) -> Place:
    """Return the place behind which a cursor goes on.

    Errors: UsageError for what is no cursor, or one of another generation or request.
    """
    try:
        data = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        of_generation, digest, path, number = json.loads(data)
        place = Place(str(path), int(number))
    except (ValueError, TypeError):  # what base64, UTF-8, JSON and unpacking raise
        raise UsageError("this is no cursor", "Use the `cursor` of a result as it is.") from None
    if digest != _digest(query):
        raise UsageError("the cursor is of another search", "Repeat the pattern and the filters it was given for.")
    if of_generation != generation:
        raise UsageError("the store has changed since the cursor was given", "Search again from the start.")
    return place


def _digest(query: TextQuery) -> str:
    return hashlib.sha256(repr(query).encode("utf-8", "surrogatepass")).hexdigest()[:12]
