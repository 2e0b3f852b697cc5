"""A catalogue being written: a new one, or a copy of the last one in which some documents change.

A passage whose heading and text did not change keeps its key, and so its place in every index.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kbtui.model import Chunk, FileStat, Skipped, SourceFile
from kbtui.store import relations
from kbtui.store.faults import mapped
from kbtui.store.schema import NAME_SORTS, connect_to_write
from kbtui.text import safe_line


@dataclass(frozen=True, slots=True)
class Counted:
    """A file read, with the tokens of its whole text and of each chunk."""

    source: SourceFile
    stat: FileStat
    tokens: int
    chunk_tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a document: the keys it had before, and the key of each chunk it has now."""

    before: tuple[int, ...]
    keys: tuple[int, ...]


class CatalogWriter:
    """Writes documents, then `finish` derives everything that depends on all of them."""

    def __init__(self, path: Path) -> None:
        with mapped("the catalogue cannot be written"):
            self._connection = connect_to_write(path)

    def put(self, counted: Counted) -> Written:
        """Write a document in place of the one that its path had."""
        document = counted.source.document
        with mapped(f"the catalogue cannot take {document.path!r}"):
            doc, before, kept = self._clear(document.doc_id, document.source_type)
            self._connection.execute(
                f"INSERT INTO document VALUES ({', '.join('?' * 24)})",
                (
                    doc,
                    document.doc_id,
                    document.path,
                    document.title,
                    document.source_type,
                    document.status,
                    document.created,
                    document.updated,
                    document.archived,
                    document.inactive,
                    document.superseded,
                    document.superseded,
                    json.dumps(document.aliases),
                    document.sha256,
                    counted.stat.size_bytes,
                    document.text_bytes,
                    counted.tokens,
                    counted.stat.mtime_ns,
                    counted.source.made_safe,
                    json.dumps(counted.source.remarks),
                    document.code,
                    document.stale,
                    document.reviewed,
                    document.review_by,
                ),
            )
            (doc,) = self._connection.execute("SELECT last_insert_rowid()").fetchone()
            keys = tuple(
                self._put_chunk(doc, chunk, tokens, kept)
                for chunk, tokens in zip(counted.source.chunks, counted.chunk_tokens, strict=True)
            )
            self._connection.executemany(
                "INSERT INTO reference VALUES (?, ?, ?, ?)",
                [(doc, one.target, one.kind, one.form) for one in counted.source.references],
            )
        return Written(before, keys)

    def remove(self, path: str) -> tuple[int, ...]:
        """Forget the document of a path; return the keys it had."""
        with mapped(f"the catalogue cannot forget {path!r}"):
            _, before, _ = self._clear(path, "")
        return before

    def replace_skipped(self, skipped: Iterable[tuple[Skipped, FileStat | None]]) -> None:
        """Make these all the skipped files there are, each with its stat when it was opened before it was skipped."""
        rows = [
            (one.path, one.reason, one.detail, stat and stat.size_bytes, stat and stat.mtime_ns)
            for one, stat in skipped
        ]
        with mapped("the catalogue cannot be written"):
            self._connection.execute("DELETE FROM skipped")
            self._connection.executemany("INSERT OR REPLACE INTO skipped VALUES (?, ?, ?, ?, ?)", rows)

    def finish(self) -> None:
        """Derive names, relations and totals, and close the file."""
        with mapped("the catalogue cannot be finished"):
            documents = [
                relations.Named(doc, doc_id, title, source_type, tuple(json.loads(aliases)))
                for doc, doc_id, title, source_type, aliases in self._connection.execute(
                    "SELECT doc, doc_id, title, source_type, aliases FROM document"
                )
            ]
            self._write_names(documents)
            self._write_edges(documents)
            self._connection.execute("DELETE FROM type_total")
            self._connection.execute(
                "INSERT INTO type_total SELECT d.source_type, count(*), sum(n), sum(d.size_bytes), sum(d.tokens) "
                "FROM (SELECT d.*, (SELECT coalesce(sum(c.searchable), 0) FROM chunk c WHERE c.doc = d.doc) AS n "
                "FROM document d) d GROUP BY d.source_type"
            )
            self._connection.execute("COMMIT")
            self.close()

    def close(self) -> None:
        """Let the file go; unfinished, it is worth nothing."""
        self._connection.close()

    def _clear(self, doc_id: str, source_type: str) -> tuple[int | None, tuple[int, ...], dict[Any, list[int]]]:
        """Take a document out; return its number, its keys, and those that equal chunks may keep.

        A document that changes its type keeps no key: its vectors move to another folder.
        """
        row = self._connection.execute("SELECT doc, source_type FROM document WHERE doc_id = ?", (doc_id,)).fetchone()
        if row is None:
            return None, (), {}
        doc, type_before = row
        chunks = self._connection.execute(
            "SELECT key, searchable, digest FROM chunk WHERE doc = ? ORDER BY key DESC", (doc,)
        ).fetchall()
        self._connection.execute("DELETE FROM chunk_text WHERE key IN (SELECT key FROM chunk WHERE doc = ?)", (doc,))
        for table in ("chunk", "reference", "document"):
            self._connection.execute(f"DELETE FROM {table} WHERE doc = ?", (doc,))
        kept: defaultdict[Any, list[int]] = defaultdict(list)
        if type_before == source_type:
            for key, searchable, digest in chunks:
                kept[bool(searchable), digest].append(key)
        return doc, tuple(key for key, _, _ in reversed(chunks)), kept

    def _put_chunk(self, doc: int, chunk: Chunk, tokens: int, kept: dict[Any, list[int]]) -> int:
        digest = digest_of(chunk.heading, chunk.text)
        known = kept.get((chunk.searchable, digest))
        cursor = self._connection.execute(
            f"INSERT INTO chunk VALUES ({', '.join('?' * 10)})",
            (
                known.pop() if known else None,
                doc,
                chunk.ordinal,
                chunk.span.start,
                chunk.span.end,
                json.dumps(chunk.heading),
                len(chunk.text.encode()),
                tokens,
                chunk.searchable,
                digest,
            ),
        )
        key = cursor.lastrowid
        assert key is not None
        self._connection.execute("INSERT INTO chunk_text VALUES (?, ?)", (key, chunk.text))
        return key

    def _write_names(self, documents: list[relations.Named]) -> None:
        names = {
            (name.casefold(), NAME_SORTS[sort], named.doc)
            for named in documents
            for name, sort in (
                (named.doc_id, "id"),
                *((alias, "alias") for alias in named.aliases),
                (named.title, "title"),
                (safe_line(named.doc_id), "file"),  # as it is shown
                (posixpath.basename(named.doc_id), "file"),
                (posixpath.splitext(posixpath.basename(named.doc_id))[0], "file"),
            )
        }
        self._connection.execute("DELETE FROM name")
        self._connection.executemany("INSERT INTO name VALUES (?, ?, ?)", sorted(names))

    def _write_edges(self, documents: list[relations.Named]) -> None:
        references = self._connection.execute("SELECT doc, target, kind, form FROM reference ORDER BY rowid")
        links = relations.resolve(relations.Names(documents), (relations.Written(*row) for row in references))
        ids = {named.doc: named.doc_id for named in documents}
        out: defaultdict[int, int] = defaultdict(int)
        into: defaultdict[int, int] = defaultdict(int)
        in_rank: dict[relations.Link, int] = {}
        for link in sorted(links, key=lambda link: (*relations.strength(link), ids[link.source])):
            if link.target is not None:
                in_rank[link] = into[link.target]
                into[link.target] += 1
        rows = []
        for link in links:
            rows.append((link.source, link.target, link.written, link.kind, out[link.source], in_rank.get(link)))
            out[link.source] += 1
        self._connection.execute("DELETE FROM edge")
        self._connection.executemany("INSERT INTO edge VALUES (?, ?, ?, ?, ?, ?)", rows)
        self._connection.execute("UPDATE document SET superseded = marked")
        self._connection.executemany(
            "UPDATE document SET superseded = 1 WHERE doc = ?", [(doc,) for doc in relations.superseded(links)]
        )


def digest_of(heading: tuple[str, ...], text: str) -> bytes:
    """Return the short hash that stands for a passage: of the very text that is embedded."""
    return hashlib.sha256(embedded_text(heading, text).encode()).digest()[:16]


def embedded_text(heading: tuple[str, ...], text: str) -> str:
    """Return what the embedder sees of a passage: where it stands, and what it says (less the space around it)."""
    return f"{' > '.join(heading)}\n\n{text.strip()}" if heading else text.strip()
