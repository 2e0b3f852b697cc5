"""Known items: a section's heading is asked, and its document must come back with the section's own sentence.

    python -m tests.benchmarks.known_items STORE [QUESTIONS] [--json FILE] [--set KEY=VALUE] [--half 0|1]

STORE holds the corpus of the questions (a JSONL file of text, relevant, evidence). Printed are, for each variant:
success@1 and @5, and the share of the answers holding the document whose context keeps the evidence; beside it what
cutting each document's head to the document bound would have kept of it.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from kbtui.explorer import Explorer
from kbtui.model import Answer, Query
from kbtui.settings import Settings, parse

QUESTIONS = Path(__file__).parents[2] / "shared" / "eval" / "neo-headings.jsonl"


@dataclass(frozen=True, kw_only=True)
class Item:
    """A question, the documents that answer it, and a sentence that the context should hold."""

    text: str
    relevant: tuple[str, ...]
    evidence: str


@dataclass(frozen=True, kw_only=True)
class Variant:
    """A way to ask: settings, and whether everything is one pool without penalties."""

    name: str
    settings: Settings
    untiered: bool = False


@dataclass(kw_only=True)
class Tally:
    """What came of a variant; ``ahead`` counts the types that stood before a missed document, or took its place."""

    asked: int = 0
    first: int = 0
    held: int = 0
    kept: int = 0
    head_kept: int = 0
    ahead: dict[str, int] = field(default_factory=dict)
    missed: list[dict[str, Any]] = field(default_factory=list)


def main() -> None:
    """Measure every variant, print the table, and write the JSON where asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=Path)
    parser.add_argument("questions", type=Path, nargs="?", default=QUESTIONS)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--half", type=int, choices=(0, 1), help="only the even (0) or the odd (1) questions")
    args = parser.parse_args()
    chosen = items(args.questions)[slice(args.half, None, None if args.half is None else 2)]
    base = Settings().with_values({key: parse(key, text) for key, _, text in (one.partition("=") for one in args.set)})
    explorer = Explorer.open(args.store)
    tallies = {variant.name: measured(explorer, chosen, variant) for variant in variants(base)}
    explorer.close()
    sys.stdout.write(table(tallies) + "\n")
    if args.json:
        found = {name: asdict(tally) | rates(tally) for name, tally in tallies.items()}
        args.json.write_text(json.dumps(found, indent=2) + "\n")


def items(path: Path) -> list[Item]:
    """Read the questions."""
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return [Item(text=line["text"], relevant=tuple(line["relevant"]), evidence=line["evidence"]) for line in lines]


def variants(base: Settings) -> tuple[Variant, ...]:
    """Return the ways to ask."""
    expanded = (Variant(name=f"expand {n}", settings=base.with_values({"expand": n})) for n in (0, 1, 2))
    bare = base.with_values({"expand": 0, "penalty.superseded": 0.0})
    return (Variant(name="default", settings=base), *expanded, Variant(name="untiered", settings=bare, untiered=True))


def measured(explorer: Explorer, asked: list[Item], variant: Variant) -> Tally:
    """Ask every question one way."""
    types = tuple(one.source_type for one in explorer.status().types) if variant.untiered else ()
    tally = Tally()
    for item in asked:
        answer = explorer.query(Query(text=item.text, source_types=types), variant.settings)
        place = _place(answer, item)
        tally.asked += 1
        tally.first += place == 1
        if place != 1:
            before = answer.rows[: place - 1 if place else None]
            for row in before:
                tally.ahead[row.document.source_type] = tally.ahead.get(row.document.source_type, 0) + 1
        if not place:
            tally.missed.append({"text": item.text, "relevant": item.relevant, **_lost(answer, item)})
            continue
        tally.held += 1
        tally.kept += _flat(item.evidence) in _flat(answer.context)
        bound = variant.settings.bound("budget.document_bytes")
        head = explorer.read(answer.rows[place - 1].document.doc_id).text.encode()[:bound].decode(errors="ignore")
        tally.head_kept += _flat(item.evidence) in _flat(head)
    return tally


def rates(tally: Tally) -> dict[str, float]:
    """Return the shares that the table shows."""
    asked, held = max(1, tally.asked), max(1, tally.held)
    return {
        "success@1": tally.first / asked,
        "success@5": tally.held / asked,
        "evidence": tally.kept / held,
        "head slice": tally.head_kept / held,
    }


def table(tallies: dict[str, Tally]) -> str:
    """Return the shares of every variant, a line each."""
    lines = ["variant     success@1  success@5  evidence  head slice  ahead of the document, by type"]
    for name, tally in tallies.items():
        first, held, kept, head = rates(tally).values()
        most = sorted(tally.ahead.items(), key=lambda pair: -pair[1])[:4]
        ahead = ", ".join(f"{kind} {count}" for kind, count in most)
        lines.append(f"{name:<12}{first:>9.3f}{held:>11.3f}{kept:>10.3f}{head:>12.3f}  {ahead}")
    return "\n".join(lines)


def _place(answer: Answer, item: Item) -> int:
    """Return the rank of the first document that answers, 0 when none is there."""
    return next((row.rank for row in answer.rows if row.document.doc_id in item.relevant), 0)


def _lost(answer: Answer, item: Item) -> dict[str, Any]:
    """Return where a document that is not in the response stands behind the limit, and what is in its place."""
    behind = next((row for row in answer.behind if row.document.doc_id in item.relevant), None)
    return {
        "rank": behind.rank if behind else None,
        "score": behind.scored.score if behind else None,
        "shown": [(row.document.doc_id, row.origin, round(row.scored.score, 3)) for row in answer.rows],
    }


def _flat(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    main()
