"""What only a process of its own can tell of a store: the memory of building it, and of opening and asking it.

    python -m tests.benchmarks.speed_alone build|open FOLDER

FOLDER is a synthetic corpus; its store is in FOLDER/store. One JSON object is printed.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from time import perf_counter
from unittest import mock

from kbtui import explorer
from kbtui.model import Query
from kbtui.settings import Settings
from kbtui.store.embed import MiniLM
from tests.benchmarks.synthetic import Synthetic, SyntheticEmbedder

ASKED = 50


def main() -> None:
    """Do the one thing and print what it took."""
    work, folder = sys.argv[1], Path(sys.argv[2])
    took = built(Synthetic(folder)) if work == "build" else opened(Synthetic(folder))
    sys.stdout.write(json.dumps(took) + "\n")


def built(data: Synthetic) -> dict[str, float]:
    """Index the corpus as `kbtui index` does, but for the model."""
    before = resident_mb()
    started = perf_counter()
    with mock.patch("kbtui.store.build.open_embedder", return_value=SyntheticEmbedder(data)):
        report = explorer.index(data.corpus, data.folder / "store")
    took = perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"passages": report.chunks, "documents": report.documents, "seconds": took, "before": before, "peak": peak}


def opened(data: Synthetic) -> dict[str, float]:
    """Open the store and ask, the model loaded by the first question as in `kbtui query`."""
    before = resident_mb()
    embedder = SyntheticEmbedder(data, MiniLM())
    with mock.patch("kbtui.store.embed.open_embedder", return_value=embedder):
        started = perf_counter()
        opened = explorer.Explorer.open(data.folder / "store")
        open_ms = (perf_counter() - started) * 1000
        after_open = resident_mb()
        questions = list(data.questions)[:ASKED]
        started = perf_counter()
        opened.query(Query(text=questions[0]), Settings())
        first_ms = (perf_counter() - started) * 1000
        after_first = resident_mb()
        for question in questions[1:]:
            opened.query(Query(text=question), Settings())
        after = resident_mb()
        opened.close()
    return {
        "open_ms": open_ms,
        "first_ms": first_ms,
        "before": before,
        "after open": after_open,
        "after first": after_first,
        f"after {ASKED}": after,
    }


def resident_mb() -> float:
    """Return this process's memory in use, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1024**2


if __name__ == "__main__":
    main()
