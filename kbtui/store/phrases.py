"""Phrases: which passages hold literally what a query asks for; looked up in their texts, the index knows no order."""

from __future__ import annotations

import re
from collections.abc import Mapping

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
    texts = catalog.raw_texts(found)
    return tuple(
        Phrase(words=phrase, chunk_ids=tuple(sorted(found[key].chunk_id for key in _holding(texts, phrase))))
        for phrase in asked
    )


def _holding(texts: Mapping[int, bytes], phrase: str) -> list[int]:
    """Return the keys of the texts that hold a phrase; those that lack one of its runs of ASCII are not decoded."""
    runs = sorted({run.encode() for run in _ASCII.findall(phrase)}, key=len, reverse=True)
    return [key for key, raw in texts.items() if _has_all(raw.lower(), runs) and holds(folded(raw.decode()), phrase)]


def _has_all(raw: bytes, runs: list[bytes]) -> bool:
    return all(run in raw for run in runs)
