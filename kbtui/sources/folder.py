"""Scan a folder: which files there are, and why others are left out. Opens nothing but ignore files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from pathspec import GitIgnoreSpec

from kbtui.errors import SourceError
from kbtui.model import FileStat, Skipped
from kbtui.sources.formats import format_of, is_generated
from kbtui.text import safe

FILE_BYTES = 5_000_000
"""The largest file that is read."""

_IGNORE_FILES = (".gitignore", ".ignore", ".kbtuiignore")
_IGNORE_FILE_BYTES = 1_000_000
_PRUNED_NAMES = (
    "node_modules bower_components __pycache__ __pypackages__ venv env site-packages .venv .git .hg .svn .tox .nox"
    " .mypy_cache .pytest_cache .ruff_cache .cache .idea .vscode"
)
_PRUNED = frozenset(_PRUNED_NAMES.split())
_STORE = ".kbtui"
_SETTINGS = "kbtui.toml"
_KINDS = (
    (stat.S_ISFIFO, "named pipe"),
    (stat.S_ISSOCK, "socket"),
    (stat.S_ISBLK, "block device"),
    (stat.S_ISCHR, "character device"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanBounds:
    """The most that a scan takes in.

    Units: bytes of one file, number of files, folders below one another.
    """

    file_bytes: int = FILE_BYTES
    files: int = 1_000_000
    depth: int = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """The files of a corpus, sorted by path, and what was left out of it."""

    files: tuple[FileStat, ...]
    skipped: tuple[Skipped, ...]


def scan(root: Path, bounds: ScanBounds = ScanBounds()) -> Scan:
    """Return the text files below a folder.

    A folder that is left out is one entry, not one for each file in it. Files and folders whose names
    start with a dot are one entry together. Links are not followed: a file has one path.
    Errors: SourceError when the root is no folder that can be listed.
    """
    walk = _Walk(root=root.resolve(), bounds=bounds)
    if not walk.root.is_dir():
        raise SourceError(f"{root} is no folder", "Give the folder that holds the documents.")
    walk.folder("", 0, ())
    if walk.hidden:
        walk.skip("", "hidden", f"{walk.hidden:,} names that start with a dot")
    if walk.beyond:
        walk.skip("", "too many files", f"{walk.beyond:,} beyond the first {bounds.files:,}")
    return Scan(
        files=tuple(sorted(walk.files, key=lambda found: found.path)),
        skipped=tuple(sorted(walk.skipped, key=lambda left_out: (left_out.path, left_out.reason))),
    )


@dataclass(frozen=True, slots=True)
class _Ignore:
    """The patterns of one ignore file, for the paths below its folder."""

    prefix: str
    spec: GitIgnoreSpec
    source: str


@dataclass
class _Walk:
    """A scan under way."""

    root: Path
    bounds: ScanBounds
    files: list[FileStat] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    hidden: int = 0
    beyond: int = 0

    def skip(self, path: str, reason: str, detail: str = "") -> None:
        self.skipped.append(Skipped(path=path, reason=reason, detail=detail))

    def folder(self, prefix: str, depth: int, ignores: tuple[_Ignore, ...]) -> None:
        """Take in a folder and those below it; ``prefix`` is its path with a slash, "" for the root."""
        try:
            with os.scandir(self.root / prefix) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError as error:
            if not prefix:
                raise SourceError(f"{self.root} cannot be listed: {error.strerror}") from error
            self.skip(safe(prefix.rstrip("/")), "unreadable folder", error.strerror or "")
            return
        ignores += tuple(self._ignores(prefix, entries))
        for entry in entries:
            self._entry(entry, prefix, depth, ignores)

    def _entry(self, entry: os.DirEntry[str], prefix: str, depth: int, ignores: tuple[_Ignore, ...]) -> None:
        path = prefix + entry.name
        try:
            path.encode()
        except UnicodeEncodeError:
            return self.skip(safe(path), "name is not UTF-8")
        if entry.name == _STORE:
            return None
        try:
            if entry.is_symlink():
                return self._link(path)
            if entry.is_dir(follow_symlinks=False):
                return self._below(entry.name, path, depth, ignores)
            return self._file(entry, path, ignores)
        except OSError as error:
            return self.skip(path, "unreadable", error.strerror or "")

    def _below(self, name: str, path: str, depth: int, ignores: tuple[_Ignore, ...]) -> None:
        if name in _PRUNED:
            return self.skip(path, "not a folder of documents", "left out by its name")
        if name.startswith("."):
            self.hidden += 1
            return None
        by = _ignored_by(path + "/", ignores)
        if by:
            return self.skip(path, "ignored", by)
        if depth + 1 > self.bounds.depth:
            return self.skip(path, "too deep", f"more than {self.bounds.depth} folders below one another")
        return self.folder(path + "/", depth + 1, ignores)

    def _file(self, entry: os.DirEntry[str], path: str, ignores: tuple[_Ignore, ...]) -> None:
        if entry.name.startswith("."):
            self.hidden += 1
            return None
        by = _ignored_by(path, ignores)
        if by:
            return self.skip(path, "ignored", by)
        status = entry.stat(follow_symlinks=False)
        reason, detail = _unwanted(path, status, self.bounds)
        if reason:
            return self.skip(path, reason, detail)
        if len(self.files) >= self.bounds.files:
            self.beyond += 1
        else:
            self.files.append(FileStat(path=path, size_bytes=status.st_size, mtime_ns=status.st_mtime_ns))
        return None

    def _link(self, path: str) -> None:
        """Note a link by where it leads; what it leads to inside of the corpus is found at its own path."""
        try:
            target = (self.root / path).resolve(strict=True)
        except (OSError, RuntimeError):
            return self.skip(path, "link", "broken, or a loop")
        if not target.is_relative_to(self.root):
            return self.skip(path, "link", "leads out of the corpus")
        return self.skip(path, "link", f"stands for {safe(target.relative_to(self.root).as_posix())}")

    def _ignores(self, prefix: str, entries: list[os.DirEntry[str]]) -> Iterator[_Ignore]:
        names = {
            entry.name for entry in entries if entry.name in _IGNORE_FILES and entry.is_file(follow_symlinks=False)
        }
        for name in _IGNORE_FILES:
            if name not in names:
                continue
            path = self.root / prefix / name
            try:
                with path.open("rb") as file:
                    lines = file.read(_IGNORE_FILE_BYTES).decode("utf-8", "replace").splitlines()
                yield _Ignore(prefix, GitIgnoreSpec.from_lines(lines), prefix + name)
            except (OSError, ValueError) as error:
                self.skip(prefix + name, "unusable ignore file", str(error))


def _unwanted(path: str, status: os.stat_result, bounds: ScanBounds) -> tuple[str, str]:
    """Return why a file is not read, in short and in detail; "" when it is."""
    if not stat.S_ISREG(status.st_mode):
        kinds = [kind for is_kind, kind in _KINDS if is_kind(status.st_mode)]
        return "not a regular file", kinds[0] if kinds else ""
    if path == _SETTINGS:
        return "settings of kbtui", "how agents are answered, no document of theirs"
    if format_of(path) is None:
        return "generated" if is_generated(path) else "not a text format", safe(PurePosixPath(path).suffix)
    if status.st_size > bounds.file_bytes:
        return "too large", f"{status.st_size:,} of at most {bounds.file_bytes:,} bytes"
    return "", ""


def _ignored_by(path: str, ignores: tuple[_Ignore, ...]) -> str:
    """Return which ignore file leaves a path out, "" when none does; the deepest one that speaks decides."""
    for ignore in reversed(ignores):
        verdict = ignore.spec.check_file(path[len(ignore.prefix) :]).include
        if verdict is not None:
            return ignore.source if verdict else ""
    return ""
