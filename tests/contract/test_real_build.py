"""The store with the real reader and the real model, over processes: whole answers, and light second runs."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from kbtui.explorer import index
from kbtui.store.embed import open_embedder
from kbtui.store.generation import Store

HEAVY = ("chromadb", "tantivy", "onnxruntime", "numpy", "tokenizers", "tiktoken", "networkx", "textual")

SECOND_RUN = f"""
import json, sys
from pathlib import Path
from kbtui.explorer import Explorer, index
report = index(Path(sys.argv[1]), Path(sys.argv[2]))
explorer = Explorer.open(Path(sys.argv[2]))
status = explorer.status()
explorer.close()
loaded = [name for name in {HEAVY!r} if name in sys.modules]
print(json.dumps([report.generation, report.embedded, status.embedded, loaded]))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Three small files of two types, indexed by the real pipeline."""
    corpus, store = tmp_path_factory.mktemp("corpus"), tmp_path_factory.mktemp("home") / "store"
    (corpus / "guides").mkdir()
    (corpus / "tickets").mkdir()
    (corpus / "guides/bread.md").write_text("# Bread\n\nKnead the dough, let it rise, bake it for an hour.\n")
    (corpus / "guides/bikes.md").write_text("# Bikes\n\nOil the chain and pump up the tyres before a long ride.\n")
    (corpus / "tickets/issue-3.md").write_text("# Oven too cold\n\nThe loaf came out pale. See bread.\n")
    report = index(corpus, store)
    assert (report.documents, report.pending) == (3, 0)
    return corpus, store


def test_a_second_run_and_a_status_load_no_heavy_library(built: tuple[Path, Path]) -> None:
    """In a new process: nothing published, nothing embedded, none of the libraries imported."""
    corpus, store = built
    done = subprocess.run(
        [sys.executable, "-c", SECOND_RUN, str(corpus), str(store)], capture_output=True, text=True, check=True
    )
    generation, embedded, all_embedded, loaded = json.loads(done.stdout)
    assert (generation, embedded, all_embedded) == (Store(store).current(), 0, 3)
    assert loaded == []


def test_meaning_finds_what_words_do_not(built: tuple[Path, Path]) -> None:
    """A question that shares no word with its answer: found by the vectors, not by the words."""
    _, store = built
    question = "cycling maintenance"
    with closing(Store(store).open()) as opened:
        assert opened.lexical.search(question, None, 9).keys.tolist() == []
        near = opened.vectors.search(open_embedder().embed_query(question), 9)
        score, key = max((score, key) for hits in near.values() for key, score in hits)
        (entry,) = opened.catalog.entries([key]).values()
    assert entry.doc_id == "guides/bikes.md"
    assert score > 0.3
