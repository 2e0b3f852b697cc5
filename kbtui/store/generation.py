"""Generations: which one is current, opening it, holding it while it is read.

::

    STORE/kbtui-store.json         what this folder is
    STORE/CURRENT                  the current generation and its manifest's hash
    STORE/lock                     held by the one writer
    STORE/generations/N/manifest.json   held (shared) by its readers
    STORE/parts/...                immutable folders, shared by generations
    STORE/embeddings.sqlite        vectors by text, never lost
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from kbtui.errors import StoreError
from kbtui.model import Status
from kbtui.store.catalog import Catalog
from kbtui.store.faults import REPAIR, mapped
from kbtui.store.manifest import FORMAT, Manifest, from_json, verify_hashes, verify_sizes
from kbtui.store.notices import notices

if TYPE_CHECKING:
    from kbtui.store.lexical import Lexical
    from kbtui.store.vectors import VectorIndex

MARKER = "kbtui-store.json"
CURRENT = "CURRENT"
FRESH = ".new"
"""Suffix of a file that is about to replace the one without it."""

CATALOG_FILE = "catalog.sqlite"
CHROMA_FOLDER = "chroma"


class Store:
    """A store by its folder, which need not exist yet."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.parts = self.path / "parts"
        self.generations = self.path / "generations"

    def current(self) -> str | None:
        """Return the name of the current generation, None when nothing is indexed yet.

        Errors: StoreError for a folder that is no store, or one of a newer kbtui.
        """
        pointer = self._pointer()
        return pointer[0] if pointer else None

    def open(self) -> OpenGeneration:
        """Open the current generation and hold it, so that no writer deletes it.

        Errors: StoreError when there is none, or it is damaged.
        """
        while pointer := self._pointer():
            held = self._hold(*pointer)
            if held is not None:
                return OpenGeneration(self, *held)
        raise StoreError(
            f"nothing is indexed in {self.path}", f"Index a folder: kbtui index CORPUS --store {self.path}"
        )

    def check(self) -> None:
        """Make sure that the folder is a store of this format, empty, or not there.

        Errors: StoreError when it is anything else.
        """
        with mapped(f"the store {self.path} cannot be read"):
            if not self.path.exists():
                return
            try:
                marker = json.loads((self.path / MARKER).read_text())
                found = int(marker["format"])
            except FileNotFoundError:
                if all(path.name == MARKER + FRESH for path in self.path.iterdir()):
                    return  # empty, or killed in its first moment
                raise StoreError(f"{self.path} is no kbtui store", "Name another folder with --store.") from None
            except (ValueError, KeyError, TypeError):
                raise StoreError(f"{self.path / MARKER} is damaged", REPAIR) from None
        if found > FORMAT:
            raise StoreError(
                f"{self.path} was written by a newer kbtui (format {found}, this one knows {FORMAT})",
                "Upgrade kbtui, or name another folder with --store.",
            )

    def _pointer(self) -> tuple[str, str] | None:
        """Return the current generation's name and its manifest's hash."""
        self.check()
        with mapped(f"the store {self.path} cannot be read"):
            try:
                fields = (self.path / CURRENT).read_text().split()
            except FileNotFoundError:
                return None
        if len(fields) != 2 or not fields[0].isdecimal():
            raise StoreError(f"the store is damaged: {CURRENT} names no generation", REPAIR)
        return fields[0], fields[1]

    def _hold(self, name: str, sha256: str) -> tuple[Manifest, int] | None:
        """Return a generation's manifest and the lock on it, None when a writer took it away meanwhile."""
        path = self.generations / name / "manifest.json"
        with mapped(f"generation {name} cannot be opened"):
            try:
                descriptor = os.open(path, os.O_RDONLY)
            except FileNotFoundError:
                if self.current() != name:
                    return None
                raise StoreError(f"the store is damaged: generation {name} is gone", REPAIR) from None
            try:
                fcntl.flock(descriptor, fcntl.LOCK_SH)
                if os.fstat(descriptor).st_nlink == 0:  # deleted between the look and the lock
                    os.close(descriptor)
                    return None
                data = path.read_bytes()
                if hashlib.sha256(data).hexdigest() != sha256:
                    raise StoreError(f"the store is damaged: the manifest of generation {name} has other bytes", REPAIR)
                return from_json(data), descriptor
            except BaseException:
                os.close(descriptor)
                raise


class OpenGeneration:
    """A generation that is held. Indexes are opened when first used; close it to let it go."""

    def __init__(self, store: Store, manifest: Manifest, descriptor: int) -> None:
        self.store = store
        self.manifest = manifest
        self.name = manifest.generation
        self._descriptor = descriptor
        self._opening = Lock()
        self._lexical: Lexical | None = None
        self._vectors: VectorIndex | None = None
        try:
            folder = verify_sizes(store.parts, manifest.catalog)
            embedded = {one.source_type: one.embedded for one in manifest.vectors}
            self.catalog = Catalog(folder / CATALOG_FILE, embedded, manifest.day)
        except BaseException:
            os.close(descriptor)
            raise

    @property
    def lexical(self) -> Lexical:
        """The lexical index.

        Errors: StoreError when it is damaged.
        """
        from kbtui.store.lexical import Lexical

        with self._opening:
            if self._lexical is None:
                opened = Lexical(verify_sizes(self.store.parts, self.manifest.lexical))
                if opened.rows != self.manifest.lexical.rows:
                    message = f"{opened.rows:,} passages, not {self.manifest.lexical.rows:,}"
                    raise StoreError(f"the store is damaged: the lexical index has {message}", REPAIR)
                self._lexical = opened
            return self._lexical

    @property
    def vectors(self) -> VectorIndex:
        """The vectors of every source type that has some.

        Errors: StoreError when they are damaged.
        """
        from kbtui.store.vectors import VectorIndex, VectorPart

        with self._opening:
            if self._vectors is None:
                parts = {
                    one.source_type: tuple(
                        VectorPart(verify_sizes(self.store.parts, part) / CHROMA_FOLDER, part.rows)
                        for part in one.parts
                    )
                    for one in self.manifest.vectors
                }
                self._vectors = VectorIndex(parts, self.manifest.dimensions)
            return self._vectors

    @property
    def corpus(self) -> Path:
        """The folder that was indexed."""
        return Path(os.path.normpath(self.store.path / self.manifest.corpus))

    def status(self) -> Status:
        """Return what this generation holds."""
        types = self.catalog.type_status()
        embedded, chunks = self.catalog.coverage()
        relations, dangling = self.catalog.relation_counts()
        return Status(
            store=str(self.store.path),
            corpus=str(self.corpus),
            generation=self.name,
            documents=sum(one.documents for one in types),
            chunks=chunks,
            embedded=embedded,
            size_bytes=sum(one.size_bytes for one in types),
            tokens=sum(one.tokens for one in types),
            relations=relations,
            dangling=dangling,
            embedder=self.manifest.embedder,
            tokenizer=self.manifest.tokenizer,
            types=types,
            skipped=self.catalog.skipped(),
            notices=notices(self.catalog),
            built=datetime.fromtimestamp(os.fstat(self._descriptor).st_mtime, UTC).isoformat(timespec="seconds"),
            day=self.manifest.day,
            parts=sum(1 for _ in self.manifest.parts),
            stored_bytes=sum(record.size_bytes for part in self.manifest.parts for record in part.files),
        )

    def verify(self) -> None:
        """Read every part whole and compare it with the manifest.

        Errors: StoreError naming the first file that differs.
        """
        for part in self.manifest.parts:
            verify_hashes(self.store.parts, part)

    def close(self) -> None:
        """Let the generation go; closing twice does no harm."""
        if self._descriptor < 0:
            return
        if self._vectors is not None:
            self._vectors.close()
        self.catalog.close()
        os.close(self._descriptor)
        self._descriptor = -1
