"""The catalogue: documents, passages with their costs and texts, relations. One immutable SQLite file.

Safe to use from several threads: each call borrows a connection of its own.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from threading import Lock
from typing import Any

from kbtui.errors import StoreError
from kbtui.model import Document, Edge, Entry, FileStat, Filters, Skipped, Span, TypeCount, TypeStatus
from kbtui.settings import tier_of
from kbtui.store.ages import age_on
from kbtui.store.faults import mapped
from kbtui.store.lexical import LexicalRow
from kbtui.store.places import Places
from kbtui.store.remembered import Remembered
from kbtui.store.schema import NAME_SORTS, connect_to_read

DOCUMENT_COLUMNS = (
    "d.doc_id, d.path, d.title, d.source_type, d.status, d.created, d.updated, d.archived, d.inactive, "
    "d.superseded, d.aliases, d.sha256, d.size_bytes, d.text_bytes, d.tokens, d.code, d.stale, d.reviewed, d.review_by"
)
ENTRY_COLUMNS = 'd.doc_id, c.ordinal, c.start, c."end", c.heading, c.size_bytes, c.tokens, c.searchable'
GIVEN = "(SELECT value FROM json_each(?))"
"""A list of any length as one parameter."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """A document by its number, with the bytes of its safe text; ``plain`` when only line ends were changed in it."""

    doc: int
    path: str
    source_type: str
    size_bytes: int
    plain: bool


class Catalog:
    """A finished catalogue.

    ``embedded`` says, by source type, how many passages have vectors; ages are those of ``day``, unknown without.
    """

    def __init__(self, path: Path, embedded: Mapping[str, int], day: str = "") -> None:
        self._path = path
        self._embedded = dict(embedded)
        self._day = day
        self._idle: list[sqlite3.Connection] = []
        self._documents = Remembered[str, Document](self._read_documents)
        self._entries = Remembered[int, Entry](self._read_entries)
        self._places: Places | None = None
        self._reading = Lock()
        with self._connection() as connection:
            connection.execute("SELECT 1 FROM type_total").fetchone()

    def close(self) -> None:
        """Let the file go."""
        while self._idle:
            self._idle.pop().close()

    # --- documents ---

    def inventory(self) -> tuple[TypeCount, ...]:
        """Return how many documents each source type has, by name."""
        return tuple(
            TypeCount(source_type=status.source_type, documents=status.documents) for status in self.type_status()
        )

    def documents(self, doc_ids: Iterable[str]) -> tuple[Document, ...]:
        """Return the documents of these ids, in this order; an unknown id is left out."""
        wanted = tuple(doc_ids)
        found = self._documents.rows(wanted)
        return tuple(found[doc_id] for doc_id in wanted if doc_id in found)

    def resolve(self, name: str) -> str | None:
        """Return the id of the document that a person means: its id or path, an alias, its own title or file name."""
        wanted = name.strip().removeprefix("./")
        rows = self._rows(
            "SELECT DISTINCT d.doc_id, n.sort FROM name n JOIN document d USING (doc) WHERE n.name = ? "
            "ORDER BY n.sort, d.doc_id <> ?, d.doc_id LIMIT 2",
            wanted.casefold(),
            wanted,
        )
        if not rows:
            return None
        (doc_id, sort), *others = rows
        shared = any(other == sort for _, other in others)
        ambiguous = shared and sort in (NAME_SORTS["title"], NAME_SORTS["file"])
        return None if ambiguous else str(doc_id)

    def named(self, words: str, limit: int) -> tuple[Document, ...]:
        """Return documents whose id, title or alias holds every word, whatever its case, at most ``limit``.

        Those whose id holds the words as they are written come first, short ids before long ones.
        """
        whole = words.strip().removeprefix("./").lower()
        rows = self._rows(
            "SELECT doc_id FROM document WHERE NOT EXISTS (SELECT 1 FROM json_each(?) word WHERE "
            "instr(lower(doc_id || ' ' || title || ' ' || aliases), word.value) = 0) "
            "ORDER BY instr(lower(doc_id), ?) = 0, length(doc_id), doc_id LIMIT ?",
            json.dumps(whole.split()),
            whole,
            limit,
        )
        return self.documents(doc_id for (doc_id,) in rows)

    def failing(self, filters: Filters, docs: Iterable[int]) -> frozenset[int]:
        """Return which of these documents, by number, the filters exclude; archived ones always."""
        if not filters.statuses and not filters.paths:
            archived_ones, inactive_ones = self._barred
            barred = archived_ones if filters.inactive else archived_ones | inactive_ones
            return barred.intersection(docs)
        rows = self._rows(
            f"SELECT doc, path, status, archived, inactive FROM document WHERE doc IN {GIVEN}",
            json.dumps(tuple(docs)),
        )
        statuses = {status.casefold() for status in filters.statuses}
        return frozenset(
            doc
            for doc, path, status, archived, inactive in rows
            if archived
            or (inactive and not filters.inactive)
            or (statuses and status.casefold() not in statuses)
            or (filters.paths and not any(fnmatchcase(path, pattern) for pattern in filters.paths))
        )

    @cached_property
    def _barred(self) -> tuple[frozenset[int], frozenset[int]]:
        """The numbers of all archived documents, and of all inactive ones."""
        rows = self._rows("SELECT doc, archived, inactive FROM document WHERE archived OR inactive")
        return (
            frozenset(doc for doc, archived, _ in rows if archived),
            frozenset(doc for doc, _, inactive in rows if inactive),
        )

    # --- passages ---

    def places(self) -> Places:
        """Return where every passage is that retrievers can match; read when it is first asked for."""
        with self._reading:
            if self._places is None:
                with self._connection() as connection:
                    self._places = Places.read(connection)
            return self._places

    def entries(self, keys: Iterable[int]) -> dict[int, Entry]:
        """Return the rows of these keys; a key that the catalogue does not know (a stale one) is left out."""
        return self._entries.rows(keys)

    def passages(self, doc_id: str) -> tuple[Entry, ...]:
        """Return every passage of a document, in order; they tile its file."""
        rows = self._rows(
            f"SELECT {ENTRY_COLUMNS} FROM document d JOIN chunk c USING (doc) WHERE d.doc_id = ? ORDER BY c.ordinal",
            doc_id,
        )
        return tuple(_entry(row, _list(row[4])) for row in rows)

    def texts(self, chunk_ids: Iterable[str]) -> tuple[str, ...]:
        """Return the safe text of each passage, in this order.

        Errors: StoreError for a passage that does not exist.
        """
        texts = []
        with self._connection() as connection:
            for name in chunk_ids:
                doc_id, _, ordinal = name.rpartition("#")
                row = connection.execute(
                    "SELECT t.text FROM document d JOIN chunk c USING (doc) JOIN chunk_text t USING (key) "
                    "WHERE d.doc_id = ? AND c.ordinal = ?",
                    (doc_id, ordinal),
                ).fetchone()
                if row is None:
                    raise StoreError(f"no passage {name!r} in this generation")
                texts.append(row[0])
        return tuple(texts)

    def texts_with(self, run: str, keys: Iterable[int]) -> dict[int, str]:
        """Return the safe texts, of those with these keys, that hold a run of ASCII in any case; all hold ""."""
        select = f"SELECT key, text FROM chunk_text WHERE key IN {GIVEN} AND instr(lower(text), ?)"
        return dict(self._rows(select, json.dumps(tuple(keys)), run.lower()))

    def text_files(self) -> list[TextFile]:
        """Return every document, in order of paths."""
        rows = self._rows("SELECT doc, path, source_type, text_bytes, made_safe = 0 FROM document ORDER BY path")
        return [TextFile(doc, path, source_type, size, bool(plain)) for doc, path, source_type, size, plain in rows]

    def whole_texts(self, first: int, last: int) -> dict[int, str]:
        """Return the whole safe texts of the documents in a range of numbers; an empty document has none."""
        rows = self._rows(
            "SELECT c.doc, t.text FROM chunk c JOIN chunk_text t USING (key) WHERE c.doc BETWEEN ? AND ? "
            "ORDER BY c.doc, c.ordinal",
            first,
            last,
        )
        return {doc: "".join([text for _, text in group]) for doc, group in groupby(rows, itemgetter(0))}

    # --- relations ---

    def edges(self, doc_ids: Iterable[str], per_node: int, touching: Iterable[str] | None = None) -> tuple[Edge, ...]:
        """Return the relations of these documents, at most ``per_node`` of each in each direction.

        With ``touching`` only those of them that have one of those documents at an end. The strongest kinds come
        first (see relations.py); a hub costs no more than the cap.
        """
        given = json.dumps(tuple(doc_ids))
        some = f"(SELECT doc FROM document WHERE doc_id IN {GIVEN})"
        wanted = "" if touching is None else f"AND (e.source IN {some} OR e.target IN {some})"
        ends = () if touching is None else (json.dumps(tuple(touching)),) * 2
        outgoing = self._rows(
            "SELECT d.doc_id, t.doc_id, e.written, e.kind FROM document d "
            "JOIN edge e ON e.source = d.doc AND e.out_rank < ? LEFT JOIN document t ON t.doc = e.target "
            f"WHERE d.doc_id IN {GIVEN} {wanted} ORDER BY d.doc_id, e.out_rank",
            per_node,
            given,
            *ends,
        )
        incoming = self._rows(
            "SELECT s.doc_id, d.doc_id, e.written, e.kind FROM document d "
            "JOIN edge e ON e.target = d.doc AND e.in_rank < ? JOIN document s ON s.doc = e.source "
            f"WHERE d.doc_id IN {GIVEN} {wanted} ORDER BY d.doc_id, e.in_rank",
            per_node,
            given,
            *ends,
        )
        edges = (
            Edge(source=source, target=written if target is None else target, kind=kind, dangling=target is None)
            for source, target, written, kind in (*outgoing, *incoming)
        )
        return tuple(dict.fromkeys(edges))

    def degrees(self, doc_id: str) -> tuple[int, int]:
        """Return how many relations a document has, outgoing and incoming, whatever any cap shows of them.

        The last rank tells; nothing is counted, so a hub costs no more than any other.
        """
        ((out, into),) = self._rows(
            "SELECT (SELECT coalesce(max(out_rank) + 1, 0) FROM edge WHERE source = d.doc), "
            "(SELECT coalesce(max(in_rank) + 1, 0) FROM edge WHERE target = d.doc) "
            "FROM (SELECT (SELECT doc FROM document WHERE doc_id = ?) AS doc) d",
            doc_id,
        )
        return int(out), int(into)

    def relation_counts(self) -> tuple[int, int]:
        """Return how many relations there are, and how many of them dangle."""
        ((relations, resolved),) = self._rows("SELECT count(*), count(target) FROM edge")
        return int(relations), int(relations) - int(resolved)

    # --- what deserves a look ---

    def dangling(self, most: int) -> list[tuple[str, str, str, int]]:
        """Return (target, source, kind, relations with this target) of relations that dangle, the commonest first."""
        return self._rows(
            "SELECT e.written, d.doc_id, e.kind, count(*) OVER (PARTITION BY e.written) AS times "
            "FROM edge e JOIN document d ON d.doc = e.source WHERE e.target IS NULL "
            "ORDER BY times DESC, e.written, d.doc_id, e.kind LIMIT ?",
            most,
        )

    def larger_than(self, size_bytes: float, tokens: float) -> int:
        """Return how many documents have a text of more bytes or more tokens."""
        ((found,),) = self._rows("SELECT count(*) FROM document WHERE text_bytes > ? OR tokens > ?", size_bytes, tokens)
        return int(found)

    def largest(self, size_bytes: float, tokens: float, most: int) -> tuple[Document, ...]:
        """Return the documents of more bytes or more tokens, those first that are farthest above either."""
        rows = self._rows(
            f"SELECT {DOCUMENT_COLUMNS} FROM document d WHERE text_bytes > ?1 OR tokens > ?2 "
            "ORDER BY max(text_bytes / ?1, tokens / ?2) DESC, doc_id LIMIT ?3",
            size_bytes,
            tokens,
            most,
        )
        return tuple(_document(row, self._day) for row in rows)

    def duplicates(self) -> list[tuple[int, tuple[str, ...]]]:
        """Return (bytes of one, ids) of documents with the same bytes, the costliest first; empty ones are none."""
        rows = self._rows(
            "SELECT size_bytes, json_group_array(doc_id) FROM document WHERE text_bytes > 0 AND sha256 <> '' "
            "GROUP BY sha256 HAVING count(*) > 1 ORDER BY size_bytes * (count(*) - 1) DESC, min(doc_id)"
        )
        return [(size, tuple(sorted(json.loads(doc_ids)))) for size, doc_ids in rows]

    # --- totals ---

    def type_status(self) -> tuple[TypeStatus, ...]:
        """Return what each source type holds, by name. ``chunks`` counts what retrievers can match."""
        return self._type_status

    @cached_property
    def _type_status(self) -> tuple[TypeStatus, ...]:
        rows = self._rows(
            "SELECT source_type, documents, chunks, size_bytes, tokens FROM type_total ORDER BY source_type"
        )
        return tuple(
            TypeStatus(
                source_type=source_type,
                tier=tier_of(source_type),
                documents=documents,
                chunks=chunks,
                embedded=self._embedded.get(source_type, 0),
                size_bytes=size_bytes,
                tokens=tokens,
            )
            for source_type, documents, chunks, size_bytes, tokens in rows
        )

    def coverage(self) -> tuple[int, int]:
        """Return how many searchable passages have vectors, and how many there are."""
        status = self.type_status()
        return sum(one.embedded for one in status), sum(one.chunks for one in status)

    def skipped(self) -> tuple[Skipped, ...]:
        """Return every file that was left out, with the reason, by path."""
        return tuple(skipped for skipped, _ in self.skipped_files())

    def shared_aliases(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return each alias that several documents claim, with those documents; the first one has it."""
        rows = self._rows(
            "SELECT n.name, json_group_array(d.doc_id) FROM name n JOIN document d USING (doc) WHERE n.sort = ? "
            "GROUP BY n.name HAVING count(*) > 1 ORDER BY n.name",
            NAME_SORTS["alias"],
        )
        return tuple((name, tuple(sorted(json.loads(doc_ids)))) for name, doc_ids in rows)

    def made_safe(self) -> int:
        """Return how many characters of all documents were changed to make them safe to show."""
        ((changed,),) = self._rows("SELECT coalesce(sum(made_safe), 0) FROM document")
        return int(changed)

    def remarks(self) -> tuple[tuple[str, str], ...]:
        """Return (document, what of it was not taken as it is) for all there is to remark, by document."""
        rows = self._rows(
            "SELECT doc_id, remark.value FROM document, json_each(remarks) remark WHERE remarks <> '[]' "
            "ORDER BY doc_id, remark.key"
        )
        return tuple((doc_id, remark) for doc_id, remark in rows)

    # --- for the builder ---

    def document_files(self) -> dict[str, FileStat]:
        """Return the stat that every document's file had when it was read, by path."""
        rows = self._rows("SELECT path, size_bytes, mtime_ns FROM document")
        return {path: FileStat(path=path, size_bytes=size, mtime_ns=mtime) for path, size, mtime in rows}

    def skipped_files(self) -> tuple[tuple[Skipped, FileStat | None], ...]:
        """Return every file that was left out, by path; with its stat when it was opened first."""
        rows = self._rows("SELECT path, reason, detail, size_bytes, mtime_ns FROM skipped ORDER BY path")
        return tuple(
            (
                Skipped(path=path, reason=reason, detail=detail),
                None if mtime is None else FileStat(path=path, size_bytes=size, mtime_ns=mtime),
            )
            for path, reason, detail, size, mtime in rows
        )

    def searchable(self, source_type: str) -> dict[int, bytes]:
        """Return key and digest of every passage of a type that retrievers can match, in order of keys."""
        return dict(
            self._rows(
                "SELECT c.key, c.digest FROM chunk c JOIN document d USING (doc) "
                "WHERE d.source_type = ? AND c.searchable ORDER BY c.key",
                source_type,
            )
        )

    def headed_texts(self, keys: Iterable[int]) -> dict[int, tuple[tuple[str, ...], str]]:
        """Return heading and safe text of these passages, in order of keys."""
        rows = self._rows(
            f"SELECT c.key, c.heading, t.text FROM chunk c JOIN chunk_text t USING (key) WHERE c.key IN {GIVEN} "
            "ORDER BY c.key",
            json.dumps(tuple(keys)),
        )
        return {key: (tuple(json.loads(heading)), text) for key, heading, text in rows}

    def lexical_rows(self) -> Iterator[LexicalRow]:
        """Yield every passage that retrievers can match, as the lexical index takes it, in order of keys."""
        with self._connection() as connection:
            for key, source_type, title, heading, path, text in connection.execute(
                "SELECT c.key, d.source_type, d.title, c.heading, d.path, t.text FROM chunk c "
                "JOIN document d USING (doc) JOIN chunk_text t USING (key) WHERE c.searchable ORDER BY c.key"
            ):
                yield LexicalRow(key, source_type, title, tuple(json.loads(heading)), path, text)

    # --- rows that come again with every query ---

    def _read_documents(self, doc_ids: list[str]) -> dict[str, Document]:
        select = f"SELECT {DOCUMENT_COLUMNS} FROM document d WHERE d.doc_id IN {GIVEN}"
        return {row[0]: _document(row, self._day) for row in self._rows(select, json.dumps(doc_ids))}

    def _read_entries(self, keys: list[int]) -> dict[int, Entry]:
        select = f"SELECT c.key, {ENTRY_COLUMNS} FROM chunk c JOIN document d USING (doc) WHERE c.key IN {GIVEN}"
        rows = self._rows(select, json.dumps(keys))
        headings = json.loads(f"[{','.join(row[5] for row in rows)}]")  # all at once: most come for the first time
        return {row[0]: _entry(row[1:], tuple(heading)) for row, heading in zip(rows, headings, strict=True)}

    # --- connections ---

    def _rows(self, sql: str, *parameters: object) -> list[Any]:
        with self._connection() as connection:
            return connection.execute(sql, parameters).fetchall()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection; what was lent comes back and is lent again."""
        with mapped(f"the catalogue {self._path.parent.name} cannot be read"):
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = connect_to_read(self._path)
            try:
                yield connection
            finally:
                self._idle.append(connection)


def chunk_id(doc_id: str, ordinal: int) -> str:
    """Return the id of a document's passage."""
    return f"{doc_id}#{ordinal}"


@lru_cache(maxsize=16384)
def _list(written: str) -> tuple[str, ...]:
    """Return a list as it is stored; headings come again with every passage below them, most aliases are none."""
    return tuple(json.loads(written))


def _document(row: tuple[Any, ...], day: str) -> Document:
    doc_id, path, title, source_type, status, created, updated, archived, inactive, superseded, aliases, *rest = row
    sha256, size_bytes, text_bytes, tokens, code, stale, reviewed, review_by = rest
    return Document(
        doc_id=doc_id,
        path=path,
        title=title,
        source_type=source_type,
        status=status,
        created=created,
        updated=updated,
        archived=bool(archived),
        inactive=bool(inactive),
        superseded=bool(superseded),
        aliases=_list(aliases),
        sha256=sha256,
        size_bytes=size_bytes,
        text_bytes=text_bytes,
        tokens=tokens,
        code=bool(code),
        stale=stale,
        reviewed=reviewed,
        review_by=review_by,
        age=age_on(day, updated or created, reviewed, review_by),
    )


def _entry(row: tuple[Any, ...], heading: tuple[str, ...]) -> Entry:
    doc_id, ordinal, start, end, _, size_bytes, tokens, searchable = row
    return Entry(
        chunk_id=chunk_id(doc_id, ordinal),
        doc_id=doc_id,
        ordinal=ordinal,
        span=Span(start=start, end=end),
        heading=heading,
        size_bytes=size_bytes,
        tokens=tokens,
        searchable=bool(searchable),
    )
