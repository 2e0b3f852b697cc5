"""Read one file: open it safely, decode it, understand its head, cut it, find its relations."""

from __future__ import annotations

import hashlib
import os
import stat as status_of
from contextlib import ExitStack
from itertools import chain
from pathlib import Path, PurePosixPath

from kbtui.model import Chunk, Document, FileStat, Reference, Skipped, SourceFile, Span
from kbtui.sources import code, markdown, passages, plain, references
from kbtui.sources.folder import FILE_BYTES
from kbtui.sources.formats import Format, format_of
from kbtui.sources.frontmatter import FrontMatter, front_matter
from kbtui.sources.passages import Outline, Section
from kbtui.sources.reviews import REVIEWED, review_by
from kbtui.sources.sheet import Sheet
from kbtui.sources.types import source_type
from kbtui.text import Decoded, clip, decode, looks_binary, made_safe, safe_line

TITLE_CELLS = 300
ATTEMPTS = 2
"""How often a file is read that changes meanwhile."""

_ALIAS_FIELDS = ("id", "number", "tagName", "tag", "version", "slug")
_CREATED = ("created", "createdAt", "created_at", "date", "publishedAt", "published")
_UPDATED = ("updated", "updatedAt", "updated_at", "modified", "last_updated", "lastmod")


def read(root: Path, stat: FileStat) -> SourceFile | Skipped:
    """Read a file that a scan found; whatever is wrong with it is a reason to skip it, never an error."""
    try:
        data = _stable_bytes(root, stat.path)
    except FileNotFoundError:
        return Skipped(path=stat.path, reason="vanished", detail="it was there when the folder was scanned")
    except OSError as error:
        return Skipped(path=stat.path, reason="unreadable", detail=error.strerror or type(error).__name__)
    if isinstance(data, Skipped):
        return data
    if looks_binary(data):
        return Skipped(path=stat.path, reason="binary", detail=f"{len(data):,} bytes that are no text")
    return understood(stat.path, data)


def understood(path: str, data: bytes) -> SourceFile:
    """Return the document that the bytes of a file at a path hold."""
    decoded = decode(data)
    sheet = Sheet.of(decoded.text)
    kind = format_of(path) or "text"
    head = front_matter(sheet.bare_lines) if kind != "code" else FrontMatter()
    outline = _outline(path, kind, sheet, head)
    title = head.text("title") or (outline.title if kind == "markdown" else "") or head.text("name")
    chunks = _chunks(path, data, decoded, sheet, outline)
    found, too_many = _references(path, kind, sheet, head, outline)
    remarks = [head.remark] if head.remark else []
    if too_many:
        remarks.append(f"relations past the first {references.MOST:,} are left out")
    if decoded.replaced:
        remarks.append(f"{decoded.replaced:,} bytes that are no {decoded.encoding} are shown as \ufffd")
    created, updated = head.date(*_CREATED), head.date(*_UPDATED)
    document = Document(
        doc_id=path,
        path=path,
        title=clip(title or safe_line(PurePosixPath(path).name), TITLE_CELLS),
        source_type=source_type(path, head.text("type")),
        status=clip(head.text("status", "state").lower(), 40),
        created=created,
        updated=updated,
        archived=head.archived,
        inactive=head.inactive,
        superseded=head.superseded,
        aliases=_aliases(path, head),
        sha256=hashlib.sha256(data).hexdigest(),
        size_bytes=len(data),
        text_bytes=sum(len(chunk.text.encode()) for chunk in chunks),
        code=kind == "code",
        stale=head.stale,
        reviewed=head.date(*REVIEWED),
        review_by=review_by(head, updated or created),
    )
    return SourceFile(
        document=document,
        chunks=chunks,
        references=found,
        made_safe=0 if sheet.clean else made_safe(decoded.text),
        remarks=tuple(remarks),
    )


def _outline(path: str, kind: Format, sheet: Sheet, head: FrontMatter) -> Outline:
    """Return the sections of a document, its front matter as the first."""
    if kind == "code":
        return code.outline(path, sheet.bare_lines)
    outline = (markdown.outline if kind == "markdown" else plain.outline)(sheet.bare_lines, head.lines)
    if not head.lines:
        return outline
    block = Section(first=0, last=head.lines, searchable=False)
    return Outline(sections=(block, *outline.sections), joined=outline.joined, title=outline.title)


def _chunks(path: str, data: bytes, decoded: Decoded, sheet: Sheet, outline: Outline) -> tuple[Chunk, ...]:
    """Return the passages with the bytes of the file that each covers."""
    chunks: list[Chunk] = []
    end = 0
    for ordinal, piece in enumerate(passages.cut(sheet, outline)):
        start, end = end, end + decoded.size_bytes(decoded.text[piece.start : piece.end])
        if piece.end == len(decoded.text):
            end = len(data)  # half a UTF-16 character at the end of a file is one byte
        chunks.append(
            Chunk(
                chunk_id=f"{path}#{ordinal}",
                doc_id=path,
                ordinal=ordinal,
                span=Span(start=start, end=end),
                heading=piece.heading,
                text=piece.text,
                searchable=piece.searchable,
            )
        )
    return tuple(chunks)


def _references(
    path: str, kind: Format, sheet: Sheet, head: FrontMatter, outline: Outline
) -> tuple[tuple[Reference, ...], bool]:
    if kind == "code":
        found = chain(references.imported(sheet.text, path), references.written(sheet.text))
    else:
        prose = markdown.prose(sheet.lines, outline, head.lines)
        found = chain(references.declared(head), references.written(head.text("title")), references.written(prose))
    return references.distinct(found, frozenset((path, *_aliases(path, head))))


def _aliases(path: str, head: FrontMatter) -> tuple[str, ...]:
    """Return the other names that a document goes by."""
    names = [head.text(name) for name in _ALIAS_FIELDS]
    names += [safe_line(name) for name in head.list("aliases") if isinstance(name, str)]
    return tuple(dict.fromkeys(clip(name, 200) for name in names if name and name != path))


def _stable_bytes(root: Path, path: str) -> bytes | Skipped:
    """Return the bytes of a file that did not change while it was read.

    Errors: OSError for a file that cannot be opened, also one that became a link since the scan.
    """
    for _ in range(ATTEMPTS):
        with ExitStack() as opened:
            descriptor = _opened(root, path, opened)
            before = os.fstat(descriptor)
            if not status_of.S_ISREG(before.st_mode):
                return Skipped(path=path, reason="not a regular file")
            if before.st_size > FILE_BYTES:
                return Skipped(path=path, reason="too large", detail=f"it grew to {before.st_size:,} bytes")
            with open(descriptor, "rb", closefd=False) as file:
                data = file.read(before.st_size + 1)
            after = os.fstat(descriptor)
        if len(data) == before.st_size == after.st_size and before.st_mtime_ns == after.st_mtime_ns:
            return data
    return Skipped(path=path, reason="changing", detail="it changed while it was read, twice")


def _opened(root: Path, path: str, opened: ExitStack) -> int:
    """Open a file folder by folder, following no link, so that nothing swapped in since the scan leads elsewhere."""
    *folders, name = path.split("/")
    here = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    opened.callback(os.close, here)
    for folder in folders:
        here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=here)
        opened.callback(os.close, here)
    file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=here)
    opened.callback(os.close, file)
    return file
