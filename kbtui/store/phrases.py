"""Phrases: which passages hold literally what a query asks for; looked up in their texts, the index knows no order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from kbtui.model import Entry, Phrase
from kbtui.store.catalog import Catalog
from kbtui.text import folded, holds, phrases

_ASCII = re.compile(r"[!-~]+")


def held_phrases(catalog: Catalog, text: str, found: Mapping[int, Entry]) -> tuple[Phrase, ...]:
    """Return each phrase of a query with the passages among those found, by key, that hold it.

    Errors: StoreError when the catalogue cannot be read.
    """
    asked = phrases(text)
    if not asked or not found:
        return ()
    return tuple(
        Phrase(words=phrase, chunk_ids=tuple(sorted(found[key].chunk_id for key in _holding(catalog, phrase, found))))
        for phrase in asked
    )


def _holding(catalog: Catalog, phrase: str, keys: Iterable[int]) -> list[int]:
    """Return the keys of the texts that hold a phrase; those that lack its longest run of ASCII are not even read."""
    run = max(_ASCII.findall(phrase), key=len, default="")
    return [key for key, text in catalog.texts_with(run, keys).items() if _holds(text, phrase)]


def _holds(text: str, phrase: str) -> bool:
    """Return whether a text holds a phrase; it is only folded when all of the phrase's parts are there."""
    lower = text.lower()
    return all(part in lower for part in phrase.split()) and holds(folded(text), phrase)
