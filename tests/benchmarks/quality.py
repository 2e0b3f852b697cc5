"""Quality on public test sets: each retriever alone, every way to fuse them, and the defaults as shipped.

    python -m tests.benchmarks.quality WORK [--sets ROOT] [--json FILE] [--set KEY=VALUE]

WORK is a folder for the sets' files and stores (the first run embeds 14,310 documents: minutes). Every ranking comes
from one answer of the product's own pipeline for each query: its rows, and behind them all other candidates with their
raw scores. Printed are nDCG@10 and, in brackets, Recall@100.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import fmean, pstdev

from kbtui.explorer import Explorer
from kbtui.model import Answer, Query, Row
from kbtui.settings import Settings, parse
from tests.benchmarks.ir_sets import ROOT, TestSet, names, prepare
from tests.benchmarks.measures import mean, ndcg, recall

DEPTH = 100
RRF_K = 60
LEXICAL_WEIGHTS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)

Scores = dict[str, float]
Way = Callable[[Scores, Scores], Scores]
"""Each retriever's raw score by document to one score by document."""


def main() -> None:
    """Measure every way on every set, print the table, and write the JSON where asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--sets", type=Path, default=ROOT)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    args = parser.parse_args()
    given = {key: parse(key, text) for key, _, text in (one.partition("=") for one in args.set)}
    settings = Settings().with_values({"limit": DEPTH, "expand": 0, **given})
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for name in names(args.sets):
        for way, measured in measure(prepare(name, args.work, args.sets), settings).items():
            found.setdefault(way, {})[name] = measured
    sys.stdout.write(table(found) + "\n")
    if args.json:
        args.json.write_text(json.dumps(found, indent=2) + "\n")


def measure(test_set: TestSet, settings: Settings) -> dict[str, tuple[float, float]]:
    """Return nDCG@10 and Recall@100 of each way on one set."""
    explorer = Explorer.open(test_set.store)
    totals: dict[str, tuple[list[float], list[float]]] = {}
    for query_id, text in test_set.queries:
        answer = explorer.query(Query(text=text), settings)
        for way, ranking in rankings(answer).items():
            gains, recalls = totals.setdefault(way, ([], []))
            gains.append(ndcg(ranking, test_set.judged[query_id]))
            recalls.append(recall(ranking, test_set.judged[query_id], DEPTH))
    explorer.close()
    return {way: (mean(gains), mean(recalls)) for way, (gains, recalls) in totals.items()}


def rankings(answer: Answer) -> dict[str, list[str]]:
    """Return the documents in the order of each way to rank them."""
    rows = (*answer.rows, *answer.behind)
    dense, lexical = _best(rows, "dense_raw"), _best(rows, "lexical_raw")
    fused = {name: _ranked(way(dense, lexical)) for name, way in ways().items()}
    return {
        "lexical": _ranked(lexical),
        "dense": _ranked(dense),
        **fused,
        "shipped": [row.document.doc_id for row in rows],
    }


def ways() -> dict[str, Way]:
    """Return the fusions: reciprocal ranks, and weighted sums of scores on two scales."""
    sums: dict[str, Way] = {}
    for scale_name, scale in (("min-max", min_max), ("z-score", z_score)):
        for weight in LEXICAL_WEIGHTS:
            sums[f"{scale_name} {weight:g}"] = weighted(scale, weight)
    return {"RRF": rrf, **sums}


def rrf(dense: Scores, lexical: Scores) -> Scores:
    """Return the sum of reciprocal ranks.

    Source: Cormack, Clarke and Buettcher 2009.
    """
    fused: Scores = {}
    for scores in (dense, lexical):
        for rank, doc_id in enumerate(_ranked(scores), start=1):
            fused[doc_id] = fused.get(doc_id, 0.0) + 1 / (RRF_K + rank)
    return fused


def weighted(scale: Callable[[Scores], Scores], weight: float) -> Way:
    """Return the way that adds scaled scores, the lexical one with this weight; what is missing counts as the least."""

    def way(dense: Scores, lexical: Scores) -> Scores:
        by_meaning, by_words = scale(dense), scale(lexical)
        least = (min(by_meaning.values(), default=0.0), min(by_words.values(), default=0.0))
        return {
            doc_id: (1 - weight) * by_meaning.get(doc_id, least[0]) + weight * by_words.get(doc_id, least[1])
            for doc_id in {*dense, *lexical}
        }

    return way


def min_max(scores: Scores) -> Scores:
    """Scale to 0..1 by the lowest and the highest of the first hundred."""
    first = sorted(scores.values(), reverse=True)[:DEPTH]
    if not first or first[0] == first[-1]:
        return dict.fromkeys(scores, 1.0)
    return {key: min(1.0, max(0.0, (value - first[-1]) / (first[0] - first[-1]))) for key, value in scores.items()}


def z_score(scores: Scores) -> Scores:
    """Scale by the mean and the standard deviation of the first hundred."""
    first = sorted(scores.values(), reverse=True)[:DEPTH]
    spread = pstdev(first) if len(first) > 1 else 0.0
    return {key: (value - fmean(first)) / spread if spread else 0.0 for key, value in scores.items()}


def table(found: dict[str, dict[str, tuple[float, float]]]) -> str:
    """Return a line for each way, a column for each set, and the mean."""
    sets = list(next(iter(found.values())))
    lines = ["way".ljust(14) + "".join(name.rjust(16) for name in (*sets, "mean"))]
    for way, by_set in found.items():
        both = [
            *by_set.values(),
            (mean([gain for gain, _ in by_set.values()]), mean([seen for _, seen in by_set.values()])),
        ]
        lines.append(way.ljust(14) + "".join(f"{gain:.3f} ({seen:.3f})".rjust(16) for gain, seen in both))
    return "\n".join(lines)


def _best(rows: tuple[Row, ...], which: str) -> Scores:
    """Return each document's best raw score of one retriever, of those it knows."""
    best: Scores = {}
    for row in rows:
        raw = [value for one in row.passages if (value := getattr(one.match, which)) is not None]
        if raw:
            best[row.document.doc_id] = max(raw)
    return best


def _ranked(scores: Scores) -> list[str]:
    return sorted(scores, key=lambda doc_id: (-scores[doc_id], doc_id))


if __name__ == "__main__":
    main()
