"""Measures of a ranking against judgments, as trec_eval defines them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log2


def ndcg(ranking: Sequence[str], grades: Mapping[str, int], depth: int = 10) -> float:
    """Return the discounted gain of the first documents, as a share of the best that was possible.

    Source: Jarvelin and Kekalainen 2002, with the grade itself as the gain.
    """
    best = _gain(sorted(grades.values(), reverse=True)[:depth])
    return _gain([grades.get(doc_id, 0) for doc_id in ranking[:depth]]) / best if best else 0.0


def recall(ranking: Sequence[str], grades: Mapping[str, int], depth: int = 100) -> float:
    """Return the share of the relevant documents that are among the first."""
    return len(set(ranking[:depth]).intersection(grades)) / len(grades)


def reciprocal_rank(ranking: Sequence[str], grades: Mapping[str, int]) -> float:
    """Return 1 over the rank of the first relevant document, 0 when there is none."""
    return next((1 / rank for rank, doc_id in enumerate(ranking, start=1) if doc_id in grades), 0.0)


def mean(values: Sequence[float]) -> float:
    """Return the mean, 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def _gain(grades: Sequence[int]) -> float:
    return sum(grade / log2(rank + 1) for rank, grade in enumerate(grades, start=1))
