"""What holds of safe text, whatever the text."""

from __future__ import annotations

import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kbtui.text import cell_width, clip, decode, made_safe, safe, safe_line

TRICKY = (
    "a \n\r\t\x1b\x00\x85\x9b\u00ad\u0301\u034f\u0600\u061c\u094d\u0915\u0e33\u1100\u1161\u180b\u200b\u200c\u200d\u2028"
    "\u202e\u2066\ud800\udc80\ufe00\ufe0f\ufeff\uff9e字👩🏽🇩\U000e0041\U000e0100\U000e0fff"
)
foreign = st.one_of(st.text(st.characters()), st.text(st.sampled_from(TRICKY), max_size=30))
FORBIDDEN = regex.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb"
    r"\U000e0000-\U000e00ff]"
)


@settings(max_examples=500)
@given(foreign)
def test_nothing_that_acts_is_left(text: str) -> None:
    assert FORBIDDEN.search(safe(text)) is None
    safe(text).encode()  # no lone surrogate: every safe text can be stored and sent


@settings(max_examples=500)
@given(foreign)
def test_safe_is_idempotent(text: str) -> None:
    assert safe(safe(text)) == safe(text)
    assert made_safe(safe(text)) == 0


@settings(max_examples=500)
@given(foreign, st.integers(0, 1000))
@example("a\u200b\u0301", 2)
def test_safe_composes_at_grapheme_boundaries(text: str, where: int) -> None:
    graphemes = regex.findall(r"\X", text)
    cut = where % (len(graphemes) + 1)
    head, tail = "".join(graphemes[:cut]), "".join(graphemes[cut:])
    assert safe(head) + safe(tail) == safe(text)


@given(foreign)
def test_nothing_is_counted_only_when_nothing_changes(text: str) -> None:
    assert (made_safe(text) == 0) == (safe(text) == text.replace("\r\n", "\n").replace("\r", "\n"))


@given(foreign, st.integers(0, 40))
def test_a_clipped_line_fits(text: str, width: int) -> None:
    assert cell_width(clip(safe_line(text), width)) <= width


@given(st.binary(max_size=300))
@example(b"\xff\xfea")
@example(b"\xfe\xff\xd8\x00\x00")
def test_every_byte_is_in_the_text(data: bytes) -> None:
    decoded = decode(data)
    half = len(data) % 2 if decoded.encoding != "utf-8" else 0
    assert decoded.size_bytes(decoded.text) == len(data) + half
    assert sum(map(decoded.size_bytes, decoded.text)) == len(data) + half
