"""The first half of a build: changed files are read and counted, and go into the catalogue and the lexical index."""

from __future__ import annotations

import os
import shutil
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from kbtui.model import FileStat, Skipped, SourceFile
from kbtui.store import tokens
from kbtui.store.catalog import Catalog
from kbtui.store.catalog_writer import CatalogWriter, Counted
from kbtui.store.changes import Changes, is_storable, storable
from kbtui.store.faults import mapped
from kbtui.store.generation import CATALOG_FILE, OpenGeneration
from kbtui.store.lexical import LexicalRow, LexicalWriter
from kbtui.store.manifest import Part, describe
from kbtui.store.steps import Steps
from kbtui.store.writing import StoreWriter

Reader = Callable[[Path, FileStat], SourceFile | Skipped]

COUNTED_AT_ONCE = 64
"""Files read ahead of the token counters, which run beside the reader: they need no interpreter lock."""

MOST_DEAD = 1 / 5


@dataclass(frozen=True, slots=True)
class Texts:
    """The two parts that hold texts.

    ``lexical_dead`` counts the passages deleted from the lexical index since it was new; ``declined`` holds the paths
    of new and changed files that turned out to be no documents.
    """

    catalog: Part
    lexical: Part
    lexical_dead: int
    declined: frozenset[str]


@dataclass(slots=True)
class _Work:
    """The parts being written and what is counted on the way."""

    catalog: CatalogWriter
    lexical: LexicalWriter
    dead: int
    skipped: list[tuple[Skipped, FileStat | None]] = field(default_factory=list)

    def put(self, counted: Counted) -> None:
        """Write a document in place of what its path had."""
        document, chunks = counted.source.document, counted.source.chunks
        written = self.catalog.put(counted)
        self.forget(written.before)
        self.lexical.add(
            LexicalRow(key, document.source_type, document.title, chunk.heading, document.path, chunk.text)
            for key, chunk in zip(written.keys, chunks, strict=True)
            if chunk.searchable
        )

    def forget(self, keys: tuple[int, ...]) -> None:
        """Take passages out of the lexical index."""
        self.lexical.delete(keys)
        self.dead += len(keys)


def write_texts(
    writer: StoreWriter, previous: OpenGeneration | None, changes: Changes, root: Path, read: Reader, steps: Steps
) -> Texts:
    """Write a new catalogue and lexical index: what the previous ones hold, and the changes.

    Errors: StoreError; Cancelled. A file that cannot be read is skipped with a reason.
    """
    catalog_folder, lexical_folder = writer.new_part("catalog"), writer.new_part("lexical")
    work = _start(catalog_folder, lexical_folder, previous)
    with closing(work.catalog):
        for path in changes.removed:
            work.forget(work.catalog.remove(path))
        for counted in _counted(work.skipped, changes, root, read, steps):
            work.put(counted)
        for skipped, _ in work.skipped:  # it may have been a document until now
            work.forget(work.catalog.remove(skipped.path))
        work.catalog.replace_skipped((*changes.skipped, *work.skipped))
        steps.say("relate", 0, 0)
        work.catalog.finish()
    work.lexical.commit()
    with closing(Catalog(catalog_folder / CATALOG_FILE, {})) as catalog:
        _, rows = catalog.coverage()
        if work.dead > MOST_DEAD * rows:
            shutil.rmtree(lexical_folder)
            _write_anew(lexical_folder, catalog)
            work.dead = 0
    declined = frozenset(skipped.path for skipped, _ in work.skipped)
    return Texts(describe(catalog_folder, rows), describe(lexical_folder, rows), work.dead, declined)


def _start(catalog_folder: Path, lexical_folder: Path, previous: OpenGeneration | None) -> _Work:
    """Make both parts: empty, or copies of what the last generation has."""
    catalog_file = catalog_folder / CATALOG_FILE
    with mapped("the catalogue cannot be written"):
        catalog_folder.mkdir()
        if previous is not None:
            shutil.copyfile(previous.store.parts / previous.manifest.catalog.name / CATALOG_FILE, catalog_file)
    lexical_before = previous.store.parts / previous.manifest.lexical.name if previous else None
    return _Work(
        CatalogWriter(catalog_file),
        LexicalWriter(lexical_folder, lexical_before),
        previous.manifest.lexical_dead if previous else 0,
    )


def _write_anew(folder: Path, catalog: Catalog) -> None:
    """Write the lexical index from the catalogue: without its deleted passages."""
    writer = LexicalWriter(folder)
    writer.add(catalog.lexical_rows())
    writer.commit()


def _counted(
    skipped: list[tuple[Skipped, FileStat | None]], changes: Changes, root: Path, read: Reader, steps: Steps
) -> Iterator[Counted]:
    """Yield every new and changed file in order, its tokens counted; add the others to the skipped ones."""
    stats = sorted((*changes.fresh, *changes.changed), key=lambda stat: stat.path)
    ahead: deque[Future[Counted]] = deque()
    with ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="count") as counters:
        for done, stat in enumerate(stats):
            steps.say("read", done, len(stats), stat.path)
            source = _read(root, stat, read)
            if isinstance(source, Skipped):
                skipped.append((source, stat))
            else:
                ahead.append(counters.submit(_count, source, stat))
            while len(ahead) > COUNTED_AT_ONCE:
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
    steps.say("read", len(stats), len(stats))


def _read(root: Path, stat: FileStat, read: Reader) -> SourceFile | Skipped:
    """Return the file as the reader has it; what goes wrong with one file is no reason to lose the others."""
    try:
        source = read(root, stat)
    except Exception as error:
        return Skipped(path=stat.path, reason="cannot be read", detail=storable(f"{type(error).__name__}: {error}"))
    if isinstance(source, SourceFile) and not is_storable(*_strings(source)):
        return Skipped(path=stat.path, reason="holds characters that are not text")
    return source


def _strings(source: SourceFile) -> Iterator[str]:
    document = source.document
    yield from (document.title, document.source_type, document.status, document.created, document.updated)
    yield from document.aliases
    yield from source.remarks
    for chunk in source.chunks:
        yield chunk.text
        yield from chunk.heading
    for reference in source.references:
        yield from (reference.target, reference.kind)


def _count(source: SourceFile, stat: FileStat) -> Counted:
    chunk_tokens = tuple(tokens.count_many([chunk.text for chunk in source.chunks]))
    if len(source.chunks) == 1:
        return Counted(source, stat, chunk_tokens[0], chunk_tokens)
    return Counted(source, stat, tokens.count("".join(chunk.text for chunk in source.chunks)), chunk_tokens)
