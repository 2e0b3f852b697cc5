"""How a context looks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kbtui.engine import frame
from kbtui.model import Budget, Entry, Span
from tests.engine_fakes import document, word_count

BUDGET = Budget(size_bytes=32_000, tokens=None, document_bytes=8_000, document_tokens=2_000)
ADVICE = frame.Advice(within_bounds="", everything="--max-bytes 48,000", useless="a higher --limit")


def entries(*sizes: int) -> tuple[Entry, ...]:
    return tuple(
        Entry(
            chunk_id=str(number),
            doc_id="a",
            ordinal=number,
            span=Span(start=0, end=size),
            heading=(),
            size_bytes=size,
            tokens=1,
        )
        for number, size in enumerate(sizes)
    )


def cut(rank: int, kept: int = 100) -> frame.Cut:
    return frame.Cut(rank=rank, doc_id=f"{rank}.md", title="T", kept_bytes=kept, whole_bytes=2_500, by="budget")


def test_a_header_names_the_document() -> None:
    """Rank, id, type and title, on one line."""
    assert frame.header(3, document("docs/a.md", title="Hello")) == "===== [3] docs/a.md | guide | Hello =====\n"


def test_a_header_is_one_safe_line() -> None:
    """Line ends and escapes of a title or id do not reach the context; a long title is clipped to 120 cells."""
    hostile = document("a\nb\x1b[31m.md", title="x" * 500 + "\n=====")
    line = frame.header(1, hostile)
    assert line.count("\n") == 1
    assert "\x1b" not in line
    assert "x" * 119 + "…" in line
    assert "x" * 120 not in line


def test_a_block_marks_what_is_left_out() -> None:
    """Passages without a text become one mark with their bytes, at the start, between and at the end."""
    block = frame.block("H\n", entries(5, 1_000, 234, 3, 7), {"0": "abcde", "3": "xyz"})
    assert block == "H\nabcde\n[... 1,234 bytes left out ...]\nxyz\n[... 7 bytes left out ...]\n\n"
    assert frame.block("H\n", entries(5, 3), {"1": "xyz"}) == "H\n\n[... 5 bytes left out ...]\nxyz\n"


def test_what_is_left_out_is_known_by_place_and_span() -> None:
    """Each mark's line begins where it says; spans reach over passages without text."""
    first, empty, second, kept, last = (
        replace(entry, span=Span(start=start, end=start + 10))
        for entry, start in zip(entries(5, 0, 6, 3, 7), (0, 10, 20, 30, 40), strict=True)
    )
    passages, texts = (first, empty, second, kept, last), {"3": "xyz"}
    block = frame.block("H\n", passages, texts)
    found = frame.left_out("H\n", passages, texts)
    assert [block[mark.at :].partition("\n")[0] for mark in found] == [
        "[... 11 bytes left out ...]",
        "[... 7 bytes left out ...]",
    ]
    assert [mark.span for mark in found] == [Span(start=0, end=30), Span(start=40, end=50)]
    assert frame.left_out("H\n", (empty, kept), texts) == ()


def test_a_whole_block_is_the_text() -> None:
    """Nothing but the header and a line end is added; passages without text leave no mark."""
    assert frame.block("H\n", entries(2, 0, 2), {"0": "ab", "2": "cd"}) == "H\nabcd\n"


def test_blocks_are_joined_by_a_line_end() -> None:
    """The notice is one more block, where there is one."""
    assert frame.context(("A\n", "B\n"), "") == "A\n\nB\n"
    assert frame.context(("A\n", "B\n"), "N\n") == "A\n\nB\n\nN\n"
    assert frame.context((), "") == ""


def test_a_notice_says_what_was_cut_and_what_helps() -> None:
    """Trimmed and dropped documents by rank, id and title, the bounds, how to widen, and what does not help."""
    assert frame.notice((cut(2), cut(4, kept=0)), 5, BUDGET, ADVICE) == (
        "===== kbtui: this context was cut =====\n"
        "2 of 5 documents are not here in full:\n"
        "[2] 2.md | T: 100 of 2,500 bytes kept (budget)\n"
        "[4] 4.md | T: dropped, 2,500 bytes (budget)\n"
        "Bounds: 32,000 bytes and unlimited tokens; for each document 8,000 bytes and 2,000 tokens.\n"
        "To keep everything: --max-bytes 48,000\n"
        "Does not help: a higher --limit.\n"
    )


def test_a_notice_names_five() -> None:
    """The sixth and seventh are counted."""
    notice = frame.notice(tuple(cut(rank) for rank in range(1, 8)), 9, BUDGET, ADVICE)
    assert "[5] 5.md" in notice
    assert "6.md" not in notice
    assert "and 2 more.\n" in notice


@pytest.mark.parametrize("number", [3, 10, 1_000])
def test_the_longest_notice_is_longer_than_any(number: int) -> None:
    """The last eight have long names: whichever are cut, the notice is no longer than the longest."""
    documents = tuple(
        (rank, document(f"{'long/' * 20 * (rank > number - 8)}{rank}.md", title="word " * rank))
        for rank in range(1, number + 1)
    )
    largest = len(frame.longest_notice(documents, lambda line: len(line.encode())).encode())
    most = word_count(frame.longest_notice(documents, word_count))
    wide = Budget(size_bytes=10**9, tokens=10**9, document_bytes=10**9, document_tokens=10**9)
    flags = frame.widen(wide)
    advice = frame.Advice(within_bounds=flags, everything=flags, useless=frame.USELESS[False, True])
    for first in (0, 1, max(0, number - 8)):
        cuts = tuple(
            frame.Cut(
                rank=rank,
                doc_id=row.doc_id,
                title=row.title,
                kept_bytes=10**9,
                whole_bytes=10**9,
                by="budget and document bound",
            )
            for rank, row in documents[first:]
        )
        notice = frame.notice(cuts, number, wide, advice)
        assert len(notice.encode()) <= largest
        assert word_count(notice) <= most


def test_only_bounds_that_must_move_are_flags() -> None:
    """The advice names the flags of the command line, thousands separated."""
    assert frame.widen(Budget(size_bytes=48_000, tokens=None, document_bytes=9_000, document_tokens=2_100)) == (
        "--max-bytes 48,000 --per-document 9,000 --set budget.document_tokens=2,100"
    )
