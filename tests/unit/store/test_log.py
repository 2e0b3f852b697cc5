"""The query log: every record whole, one writer at a time, bounded, and never the end of a query."""

from __future__ import annotations

import fcntl
import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbtui.store import log
from kbtui.store.log import LogTail, QueryLog, read_log
from kbtui.store.log_lines import line_of, record_of
from tests.answers import HOSTILE
from tests.records import record

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(text=TEXTS, error=TEXTS)
def test_a_record_reads_as_it_was_written(text: str, error: str) -> None:
    """Whatever was asked; as one line of ASCII, with nothing in it that a terminal obeys."""
    line = line_of(record(text=text, error=error))
    assert record_of(line) == record(text=text, error=error)
    assert line.count(b"\n") == 1
    assert all(0x20 <= byte < 0x7F for byte in line[:-1])


@pytest.mark.parametrize("line", [b"", b"null", b"[]", b"{}", b"\xff", line_of(record())[:-20], b"[" * 100_000])
def test_what_is_no_record_is_none(line: bytes) -> None:
    """A torn line, another program's, or one that is nested without end."""
    assert record_of(line) is None


def test_a_setting_that_is_unknown_by_now_is_left_out() -> None:
    """A log outlives the version that wrote it."""
    said = json.loads(line_of(record()))
    said["values"]["weights.smell"] = 1.0
    found = record_of(json.dumps(said).encode())
    assert found is not None
    assert found.values == record().values


def test_records_are_appended_in_order(tmp_path: Path) -> None:
    """Oldest first, and another process's log goes on with the same file."""
    for number in (1, 2):
        QueryLog(tmp_path, most_bytes=10_000).append(record(number))
    assert read_log(tmp_path).records == (record(1), record(2))
    assert read_log(tmp_path / "nothing").records == ()


def test_a_torn_line_costs_itself_only(tmp_path: Path) -> None:
    """The writer after a killed one begins a new line; the half one is counted."""
    QueryLog(tmp_path, most_bytes=10_000).append(record(1))
    path = tmp_path / log.FOLDER / log.NEWEST
    with path.open("ab") as file:
        file.write(line_of(record(2))[:40])
    assert read_log(tmp_path).damaged == 1
    QueryLog(tmp_path, most_bytes=10_000).append(record(3))
    page = read_log(tmp_path)
    assert (page.records, page.damaged) == ((record(1), record(3)), 1)


def test_the_log_is_bounded_and_keeps_the_newest(tmp_path: Path) -> None:
    """Two files, each at most half: the older one goes as a whole."""
    size = len(line_of(record()))
    journal = QueryLog(tmp_path, most_bytes=6 * size)
    for number in range(1, 21):
        journal.append(record(number))
        held = sum(path.stat().st_size for path in (tmp_path / log.FOLDER).glob("*.jsonl"))
        assert held <= 6 * size
    numbers = [int(one.record_id, 16) for one in read_log(tmp_path).records]
    assert numbers == list(range(21 - len(numbers), 21))
    assert 3 <= len(numbers) <= 6


def test_no_bytes_is_no_log(tmp_path: Path) -> None:
    """Nothing is made, not even a folder."""
    QueryLog(tmp_path, most_bytes=0).append(record())
    assert list(tmp_path.iterdir()) == []


def test_a_slider_is_one_question(tmp_path: Path) -> None:
    """With ``once`` a question is logged again only after another one, or when it fails otherwise."""
    journal = QueryLog(tmp_path, most_bytes=100_000, once=True)
    for number, text in enumerate(["a", "a", "b", "b", "a"]):
        journal.append(record(number, text))
    journal.append(record(9, "a", error="no retriever answered"))
    assert [one.query.text for one in read_log(tmp_path).records] == ["a", "b", "a", "a"]


def test_a_log_that_cannot_be_written_is_a_reason_to_tell(tmp_path: Path) -> None:
    """The first reason stays; nothing is raised."""
    (tmp_path / log.FOLDER).write_text("in the way")
    journal = QueryLog(tmp_path, most_bytes=10_000)
    journal.append(record())
    first = journal.trouble
    assert "cannot be written" in first
    journal.append(record())
    assert journal.trouble == first


def test_a_writer_that_never_ends_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A query waits a moment for a process that is stopped in the middle of a line, the next one not at all."""
    pauses: list[float] = []
    monkeypatch.setattr(log, "PATIENCE_S", 0.02)
    monkeypatch.setattr(time, "sleep", pauses.append)
    (tmp_path / log.FOLDER).mkdir()
    with (tmp_path / log.FOLDER / log.LOCK).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        journal = QueryLog(tmp_path, most_bytes=10_000)
        journal.append(record())
        assert "cannot be written" in journal.trouble
        waited = len(pauses)
        journal.append(record())
    assert 0 < waited == len(pauses)
    assert read_log(tmp_path).records == ()
    journal.append(record())
    assert read_log(tmp_path).records == (record(),)


def test_a_tail_gives_each_record_once(tmp_path: Path) -> None:
    """From where it began, through half lines and rotations."""
    size = len(line_of(record()))
    journal = QueryLog(tmp_path, most_bytes=6 * size)
    journal.append(record(1))
    tail = LogTail(tmp_path)
    seen: list[int] = []
    for number in range(2, 13):
        journal.append(record(number))
        if number % 2:
            seen += [int(one.record_id, 16) for one in tail.fresh().records]
    seen += [int(one.record_id, 16) for one in tail.fresh().records]
    assert seen == list(range(2, 13))
    with (tmp_path / log.FOLDER / log.NEWEST).open("ab") as file:
        file.write(line_of(record(13))[:40])
    assert tail.fresh().records == ()
    with (tmp_path / log.FOLDER / log.NEWEST).open("ab") as file:
        file.write(line_of(record(13))[40:])
    assert tail.fresh().records == (record(13),)


def test_a_tail_begins_before_the_first_record(tmp_path: Path) -> None:
    """Nobody has to have asked anything yet."""
    tail = LogTail(tmp_path)
    assert tail.fresh().records == ()
    QueryLog(tmp_path, most_bytes=10_000).append(record(1, HOSTILE))
    assert [one.query.text for one in tail.fresh().records] == [HOSTILE]


def test_a_log_that_somebody_emptied_is_followed_from_its_start(tmp_path: Path) -> None:
    """The same file, shorter than what was read of it: nothing of what comes is missed."""
    writer = QueryLog(tmp_path, most_bytes=10_000)
    writer.append(record(1, "a question that is long enough to be the longest of them all"))
    tail = LogTail(tmp_path)
    (tmp_path / log.FOLDER / log.NEWEST).write_bytes(b"")
    writer.append(record(2, "short"))
    assert tail.fresh().records == (record(2, "short"),)
