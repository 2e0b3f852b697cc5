"""The tables of a catalogue, and how a connection to one is opened.

A document's whole safe text is the concatenation of its chunks' texts, so a generation never depends on
files that have changed since. Texts have a table of their own: rows stay small and close together.

Raise manifest.FORMAT when a table changes: a store of another format is refused and built anew.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from urllib.parse import quote

TABLES = """
CREATE TABLE document (
    doc INTEGER PRIMARY KEY, doc_id TEXT NOT NULL UNIQUE, path TEXT NOT NULL, title TEXT NOT NULL,
    source_type TEXT NOT NULL, status TEXT NOT NULL, created TEXT NOT NULL, updated TEXT NOT NULL,
    archived INTEGER NOT NULL, inactive INTEGER NOT NULL,
    marked INTEGER NOT NULL,                      -- superseded, by its own word
    superseded INTEGER NOT NULL,                  -- superseded, by its own or another document's word
    aliases TEXT NOT NULL, sha256 TEXT NOT NULL, size_bytes INTEGER NOT NULL, text_bytes INTEGER NOT NULL,
    tokens INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, made_safe INTEGER NOT NULL,
    remarks TEXT NOT NULL,                        -- what of it was not taken as it is, in words
    code INTEGER NOT NULL, stale TEXT NOT NULL, reviewed TEXT NOT NULL, review_by TEXT NOT NULL
);
CREATE TABLE chunk (
    key INTEGER PRIMARY KEY AUTOINCREMENT,        -- never used twice: a stale row of an index matches nothing
    doc INTEGER NOT NULL, ordinal INTEGER NOT NULL, start INTEGER NOT NULL, "end" INTEGER NOT NULL,
    heading TEXT NOT NULL, size_bytes INTEGER NOT NULL, tokens INTEGER NOT NULL, searchable INTEGER NOT NULL,
    digest BLOB NOT NULL                          -- of heading and text: the embedding cache's key
);
CREATE INDEX chunk_place ON chunk (doc, ordinal);
CREATE TABLE chunk_text (key INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE reference (doc INTEGER NOT NULL, target TEXT NOT NULL, kind TEXT NOT NULL, form TEXT NOT NULL);
CREATE INDEX reference_of ON reference (doc);
CREATE TABLE edge (
    source INTEGER NOT NULL, target INTEGER,      -- a target of NULL dangles
    written TEXT NOT NULL, kind TEXT NOT NULL,
    out_rank INTEGER NOT NULL, in_rank INTEGER    -- 0-based place among a node's edges: a cap is an index range
);
CREATE INDEX edge_out ON edge (source, out_rank);
CREATE INDEX edge_in ON edge (target, in_rank);
CREATE TABLE name (name TEXT NOT NULL, sort INTEGER NOT NULL, doc INTEGER NOT NULL);
CREATE INDEX name_of ON name (name, sort);
CREATE TABLE skipped (
    path TEXT PRIMARY KEY, reason TEXT NOT NULL, detail TEXT NOT NULL,
    size_bytes INTEGER, mtime_ns INTEGER          -- of a file that was opened before it was skipped
);
CREATE TABLE type_total (
    source_type TEXT PRIMARY KEY, documents INTEGER NOT NULL, chunks INTEGER NOT NULL,
    size_bytes INTEGER NOT NULL, tokens INTEGER NOT NULL
);
"""

MAPPED_BYTES = 1 << 30
"""Most of a catalogue that is read through the page cache of the system, which all readers share."""

NAME_SORTS = {"id": 0, "alias": 1, "title": 2, "file": 3}


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open a finished catalogue; it never changes again, so no lock is taken, and its pages are read in place."""
    uri = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
    connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
    connection.execute(f"PRAGMA mmap_size = {MAPPED_BYTES}")
    return connection


def connect_to_write(path: Path) -> sqlite3.Connection:
    """Open a catalogue that nobody reads yet, a new one with empty tables.

    It has no journal: until it is published, a catalogue that was cut short is thrown away.
    """
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        connection.executescript(TABLES)
    connection.execute("BEGIN")
    return connection
