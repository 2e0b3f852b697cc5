"""A corpus, a store and a way to build one from the other, without the real model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from kbtui.model import BuildReport, Progress
from kbtui.store import build as build_module
from kbtui.store.generation import Store
from tests.unit.store.fakes import FakeEmbedder, FakeSource


@dataclass
class Workshop:
    """A corpus beside a store; builds with the fake reader and the fake embedder, and remembers what they did."""

    corpus: Path
    store: Store
    source: FakeSource = field(default_factory=FakeSource)
    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)
    progress: list[Progress] = field(default_factory=list)
    published: list[str] = field(default_factory=list)

    def write(self, files: dict[str, str]) -> None:
        """Write these files into the corpus."""
        for name, content in files.items():
            path = self.corpus / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)

    def build(
        self, *, lexical_only: bool = False, rebuild: bool = False, cancelled: Callable[[], bool] = lambda: False
    ) -> BuildReport:
        """Build, forgetting what the last build did."""
        self.source.opened.clear()
        self.embedder.embedded.clear()
        self.progress.clear()
        return build_module.build(
            self.store,
            self.corpus,
            self.source.scan,
            self.source.read,
            lexical_only=lexical_only,
            rebuild=rebuild,
            report=self.progress.append,
            cancelled=cancelled,
        )


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    """An empty corpus and no store yet."""
    made = Workshop(tmp_path / "corpus", Store(tmp_path / "store"))
    made.corpus.mkdir()
    monkeypatch.setattr(build_module, "open_embedder", lambda: made.embedder)
    return made
