"""Documents of the same text take one place."""

from __future__ import annotations

from kbtui.engine.fold import fold
from kbtui.model import Document, Fold, Gathered, Scored
from tests.engine_fakes import document


def folded(*rows: Document) -> tuple[str, tuple[Fold, ...]]:
    """Fold documents in this order; return the ids that stay, and the folds."""
    scored = tuple(
        Scored(doc_id=row.doc_id, tier="primary", source_type="guide", score=1 - place / 10, terms=())
        for place, row in enumerate(rows)
    )
    gathered = Gathered(pools=(), bounds=(), documents=rows, entries=(), edges=(), embedded=1, chunks=1)
    found = fold(scored, gathered)
    assert len(found.scored) + len(found.folds) == len(scored)
    return "".join(one.doc_id for one in found.scored), found.folds


def test_the_best_ranked_of_a_text_stands_for_all() -> None:
    """Of three with one text the first stays; others keep their order."""
    rows = (document("d", sha256="x"), document("b"), document("a", sha256="x"), document("c", sha256="x"))
    kept, folds = folded(*rows)
    assert kept == "db"
    assert folds == (Fold(doc_id="a", kept="d"), Fold(doc_id="c", kept="d"))


def test_what_has_no_text_or_no_hash_is_not_folded() -> None:
    """Two empty files, and two whose hash is not known, are not copies of one another."""
    empty = [Document(doc_id=name, path=name, title="", source_type="raw", sha256="e3b0") for name in "ab"]
    assert folded(*empty, document("c"), document("d")) == ("abcd", ())
