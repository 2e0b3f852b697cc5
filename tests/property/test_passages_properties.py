"""Whatever a file holds, its passages are all of it."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kbtui.sources.passages import MOST
from kbtui.sources.reader import understood
from kbtui.text import decode, safe

LINES = ("# Title\n", "## Part\r\n", "Setext\n---\n", "```\n", "~~~\n", "---\n", "| a | b |\n", "id: x\n", "  * item\n")
CODE = ("def f():\n    return 1\n", "class A:\n")
LONG = (
    "x" * 700,
    "7," * 600,
    "字" * 400,
    "👩‍👩‍👧" * 60,
    "e\u0301" * 300,
    "z" + "\u0301" * 50,
    "words of a paragraph, ",
)
ODD = ("\n\n", "\r", "\u200b" * 40, "\u202e", "\x00", "\x1b[0m", "\U000e0041" * 30, "\ufeff", "[a](b.md)")
PIECES = LINES + CODE + LONG + ODD
written = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)
files = st.one_of(
    st.binary(max_size=3000),
    written.map(str.encode),
    written.map(lambda text: text.encode("utf-16")),
    st.tuples(written, st.binary(max_size=20), written).map(
        lambda parts: parts[0].encode() + parts[1] + parts[2].encode()
    ),
)


@settings(max_examples=150, deadline=None)
@pytest.mark.parametrize("path", ["a.md", "a.py", "a.js", "a.txt"])
@given(data=files)
@example(data=b"")
@example(data=b"\xff\xfe\x00")
@example(data=b"\xef\xbb\xbf")
@example(data=b"---\nid: x\n---\n\n\n# A\n\n\n\n")
def test_passages_tile_the_file(path: str, data: bytes) -> None:
    """Spans run from 0 to the size without gap or overlap, and safe texts add up to the safe whole."""
    source = understood(path, data)
    end = 0
    for ordinal, chunk in enumerate(source.chunks):
        assert (chunk.ordinal, chunk.chunk_id) == (ordinal, f"{path}#{ordinal}")
        assert chunk.span.start == end < chunk.span.end
        end = chunk.span.end
    assert end == len(data) == source.document.size_bytes
    whole = safe(decode(data).text)
    assert "".join(chunk.text for chunk in source.chunks) == whole
    assert source.document.text_bytes == len(whole.encode())


@settings(max_examples=150, deadline=None)
@pytest.mark.parametrize("path", ["a.md", "a.py", "a.txt"])
@given(data=files)
def test_passages_stay_within_their_bound(path: str, data: bytes) -> None:
    for chunk in understood(path, data).chunks:
        assert len(chunk.text.encode()) <= MOST
        assert chunk.searchable <= bool(chunk.text.strip())


@settings(max_examples=100, deadline=None)
@given(data=files)
def test_a_span_reads_as_its_passage(data: bytes) -> None:
    """The bytes of a span, decoded as the file is, are the passage: a span can be opened in an editor."""
    decoded = decode(data)
    for chunk in understood("a.md", data).chunks:
        part = data[chunk.span.start : chunk.span.end]
        errors = "surrogateescape" if decoded.encoding == "utf-8" else "surrogatepass"
        text = (
            part[: len(part) // 2 * 2].decode(decoded.encoding, errors)
            if decoded.encoding != "utf-8"
            else part.decode("utf-8", errors)
        )
        assert safe(text + ("\ufffd" if decoded.encoding != "utf-8" and len(part) % 2 else "")) == chunk.text
