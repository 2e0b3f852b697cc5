"""Foreign text: decoded without loss, shown without effect."""

from __future__ import annotations

import sys

import pytest

from kbtui.text import (
    MARKS_KEPT,
    QUERY_CHARACTERS,
    QUERY_WORDS,
    TAGS_SHOWN,
    _is_clean,
    asked_part,
    cell_width,
    clip,
    decode,
    folded,
    holds,
    looks_binary,
    made_safe,
    phrases,
    safe,
    safe_line,
    valid,
    words,
)


@pytest.mark.parametrize(
    ("foreign", "shown"),
    [
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("\x1b]8;;file:///etc\x1b\\x", "␛]8;;file:///etc␛\\x"),
        ("\x1bPq\x9c", "␛Pq⟨U+009C⟩"),
        ("a\x00b\x08c\x7f", "a␀b␈c␡"),
        ("\x9b31m", "⟨U+009B⟩31m"),
        ("\u202eevil\u2066", "⟨U+202E⟩evil⟨U+2066⟩"),
        ("a\U000e0041\U000e007f", "a⟨U+E0041⟩⟨U+E007F⟩"),
        ("x\u2028y\u2029z", "x⟨U+2028⟩y⟨U+2029⟩z"),
        ("pass\u200bword\ufeff\u00ad", "password"),
        ("\udc80 \ud800", "\ufffd \ufffd"),
        ("a\r\nb\rc\n", "a\nb\nc\n"),
        ("tab\tstays", "tab\tstays"),
    ],
)
def test_what_acts_or_hides_is_shown_or_dropped(foreign: str, shown: str) -> None:
    assert safe(foreign) == shown


@pytest.mark.parametrize("said", ["👩‍👩‍👧", "⚠️ 1️⃣ 👍🏽", "می‌خواهم", "क्‍ष", "e\u0301", "한글", "שלום", "🇩🇪"])
def test_what_people_write_stays(said: str) -> None:
    assert safe(said) == said
    assert made_safe(said) == 0


def test_marks_on_one_character_are_capped() -> None:
    assert safe("z" + "\u0301" * (MARKS_KEPT + 5)) == "z" + "\u0301" * MARKS_KEPT
    assert made_safe("z" + "\u0301" * (MARKS_KEPT + 5)) == 5


def test_tags_on_one_character_are_shown_up_to_a_bound() -> None:
    assert safe("a" + "\U000e0041" * (TAGS_SHOWN + 1)) == "a" + "⟨U+E0041⟩" * TAGS_SHOWN


@pytest.mark.parametrize("start", ["", "\n", "\x1b", "\u200b"])
def test_a_mark_without_a_character_gets_a_circle(start: str) -> None:
    """Else it would land on whatever the screen shows before it."""
    assert safe(start + "\u0301") == safe(start) + "\u25cc\u0301"


@pytest.mark.parametrize("hidden", ["\u200d", " \u200dx", "a\u200d\u200d", "a\ufe0f\ufe0f", "\ufe0f", "a \ufe0fb"])
def test_joiners_and_selectors_without_effect_are_dropped(hidden: str) -> None:
    """Bits can be smuggled in them."""
    assert made_safe(hidden) == 1


def test_changes_are_counted_but_line_ends_are_none() -> None:
    assert made_safe("a\r\nb\x00\u202e\u200b") == 3
    assert made_safe("a\r\nb\rc") == 0


def test_the_first_look_misses_nothing() -> None:
    """Every character that the exact look changes, alone, doubled or after another, is seen by the quick one."""
    scripts = (*range(0x3400), *range(0xA000, 0xAC00), *range(0xD7A4, 0x20000), *range(0xE0000, 0xE1000))
    texts = [text for char in map(chr, scripts) for text in (char, "☃" + char * 2, " " + char)]
    unseen = "\n".join(filter(_is_clean, texts))
    assert safe("\x00" + unseen) == "␀" + unseen


def test_ideographs_and_what_is_unassigned_stay() -> None:
    ranges = ((0x3400, 0xA000), (0xAC00, 0xD7A4), (0x20000, 0xE0000), (0xE1000, sys.maxunicode + 1))
    rest = "".join(chr(code) for first, last in ranges for code in range(first, last))
    assert safe("\x00" + rest) == "␀" + rest


def test_a_line_is_one_line() -> None:
    assert safe_line("  a\r\n\tb \x1b[0m\u2028 ") == "a b ␛[0m⟨U+2028⟩"


@pytest.mark.parametrize(
    ("text", "width", "clipped"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
        ("abc", 0, ""),
        ("abc", 1, "…"),
    ],
)
def test_clipping_never_splits_a_grapheme(text: str, width: int, clipped: str) -> None:
    assert clip(text, width) == clipped
    assert cell_width(clipped) <= width


@pytest.mark.parametrize(
    ("text", "cells"),
    [("abc", 3), ("日本", 4), ("👩‍👩‍👧", 2), ("⚠️", 2), ("e\u0301", 1), ("🇩🇪", 2), ("각", 2), ("สวัสดี", 4)],
)
def test_cells_are_what_a_terminal_uses(text: str, cells: int) -> None:
    assert cell_width(text) == cells


def test_a_query_is_asked_up_to_its_bounds() -> None:
    """A word that comes again costs nothing; a text without spaces is bounded by its characters."""
    words = [f"{first}{second}" for first in "bcdfghjklmnpqrst" for second in "bcdfghjklmnpqrst"]
    assert len(words) == QUERY_WORDS
    assert asked_part(" ".join(words * 3)) == " ".join(words * 3)
    assert asked_part(" ".join([*words, "further", "words"])) == " ".join(words) + " "
    assert asked_part("\u8a9e" * 20_000) == "\u8a9e" * QUERY_CHARACTERS
    assert asked_part("?!") == "?!"


def test_words_are_lower_case_distinct_and_without_stop_words() -> None:
    assert words("How does the StateProvider work, state?") == ("stateprovider", "state", "provider", "work")
    assert words("to be or not to be") == ("to", "be", "or", "not")
    assert words("  ... ") == ()


def test_utf_8_with_invalid_bytes_keeps_every_byte() -> None:
    decoded = decode(b"a\xff\xc3\xa9\xed\xa0\x80")
    assert safe(decoded.text) == "a\ufffdé" + "\ufffd" * 3
    assert decoded.replaced == 1 + 3
    assert [decoded.size_bytes(char) for char in decoded.text] == [1, 1, 2, 1, 1, 1]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_read_by_its_mark(encoding: str) -> None:
    data = "\ufeffhé🎉\n".encode(encoding)
    decoded = decode(data)
    assert (safe(decoded.text), decoded.encoding, decoded.replaced) == ("hé🎉\n", encoding, 0)
    assert [decoded.size_bytes(char) for char in decoded.text] == [2, 2, 2, 4, 2]
    assert decode(data + b"x").replaced == 1
    assert safe(decode(data + b"x").text) == "hé🎉\n\ufffd"


@pytest.mark.parametrize(
    ("data", "binary"),
    [
        (b"", False),
        (b"plain\n", False),
        (b"\x00plain", True),
        (b"a" * 70_000 + b"\x00", True),
        ("\ufeffhi".encode("utf-16-le"), False),
        ("hi".encode("utf-32"), True),
        (bytes(range(128, 256)) * 10, True),
        ("Grüße aus Köln, schöne Übung".encode("latin-1"), False),
        (b"\x1b[31mred\x1b[0m log\n", False),
        (b"\x01\x02\x03\x04text", True),
    ],
)
def test_a_whole_file_is_binary_or_not(data: bytes, binary: bool) -> None:
    """The same decision wherever in the file the byte stands that gives it away."""
    assert looks_binary(data) is binary


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("How does  retry\tBackoff work?", ("how does retry backoff work",)),
        ('"Full Jitter" or “cold  start”', ("full jitter", "cold start")),
        ('"a" "A"', ("a",)),
        ('an open " quote', ("an open quote",)),
        ('""', ()),
        ("?", ()),
        ("Straße.", ("straße",)),
    ],
)
def test_what_a_query_asks_for_literally(query: str, asked: tuple[str, ...]) -> None:
    """Its quoted parts, else all of it without the mark at its end; without case, white space as one blank."""
    assert phrases(query) == asked


@pytest.mark.parametrize(
    ("text", "phrase", "there"),
    [
        ("Retry\n  backoff doubles", "retry backoff", True),
        ("a retry, backoff", "retry backoff", False),
        ("the latest", "test", False),
        ("the latest test", "test", True),
        ("testing", "test", False),
        ("set retry_limit here", "retry", True),
        ("v12.5", "2.5", False),
        ("f(x)", "(x", True),
        ("深い場所", "場所", True),
        ("", "x", False),
    ],
)
def test_a_phrase_is_held_as_whole_words(text: str, phrase: str, there: bool) -> None:
    """It neither begins nor ends inside of a word, unless words have no space between them."""
    assert holds(folded(text), phrase) is there


def test_typed_text_in_another_locale_is_read_as_utf_8() -> None:
    """Python hands bytes of the command line that a locale cannot read over as surrogates."""
    assert valid("café") == "café"
    assert valid(b"caf\xc3\xa9".decode("ascii", "surrogateescape")) == "café"
    assert valid("a\udcffb\ud83d") == "a\ufffdb\ufffd"
