"""Searching texts: the fast ways find what asking every line alone finds; spans are the file's bytes."""

from __future__ import annotations

from time import monotonic

import regex
from hypothesis import given
from hypothesis import strategies as st

from kbtui.model import Entry, TextQuery
from kbtui.sources.reader import understood
from kbtui.store.cursors import Place, decoded, encoded
from kbtui.store.file_bytes import Passages
from kbtui.store.patterns import Lines

TEXTS = st.text(alphabet="ab \n_A\u00e9", max_size=60)
EXPRESSIONS = st.recursive(
    st.sampled_from(["a", "b", ".", r"\s", "[^a]", "^", "$", r"\b", r"\w", " ", "A"]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(inner, st.sampled_from("*+?")).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
    ),
    max_leaves=6,
)


def one_by_one(text: str, pattern: str) -> list[str]:
    """Return the lines that match alone."""
    return [line for line in text.removesuffix("\n").split("\n") if text and regex.search(pattern, line)]


@given(TEXTS, EXPRESSIONS)
def test_expressions_find_what_each_line_alone_matches(text: str, pattern: str) -> None:
    lines = Lines(TextQuery(pattern=pattern, regex=True), monotonic() + 60)
    assert [text[start:end] for start, end in lines.found(text)] == one_by_one(text, pattern)


@given(TEXTS, st.text(alphabet="ab A_", min_size=1, max_size=3), st.booleans(), st.booleans())
def test_literals_find_what_each_line_alone_matches(text: str, literal: str, word: bool, ignore_case: bool) -> None:
    lines = Lines(TextQuery(pattern=literal, word=word, ignore_case=ignore_case), monotonic() + 60)
    pattern = regex.escape(literal)
    pattern = rf"(?<!\w){pattern}(?!\w)" if word else pattern
    expected = one_by_one(text, f"(?i){pattern}" if ignore_case else pattern)
    assert [text[start:end] for start, end in lines.found(text)] == expected


@given(st.text(alphabet="a\u00e9 \n\r\x1b\u200b\ufeff\U0001f600", max_size=40), st.data())
def test_exact_spans_hold_the_same_text(raw: str, data: st.DataObject) -> None:
    """An exact span's bytes say what the line says; the others hold it, at least."""
    file = raw.encode()
    source = understood("guides/a.md", file)
    text = "".join(chunk.text for chunk in source.chunks)
    if not text:
        return
    entries = tuple(
        Entry(
            chunk_id=chunk.chunk_id,
            doc_id=chunk.doc_id,
            ordinal=chunk.ordinal,
            span=chunk.span,
            heading=(),
            size_bytes=len(chunk.text.encode()),
            tokens=0,
        )
        for chunk in source.chunks
    )
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    span, exact = Passages(source.made_safe == 0, text, entries).span(start, end)
    held = file[span.start : span.end].decode()
    assert 0 <= span.start <= span.end <= len(file)
    if exact:
        assert held.replace("\r\n", "\n").replace("\r", "\n").strip("\n") == text[start:end].strip("\n")


@given(st.text(max_size=20), st.integers(0, 2**62), st.text(max_size=5))
def test_a_cursor_says_where_it_goes_on(path: str, number: int, pattern: str) -> None:
    query = TextQuery(pattern=pattern)
    assert decoded(encoded(Place(path, number), "7/part", query), "7/part", query) == Place(path, number)
