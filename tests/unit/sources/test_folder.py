"""A scan: what is found, and why the rest is left out; nothing blocks, nothing is lost."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from kbtui.config import FILE_NAME
from kbtui.errors import SourceError
from kbtui.model import Skipped
from kbtui.sources.folder import FILE_BYTES, ScanBounds, scan

ALL = ScanBounds()


def plant(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("text\n")


def found(root: Path, bounds: ScanBounds = ALL) -> list[str]:
    return [stat.path for stat in scan(root, bounds).files]


def reasons(root: Path, bounds: ScanBounds = ALL) -> dict[str, str]:
    return {skipped.path: skipped.reason for skipped in scan(root, bounds).skipped}


def test_files_are_sorted_by_path_with_what_tells_a_change(tmp_path: Path) -> None:
    plant(tmp_path, "b.md", "a/c.py", "a/b.txt", "Makefile")
    files = scan(tmp_path).files
    assert [stat.path for stat in files] == sorted(("b.md", "a/c.py", "a/b.txt", "Makefile"))
    assert files == scan(tmp_path).files
    os.utime(tmp_path / "b.md", ns=(1, 1))
    assert files != scan(tmp_path).files


def test_what_is_no_text_format_is_skipped_by_name(tmp_path: Path) -> None:
    plant(tmp_path, "a.md", "photo.PNG", "blob", "package-lock.json", "app.min.js")
    assert found(tmp_path) == ["a.md"]
    assert reasons(tmp_path) == {
        "photo.PNG": "not a text format",
        "blob": "not a text format",
        "package-lock.json": "generated",
        "app.min.js": "generated",
    }


def test_ignore_files_hold_at_any_depth_and_the_deepest_decides(tmp_path: Path) -> None:
    plant(tmp_path, "a.md", "draft.md", "out/x.md", "sub/draft.md", "sub/tmp.md", "keep/draft.md")
    (tmp_path / ".gitignore").write_text("draft.md\nout/\n")
    (tmp_path / "sub" / ".kbtuiignore").write_text("tmp.md\n!draft.md\n")
    assert found(tmp_path) == ["a.md", "sub/draft.md"]
    skipped = {entry.path: entry for entry in scan(tmp_path).skipped}
    assert skipped["out"] == Skipped(path="out", reason="ignored", detail=".gitignore")
    assert skipped["sub/tmp.md"].detail == "sub/.kbtuiignore"
    assert skipped["keep/draft.md"].reason == "ignored"


def test_a_folder_left_out_is_one_entry(tmp_path: Path) -> None:
    plant(tmp_path, "node_modules/a/b.md", "node_modules/c.md", ".git/x.md", "a.md")
    assert reasons(tmp_path) == {"node_modules": "not a folder of documents", ".git": "not a folder of documents"}


def test_hidden_names_are_counted_together_and_the_store_is_not_one(tmp_path: Path) -> None:
    """A store that appears beside the documents must not look like a change of them."""
    plant(tmp_path, ".secret.md", ".notes/a.md", ".kbtui/CURRENT", "a.md")
    assert scan(tmp_path).skipped == (Skipped(path="", reason="hidden", detail="2 names that start with a dot"),)


def test_links_are_never_followed(tmp_path: Path) -> None:
    plant(tmp_path, "outside.md", "root/a.md", "root/sub/b.md")
    root = tmp_path / "root"
    (root / "out.md").symlink_to(tmp_path / "outside.md")
    (root / "up").symlink_to(tmp_path)
    (root / "sub" / "loop").symlink_to(root)
    (root / "self").symlink_to("self")
    (root / "twin.md").symlink_to("a.md")
    assert found(root) == ["a.md", "sub/b.md"]
    details = {skipped.path: skipped.detail for skipped in scan(root).skipped}
    assert details == {
        "out.md": "leads out of the corpus",
        "up": "leads out of the corpus",
        "sub/loop": "stands for .",
        "self": "broken, or a loop",
        "twin.md": "stands for a.md",
    }


def test_pipes_and_sockets_never_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket.md"))
        skipped = {entry.path: entry.detail for entry in scan(tmp_path).skipped}
    assert skipped == {"pipe.md": "named pipe", "socket.md": "socket"}


def test_a_sparse_giant_is_skipped_unread(tmp_path: Path) -> None:
    with (tmp_path / "giant.md").open("wb") as file:
        file.truncate(5_000_000_000)
    (tmp_path / "limit.md").write_bytes(b"x" * FILE_BYTES)
    assert found(tmp_path) == ["limit.md"]
    assert reasons(tmp_path) == {"giant.md": "too large"}


def test_bounds_on_number_and_depth_are_declared(tmp_path: Path) -> None:
    plant(tmp_path, "a.md", "b.md", "c.md", "1/2/3/d.md")
    skipped = scan(tmp_path, ScanBounds(files=2, depth=2)).skipped
    assert Skipped(path="", reason="too many files", detail="1 beyond the first 2") in skipped
    assert "1/2/3" in {entry.path for entry in skipped if entry.reason == "too deep"}


def test_a_name_that_is_not_utf_8_is_skipped_and_can_be_told(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("x")
    assert scan(tmp_path).skipped == (Skipped(path="caf\ufffd.md", reason="name is not UTF-8"),)


def test_twins_in_normal_forms_are_two_documents(tmp_path: Path) -> None:
    plant(tmp_path, "caf\u00e9.md", "cafe\u0301.md")
    assert len(found(tmp_path)) == 2


def test_odd_names_are_files_like_others(tmp_path: Path) -> None:
    odd = ["a b.md", "new\nline.md", "\x1b[31m.md", "[bold].md", "-rf.md", "…\u200b.md"]
    plant(tmp_path, *odd)
    assert found(tmp_path) == sorted(odd)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may list everything")
def test_a_folder_that_cannot_be_listed_is_skipped(tmp_path: Path) -> None:
    plant(tmp_path, "closed/a.md", "b.md")
    (tmp_path / "closed").chmod(0)
    try:
        assert reasons(tmp_path) == {"closed": "unreadable folder"}
    finally:
        (tmp_path / "closed").chmod(0o700)


def test_a_root_that_is_no_folder_is_an_error(tmp_path: Path) -> None:
    plant(tmp_path, "a.md")
    for root in (tmp_path / "a.md", tmp_path / "missing"):
        with pytest.raises(SourceError):
            scan(root)


def test_saved_settings_are_no_document(tmp_path: Path) -> None:
    """Saving from the app writes them into the corpus; what agents get must not change by one document for it."""
    for name in (FILE_NAME, f"guide/{FILE_NAME}"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("[penalty]\npull = -0.3\n")
    found = scan(tmp_path)
    assert [file.path for file in found.files] == [f"guide/{FILE_NAME}"]
    assert [(skipped.path, skipped.reason) for skipped in found.skipped] == [(FILE_NAME, "settings of kbtui")]
