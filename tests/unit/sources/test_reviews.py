"""By when a document is to be reviewed, and that the reader keeps it."""

from __future__ import annotations

import pytest

from kbtui.sources.frontmatter import front_matter
from kbtui.sources.reader import understood
from kbtui.sources.reviews import review_by


@pytest.mark.parametrize(
    ("block", "due"),
    [
        ("review_by: 2026-03-01", "2026-03-01"),
        ("nextReview: 2026-03-01T10:00:00Z", "2026-03-01T10:00:00Z"),
        ("review_by: 2026-03-01\nreviewed: 2026-02-28", "2026-03-01"),
        ("review_by: 2026-03-01\nreviewed: 2026-03-01", ""),
        ("reviewed: 2026-01-01\nreview_days: 30", "2026-01-31"),
        ("verified: 2026-01-01\nupdated: 2025-01-01\nreview_days: 30", "2026-01-31"),
        ("updated: 2026-01-01\nreview_days: 30", "2026-01-31"),
        ("review_by: 2026-03-01\nreviewed: 2026-03-02\nreview_days: 30", "2026-04-01"),
        ("reviewed: 2026-01-01", ""),
        ("review_days: 30", ""),
        ("reviewed: 2026-99-99\nreview_days: 30", ""),
        ("reviewed: 2026-01-01\nreview_days: soon", ""),
        ("reviewed: 2026-01-01\nreview_days: 99999999999", ""),
        (f"reviewed: 2026-01-01\nreview_days: {'9' * 5000}", ""),
        ("review_by: soon", ""),
    ],
)
def test_the_date_that_is_named_or_the_last_review_and_its_days(block: str, due: str) -> None:
    """A review on or after the date named settles it; what is no date or no number tells nothing."""
    head = front_matter(["---\n", *(f"{line}\n" for line in block.split("\n")), "---\n"])
    assert review_by(head, head.date("updated")) == due


def test_the_reader_keeps_what_ranking_needs() -> None:
    """Dates of reviews, what the document says of itself, and whether it is source code."""
    block = "---\nstale: true\nreviewed: 2026-01-01\nreview_by: 2026-06-01\nstatus: superseded\n---\nText.\n"
    document = understood("a.md", block.encode()).document
    assert (document.stale, document.reviewed, document.review_by) == ("stale: true", "2026-01-01", "2026-06-01")
    assert (document.superseded, document.inactive, document.code) == (True, True, False)
    assert understood("tests/a.py", b"def f(): pass\n").document.code
