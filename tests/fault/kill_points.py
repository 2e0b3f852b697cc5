"""Runs builds that die, or find the disk full, at a chosen file operation; `test_kill_points.py` starts it.

Python announces its own file operations as audit events, so "the n-th" is the same operation in every run;
what a library does to files by itself lies between two of those. Every build runs in a fork of this process.

    python -m tests.fault.kill_points WORK_FOLDER {kill|full} {first|later} POINTS

prints JSON: a line with what the store holds before and after a build that nothing happens to, then a line
for each point with what it holds after the accident, and after one more build.
"""

from __future__ import annotations

import errno
import importlib
import json
import os
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kbtui.errors import StoreError
from kbtui.store import build as build_module
from kbtui.store import tokens, vector_parts
from kbtui.store.generation import Store
from tests.unit.store.fakes import FakeEmbedder, FakeSource

if TYPE_CHECKING:
    from kbtui.store.embed import Vectors

WRITES = {"os.mkdir", "os.rename", "os.link", "shutil.copyfile", "sqlite3.connect"}
REMOVALS = {"os.remove", "os.rmdir"}
OLD = {f"guide/{n}.md": f"title: G{n}\nOld text {n}.\n\nIt stays {n}." for n in range(6)}
NEW = {f"guide/{n}.md": f"title: G{n}\nFresh text {n}.\n\nIt stays {n}." for n in range(3)} | {
    "ticket/t.md": "title: T\nA fresh ticket."
}


class NotingEmbedder(FakeEmbedder):
    """Notes in a file what it embeds, as a killed process cannot tell."""

    notes: Path

    def embed_passages(self, texts: Sequence[str]) -> list[Vectors]:
        """Note, then embed."""
        with self.notes.open("a") as file:
            file.writelines(json.dumps(text) + "\n" for text in texts)
        return super().embed_passages(texts)


def kill_at(point: int) -> Callable[[str], None]:
    """Die without a word at the n-th operation."""
    counted = 0

    def operation(event: str) -> None:
        nonlocal counted
        counted += 1
        if counted == point:
            os.kill(os.getpid(), signal.SIGKILL)

    return operation


def full_from(point: int) -> Callable[[str], None]:
    """Let no file be made or written from the n-th operation on; removing goes on."""
    counted = 0

    def operation(event: str) -> None:
        nonlocal counted
        counted += 1
        if counted >= point and event not in REMOVALS:
            raise OSError(errno.ENOSPC, "No space left on device")

    return operation


def counting() -> tuple[list[int], Callable[[str], None]]:
    """Count the operations of a build that nothing happens to."""
    total = [0]

    def operation(event: str) -> None:
        total[0] += 1

    return total, operation


def watch(store: Path, operation: Callable[[str], None]) -> None:
    """Call for every operation of this process that changes a file of the store."""

    def hook(event: str, args: tuple[Any, ...]) -> None:
        writes = event in WRITES or event in REMOVALS
        writes = writes or (event == "open" and bool(args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)))
        if writes and any(isinstance(arg, str | os.PathLike) and str(store) in str(arg) for arg in args[:2]):
            operation(event)

    sys.addaudithook(hook)


def in_a_fork(action: Callable[[], Any]) -> tuple[Any, int]:
    """Return what the action returns in a child process (None when it dies), and the signal that killed it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "w") as out:
            json.dump(action(), out)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as result:
        text = result.read()
    _, status = os.waitpid(child, 0)
    return (json.loads(text) if text else None), os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def write(corpus: Path, files: dict[str, str]) -> None:
    """Write these files into the corpus."""
    for name, content in files.items():
        (corpus / name).parent.mkdir(parents=True, exist_ok=True)
        (corpus / name).write_text(content)


def build(corpus: Path, store: Path) -> str:
    """Build; return what went wrong, "" when nothing did."""
    source = FakeSource()
    try:
        build_module.build(Store(store), corpus, source.scan, source.read)
    except StoreError as error:
        return error.message
    return ""


def held(store: Path) -> Any:
    """Return everything that the store answers with, None before its first generation."""
    try:
        if Store(store).current() is None:
            return None
        opened = Store(store).open()
    except StoreError as error:
        return {"error": error.message}
    with closing(opened):
        catalog, embedder = opened.catalog, FakeEmbedder()
        doc_ids = sorted({*OLD, *NEW})
        by_words = {
            text: [
                [entry.chunk_id, round(score, 4)]
                for key, score in opened.lexical.search(text, None, 50)
                for entry in catalog.entries([key]).values()
            ]
            for text in ("old", "fresh", "stays", "ticket")
        }
        near = opened.vectors.search(embedder.embed_query("G1\n\nFresh text 1."), 50)
        keys = [key for _, hits in sorted(near.items()) for key, _ in hits]
        return {
            "texts": [
                catalog.texts(entry.chunk_id for entry in catalog.passages(doc.doc_id))
                for doc in catalog.documents(doc_ids)
            ],
            "words": by_words,
            "near": [entry.chunk_id for entry in catalog.entries(keys).values()],
            "embedded": {one.source_type: [one.embedded, one.chunks] for one in catalog.type_status()},
        }


def say(line: dict[str, Any]) -> None:
    """Write one line of JSON."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def main(work: Path, accident: str, when: str, points: int) -> None:
    """Run the trials and print their lines."""
    corpus, origin, store, notes = work / "corpus", work / "origin", work / "store", work / "notes"
    NotingEmbedder.notes = notes
    vars(build_module)["open_embedder"] = NotingEmbedder  # this process is the test's own
    vector_parts.EMBEDDED_AT_ONCE = 1
    for library in ("chromadb", "tantivy"):
        importlib.import_module(library)  # once, not in every fork
    tokens.count("loaded")
    write(corpus, OLD)
    if when == "later":
        in_a_fork(lambda: build(corpus, origin))
        write(corpus, NEW)
    else:
        origin.mkdir()

    def renewed() -> None:
        shutil.rmtree(store, ignore_errors=True)
        shutil.copytree(origin, store)
        notes.write_text("")

    def counted() -> int:
        total, operation = counting()
        watch(store, operation)
        build(corpus, store)
        return total[0]

    renewed()
    before, _ = in_a_fork(lambda: held(store))
    operations, _ = in_a_fork(counted)
    after, _ = in_a_fork(lambda: held(store))
    say({"before": before, "after": after, "operations": operations})
    strike = {"kill": kill_at, "full": full_from}[accident]
    for place in range(points):
        point = 1 + place * operations // points
        renewed()

        def struck(point: int = point) -> str:
            watch(store, strike(point))
            return build(corpus, store)

        error, signal_number = in_a_fork(struck)
        state, _ = in_a_fork(lambda: held(store))
        last, _ = in_a_fork(lambda: build(corpus, store))
        final, _ = in_a_fork(lambda: held(store))
        twice = max(Counter(notes.read_text().splitlines()).values(), default=0)
        line = {"point": point, "signal": signal_number, "error": error, "state": state, "last": last}
        say({**line, "final": final, "twice": twice})


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4]))
