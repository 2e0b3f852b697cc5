"""Survey: what of a generation deserves a look: dangling relations, documents too large for a context, duplicates."""

from __future__ import annotations

from math import inf

from kbtui.model import Budget, Dangling, Document, Duplicates, Oversized, Survey
from kbtui.store.catalog import Catalog

LISTED = 1_000
"""Most that one list of a survey names; the counts beside it are of all."""


def survey(catalog: Catalog, generation: str, budget: Budget) -> Survey:
    """Return what deserves a look, sizes measured against this budget."""
    whole = (_bound(budget.size_bytes), _bound(budget.tokens))
    one = (min(whole[0], _bound(budget.document_bytes)), min(whole[1], _bound(budget.document_tokens)))
    over_budget = catalog.larger_than(*whole)
    duplicates = catalog.duplicates()
    _, dangling = catalog.relation_counts()
    return Survey(
        generation=generation,
        budget=budget,
        dangling=tuple(
            Dangling(target=target, source=source, kind=kind, times=times)
            for target, source, kind, times in catalog.dangling(LISTED)
        ),
        dangling_total=dangling,
        oversized=tuple(_oversized(document, whole) for document in catalog.largest(*one, LISTED)),
        over_budget=over_budget,
        over_document=catalog.larger_than(*one) - over_budget,
        duplicates=tuple(Duplicates(doc_ids=doc_ids, size_bytes=size) for size, doc_ids in duplicates[:LISTED]),
        duplicate_groups=len(duplicates),
        duplicate_documents=sum(len(doc_ids) for _, doc_ids in duplicates),
    )


def _bound(bound: int | None) -> float:
    return inf if bound is None else float(bound)


def _oversized(document: Document, whole: tuple[float, float]) -> Oversized:
    share = max(document.text_bytes / whole[0], document.tokens / whole[1])
    return Oversized(
        document=document, bound="budget" if share > 1 else "document", share=None if whole == (inf, inf) else share
    )
