"""Grep over the documents of a generation: their safe texts, in order of paths, every line counted.

Nothing is remembered between two pages: a cursor is a place, and each page counts anew. The documents
behind the place come first, so that each page goes on even when the deadline strikes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import islice
from time import monotonic

from kbtui.errors import RetrievalFailed, UsageError
from kbtui.model import Span, TextLine, TextLines, TextQuery
from kbtui.store.catalog import Catalog, Text
from kbtui.store.cursors import Place, decoded, encoded
from kbtui.store.generation import OpenGeneration
from kbtui.store.patterns import Lines, Range

LINE_CHARS = 500
"""Most characters of a line that are shown, around its first match; a line may have millions."""

MATCHES = 100
"""Most matches of a line whose spans are given."""

BATCH_BYTES = 4_000_000
_START = Place("", 0)
_WHOLE_DOCUMENT = 2**62


@dataclass(slots=True)
class _Scan:
    """What was seen so far: the lines of the page, how many lines match, and where the scan is."""

    page: list[TextLine] = field(default_factory=list)
    total: int = 0
    seen: Place = _START
    complete: bool = True
    more: bool = False


def search_text(opened: OpenGeneration, query: TextQuery, limit: int, cursor: str, seconds: float) -> TextLines:
    """Return the next ``limit`` lines that match, behind the cursor.

    Errors: UsageError for a bad pattern, cursor or type; RetrievalFailed when the time was over before a line was
    found.
    """
    deadline = monotonic() + seconds
    lines = Lines(query, deadline)
    generation = f"{opened.name}/{opened.manifest.catalog.name}"
    after = decoded(cursor, generation, query) if cursor else _START
    sizes = _selected(opened.catalog, query)
    turn = [path for path in sizes if path >= after.path] + [path for path in sizes if path < after.path]
    scan = _Scan(seen=after)
    try:
        for text in _texts(opened.catalog, turn, sizes, deadline):
            _take(scan, text, lines, after, limit)
            if text.path >= after.path:
                scan.seen = Place(text.path, _WHOLE_DOCUMENT)
    except TimeoutError:
        scan.complete = False
        if not scan.page and scan.seen.path < max(sizes):
            raise RetrievalFailed(
                f"the search was stopped after {seconds:g} s, before it found a line",
                "Give it longer with --timeout, narrow it with --path or --type, or simplify the expression.",
            ) from None
    place = _end(scan, max(sizes, default=""))
    return TextLines(
        query=query,
        limit=limit,
        lines=tuple(scan.page),
        total=scan.total,
        total_relation="eq" if scan.complete else "gte",
        documents=len(sizes),
        cursor="" if place is None else encoded(place, generation, query),
    )


def _end(scan: _Scan, last: str) -> Place | None:
    """Return the place behind which the next page begins; None when there is none."""
    shown = Place(scan.page[-1].path, scan.page[-1].number) if scan.page else scan.seen
    if scan.more:
        return shown
    return max(scan.seen, shown) if scan.seen.path < last and not scan.complete else None


def _selected(catalog: Catalog, query: TextQuery) -> dict[str, int]:
    """Return the size of every document that the filters leave, by path.

    Errors: UsageError for a type that no document has.
    """
    known = {count.source_type: count.documents for count in catalog.inventory()}
    for source_type in query.source_types:
        if source_type not in known:
            listed = ", ".join(f"{name} ({number:,})" for name, number in known.items())
            raise UsageError(f"no document has the type {source_type!r}", f"Types: {listed}." if listed else "")
    return {
        path: size
        for path, source_type, size in catalog.text_sizes()
        if (not query.source_types or source_type in query.source_types)
        and (not query.paths or any(fnmatchcase(path, pattern) for pattern in query.paths))
    }


def _texts(catalog: Catalog, paths: list[str], sizes: dict[str, int], deadline: float) -> Iterator[Text]:
    """Yield the texts of documents in this order, many read at once.

    Errors: TimeoutError when the deadline strikes.
    """
    start = 0
    while start < len(paths):
        stop, size = start, 0
        while stop < len(paths) and (stop == start or size + sizes[paths[stop]] <= BATCH_BYTES):
            size += sizes[paths[stop]] + 1000  # a document costs, even an empty one
            stop += 1
        if monotonic() > deadline:
            raise TimeoutError
        yield from catalog.whole_texts(paths[start:stop])
        start = stop


def _take(scan: _Scan, text: Text, lines: Lines, after: Place, limit: int) -> None:
    """Count a document's lines, and show those behind the place while the page has room."""
    whole = text.whole
    number, counted = 1, 0
    for start, end in lines.found(whole):
        scan.total += 1
        number += whole.count("\n", counted, start)
        counted = start
        if Place(text.path, number) <= after:
            continue
        if len(scan.page) == limit:
            scan.more = True
        else:
            scan.page.append(_line(text, (start, end), number, lines))


def _line(text: Text, at: Range, number: int, lines: Lines) -> TextLine:
    start, end = at
    line = text.whole[start:end]
    matches = list(islice(lines.matches(line), MATCHES))
    first = max(0, min(matches[0][0] - LINE_CHARS // 4, len(line) - LINE_CHARS)) if matches else 0
    shown = line[first : first + LINE_CHARS]
    span = _span(text, start, end)
    spans = [_span(text, start + begin, start + stop) for begin, stop in matches]
    return TextLine(
        path=text.path,
        source_type=text.source_type,
        number=number,
        span=span[0],
        span_is_exact=span[1],
        text=shown,
        text_is_whole=len(shown) == len(line),
        matches=tuple(one for one, exact in spans if exact),
    )


def _span(text: Text, start: int, end: int) -> tuple[Span, bool]:
    """Return the bytes of the file that these characters stand for, and whether it is exactly those."""
    (first, first_exact), (last, last_exact) = _byte(text, start, 0), _byte(text, end, 1)
    return Span(start=first, end=max(first, last)), first_exact and last_exact


def _byte(text: Text, at: int, side: int) -> tuple[int, bool]:
    """Return the byte of the file that a character is at; of its passage's start (end) where safe text hides it."""
    before = 0
    for piece in text.pieces:
        if at < before + len(piece.text) or (side and at == before + len(piece.text)):
            break
        before += len(piece.text)
    else:
        return (text.pieces[-1].end if text.pieces else 0), True
    head, size = piece.text[: at - before], piece.end - piece.start
    less = size - len(piece.text.encode())
    if less == 0 and (text.plain or piece.text.isascii()):
        return piece.start + len(head.encode()), True
    if text.plain and less == piece.text.count("\n"):  # each line of it ends in two characters
        return piece.start + len(head.encode()) + head.count("\n"), True
    return (piece.end if side else piece.start), False


def bounded(limit: int, ceiling: int) -> int:
    """Return how many lines a page may have.

    Errors: UsageError for fewer than one.
    """
    if limit < 1:
        raise UsageError(f"limit must be at least 1, not {limit}")
    return min(limit, ceiling)
