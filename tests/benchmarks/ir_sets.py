"""The public test sets as knowledge bases: each document a file, each set a store built as any other."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from kbtui import explorer

ROOT = Path(__file__).parents[2].parent / "shared" / "ir"
CODE = frozenset({"cosqa"})
"""Sets of Python functions; all others are prose."""


@dataclass(frozen=True, kw_only=True)
class TestSet:
    """Judged queries over a store: per query its text and the grade of each document, by document id."""

    name: str
    store: Path
    queries: tuple[tuple[str, str], ...]
    judged: dict[str, dict[str, int]]


def names(root: Path = ROOT) -> tuple[str, ...]:
    """Return the sets there are."""
    return tuple(sorted(folder.name for folder in root.iterdir() if (folder / "corpus.jsonl").is_file()))


def prepare(name: str, work: Path, root: Path = ROOT) -> TestSet:
    """Return a set, its files written and its store built below ``work`` where they are not there yet."""
    source, corpus, store = root / name, work / name / "kb", work / name / "store"
    ending = ".py" if name in CODE else ".md"
    if not corpus.is_dir():
        corpus.mkdir(parents=True)
        for line in _lines(source / "corpus.jsonl"):
            head = f"# {line['title']}\n\n" if line["title"] else ""
            (corpus / f"{line['_id']}{ending}").write_text(f"{head}{line['text']}\n", encoding="utf-8")
    explorer.index(corpus, store)
    judged: dict[str, dict[str, int]] = {}
    for row in (source / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = row.split("\t")
        if int(grade) > 0:
            judged.setdefault(query, {})[document + ending] = int(grade)
    asked = tuple((line["_id"], line["text"]) for line in _lines(source / "queries.jsonl") if line["_id"] in judged)
    return TestSet(name=name, store=store, queries=asked, judged=judged)


def _lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
