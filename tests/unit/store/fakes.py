"""Stand-ins for what other layers give the store: a reader of tiny files and an embedder without a model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kbtui.model import Chunk, Document, FileStat, Reference, Skipped, SourceFile, Span
from kbtui.store.ranking import Ranking

if TYPE_CHECKING:
    from kbtui.store.embed import Vector, Vectors


@dataclass
class FakeEmbedder:
    """Vectors drawn from a text's hash; counts what it was asked to embed."""

    name: str = "fake/8"
    dimensions: int = 8
    embedded: list[str] = field(default_factory=list)

    def embed_query(self, text: str) -> Vector:
        """Return the vector that a passage of this text has."""
        return _drawn(text, self.dimensions)

    def embed_passages(self, texts: Sequence[str]) -> list[Vectors]:
        """Return one vector a text, two for a text of over 1,000 characters."""
        self.embedded.extend(texts)
        return [
            np.stack([_drawn(part, self.dimensions) for part in ([text] if len(text) <= 1000 else [text, text[1000:]])])
            for text in texts
        ]


def _drawn(text: str, dimensions: int) -> Vector:
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
    vector: Vector = np.random.default_rng(seed).standard_normal(dimensions).astype(np.float32)
    unit: Vector = vector / np.linalg.norm(vector)
    return unit


Raw = list[tuple[int, float]]
"""Passages as (key, score), best first, ties by key."""


def ranking(raw: Raw) -> Ranking:
    """Return passages as a retriever brings them."""
    return Ranking(np.array([key for key, _ in raw], np.int64), np.array([score for _, score in raw], np.float64))


@dataclass(frozen=True)
class FakeScan:
    """What a scan yields."""

    files: tuple[FileStat, ...]
    skipped: tuple[Skipped, ...] = ()


@dataclass
class FakeSource:
    """Reads files of paragraphs; remembers which paths it opened.

    A file's type is its first folder. Its first lines may be ``key: value``: ``id``, ``title``, ``status``
    (``archived`` archives), or any other key, which is a relation to the value. A file that says ``binary`` is skipped.
    """

    opened: list[str] = field(default_factory=list)

    def scan(self, root: Path) -> FakeScan:
        """Return every file below the root, and one skipped entry for each ``.skip`` file."""
        files, skipped = [], []
        for path in sorted(p for p in root.rglob("*") if p.is_file()):
            name = path.relative_to(root).as_posix()
            if path.suffix == ".skip":
                skipped.append(Skipped(path=name, reason="unknown extension"))
            else:
                stat = path.stat()
                files.append(FileStat(path=name, size_bytes=stat.st_size, mtime_ns=stat.st_mtime_ns))
        return FakeScan(tuple(files), tuple(skipped))

    def read(self, root: Path, stat: FileStat) -> SourceFile | Skipped:
        """Return the file as one chunk a paragraph, the header lines as a chunk that is not searchable."""
        self.opened.append(stat.path)
        text = (root / stat.path).read_text()
        if text.startswith("binary"):
            return Skipped(path=stat.path, reason="binary")
        header, fields = _header(text)
        parts = ([header] if header else []) + text[len(header) :].split("\n\n")
        chunks, start = [], 0
        for ordinal, part in enumerate(parts):
            whole = part if part is parts[-1] or part is header else part + "\n\n"
            end = start + len(whole.encode())
            chunks.append(
                Chunk(
                    chunk_id=f"{stat.path}#{ordinal}",
                    doc_id=stat.path,
                    ordinal=ordinal,
                    span=Span(start=start, end=end),
                    heading=(fields.get("title", stat.path),),
                    text=whole,
                    searchable=bool(whole.strip()) and part is not header,
                )
            )
            start = end
        return SourceFile(document=_document(stat, text, fields), chunks=tuple(chunks), references=_references(fields))


PROPERTIES = ("id", "title", "status", "review_by")


def _header(text: str) -> tuple[str, dict[str, str]]:
    fields: dict[str, str] = {}
    length = 0
    for line in text.splitlines(keepends=True):
        key, colon, value = line.partition(": ")
        if not colon or not key.replace("_", "").isalnum():
            break
        fields[key] = value.strip()
        length += len(line)
    return text[:length], fields


def _document(stat: FileStat, text: str, fields: dict[str, str]) -> Document:
    status = fields.get("status", "")
    return Document(
        doc_id=stat.path,
        path=stat.path,
        title=fields.get("title", Path(stat.path).stem),
        source_type=stat.path.partition("/")[0],
        status=status,
        archived=status == "archived",
        inactive=status == "deprecated",
        aliases=(fields["id"],) if "id" in fields else (),
        review_by=fields.get("review_by", ""),
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        size_bytes=stat.size_bytes,
        text_bytes=len(text.encode()),
    )


def _references(fields: dict[str, str]) -> tuple[Reference, ...]:
    references = []
    for kind, target in fields.items():
        if kind in PROPERTIES:
            continue
        if kind == "link":
            references.append(Reference(target=target, kind=kind, form="path"))
        elif kind == "wikilink":
            references.append(Reference(target=target, kind=kind, form="name"))
        elif target.startswith("#"):
            references.append(Reference(target=target[1:], kind=kind, form="number"))
        else:
            references.append(Reference(target=target, kind=kind, form="id"))
    return tuple(references)
