"""What an operator must know about a generation besides its numbers."""

from __future__ import annotations

from collections.abc import Iterator

from kbtui.model import Notice
from kbtui.store.catalog import Catalog

NAMED = 5
"""How many documents or aliases are named; the rest is counted."""


def notices(catalog: Catalog) -> tuple[Notice, ...]:
    """Return what is not as it should be, the most telling first."""
    return (*_unembedded(catalog), *_remarks(catalog), *_made_safe(catalog), *_shared_aliases(catalog))


def _unembedded(catalog: Catalog) -> Iterator[Notice]:
    embedded, chunks = catalog.coverage()
    if embedded < chunks:
        yield Notice(
            severity="warning",
            code="partial_index",
            message=f"{embedded:,} of {chunks:,} passages are embedded; the others are found by words only",
            remedy="kbtui index --store STORE",
        )


def _remarks(catalog: Catalog) -> Iterator[Notice]:
    remarks = catalog.remarks()
    for doc_id, remark in remarks[:NAMED]:
        yield Notice(severity="warning", code="remark", message=f"{doc_id}: {remark}")
    if len(remarks) > NAMED:
        more = f"{len(remarks) - NAMED:,} more remarks about documents that were not taken as they are"
        yield Notice(severity="warning", code="remark", message=more)


def _made_safe(catalog: Catalog) -> Iterator[Notice]:
    if changed := catalog.made_safe():
        yield Notice(
            severity="info",
            code="made_safe",
            message=f"{changed:,} characters (control codes, hidden text) were made visible or dropped",
        )


def _shared_aliases(catalog: Catalog) -> Iterator[Notice]:
    shared = catalog.shared_aliases()
    for alias, doc_ids in shared[:NAMED]:
        message = f"{len(doc_ids)} documents are called {alias}; it means {doc_ids[0]}"
        yield Notice(severity="warning", code="shared_alias", message=message)
    if len(shared) > NAMED:
        more = f"{len(shared) - NAMED:,} more aliases are claimed by several documents"
        yield Notice(severity="warning", code="shared_alias", message=more)
