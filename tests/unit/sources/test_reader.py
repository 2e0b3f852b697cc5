"""Reading a file: what becomes of it, and how a bad one is told."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from kbtui.model import FileStat, Skipped, SourceFile, Span
from kbtui.sources.folder import FILE_BYTES, scan
from kbtui.sources.reader import read, understood


def one(root: Path, path: str = "a.md") -> SourceFile | Skipped:
    return read(root, FileStat(path=path, size_bytes=0, mtime_ns=0))


def skipped(root: Path, path: str = "a.md") -> str:
    source = one(root, path)
    assert isinstance(source, Skipped)
    assert source.path == path
    return source.reason


def test_a_document_knows_what_its_head_says(tmp_path: Path) -> None:
    text = (
        "---\nid: adr-7\nnumber: 12\naliases: [seven]\ntype: adr\ntitle: Seven\nstatus: Superseded\n"
        "created: 2026-01-02\nupdatedAt: '2026-02-03T04:05:06Z'\n---\n# Other\n"
    )
    (tmp_path / "a.md").write_text(text)
    source = one(tmp_path)
    assert isinstance(source, SourceFile)
    document = source.document
    assert (document.doc_id, document.path, document.title) == ("a.md", "a.md", "Seven")
    assert (document.source_type, document.status, document.inactive) == ("decision", "superseded", True)
    assert (document.created, document.updated) == ("2026-01-02", "2026-02-03T04:05:06Z")
    assert document.aliases == ("adr-7", "12", "seven")
    assert (document.size_bytes, document.text_bytes, document.tokens) == (len(text), len(text), 0)
    assert document.sha256 == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("path", "text", "title"),
    [
        ("a.md", "## B\n# A\n", "A"),
        ("a.md", "no heading", "a.md"),
        ("a.md", "---\nname: N\n---\ntext", "N"),
        ("src/b.py", '"""Doc."""\n', "b.py"),
        ("c.txt", "# not a heading\n", "c.txt"),
        ("\x1b[2J.txt", "x", "␛[2J.txt"),
    ],
)
def test_titles(path: str, text: str, title: str) -> None:
    assert understood(path, text.encode()).document.title == title


def test_spans_are_bytes_of_the_file_and_texts_are_safe() -> None:
    data = "\ufeff# A\r\né\x1b\r\n".encode()
    (chunk,) = understood("a.md", data).chunks
    assert chunk.span == Span(start=0, end=len(data))
    assert chunk.text == "# A\né␛\n"
    assert chunk.heading == ("A",)


def test_a_byte_order_mark_hides_no_heading_and_no_front_matter() -> None:
    assert understood("a.md", "\ufeff# A\n".encode()).document.title == "A"
    assert understood("a.md", "\ufeff---\ntitle: T\n---\n".encode("utf-16-le")).document.title == "T"


def test_what_was_made_safe_and_replaced_is_counted() -> None:
    source = understood("a.md", b"a\x1b[0m \xff\xfe b\n")
    assert source.made_safe == 1 + 2
    assert source.remarks == ("2 bytes that are no utf-8 are shown as \ufffd",)
    assert understood("a.md", b"a\r\nb").made_safe == 0


def test_special_tokens_are_text() -> None:
    (chunk,) = understood("a.md", b"<|endoftext|> <|im_start|>").chunks
    assert chunk.text == "<|endoftext|> <|im_start|>"


@pytest.mark.parametrize("data", [b"\x00abc", b"a" * 100_000 + b"\x00", bytes(range(128, 256)) * 20])
def test_a_binary_file_is_skipped(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.md").write_bytes(data)
    assert skipped(tmp_path) == "binary"


def test_a_vanished_file_is_skipped(tmp_path: Path) -> None:
    assert skipped(tmp_path) == "vanished"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch(mode=0)
    assert skipped(tmp_path) == "unreadable"


def test_a_file_that_became_a_link_a_folder_or_a_pipe_is_skipped(tmp_path: Path) -> None:
    """Whatever was swapped in since the scan: it is not followed, and it does not block."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    root = tmp_path / "root"
    root.mkdir()
    (root / "link.md").symlink_to(outside / "secret.md")
    (root / "sub").symlink_to(outside)
    (root / "folder.md").mkdir()
    os.mkfifo(root / "pipe.md")
    assert skipped(root, "link.md") == "unreadable"
    assert skipped(root, "sub/secret.md") == "unreadable"
    assert skipped(root, "folder.md") == "not a regular file"
    assert skipped(root, "pipe.md") == "not a regular file"


def test_a_file_that_grew_too_large_is_skipped(tmp_path: Path) -> None:
    with (tmp_path / "a.md").open("wb") as file:
        file.truncate(FILE_BYTES + 1)
    assert skipped(tmp_path) == "too large"


def test_a_file_that_changes_while_it_is_read_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One retry, and never a mix of two versions."""
    changes = iter((b"new text\n",))
    _change_after_opening(tmp_path, monkeypatch, changes)
    source = one(tmp_path)
    assert isinstance(source, SourceFile)
    assert [chunk.text for chunk in source.chunks] == ["new text\n"]


def test_a_file_that_keeps_changing_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _change_after_opening(tmp_path, monkeypatch, iter((b"second\n", b"third one\n", b"the fourth\n")))
    assert skipped(tmp_path) == "changing"


def _change_after_opening(root: Path, monkeypatch: pytest.MonkeyPatch, changes: object) -> None:
    """Let the file change right after its size and time were noted."""
    assert hasattr(changes, "__next__")
    (root / "a.md").write_bytes(b"old\n")
    noted = os.fstat

    def note(descriptor: int) -> os.stat_result:
        before = noted(descriptor)
        if before.st_size and (change := next(changes, None)):
            (root / "a.md").write_bytes(change)
        return before

    monkeypatch.setattr("kbtui.sources.reader.os.fstat", note)


@pytest.mark.parametrize("text", ["", " \n", "\ufeff", "\u200b", "---\nid: x\n---\n"])
def test_what_has_no_words_has_no_searchable_passage(text: str) -> None:
    assert not any(chunk.searchable for chunk in understood("a.md", text.encode()).chunks)


def test_the_real_corpus_is_read_whole_with_its_types(neo_corpus: Path) -> None:
    """All 4,084 files; nothing skipped."""
    found = scan(neo_corpus)
    assert (len(found.files), found.skipped) == (4084, ())
    counts: dict[str, int] = {}
    for stat in found.files:
        source = read(neo_corpus, stat)
        assert isinstance(source, SourceFile)
        counts[source.document.source_type] = counts.get(source.document.source_type, 0) + 1
        assert source.chunks[-1].span.end == stat.size_bytes
    assert counts == {"ticket": 3533, "pull": 222, "release": 166, "discussion": 17, "blog": 11, "guide": 135}
