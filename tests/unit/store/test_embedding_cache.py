"""The embedding cache: what was computed once is never computed again."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kbtui.store.embedding_cache import EmbeddingCache
from tests.unit.store.fakes import FakeEmbedder

DIGESTS = [bytes([number]) * 16 for number in range(3)]


def test_vectors_come_back_bit_for_bit(tmp_path: Path) -> None:
    """What one process puts, another gets: the same windows, the same bits."""
    embedder = FakeEmbedder()
    vectors = dict(zip(DIGESTS, embedder.embed_passages(["a", "b" * 1200, "c"]), strict=True))
    first = EmbeddingCache(tmp_path / "e.sqlite", embedder)
    first.put(vectors)
    first.close()
    second = EmbeddingCache(tmp_path / "e.sqlite", embedder)
    found = second.get(DIGESTS)
    second.close()
    assert {digest: array.tobytes() for digest, array in found.items()} == {
        digest: array.tobytes() for digest, array in vectors.items()
    }
    assert found[DIGESTS[1]].shape == (2, embedder.dimensions)


def test_missing_are_those_never_put(tmp_path: Path) -> None:
    """A digest of another model is missing for this one."""
    cache = EmbeddingCache(tmp_path / "e.sqlite", FakeEmbedder())
    cache.put({DIGESTS[0]: np.ones((1, 8), dtype=np.float32)})
    assert cache.missing(DIGESTS) == set(DIGESTS[1:])
    cache.close()
    other = EmbeddingCache(tmp_path / "e.sqlite", FakeEmbedder(name="other/8"))
    assert other.missing(DIGESTS) == set(DIGESTS)
    other.close()


def test_more_digests_than_one_statement_takes(tmp_path: Path) -> None:
    """1,201 digests are looked up in batches, and all are found."""
    many = [number.to_bytes(16, "big") for number in range(1201)]
    cache = EmbeddingCache(tmp_path / "e.sqlite", FakeEmbedder())
    cache.put({digest: np.ones((1, 8), dtype=np.float32) for digest in many})
    assert cache.missing(many) == set()
    assert len(cache.get(many)) == 1201
    cache.close()


def test_a_damaged_cache_costs_time_not_the_build(tmp_path: Path) -> None:
    """Bytes that are no database are dropped: the cache starts empty and works."""
    path = tmp_path / "e.sqlite"
    path.write_bytes(b"this is not a database, and long enough to be looked at" * 40)
    cache = EmbeddingCache(path, FakeEmbedder())
    assert cache.missing(DIGESTS) == set(DIGESTS)
    cache.put({DIGESTS[0]: np.ones((1, 8), dtype=np.float32)})
    assert cache.missing(DIGESTS) == set(DIGESTS[1:])
    cache.close()
