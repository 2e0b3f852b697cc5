"""Frame: how a context looks: headers, separators, omission marks, the notice. Nothing else knows.

A context is its blocks joined by a line end. A block is a header line, the document's text and a line end;
the last block is the notice, present only when something was cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from kbtui import text
from kbtui.model import Budget, Document, Entry, LeftOut, Span

JOIN = "\n"
CLOSE = "\n"
NOTICE_HEADER = "===== kbtui: this context was cut ====="
TITLE_CELLS = 120
CUTS_NAMED = 5

_NOTICE_ID_CELLS = 200
_NOTICE_TITLE_CELLS = 40
_WIDEST = 9_999_999_999


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A document that is not whole: how much of its text is kept, and which bounds took the rest."""

    rank: int
    doc_id: str
    title: str
    kept_bytes: int
    whole_bytes: int
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What would help here, as flags of the command line, and what would not."""

    within_bounds: str
    everything: str
    useless: str


def header(rank: int, document: Document) -> str:
    """Return the line that opens a document's block."""
    return "".join(header_parts(rank, document))


def header_parts(rank: int, document: Document) -> tuple[str, str]:
    """Return the header as two parts that no token spans: one depends on the rank alone, one on the document alone."""
    return of_rank(rank), of_document(document)


def of_rank(rank: int) -> str:
    """Return the part of a header that depends on the rank alone."""
    return f"===== [{rank}]"


def of_document(document: Document) -> str:
    """Return the part of a header that depends on the document alone."""
    return _named(document.doc_id, document.source_type, document.title)


@lru_cache(maxsize=16384)
def _named(doc_id: str, source_type: str, title: str) -> str:
    shown = text.clip(text.safe_line(title), TITLE_CELLS)
    return f" {text.safe_line(doc_id)} | {text.safe_line(source_type)} | {shown} =====\n"


def mark(left_out_bytes: int) -> str:
    """Return the line that stands where passages were left out."""
    return f"\n[... {left_out_bytes:,} bytes left out ...]\n"


def block(head: str, entries: tuple[Entry, ...], texts: Mapping[str, str]) -> str:
    """Return a document's block: every passage that has a text, a mark wherever some have none."""
    return "".join((head, *(part for part, _ in _parts(entries, texts)), CLOSE))


def left_out(head: str, entries: tuple[Entry, ...], texts: Mapping[str, str]) -> tuple[LeftOut, ...]:
    """Return the marks of a document's block: where each one's line begins in the block, and what it stands for."""
    found, at = [], len(head)
    for part, span in _parts(entries, texts):
        if span is not None:
            found.append(LeftOut(at=at + 1, span=span))  # a mark begins with a line end
        at += len(part)
    return tuple(found)


def _parts(entries: tuple[Entry, ...], texts: Mapping[str, str]) -> Iterator[tuple[str, Span | None]]:
    """Yield a block's texts and marks in order, a mark with the bytes of the file that it stands for."""
    start, end, gap = 0, 0, 0
    for entry in entries:
        if entry.chunk_id in texts:
            if gap:
                yield mark(gap), Span(start=start, end=end)
            gap = 0
            yield texts[entry.chunk_id], None
        elif entry.size_bytes:
            start = start if gap else entry.span.start
            end, gap = entry.span.end, gap + entry.size_bytes
    if gap:
        yield mark(gap), Span(start=start, end=end)


def context(blocks: tuple[str, ...], notice_block: str) -> str:
    """Return the text an agent gets."""
    return JOIN.join((*blocks, notice_block) if notice_block else blocks)


def notice(cuts: tuple[Cut, ...], selected: int, budget: Budget, advice: Advice) -> str:
    """Return the block that says what was cut: the first few by name, the bounds, how to widen."""
    lines = [NOTICE_HEADER, f"{len(cuts):,} of {selected:,} documents are not here in full:"]
    lines.extend(_cut_line(cut) for cut in cuts[:CUTS_NAMED])
    if len(cuts) > CUTS_NAMED:
        lines.append(f"and {len(cuts) - CUTS_NAMED:,} more.")
    lines.append(
        f"Bounds: {_bound(budget.size_bytes)} bytes and {_bound(budget.tokens)} tokens; "
        f"for each document {_bound(budget.document_bytes)} bytes and {_bound(budget.document_tokens)} tokens."
    )
    if advice.within_bounds:
        lines.append(f"To keep all that the document bounds allow: {advice.within_bounds}")
    lines.append(f"To keep everything: {advice.everything}")
    lines.append(f"Does not help: {advice.useless}.")
    return "\n".join(lines) + "\n"


def longest_notice(documents: tuple[tuple[int, Document], ...], measure: Callable[[str], int]) -> str:
    """Return a notice about these (rank, document) pairs that measures at least what any real one does.

    It depends on no budget and on no grant: that is what makes a larger budget keep what a smaller one kept.
    """
    cuts = [
        Cut(
            rank=rank,
            doc_id=document.doc_id,
            title=document.title,
            kept_bytes=_WIDEST,
            whole_bytes=_WIDEST,
            by=cut_by(budget=True, document=True),
        )
        for rank, document in documents
    ]
    longest = sorted(cuts, key=lambda cut: measure(_cut_line(cut)), reverse=True)[:CUTS_NAMED]
    counts = f"{_WIDEST:,} and {_WIDEST:,} more.\n"  # of cuts, and of those not named
    return notice(tuple(longest), _WIDEST, _WIDEST_BUDGET, _WIDEST_ADVICE) + counts


def cut_by(*, budget: bool, document: bool) -> str:
    """Return in words which bounds cut a document."""
    return " and ".join(name for name, binding in (("budget", budget), ("document bound", document)) if binding)


def widen(budget: Budget) -> str:
    """Return the flags that set these bounds; a bound of None needs no flag."""
    flags = (
        ("--max-bytes {:,}", budget.size_bytes),
        ("--max-tokens {:,}", budget.tokens),
        ("--per-document {:,}", budget.document_bytes),
        ("--set budget.document_tokens={:,}", budget.document_tokens),
    )
    return " ".join(flag.format(value) for flag, value in flags if value is not None)


_WIDEST_BUDGET = Budget(size_bytes=_WIDEST, tokens=_WIDEST, document_bytes=_WIDEST, document_tokens=_WIDEST)
USELESS = {
    (True, True): "a higher --limit",
    (True, False): "a higher --limit or --per-document",
    (False, True): "a higher --limit, --max-bytes or --max-tokens",
}
"""What does not help, by whether the budget cut and whether a document bound did."""
_WIDEST_ADVICE = Advice(
    within_bounds=widen(_WIDEST_BUDGET), everything=widen(_WIDEST_BUDGET), useless=max(USELESS.values(), key=len)
)


def _cut_line(cut: Cut) -> str:
    named = f"[{cut.rank}] {_cited(cut.doc_id, cut.title)}"
    if not cut.kept_bytes:
        return f"{named}: dropped, {cut.whole_bytes:,} bytes ({cut.by})"
    return f"{named}: {cut.kept_bytes:,} of {cut.whole_bytes:,} bytes kept ({cut.by})"


@lru_cache(maxsize=4096)
def _cited(doc_id: str, title: str) -> str:
    shown = text.clip(text.safe_line(title), _NOTICE_TITLE_CELLS)
    return f"{text.clip(text.safe_line(doc_id), _NOTICE_ID_CELLS)} | {shown}"


def _bound(value: int | None) -> str:
    return "unlimited" if value is None else f"{value:,}"
