"""Front matter: read as text, within bounds; a broken block costs its structure, never the document."""

from __future__ import annotations

import pytest

from kbtui.sources.frontmatter import BLOCK_BYTES, VALUES, front_matter


def lines(block: str) -> list[str]:
    return f"---\n{block}\n---\nbody\n".splitlines(keepends=True)


def test_values_stay_as_written() -> None:
    head = front_matter(lines("a: no\nb: 12:30:45\nc: 2026-01-02\nd: 007\ne: !!python/object:os.system x"))
    assert head.fields == {"a": "no", "b": "12:30:45", "c": "2026-01-02", "d": "007", "e": "x"}
    assert (head.lines, head.remark) == (7, "")


def test_a_block_needs_both_marks() -> None:
    assert front_matter(["---\n", "a: b\n"]).lines == 0
    assert front_matter(["\n", "---\n", "a: b\n", "---\n"]).lines == 0
    assert front_matter([]).lines == 0
    assert front_matter(["---\r\n", "a: b\r\n", "...\r\n"]).fields == {"a": "b"}


def test_the_last_of_a_repeated_key_counts() -> None:
    assert front_matter(lines("a: 1\na: 2")).text("a") == "2"


@pytest.mark.parametrize(
    "block",
    [
        "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]",
        "a: &a\n  b: *a",
        "a: " + "[" * 100 + "]" * 100,
        "a: " + "[" * 60_000,
        "a:\n" + "  - x\n" * (VALUES + 1),
        "a: \x00\x1b\ud800",
    ],
    ids=["bomb", "self-reference", "deep", "deep and open", "many", "controls"],
)
def test_hostile_blocks_are_bounded(block: str) -> None:
    """Neither memory nor the stack runs out; the lines still count as front matter."""
    assert front_matter(lines(block)).lines == len(lines(block)) - 1


def test_a_block_that_is_too_large_stays_text_but_may_archive_its_document() -> None:
    head = front_matter(lines("archived: true\n" + "a: b\n" * BLOCK_BYTES))
    assert (head.lines, head.archived) == (0, True)
    assert "read as text" in head.remark


def test_text_between_two_rules_is_no_front_matter() -> None:
    assert front_matter(lines("Once upon a time\nthere was: a colon")).lines == 0
    assert front_matter(["---\n", "---\n", "x\n"]).lines == 2


def test_a_broken_block_is_remarked_and_its_plain_fields_still_hold() -> None:
    head = front_matter(lines("title: Pools: how\narchived: true\nlabels: [a"))
    assert "not valid YAML" in head.remark
    assert (head.text("title"), head.archived) == ("Pools: how", True)


@pytest.mark.parametrize(
    ("block", "archived", "inactive"),
    [
        ("archived: true", True, False),
        ("status: Archived", True, False),
        ("archived: no", False, False),
        ("status: superseded", False, True),
        ("status: Withdrawn", False, True),
        ("status: closed", False, False),
        ("state: CLOSED", False, False),
    ],
)
def test_what_is_archived_and_what_is_inactive(block: str, archived: bool, inactive: bool) -> None:
    head = front_matter(lines(block))
    assert (head.archived, head.inactive) == (archived, inactive)


def test_dates_are_iso_or_nothing() -> None:
    head = front_matter(lines("a: '2026-01-02T03:04:05Z'\nb: yesterday\nc: [2026-01-02]"))
    assert (head.date("b", "a"), head.date("b"), head.date("c")) == ("2026-01-02T03:04:05Z", "", "")


def test_titles_come_safe_and_on_one_line() -> None:
    assert front_matter(lines('title: "a\\e[2J\\nb"')).text("title") == "a␛[2J b"


@pytest.mark.parametrize(
    ("block", "superseded", "stale"),
    [
        ("status: Superseded", True, ""),
        ("superseded: yes", True, ""),
        ("superseded: no", False, ""),
        ("stale: true", False, "stale: true"),
        ("stale: false", False, ""),
        ("outdated: yes", False, "outdated: true"),
        ("status: Needs Review", False, "status: needs-review"),
        ("status: obsolete", False, "status: obsolete"),
        ("status: active", False, ""),
    ],
)
def test_what_a_document_says_of_its_own_validity(block: str, superseded: bool, stale: str) -> None:
    """Superseded and stale by its own word; stale names the field in our own words, never the document's."""
    head = front_matter(lines(block))
    assert (head.superseded, head.stale) == (superseded, stale)
