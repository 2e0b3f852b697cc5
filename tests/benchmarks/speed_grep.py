"""ripgrep over the files beside kbtui's search over the texts of its store, pattern by pattern."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from itertools import islice
from time import perf_counter
from typing import Any

import numpy as np

from kbtui.explorer import Explorer
from kbtui.model import TextQuery
from tests.benchmarks.synthetic import Synthetic

ROUNDS = 3
SECONDS = 600.0
SAMPLED = 500
"""Documents whose words are counted to find rare and frequent patterns."""


def beside_ripgrep(explorer: Explorer, data: Synthetic) -> dict[str, Any]:
    """Search for each pattern by both, in turns; lines must be as many."""
    ripgrep = shutil.which("rg")
    found: dict[str, Any] = {} if ripgrep else {"missing": {"ripgrep": "no rg on the path"}}
    for name, (pattern, regex) in patterns(data).items():
        ours, theirs, lines = [], [], -1
        for _ in range(ROUNDS):
            started = perf_counter()
            page = explorer.search_text(TextQuery(pattern=pattern, regex=regex), seconds=SECONDS)
            ours.append((perf_counter() - started) * 1000)
            if ripgrep:
                command = [ripgrep, "-n", "--no-heading", *(() if regex else ("-F",)), "-e", pattern, str(data.corpus)]
                started = perf_counter()
                lines = subprocess.run(command, capture_output=True, check=False).stdout.count(b"\n")
                theirs.append((perf_counter() - started) * 1000)
        found[name] = {"pattern": pattern, "kbtui": float(np.median(ours)), "kbtui_lines": page.total}
        if ripgrep:
            found[name] |= {"ripgrep": float(np.median(theirs)), "ripgrep_lines": lines}
    return found


def patterns(data: Synthetic) -> dict[str, tuple[str, bool]]:
    """Return a pattern that no line has, one that one has, a word of some documents, one of most, and an expression."""
    words: Counter[str] = Counter()
    for path in islice(sorted(data.corpus.rglob("*.md")), SAMPLED):
        words.update(set(path.read_text().replace(".", " ").split()))
    spelled = [word for word, _ in words.most_common() if word.isalpha() and len(word) > 5]
    return {
        "absent": ("nowhere at all", False),
        "one line": ("p0000042 ", False),
        "some": (spelled[len(spelled) // 2], False),
        "most": (spelled[0], False),
        "expression": (r"p00000\d2 \w+", True),
    }
