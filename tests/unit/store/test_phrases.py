"""Which passages hold literally what a query asks for."""

from __future__ import annotations

from contextlib import closing

from kbtui.model import Phrase
from kbtui.store.phrases import held_phrases
from tests.unit.store.conftest import Workshop

FILES = {
    "guide/retry.md": "title: Retry\nThe retry\n backoff doubles.\n\nBackoff of a retry.\n\nRETRY BACKOFF.",
    "guide/lease.md": "title: Lease\nA retry-backoff ends.\n\nRetry backoffs.",
}


def test_the_passages_that_hold_a_phrase_are_named(workshop: Workshop) -> None:
    """Across a line end and in any case; not in another order, with a hyphen, or inside of a longer word."""
    workshop.write(FILES)
    workshop.build(lexical_only=True)
    with closing(workshop.store.open()) as opened:
        found = opened.catalog.entries([key for key, _ in opened.lexical.search("retry backoff", None, 100)])
        assert len(found) == 5
        assert held_phrases(opened.catalog, "Retry Backoff?", found) == (
            Phrase(words="retry backoff", chunk_ids=("guide/retry.md#1", "guide/retry.md#3")),
        )
        two = held_phrases(opened.catalog, '"doubles." "of a retry"', found)
        assert [phrase.chunk_ids for phrase in two] == [("guide/retry.md#1",), ("guide/retry.md#2",)]
        some = {key: entry for key, entry in found.items() if entry.chunk_id == "guide/retry.md#3"}
        assert held_phrases(opened.catalog, "retry backoff", some)[0].chunk_ids == ("guide/retry.md#3",)
        assert held_phrases(opened.catalog, "?", found) == ()
