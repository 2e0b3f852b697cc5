"""A store after many changes answers like one built from scratch."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from kbtui.store.generation import Store
from tests.unit.store.conftest import Workshop

WORDS = ("retry", "lease", "ledger", "carrier", "siding", "backoff")
ROUNDS = 6


def edit(workshop: Workshop, rng: random.Random, turn: int) -> None:
    """Add, change, move to another type, and remove files."""

    def text() -> str:
        return "\n\n".join(f"{rng.choice(WORDS)} {rng.choice(WORDS)} {rng.randrange(9)}." for _ in range(4))

    paths = sorted(path for path in workshop.corpus.rglob("*.md"))
    for path in rng.sample(paths, min(3, len(paths))):
        path.write_text(f"title: {path.stem}\nlink: ../guide/0-0.md\n{text()}")
    for path in rng.sample(paths, min(2, len(paths))):
        other = workshop.corpus / rng.choice(("guide", "ticket", "src")) / path.name
        other.parent.mkdir(exist_ok=True)
        path.rename(other)
    remaining = sorted(workshop.corpus.rglob("*.md"))
    if len(remaining) > 8:
        rng.choice(remaining).unlink()
    workshop.write({f"guide/{turn}-{n}.md": f"title: {turn}-{n}\nrelated: #{n}\n{text()}" for n in range(4)})


def held(workshop: Workshop, store: Store) -> dict[str, Any]:
    """Return all that a store can be asked, without keys and without BM25's scores.

    Those depend on history: tantivy counts deleted passages until it merges their segment.
    """
    with closing(store.open()) as opened:
        catalog = opened.catalog
        doc_ids = sorted(path.relative_to(workshop.corpus).as_posix() for path in workshop.corpus.rglob("*.md"))
        entries = [catalog.passages(doc_id) for doc_id in doc_ids]
        near = {}
        for word in WORDS:
            vector = workshop.embedder.embed_query(word)
            for source_type, hits in opened.vectors.search(vector, 500).items():
                alive = catalog.entries([key for key, _ in hits])
                found = [(round(score, 5), alive[key].chunk_id) for key, score in hits if key in alive]
                near[word, source_type] = sorted(found)
        words = {}
        for word in WORDS:
            keys = [key for key, _ in opened.lexical.search(word, None, 500)]
            found_keys = catalog.entries(keys)
            assert len(found_keys) == len(keys)  # the lexical index has no stale rows
            words[word] = {entry.chunk_id for entry in found_keys.values()}
        return {
            "documents": catalog.documents(doc_ids),
            "entries": entries,
            "texts": [catalog.texts(entry.chunk_id for entry in of_document) for of_document in entries],
            "edges": set(catalog.edges(doc_ids, 99)),
            "types": catalog.type_status(),
            "near": {name: found for name, found in near.items() if found},
            "words": words,
        }


@pytest.mark.parametrize("seed", [1, 2])
def test_history_leaves_no_trace(workshop: Workshop, tmp_path: Path, seed: int) -> None:
    """Six rounds of edits, moves between types and removals, each built upon the last; then one from nothing."""
    rng = random.Random(seed)
    for turn in range(ROUNDS):
        edit(workshop, rng, turn)
        assert workshop.build().pending == 0
    grown = held(workshop, workshop.store)
    workshop.store = Store(tmp_path / "fresh")
    workshop.build()
    fresh = held(workshop, workshop.store)
    for name in fresh:
        assert grown[name] == fresh[name], name
