"""Which lines a pattern is found in, and that a deadline ends an expression without an end."""

from __future__ import annotations

from time import monotonic

import pytest

from kbtui.errors import UsageError
from kbtui.model import TextQuery
from kbtui.store.patterns import Lines

TEXT = "one fish\ntwo Fish\n\nfishing\n"


def found(text: str, query: TextQuery) -> list[str]:
    """Return the lines that match."""
    return [text[start:end] for start, end in Lines(query, monotonic() + 60).found(text)]


@pytest.mark.parametrize(
    ("query", "lines"),
    [
        (TextQuery(pattern="fish"), ["one fish", "fishing"]),
        (TextQuery(pattern="fish", word=True), ["one fish"]),
        (TextQuery(pattern="fish", ignore_case=True), ["one fish", "two Fish", "fishing"]),
        (TextQuery(pattern="fish", word=True, ignore_case=True), ["one fish", "two Fish"]),
        (TextQuery(pattern="."), []),
        (TextQuery(pattern="^", regex=True), ["one fish", "two Fish", "", "fishing"]),
        (TextQuery(pattern="^$", regex=True), [""]),
        (TextQuery(pattern=r"\AF?fish", regex=True), ["fishing"]),
        (TextQuery(pattern=r"fish\s", regex=True), []),
        (TextQuery(pattern=r"[^x]+two", regex=True), []),
        (TextQuery(pattern=r"(?<!one )fish", regex=True), ["fishing"]),
        (TextQuery(pattern=r"o|f", regex=True, word=True), []),
    ],
)
def test_lines_are_matched_one_by_one(query: TextQuery, lines: list[str]) -> None:
    """An expression never sees more than its line, whatever it asks for."""
    assert found(TEXT, query) == lines


def test_an_empty_text_has_no_line() -> None:
    for pattern in ("^", r"(?=)"):
        assert found("", TextQuery(pattern=pattern, regex=True)) == []


def test_what_was_made_visible_is_found_as_it_was() -> None:
    """The pattern is made safe as the text was: an escape finds the symbol that stands for it."""
    assert found("a \u241b[31m b", TextQuery(pattern="\x1b[31m")) == ["a \u241b[31m b"]


@pytest.mark.parametrize("pattern", ["", "a\nb", "a\rb"])
def test_a_pattern_is_one_line(pattern: str) -> None:
    with pytest.raises(UsageError):
        Lines(TextQuery(pattern=pattern), monotonic() + 60)


@pytest.mark.parametrize("pattern", ["(", "a)(b", "[", "*"])
def test_what_is_no_expression_is_refused(pattern: str) -> None:
    with pytest.raises(UsageError, match="no regular expression"):
        Lines(TextQuery(pattern=pattern, regex=True, word=True), monotonic() + 60)


@pytest.mark.parametrize("pattern", [r"(?:a|aa)+(?:a|aa)+b\d", r"(?=(?:a|aa)+(?:a|aa)+b\d)"])
def test_an_expression_without_an_end_is_ended(pattern: str) -> None:
    """By the deadline, on either way through a text."""
    lines = Lines(TextQuery(pattern=pattern, regex=True), monotonic() + 0.05)
    with pytest.raises(TimeoutError):
        list(lines.found("a" * 5000 + "b"))
