"""Shared fixtures: the demo knowledge base, indexed once a session, and the large corpora where present."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

os.environ["KBTUI_NO_USER_CONFIG"] = "1"
os.environ["KBTUI_LOG_BYTES"] = "0"  # the stores of these tests are shared, and read only
os.environ["SOURCE_DATE_EPOCH"] = "1796083200"  # 2026-12-01: no build of a test falls on the next day

signal.signal(
    signal.SIGINT, signal.default_int_handler
)  # a script's background job ignores it, and so would its children

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(scope="session")
def demo_corpus() -> Path:
    """The folder of the demo knowledge base."""
    from kbtui.demo import corpus

    return corpus()


@pytest.fixture(scope="session")
def demo_store(tmp_path_factory: pytest.TempPathFactory, demo_corpus: Path) -> Path:
    """A store of the demo knowledge base, fully embedded; read only by convention."""
    from kbtui.explorer import index

    store = tmp_path_factory.mktemp("demo") / "store"
    report = index(demo_corpus, store)
    assert report.pending == 0
    return store


@pytest.fixture(scope="session")
def neo_corpus() -> Path:
    """The large corpus of real files; skips where it is not present."""
    path = SHARED / "corpora" / "neo-kb"
    if not path.is_dir():
        pytest.skip("the corpus neo-kb is not beside this checkout")
    return path
