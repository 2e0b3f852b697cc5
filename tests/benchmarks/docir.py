"""Tasks over small stores of typed, related documents: what expansion brings, and what it takes.

    python -m tests.benchmarks.docir WORK [--sets ROOT] [--json FILE] [--set KEY=VALUE]

WORK is a folder for the sets' files and stores. Printed are, for each set and each number of places for neighbours,
recall among the five rows of the answer and the mean reciprocal rank of the first relevant one.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml

from kbtui import explorer
from kbtui.explorer import Explorer
from kbtui.model import Query
from kbtui.settings import Settings, parse
from tests.benchmarks.measures import mean, recall, reciprocal_rank

ROOT = Path(__file__).parents[2] / "shared" / "eval"
SETS = ("docir", "docir-mentions", "docir-chunking")
PLACES = (0, 1, 2, 3)
DEPTH = 5


@dataclass(frozen=True, kw_only=True)
class Task:
    """What somebody is about to do, and the documents to read before."""

    text: str
    relevant: tuple[str, ...]


def main() -> None:
    """Measure every set with every number of places, print the table, and write the JSON where asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--sets", type=Path, default=ROOT)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    args = parser.parse_args()
    given = {key: parse(key, text) for key, _, text in (one.partition("=") for one in args.set)}
    settings = Settings().with_values({**given, "limit": DEPTH})
    found = {name: measure(name, args.work, args.sets, settings) for name in SETS}
    sys.stdout.write(table(found) + "\n")
    if args.json:
        args.json.write_text(json.dumps(found, indent=2) + "\n")


def measure(name: str, work: Path, root: Path, settings: Settings) -> dict[int, tuple[float, float]]:
    """Return recall@5 and the mean reciprocal rank by the number of places, for one set."""
    ids, store = prepare(name, work / name, root)
    opened, found = Explorer.open(store), {}
    for places in PLACES:
        rankings = [
            (ranked(opened, task.text, settings.with_values({"expand": places})), dict.fromkeys(task.relevant, 1))
            for task in tasks(name, root, ids)
        ]
        found[places] = (
            mean([recall(ranking, grades, DEPTH) for ranking, grades in rankings]),
            mean([reciprocal_rank(ranking, grades) for ranking, grades in rankings]),
        )
    opened.close()
    return found


def ranked(opened: Explorer, text: str, settings: Settings) -> list[str]:
    """Return the paths of an answer's rows."""
    return [row.document.path for row in opened.query(Query(text=text), settings).rows]


def prepare(name: str, work: Path, root: Path) -> tuple[dict[str, str], Path]:
    """Write a set's documents and build their store; return each document's path by its key, and the store."""
    documents: list[dict[str, Any]] = _loaded(root / f"{_stem(name)}corpus.yaml")
    ids = {document["key"]: _id(document["key"]) for document in documents}
    paths = {}
    for document in documents:
        path = work / "kb" / f"{document['type']}s" / f"{ids[document['key']]}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_written(document, ids), encoding="utf-8")
        paths[document["key"]] = path.relative_to(work / "kb").as_posix()
    explorer.index(work / "kb", work / "store")
    return paths, work / "store"


def tasks(name: str, root: Path, paths: dict[str, str]) -> Iterator[Task]:
    """Yield a set's tasks, with the paths of what is relevant."""
    for task in _loaded(root / f"{_stem(name)}tasks.yaml"):
        named = task["relevant"] if isinstance(task["relevant"], list) else [task["relevant"]]
        yield Task(text=task["task"], relevant=tuple(paths[key] for key in named))


def table(found: dict[str, dict[int, tuple[float, float]]]) -> str:
    """Return recall and, in brackets, the mean reciprocal rank, a line a set."""
    lines = [f"{'recall@5 (MRR)':<16}" + "".join(f"{f'expand {places}':>16}" for places in PLACES)]
    for name, measured in found.items():
        cells = (f"{found_part:.3f} ({first:.3f})" for found_part, first in measured.values())
        lines.append(f"{name:<16}" + "".join(f"{cell:>16}" for cell in cells))
    return "\n".join(lines)


def _loaded(path: Path) -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return loaded


def _stem(name: str) -> str:
    return f"{name}-" if name == "docir" else f"{name}_"


def _id(key: str) -> str:
    """Return an id as the store these sets come from gives them: the kind, and twelve digits that say nothing."""
    return f"{key.partition('-')[0]}-{sha256(key.encode()).hexdigest()[:12]}"


def _written(document: dict[str, Any], ids: dict[str, str]) -> str:
    """Return a document as a file; `{key}` in its body cites another document."""
    relations = (one.partition(":") for one in document.get("related", ()))
    front = {
        "id": ids[document["key"]],
        "title": document["title"],
        "type": document["type"],
        "description": document["description"],
        "status": (document.get("status_path") or ["accepted"])[-1],
        "related": [{"kind": kind or "relates_to", "to": ids[key]} for key, _, kind in relations],
    }
    body = re.sub(r"\{([a-z0-9-]+)\}", lambda found: ids.get(found.group(1), found.group()), document["body"])
    return f"---\n{yaml.safe_dump(front, sort_keys=True)}---\n\n{body}"


if __name__ == "__main__":
    main()
