"""Pages of a search: a cursor goes on where the page before ended, in its own generation; time over is said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kbtui.errors import RetrievalFailed, UsageError
from kbtui.explorer import Explorer, index
from kbtui.model import TextQuery
from kbtui.store import search_text as module

QUERY = TextQuery(pattern="yard")
DOCUMENTS = 6
LINES = 4
"""Matching lines of each document."""


class Ticks:
    """A clock that is at its end once it was looked at so often."""

    def __init__(self, looks: int) -> None:
        self.left = looks

    def __call__(self) -> float:
        self.left -= 1
        return 0.0 if self.left > 0 else 1e9


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Documents of which each has some lines that match."""
    folder = tmp_path / "kb"
    folder.mkdir()
    for at in range(DOCUMENTS):
        (folder / f"{at}.md").write_text("# A load\n\n" + "To the yard.\nElsewhere.\n" * LINES)
    return folder


@pytest.fixture
def explorer(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Explorer]:
    """A library that reads one document at a time."""
    monkeypatch.setattr(module, "BATCH_BYTES", 1)
    index(corpus, tmp_path / "store", lexical_only=True)
    opened = Explorer.open(tmp_path / "store")
    yield opened
    opened.close()


def test_a_page_that_time_cut_says_so_and_its_cursor_goes_on(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some documents were read: their lines are shown, the total is a lower bound, the rest is on the pages behind."""
    whole = explorer.search_text(QUERY, limit=100)
    assert (len(whole.lines), whole.total, whole.total_relation, whole.cursor) == (24, 24, "eq", "")
    monkeypatch.setattr(module, "monotonic", Ticks(4))
    part = explorer.search_text(QUERY, limit=100)
    assert 0 < len(part.lines) < len(whole.lines)
    assert len(part.lines) % LINES == 0, "it ends between two documents"
    assert (part.total, part.total_relation) == (len(part.lines), "gte")
    assert part.cursor
    monkeypatch.undo()
    rest = explorer.search_text(QUERY, limit=100, cursor=part.cursor)
    assert part.lines + rest.lines == whole.lines
    assert (rest.total, rest.total_relation, rest.cursor) == (24, "eq", "")


def test_time_over_before_a_line_was_found_is_no_empty_page(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "monotonic", Ticks(2))
    with pytest.raises(RetrievalFailed, match="before it found a line"):
        explorer.search_text(QUERY, limit=100)


def test_a_cursor_is_of_the_generation_that_gave_it(explorer: Explorer, corpus: Path, tmp_path: Path) -> None:
    """Lines may have moved since: it is refused in words, never followed to another place."""
    first = explorer.search_text(QUERY, limit=5)
    (corpus / "0.md").write_text("# A load\n\nNone.\n")
    index(corpus, tmp_path / "store", lexical_only=True)
    assert explorer.search_text(QUERY, limit=5, cursor=first.cursor).lines, "what is open goes on"
    explorer.refresh()
    with pytest.raises(UsageError, match="the store has changed since the cursor was given"):
        explorer.search_text(QUERY, limit=5, cursor=first.cursor)
    with pytest.raises(UsageError, match="the cursor is of another search"):
        explorer.search_text(TextQuery(pattern="load"), limit=5, cursor=first.cursor)
    with pytest.raises(UsageError, match="this is no cursor"):
        explorer.search_text(QUERY, limit=5, cursor="anything")
