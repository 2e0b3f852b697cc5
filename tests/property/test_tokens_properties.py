"""Counting in parts is counting the whole."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kbtui.engine import frame
from kbtui.store import tokens
from tests.engine_fakes import document, real_count

WHOLE = real_count()
lines = st.sampled_from(
    ("===== ", "\n===== [12] a", "\n", "\r\n", " ", "\u2028", "word", "!!", "'s", "\t", "7", "é", "\u200b")
)


@given(st.lists(st.one_of(lines, st.text(max_size=6)), max_size=40))
def test_a_long_text_counts_what_it_counts_whole(parts: list[str]) -> None:
    """Wherever block headers stand in it, and whatever is around them."""
    text = "".join(parts) + "x" * (tokens.CACHED_LENGTH + 1) + "".join(parts)
    assert tokens.count(text) == WHOLE(text)


@given(st.integers(1, 100_000), st.text(max_size=30), st.text(max_size=12), st.text(max_size=30))
def test_no_token_spans_the_two_parts_of_a_header(rank: int, doc_id: str, source_type: str, title: str) -> None:
    """So a header's count is the sum of theirs."""
    row = document(doc_id, source_type, title)
    assert sum(map(WHOLE, frame.header_parts(rank, row))) == WHOLE(frame.header(rank, row))
