"""Speed: a query by stage, beside five other ways to ask the same rows, interleaved question by question.

    python -m tests.benchmarks.speed --chunks 10000 [--chunks 100000 ...] [--json FILE]
        [--questions N] [--peers abcde] [--work FOLDER]

For each size a seeded corpus is written and indexed as `kbtui index` does it, but with vectors that were drawn instead
of computed; each question is embedded for real, by every contender, so that every time has the embedding in it. Peers:
(a) chroma with a filter for each tier, (b) chroma untiered, (c) LanceDB hybrid, (d) LlamaIndex over chroma, (e) exact
numpy and tantivy, always there. What (c) and (d) need is the extra `bench`. Nothing is asserted: the
ratios of one run tell, the times are the machine's. With --work the corpora and stores are kept, and used again.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any
from unittest import mock

import numpy as np

from kbtui.explorer import Explorer
from kbtui.model import Query
from kbtui.settings import Settings
from kbtui.store.embed import MiniLM
from kbtui.store.generation import OpenGeneration, Store
from kbtui.store.ranking import merged
from tests.benchmarks.speed_grep import beside_ripgrep
from tests.benchmarks.speed_peers import FOUND, Exact, Peer, Pools, Rows, peers
from tests.benchmarks.speed_stages import Clock, Stages
from tests.benchmarks.speed_tables import tables
from tests.benchmarks.synthetic import Synthetic, SyntheticEmbedder, written

SEED = 7
WARM_UP = 5
OURS = "kbtui"

MOVES: dict[str, dict[str, tuple[float, float]]] = {
    "penalty": {"penalty.ticket": (-0.10, -0.15)},
    "fusion weight": {"weights.dense": (0.6, 0.55)},
    "budget": {"budget.bytes": (32_000, 24_000)},
    "pool share": {"pools.primary": (0.65, 0.60)},
}
"""What is moved to and fro, for each kind of move: the first stage that runs again differs."""


def main() -> None:
    """Measure every size, print the tables, and write the JSON where asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, action="append", metavar="N")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--peers", default="abcde")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--work", type=Path)
    args = parser.parse_args()
    sizes = args.chunks or [10_000]
    with TemporaryDirectory() as temporary:
        folder = args.work or Path(temporary)
        found = {str(size): measured(folder / str(size), size, args.questions, args.peers) for size in sizes}
    report = {"machine": machine(), "sizes": found}
    if args.json:
        args.json.write_text(json.dumps(report, indent=2) + "\n")
    sys.stdout.write(tables(report) + "\n")


def machine() -> dict[str, Any]:
    """Return what the times depend on."""
    load = os.getloadavg()[1]
    return {"cores": os.cpu_count(), "load": load, "python": platform.python_version(), "system": platform.platform()}


def measured(folder: Path, size: int, questions: int, letters: str) -> dict[str, Any]:
    """Build a store of one size and measure everything on it."""
    data = Synthetic(folder) if folder.exists() else written(folder, size, questions, SEED)
    report: dict[str, Any] = {"build": _kept(folder / "build.json", lambda: alone("build", folder))}
    report["alone"] = alone("open", folder)
    with closing(Store(folder / "store").open()) as opened:
        rows = Rows.of(data, opened)
        started = perf_counter()
        others = peers(rows, opened.lexical, folder / "peers", letters.__contains__)
        report |= {"peers_built_s": perf_counter() - started, "missing": others.missing}
        report["disk_mb"] = disk(folder)
        asked = dict(list(data.questions.items())[:questions])
        clock = Clock()
        with _explorer(data, clock) as (explorer, embedder):
            gc.collect()
            gc.freeze()  # the peers' hundred thousand objects are not to be walked during our queries, nor theirs
            report |= interleaved(explorer, embedder, others.built, list(asked))
            report["busy_ms"] = busy(explorer, embedder, clock, others.built, list(asked))
            report["moves"] = moved(explorer, list(asked))
            report["grep"] = beside_ripgrep(explorer, data)
            report["missing"] |= report["grep"].pop("missing", {})
            gc.unfreeze()
        report["recall"] = recalls(opened, rows, others.built, list(asked.values()))
    return report


def alone(work: str, folder: Path) -> dict[str, float]:
    """Run one piece of work in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.speed_alone", work, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    took: dict[str, float] = json.loads(done.stdout)
    return took


def interleaved(
    explorer: Explorer, embedder: SyntheticEmbedder, others: tuple[Peer, ...], questions: list[str]
) -> dict[str, Any]:
    """Ask every contender each question before the next one; who is first takes turns."""
    stages = Stages()
    embedder.noted = lambda took: stages.add("embed", took)
    settings = Settings()
    by_stage: dict[str, list[float]] = defaultdict(list)
    whole: dict[str, list[float]] = defaultdict(list)

    def ours(text: str) -> None:
        stages.clear()
        started = perf_counter()
        answer = explorer.query(Query(text=text), settings)
        for stage, took in stages.of(answer, (perf_counter() - started) * 1000).items():
            by_stage[stage].append(took)

    def asking(peer: Peer) -> Callable[[str], None]:
        return lambda text: peer.ask(text, embedder.embed_query(text))

    contenders: dict[str, Callable[[str], None]] = {OURS: ours} | {peer.name: asking(peer) for peer in others}
    with stages.watched():
        for turn, text in enumerate((*questions[-WARM_UP:], *questions)):
            names = list(contenders)
            first = turn % len(names)
            for name in (*names[first:], *names[:first]):
                started = perf_counter()
                contenders[name](text)
                whole[name].append((perf_counter() - started) * 1000)
    times = {name: found[WARM_UP:] for name, found in whole.items()}
    slower = {name: float(np.median(np.divide(found, times[OURS]))) for name, found in times.items()}
    return {
        "questions": len(questions),
        "stages_ms": {stage: spread(found[WARM_UP:]) for stage, found in by_stage.items()},
        "queries_ms": {name: spread(found) for name, found in times.items()},
        "times_ours": slower,
    }


def busy(
    explorer: Explorer, embedder: SyntheticEmbedder, clock: Clock, others: tuple[Peer, ...], questions: list[str]
) -> dict[str, dict[str, float]]:
    """Return the processor's time for a query, over all threads: ours by stage, the others' as a whole."""
    clock.busy_only = True
    found: dict[str, list[float]] = defaultdict(list)
    for text in questions:
        started = clock()
        answer = explorer.query(Query(text=text), Settings())
        for stage, took in Stages().of(answer, clock() - started).items():
            found[f"{OURS}: {stage}"].append(took)
        for peer in others:
            started = clock()
            peer.ask(text, embedder.embed_query(text))
            found[peer.name].append(clock() - started)
    clock.busy_only = False
    return {name: spread(times) for name, times in found.items()}


def moved(explorer: Explorer, questions: list[str]) -> dict[str, dict[str, float]]:
    """Move one number at a time below a question that was answered, to and fro."""
    times: dict[str, list[float]] = defaultdict(list)
    for text in questions:
        explorer.query(Query(text=text), Settings())
        for name, move in MOVES.items():
            for place in (1, 0):
                settings = Settings().with_values({key: values[place] for key, values in move.items()})
                started = perf_counter()
                explorer.query(Query(text=text), settings)
                times[name].append((perf_counter() - started) * 1000)
    return {name: spread(found) for name, found in times.items()}


def recalls(opened: OpenGeneration, rows: Rows, others: tuple[Peer, ...], vectors: list[Any]) -> dict[str, Any]:
    """Return what part of the true nearest each contender finds, by tier."""
    exact = Exact(rows, opened.lexical, Path())
    tallies: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for vector in vectors:
        true = exact.nearest(vector) | {"all": exact.untiered(vector)}
        found = {OURS: _ours(opened, rows, vector)} | {peer.name: peer.nearest(vector) for peer in others}
        for name, pools in found.items():
            for tier, keys in pools.items():
                for k in (10, FOUND):
                    best = true[tier][:k]
                    tallies[name][f"{tier}@{k}"].append(len(set(best) & set(keys[:k])) / len(best))
    return {name: {tier: float(np.mean(values)) for tier, values in tiers.items()} for name, tiers in tallies.items()}


def _ours(opened: OpenGeneration, rows: Rows, vector: Any) -> Pools:
    """Return the pools of the store's own vectors: what each type found, merged."""
    found = opened.vectors.search(vector, FOUND)
    pools: Pools = {}
    for tier, types in rows.tiers.items():
        pools[tier] = merged([found[name] for name in types]).keys[:FOUND].tolist()
    return pools


def disk(folder: Path) -> dict[str, float]:
    """Return what everything takes on disk."""
    store, others = folder / "store", folder / "peers"
    parts = {
        "corpus": [folder / "corpus"],
        "catalogue": list((store / "parts").glob("catalog-*")),
        "lexical index": list((store / "parts").glob("lexical-*")),
        "vectors": list((store / "parts").glob("vectors-*")),
        "embedding cache": list(store.glob("embeddings.sqlite*")),
        "chroma (a)": [others / "chroma"],
        "lancedb (c)": [others / "lance"],
    }
    return {name: sum(map(_size_mb, paths)) for name, paths in parts.items() if any(map(Path.exists, paths))}


def spread(times: list[float]) -> dict[str, float]:
    """Return the middle and the slow end."""
    return {"p50": float(np.percentile(times, 50)), "p95": float(np.percentile(times, 95))}


@contextmanager
def _explorer(data: Synthetic, clock: Clock) -> Iterator[tuple[Explorer, SyntheticEmbedder]]:
    embedder = SyntheticEmbedder(data, MiniLM())
    with ExitStack() as stack:
        stack.enter_context(mock.patch("kbtui.explorer._now_ms", clock))
        stack.enter_context(mock.patch("kbtui.store.embed.open_embedder", return_value=embedder))
        yield stack.enter_context(closing(Explorer.open(data.folder / "store"))), embedder


def _kept(path: Path, make: Callable[[], dict[str, float]]) -> dict[str, float]:
    """Return what is on file, made when it is not there."""
    if not path.exists():
        path.write_text(json.dumps(make()))
    found: dict[str, float] = json.loads(path.read_text())
    return found


def _size_mb(path: Path) -> float:
    if path.is_file():
        return path.stat().st_size / 1024**2
    return sum(one.stat().st_size for one in path.rglob("*") if one.is_file()) / 1024**2


if __name__ == "__main__":
    main()
