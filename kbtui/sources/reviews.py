"""Reviews: by when a document is to be looked at again, as its front matter says it."""

from __future__ import annotations

from datetime import date, timedelta

from kbtui.sources.frontmatter import FrontMatter

REVIEWED = (
    "reviewed",
    "reviewed_at",
    "reviewedAt",
    "last_reviewed",
    "lastReviewed",
    "verified",
    "verified_at",
    "last_verified",
)
_DUE = (
    "review_by",
    "reviewBy",
    "review-by",
    "review_due",
    "review_date",
    "next_review",
    "nextReview",
    "valid_until",
    "expires",
)
_EVERY = ("review_days", "reviewDays", "review_every_days")


def review_by(head: FrontMatter, edited: str) -> str:
    """Return the ISO date by which a review is due, "" when the front matter tells none.

    It is the date that is named, unless a review came on or after it; else the last review (without one, the last
    edit) and the days that the front matter says a review holds.
    """
    reviewed, due, every = head.date(*REVIEWED), head.date(*_DUE), head.text(*_EVERY)
    if due and reviewed[:10] < due[:10]:
        return due
    try:
        held = timedelta(days=int(every)) if every.isdecimal() else timedelta()
        return (date.fromisoformat((reviewed or edited)[:10]) + held).isoformat() if held else ""
    except (ValueError, OverflowError):
        return ""  # no day of the calendar
