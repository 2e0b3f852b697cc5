"""Grep over the documents of a generation: their safe texts, in order of paths, every line counted.

Nothing is remembered between two pages: a cursor is a place, and each page counts anew. The documents
behind the place come first, so that each page goes on even when the deadline strikes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import islice
from time import monotonic

from kbtui.errors import RetrievalFailed, UsageError
from kbtui.model import TextLine, TextLines, TextQuery
from kbtui.store.catalog import Catalog, TextFile
from kbtui.store.cursors import Place, decoded, encoded
from kbtui.store.file_bytes import Passages
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


def search_text(
    opened: OpenGeneration,
    query: TextQuery,
    limit: int,
    cursor: str,
    seconds: float,
    cancelled: Callable[[], bool] = lambda: False,
) -> TextLines:
    """Return the next ``limit`` lines that match, behind the cursor; once cancelled, it ends as if the time were over.

    Errors: UsageError for a bad pattern, cursor or type; RetrievalFailed when the time was over before a line was
    found.
    """
    deadline = monotonic() + seconds
    lines = Lines(query, deadline)
    generation = f"{opened.name}/{opened.manifest.catalog.name}"
    after = decoded(cursor, generation, query) if cursor else _START
    files = _selected(opened.catalog, query)
    last = files[-1].path if files else ""
    scan = _Scan(seen=after)
    try:
        for file, text in _texts(opened.catalog, files, after.path, deadline):
            if cancelled():
                raise TimeoutError
            _take(scan, opened.catalog, file, text, lines, after, limit)
    except TimeoutError:
        scan.complete = False
        if not scan.page and scan.seen.path < last:
            raise RetrievalFailed(
                f"the search was stopped after {seconds:g} s, before it found a line",
                "Give it longer with --timeout, narrow it with --path or --type, or simplify the expression.",
            ) from None
    place = _end(scan, last)
    return TextLines(
        query=query,
        limit=limit,
        lines=tuple(scan.page),
        total=scan.total,
        total_relation="eq" if scan.complete else "gte",
        documents=len(files),
        cursor="" if place is None else encoded(place, generation, query),
    )


def _end(scan: _Scan, last: str) -> Place | None:
    """Return the place behind which the next page begins; None when there is none."""
    shown = Place(scan.page[-1].path, scan.page[-1].number) if scan.page else scan.seen
    if scan.more:
        return shown
    return max(scan.seen, shown) if scan.seen.path < last and not scan.complete else None


def _selected(catalog: Catalog, query: TextQuery) -> list[TextFile]:
    """Return every document that the filters leave, in order of paths.

    Errors: UsageError for a type that no document has.
    """
    known = {count.source_type: count.documents for count in catalog.inventory()}
    for source_type in query.source_types:
        if source_type not in known:
            listed = ", ".join(f"{name} ({number:,})" for name, number in known.items())
            raise UsageError(f"no document has the type {source_type!r}", f"Types: {listed}." if listed else "")
    return [
        file
        for file in catalog.text_files()
        if (not query.source_types or file.source_type in query.source_types)
        and (not query.paths or any(fnmatchcase(file.path, pattern) for pattern in query.paths))
    ]


def _texts(catalog: Catalog, files: list[TextFile], first: str, deadline: float) -> Iterator[tuple[TextFile, str]]:
    """Yield documents with their texts, those from the first path on before the others.

    Errors: TimeoutError when the deadline strikes.
    """
    begin = bisect_left(files, first, key=lambda file: file.path)
    for batch in _batches(files[begin:] + files[:begin]):
        if monotonic() > deadline:
            raise TimeoutError
        texts = catalog.whole_texts(batch[0].doc, batch[-1].doc)
        yield from ((file, texts.get(file.doc, "")) for file in batch)


def _batches(files: list[TextFile]) -> Iterator[list[TextFile]]:
    """Yield documents whose numbers follow one another: they lie side by side, and one reading brings them."""
    batch: list[TextFile] = []
    size = 0
    for file in files:
        if batch and (file.doc != batch[-1].doc + 1 or size + file.size_bytes > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += file.size_bytes
    if batch:
        yield batch


def _take(scan: _Scan, catalog: Catalog, file: TextFile, text: str, lines: Lines, after: Place, limit: int) -> None:
    """Count a document's lines, and show those behind the place while the page has room."""
    number, counted = 1, 0
    passages: Passages | None = None
    for start, end in lines.found(text):
        scan.total += 1
        if scan.more or file.path < after.path:
            continue
        number += text.count("\n", counted, start)
        counted = start
        if Place(file.path, number) <= after:
            continue
        if len(scan.page) == limit:
            scan.more = True
            continue
        passages = passages or Passages(file.plain, text, catalog.passages(file.path))
        scan.page.append(_line(file, text, (start, end), number, lines, passages))
    if file.path >= after.path:
        scan.seen = Place(file.path, _WHOLE_DOCUMENT)


def _line(file: TextFile, text: str, at: Range, number: int, lines: Lines, passages: Passages) -> TextLine:
    start, end = at
    line = text[start:end]
    matches = list(islice(lines.matches(line), MATCHES))
    first = max(0, min(matches[0][0] - LINE_CHARS // 4, len(line) - LINE_CHARS)) if matches else 0
    shown = line[first : first + LINE_CHARS]
    span, exact = passages.span(start, end)
    spans = [passages.span(start + begin, start + stop) for begin, stop in matches]
    return TextLine(
        path=file.path,
        source_type=file.source_type,
        number=number,
        span=span,
        span_is_exact=exact,
        text=shown,
        text_is_whole=len(shown) == len(line),
        matches=tuple(one for one, exact in spans if exact),
        marks=tuple(
            (max(0, begin - first), min(stop - first, len(shown)))
            for begin, stop in matches
            if begin - first < len(shown) and stop > first
        ),
    )


def bounded(limit: int, ceiling: int) -> int:
    """Return how many lines a page may have.

    Errors: UsageError for fewer than one.
    """
    if limit < 1:
        raise UsageError(f"limit must be at least 1, not {limit}")
    return min(limit, ceiling)
