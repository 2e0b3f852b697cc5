"""From the passages of a generation to its vector parts: embed what is new, keep what is there.

A type's new passages go into its delta. Base and delta become one new base when the delta passes a
tenth of the base, or a fifth of the base is dead; all but new passages come from the embedding cache.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from kbtui.store.catalog import Catalog
from kbtui.store.catalog_writer import embedded_text
from kbtui.store.embed import Embedder
from kbtui.store.embedding_cache import EmbeddingCache
from kbtui.store.faults import mapped
from kbtui.store.generation import CHROMA_FOLDER
from kbtui.store.manifest import Part, TypeVectors, describe
from kbtui.store.steps import Steps
from kbtui.store.vectors import VectorWriter, encoded
from kbtui.store.writing import StoreWriter

if TYPE_CHECKING:
    from kbtui.store.embed import Vectors

EMBEDDED_AT_ONCE = 32
"""Passages between two commits of the cache: what a killed build loses at most."""

READ_AT_ONCE = 1000
LARGEST_DELTA = 1 / 10
MOST_DEAD = 1 / 5
KEYS_FILE = "keys"
"""Beside a part's chromadb folder: the keys in it, as 64-bit numbers."""


@dataclass(frozen=True)
class TypePlan:
    """A source type's passages now (``live``: key to digest) and the vectors it has."""

    source_type: str
    live: dict[int, bytes]
    old: TypeVectors | None
    in_base: frozenset[int]
    in_delta: frozenset[int]

    @cached_property
    def pending(self) -> list[int]:
        """The keys that have no vector in any part."""
        return [key for key in self.live if key not in self.in_base and key not in self.in_delta]

    @property
    def rebases(self) -> bool:
        """Whether base and delta are better made one."""
        outside = sum(key not in self.in_base for key in self.live)
        dead = sum(key not in self.live for key in self.in_base)
        return outside > LARGEST_DELTA * len(self.in_base) or dead > MOST_DEAD * len(self.in_base)

    @property
    def to_write(self) -> list[int]:
        """The keys whose vectors are written when the type is brought up to date."""
        return list(self.live) if self.live and (self.old is None or self.rebases) else self.pending

    @property
    def kept(self) -> TypeVectors | None:
        """What the type has without any work; None when that is nothing."""
        embedded = len(self.live) - len(self.pending)
        if self.old is None or not embedded:
            return None
        return TypeVectors(source_type=self.source_type, embedded=embedded, base=self.old.base, delta=self.old.delta)


def plans(catalog: Catalog, parts_folder: Path, old: Iterable[TypeVectors]) -> list[TypePlan]:
    """Return the plan of every source type that the catalogue has."""
    by_type = {vectors.source_type: vectors for vectors in old}
    found = []
    for status in catalog.type_status():
        has = by_type.get(status.source_type)
        found.append(
            TypePlan(
                status.source_type,
                catalog.searchable(status.source_type),
                has,
                _keys(parts_folder, has.base if has else None),
                _keys(parts_folder, has.delta if has else None),
            )
        )
    return found


class Embedding:
    """The work on vectors of one build, and the count of what it took."""

    def __init__(self, writer: StoreWriter, parts_folder: Path, embedder: Embedder, steps: Steps) -> None:
        self._writer, self._parts_folder, self._embedder, self._steps = writer, parts_folder, embedder, steps
        self._cache = EmbeddingCache(writer.cache_path, embedder)
        self.computed = 0
        self.from_cache = 0
        self._total = 0

    def expect(self, planned: Iterable[TypePlan]) -> None:
        """Count what is to be computed, so that progress has an end."""
        needed = {plan.live[key] for plan in planned for key in plan.to_write}
        self._total = len(self._cache.missing(needed))

    def bring_up(self, plan: TypePlan, catalog: Catalog) -> TypeVectors | None:
        """Return the type's vectors with every passage embedded; None when it has no passage.

        Errors: StoreError; Cancelled.
        """
        keys = plan.to_write
        computed = self._embed(plan, keys, catalog)
        self.from_cache += max(0, len(plan.pending) - computed)
        if not keys:
            return plan.kept
        if plan.old is None or plan.rebases:
            base, delta = self._write(plan, keys, None), None
        else:
            base, delta = plan.old.base, self._write(plan, keys, plan.old.delta)
        return TypeVectors(source_type=plan.source_type, embedded=len(plan.live), base=base, delta=delta)

    def close(self) -> None:
        """Let the cache go."""
        self._cache.close()

    def _embed(self, plan: TypePlan, keys: Sequence[int], catalog: Catalog) -> int:
        """Compute what the cache lacks of these passages; return how many that were."""
        missing = self._cache.missing(plan.live[key] for key in keys)
        first_with = {plan.live[key]: key for key in reversed(keys) if plan.live[key] in missing}
        wanted = sorted(first_with.values())
        for some in _batches(wanted, EMBEDDED_AT_ONCE):
            self._steps.say("embed", self.computed, self._total, plan.source_type)
            texts = catalog.headed_texts(some)
            vectors = self._embedder.embed_passages([embedded_text(*texts[key]) for key in some])
            self._cache.put({plan.live[key]: found for key, found in zip(some, vectors, strict=True)})
            self.computed += len(some)
        self._steps.say("embed", self.computed, self._total, plan.source_type)
        return len(wanted)

    def _write(self, plan: TypePlan, keys: Sequence[int], copy_of: Part | None) -> Part:
        """Write a new part from the cache, on top of a copy of another part where one is given."""
        folder = self._writer.new_part(f"vectors-{encoded(plan.source_type)}")
        inside = sorted(plan.in_delta) if copy_of else []
        source = self._parts_folder / copy_of.name / CHROMA_FOLDER if copy_of else None
        writer = VectorWriter(folder / CHROMA_FOLDER, plan.source_type, source)
        for some in _batches(keys, READ_AT_ONCE):
            self._steps.say("write", 0, 0, plan.source_type)
            writer.add(self._vectors(plan, some))
        rows = writer.rows
        writer.close()
        with mapped(f"the part {folder.name} cannot be written"):
            (folder / KEYS_FILE).write_bytes(array("q", [*inside, *keys]).tobytes())
        return describe(folder, rows)

    def _vectors(self, plan: TypePlan, keys: Sequence[int]) -> Iterator[tuple[int, Vectors]]:
        known = self._cache.get(list({plan.live[key] for key in keys}))
        for key in keys:
            yield key, known[plan.live[key]]


def _keys(parts_folder: Path, part: Part | None) -> frozenset[int]:
    if part is None:
        return frozenset()
    keys = array("q")
    with mapped(f"the part {part.name} cannot be read"):
        keys.frombytes((parts_folder / part.name / KEYS_FILE).read_bytes())
    return frozenset(keys)


def _batches(keys: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(keys), size):
        yield keys[start : start + size]
