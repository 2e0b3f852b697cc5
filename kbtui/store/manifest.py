"""The manifest: what a generation is made of, and what its files must look like."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kbtui.errors import StoreError
from kbtui.store.faults import REPAIR, mapped

FORMAT = 2
"""Of the whole store, the catalogue's tables included; a store of another format is refused, not guessed at."""

CHROMA_DATABASE = "chroma.sqlite3"
CHROMA_PERSISTED = "index_metadata.pickle"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecord:
    """A file of a part: its size is checked before it is opened; its hash when there is doubt."""

    path: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """An immutable folder below ``parts/``; ``rows`` is what its index must count."""

    name: str
    rows: int
    files: tuple[FileRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeVectors:
    """A source type's vectors; ``embedded`` counts the passages of this generation that have some."""

    source_type: str
    embedded: int
    base: Part
    delta: Part | None = None

    @property
    def parts(self) -> tuple[Part, ...]:
        """The base, and the delta where there is one."""
        return (self.base,) if self.delta is None else (self.base, self.delta)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A generation. ``corpus`` is relative to the store when the store lies in it, so both can move together.

    ``lexical_dead`` counts the passages that were deleted from the lexical index since it was built anew. Ages of
    documents are measured against ``day``, the one of the build.
    """

    generation: str
    corpus: str
    embedder: str
    dimensions: int
    tokenizer: str
    catalog: Part
    lexical: Part
    lexical_dead: int
    day: str
    vectors: tuple[TypeVectors, ...] = ()
    format: int = FORMAT

    @property
    def parts(self) -> Iterator[Part]:
        """Every part, each once."""
        yield self.catalog
        yield self.lexical
        for vectors in self.vectors:
            yield from vectors.parts

    def to_json(self) -> bytes:
        """Return the manifest as its file holds it."""
        return json.dumps(asdict(self), indent=1, sort_keys=True).encode() + b"\n"


def from_json(data: bytes) -> Manifest:
    """Return the manifest that a file holds.

    Errors: StoreError when it is none, or one of another format.
    """
    with mapped("the manifest cannot be read"):
        fields = json.loads(data)
        if fields["format"] != FORMAT:
            raise StoreError(f"the store was written by another kbtui (format {fields['format']})", REPAIR)
        fields["catalog"], fields["lexical"] = _part(fields["catalog"]), _part(fields["lexical"])
        fields["vectors"] = tuple(
            TypeVectors(
                source_type=one["source_type"],
                embedded=one["embedded"],
                base=_part(one["base"]),
                delta=_part(one["delta"]) if one["delta"] else None,
            )
            for one in fields["vectors"]
        )
        return Manifest(**fields)


def _part(fields: dict[str, Any]) -> Part:
    return Part(
        name=fields["name"], rows=fields["rows"], files=tuple(FileRecord(**record) for record in fields["files"])
    )


def describe(folder: Path, rows: int) -> Part:
    """Return a finished folder as the manifest records it."""
    with mapped(f"the part {folder.name} cannot be recorded"):
        files = tuple(
            FileRecord(
                path=path.relative_to(folder).as_posix(),
                size_bytes=path.stat().st_size,
                sha256="" if path.name == CHROMA_DATABASE else hashlib.sha256(path.read_bytes()).hexdigest(),
            )
            for path in sorted(_recorded(folder))
        )
    return Part(name=folder.name, rows=rows, files=files)


def _recorded(folder: Path) -> Iterable[Path]:
    """Yield the files that stay as they are.

    Not locks, and not the empty scaffolding of a chromadb collection that was never persisted (of a single
    row; it is in the database): every reader of it truncates and rewrites that. chromadb's database
    keeps its size, but not its bytes: readers move a change counter in it, so it has no hash.
    """
    for path in folder.rglob("*"):
        if not path.is_file() or path.name.endswith((".lock", "-journal", "-wal", "-shm")):
            continue
        of_collection = (path.parent.parent / CHROMA_DATABASE).exists()
        if not of_collection or (path.parent / CHROMA_PERSISTED).exists():
            yield path


def verify_sizes(parts_folder: Path, part: Part) -> Path:
    """Return a part's folder, once every recorded file is there in its size.

    Errors: StoreError naming the first that is not; opening it could crash the process (chromadb may).
    """
    folder = parts_folder / part.name
    for record in part.files:
        try:
            size = (folder / record.path).stat().st_size
        except OSError as error:
            raise StoreError(f"the store is damaged: {part.name}/{record.path} cannot be found", REPAIR) from error
        if size != record.size_bytes:
            message = f"{part.name}/{record.path} has {size:,} bytes, not {record.size_bytes:,}"
            raise StoreError(f"the store is damaged: {message}", REPAIR)
    return folder


def verify_hashes(parts_folder: Path, part: Part) -> None:
    """Read a part whole and compare it with its record.

    Errors: StoreError naming the first file that differs.
    """
    folder = verify_sizes(parts_folder, part)
    for record in part.files:
        with mapped(f"the part {part.name} cannot be read"):
            found = hashlib.sha256((folder / record.path).read_bytes()).hexdigest()
        if record.sha256 and found != record.sha256:
            raise StoreError(f"the store is damaged: {part.name}/{record.path} has other bytes", REPAIR)
