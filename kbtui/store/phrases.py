"""Phrases: which passages hold literally what a query asks for; looked up in their texts, the index knows no order."""

from __future__ import annotations

from collections.abc import Mapping

from kbtui.model import Entry, Phrase
from kbtui.store.catalog import Catalog
from kbtui.text import folded, holds, phrases


def held_phrases(catalog: Catalog, text: str, found: Mapping[int, Entry]) -> tuple[Phrase, ...]:
    """Return each phrase of a query with the passages among those found, by key, that hold it.

    Errors: StoreError when the catalogue cannot be read.
    """
    asked = phrases(text)
    if not asked or not found:
        return ()
    texts = catalog.texts_by_key(found)
    return tuple(
        Phrase(words=phrase, chunk_ids=tuple(sorted(found[key].chunk_id for key in _holding(texts, phrase))))
        for phrase in asked
    )


def _holding(texts: Mapping[int, str], phrase: str) -> list[int]:
    """Return the keys of the texts that hold a phrase; its longest word tells most of those that do not."""
    longest = max(phrase.split(), key=len)
    return [key for key, text in texts.items() if longest in text.casefold() and holds(folded(text), phrase)]
