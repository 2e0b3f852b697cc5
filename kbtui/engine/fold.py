"""Fold: documents of the same text take one place, that of the best of them."""

from __future__ import annotations

from kbtui.model import Document, Fold, Folded, Gathered, Scored


def fold(scored: tuple[Scored, ...], gathered: Gathered) -> Folded:
    """Return the first document of each text, in the order given, and what was folded into which."""
    rows = {document.doc_id: document for document in gathered.documents}
    first: dict[str, str] = {}
    kept, folds = [], []
    for one in scored:
        text = text_of(rows[one.doc_id])
        stands = first.setdefault(text, one.doc_id)
        if stands == one.doc_id:
            kept.append(one)
        else:
            folds.append(Fold(doc_id=one.doc_id, kept=stands))
    return Folded(scored=tuple(kept), folds=tuple(folds))


def text_of(document: Document) -> str:
    """Return what stands for a document's text: its hash; of one without a text, or an unknown one, itself alone."""
    return document.sha256 if document.sha256 and document.text_bytes else f"id {document.doc_id}"
