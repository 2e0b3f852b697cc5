"""What a scan found against what the last generation holds: by stat alone, no file is opened."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from kbtui.model import FileStat, Skipped
from kbtui.store.catalog import Catalog


class Scanned(Protocol):
    """What a scan yields."""

    @property
    def files(self) -> tuple[FileStat, ...]:
        """The files to index, by path."""
        ...

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """What was left out without being opened."""
        ...


@dataclass(frozen=True, slots=True)
class Changes:
    """What a build has to do. ``skipped`` is what is left out without opening anything again."""

    fresh: tuple[FileStat, ...]
    changed: tuple[FileStat, ...]
    removed: tuple[str, ...]
    skipped: tuple[tuple[Skipped, FileStat | None], ...]
    same_skipped: bool

    @property
    def none(self) -> bool:
        """Whether the last generation is what this scan would give."""
        return not (self.fresh or self.changed or self.removed) and self.same_skipped


def compare(known: Catalog | None, scanned: Scanned, root: Path, store: Path) -> Changes:
    """Return what differs. A file that was opened and skipped is not opened again while its stat is the same."""
    documents = known.document_files() if known else {}
    skipped_before = known.skipped_files() if known else ()
    opened = {stat: skipped for skipped, stat in skipped_before if stat is not None}
    files, skipped = _indexable(scanned, root, store)
    fresh, changed = [], []
    for stat in files:
        if stat in opened:
            skipped.append((opened[stat], stat))
        elif stat.path not in documents:
            fresh.append(stat)
        elif documents[stat.path] != stat:
            changed.append(stat)
    return Changes(
        fresh=tuple(fresh),
        changed=tuple(changed),
        removed=tuple(sorted(documents.keys() - {stat.path for stat in files if stat not in opened})),
        skipped=tuple(skipped),
        same_skipped=sorted(skipped, key=_by_path) == sorted(skipped_before, key=_by_path),
    )


def _indexable(
    scanned: Scanned, root: Path, store: Path
) -> tuple[list[FileStat], list[tuple[Skipped, FileStat | None]]]:
    """Return the files that can be taken in: not the store's own, and none whose name is not text."""
    inside = f"{store.relative_to(root).as_posix()}/" if store.is_relative_to(root) and store != root else None
    files = [stat for stat in scanned.files if inside is None or not stat.path.startswith(inside)]
    skipped = [one for one in scanned.skipped if inside is None or not f"{one.path}/".startswith(inside)]
    odd = [Skipped(path=stat.path, reason="the file name is not UTF-8") for stat in files if not is_storable(stat.path)]
    return (
        [stat for stat in files if is_storable(stat.path)],
        [(replace(one, path=storable(one.path), detail=storable(one.detail)), None) for one in (*skipped, *odd)],
    )


def is_storable(*texts: str) -> bool:
    """Say whether these can be written as UTF-8: a lone surrogate (of an undecodable name) cannot."""
    try:
        for text in texts:
            text.encode()
    except UnicodeEncodeError:
        return False
    return True


def storable(text: str) -> str:
    """Return the text with each lone surrogate spelled out."""
    return text.encode(errors="backslashreplace").decode()


def _by_path(entry: tuple[Skipped, FileStat | None]) -> tuple[str, str]:
    return entry[0].path, entry[0].reason
