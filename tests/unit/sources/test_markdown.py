"""Headings of Markdown, and what is none."""

from __future__ import annotations

import pytest

from kbtui.sources.markdown import outline, prose


def headings(text: str) -> list[tuple[int, tuple[str, ...]]]:
    return [(section.first, section.heading) for section in outline(text.splitlines(keepends=True)).sections]


def test_sections_run_from_heading_to_heading() -> None:
    text = "intro\n# A\na\n## B\nb\n### C\nc\n## D\nd\n# E\ne\n"
    assert headings(text) == [(0, ()), (1, ("A",)), (3, ("A", "B")), (5, ("A", "B", "C")), (7, ("A", "D")), (9, ("E",))]


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("# A", "A"),
        ("   ## B ##", "B"),
        ("# C#", "C#"),
        ("#\tD", "D"),
        ("# `code` and *emphasis* of [a link](x.md)", "code and emphasis of a link"),
        ("# \x1b[2Jred", "␛[2Jred"),
    ],
)
def test_a_heading_reads_plain(line: str, heading: str) -> None:
    assert headings(line + "\n") == [(0, (heading,))]


@pytest.mark.parametrize("line", ["#hash", "####### seven", "    # code", "\t# code", "text # no", "#123"])
def test_what_only_looks_like_a_heading(line: str) -> None:
    assert headings(line + "\n") == [(0, ())]


def test_an_underlined_line_is_a_heading_and_a_rule_is_none() -> None:
    assert headings("A\n===\na\n\nB\n---\nb\n") == [(0, ("A",)), (4, ("A", "B"))]
    assert headings("a\n\n---\n\n- x\n---\n| t |\n---\nb\nc\n---\n") == [(0, ())]


def test_nothing_in_a_fenced_block_is_a_heading() -> None:
    text = "# A\n````md\n```\n# no\n````\n# B\n~~~\n# no\n"
    assert headings(text) == [(0, ("A",)), (5, ("B",))]


def test_a_fence_is_closed_by_its_own_kind() -> None:
    lines = "```\n~~~\n# no\n``\n```\n# yes\n".splitlines(keepends=True)
    assert outline(lines).joined == {1, 2, 3, 4}
    assert prose(lines, outline(lines)) == "```\n# yes\n"


def test_the_title_is_the_first_top_heading() -> None:
    assert outline(["## B\n", "# A\n", "# C\n"]).title == "A"
    assert outline(["## B\n", "## C\n"]).title == "B"
    assert outline(["text\n"]).title == ""


def test_a_heading_with_nothing_below_is_bare() -> None:
    sections = outline(["# A\n", "\n", "## B\n", "b\n"]).sections
    assert [section.bare for section in sections] == [True, False]
