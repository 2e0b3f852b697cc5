"""The writer's side of a store: one at a time, parts that become a generation at once or not at all."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from kbtui.errors import StoreError
from kbtui.store.faults import mapped
from kbtui.store.generation import CURRENT, FRESH, MARKER, Store
from kbtui.store.manifest import FORMAT, Manifest, from_json


class StoreWriter:
    """The only writer of a store, as long as `writing` lasts."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._published = self._newest()

    @property
    def cache_path(self) -> Path:
        """Where the embedding cache is."""
        return self._store.path / "embeddings.sqlite"

    @property
    def next_generation(self) -> str:
        """The name of the generation that is published next."""
        return f"{self._published + 1:06d}"

    def new_part(self, kind: str) -> Path:
        """Return the path of a new part's folder, which the caller makes."""
        return self._store.parts / f"{kind}-{uuid4().hex[:12]}"

    def publish(self, manifest: Manifest) -> None:
        """Make this generation the current one, durably: a crash leaves the one before or this one.

        Errors: StoreError; the generation before is then still current.
        """
        data = manifest.to_json()
        folder = self._store.generations / manifest.generation
        with mapped(f"generation {manifest.generation} cannot be published"):
            for part in manifest.parts:
                _sync_tree(self._store.parts / part.name)
            folder.mkdir(exist_ok=True)
            _write_durably(folder / "manifest.json", data)
            for changed in (folder, self._store.generations, self._store.parts):
                _sync(changed)
            pointer = f"{manifest.generation} {hashlib.sha256(data).hexdigest()}\n"
            _replace_durably(self._store.path / CURRENT, pointer.encode())
        self._published = int(manifest.generation)

    def interrupted(self) -> bool:
        """Say whether there are parts that no generation names: the last build did not end cleanly."""
        try:
            named = {name for folder in self._folders(self._store.generations) for name in _named(folder)}
        except (StoreError, OSError):
            return True
        return any(folder.name not in named for folder in self._folders(self._store.parts))

    def sweep(self) -> None:
        """Delete what no generation needs: those that nobody reads, and what killed builds left behind.

        Not to be called while a part is being written, which belongs to no generation yet. What cannot be
        deleted now is left for the next sweep.
        """
        try:
            current = self._store.current()
            needed = {
                name
                for folder in self._folders(self._store.generations)
                if folder.name == current or not _delete_unread(folder)
                for name in _named(folder)
            }
        except (StoreError, OSError):
            return  # what cannot be read may be needed
        for folder in self._folders(self._store.parts):
            if folder.name not in needed:
                shutil.rmtree(folder, ignore_errors=True)

    def _newest(self) -> int:
        """Return the number of the current generation; of a damaged store, the highest there is."""
        try:
            return int(self._store.current() or 0)
        except StoreError:
            names = [folder.name for folder in self._folders(self._store.generations)]
            return max((int(name) for name in names if name.isdecimal()), default=0)

    @staticmethod
    def _folders(parent: Path) -> list[Path]:
        return sorted(path for path in parent.iterdir() if path.is_dir())


@contextmanager
def writing(store: Store) -> Iterator[StoreWriter]:
    """Be the one writer of a store, made here if it is not there yet.

    Errors: StoreError at once when another one writes, or the folder is not a store.
    """
    store.check()
    with mapped(f"the store {store.path} cannot be written"):
        _prepare(store)
        descriptor = os.open(store.path / "lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(
                f"another process is indexing into {store.path}", "Wait until it is done, then try again."
            ) from None
        yield StoreWriter(store)
    finally:
        os.close(descriptor)


def _prepare(store: Store) -> None:
    store.path.mkdir(parents=True, exist_ok=True)
    marker = json.dumps({"format": FORMAT}).encode()
    if not (store.path / MARKER).exists() or (store.path / MARKER).read_bytes() != marker:
        _replace_durably(store.path / MARKER, marker)
    (store.path / ".gitignore").write_text("*\n")  # a store beside its corpus is not part of it
    store.parts.mkdir(exist_ok=True)
    store.generations.mkdir(exist_ok=True)


def _named(generation: Path) -> frozenset[str]:
    """Return the parts that a generation names; none when its publication was cut short."""
    try:
        return frozenset(part.name for part in from_json((generation / "manifest.json").read_bytes()).parts)
    except FileNotFoundError:
        return frozenset()


def _delete_unread(folder: Path) -> bool:
    """Delete a generation unless somebody reads it; say whether it is gone."""
    path = folder / "manifest.json"
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        shutil.rmtree(folder, ignore_errors=True)  # a publication that was cut short
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _write_durably(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _replace_durably(path: Path, data: bytes) -> None:
    fresh = path.with_name(path.name + FRESH)
    _write_durably(fresh, data)
    fresh.replace(path)
    _sync(path.parent)


def _sync_tree(folder: Path) -> None:
    for path in (*folder.rglob("*"), folder):
        _sync(path)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
