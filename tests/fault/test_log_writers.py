"""Several processes append to one log: every record is there, whole, whatever happens to one of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from kbtui.store.log import read_log

ROOT = Path(__file__).parents[2]
WRITER = """
import sys
from pathlib import Path
from kbtui.store.log import QueryLog
from tests.unit.store.test_log import record
first, most_bytes = int(sys.argv[2]), int(sys.argv[3])
log = QueryLog(Path(sys.argv[1]), most_bytes=most_bytes)
for number in range(first, first + 150):
    log.append(record(number, "x" * (number % 7) * 1000))
sys.exit(log.trouble or None)
"""


def appended(store: Path, most_bytes: int) -> list[int]:
    """Append 150 records from each of three processes at once; return the numbers of those that are kept."""
    command = [sys.executable, "-c", WRITER, str(store)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    writers = [
        subprocess.Popen([*command, str(1000 * number), str(most_bytes)], env=env, stderr=subprocess.PIPE)
        for number in (1, 2, 3)
    ]
    for writer in writers:
        _, said = writer.communicate()
        assert (writer.returncode, said) == (0, b"")
    page = read_log(store)
    assert page.damaged == 0
    return [int(one.record_id, 16) for one in page.records]


def test_nothing_is_lost_or_torn(tmp_path: Path) -> None:
    """450 records, each process's own in order."""
    numbers = appended(tmp_path, 100_000_000)
    for first in (1000, 2000, 3000):
        assert [number for number in numbers if first <= number < first + 1000] == list(range(first, first + 150))
    assert len(numbers) == 3 * 150


def test_rotation_by_one_process_does_not_tear_another_ones_line(tmp_path: Path) -> None:
    """The bound holds, and what is kept is whole and the newest of each."""
    numbers = appended(tmp_path, 100_000)
    size = sum(path.stat().st_size for path in (tmp_path / "log").glob("*.jsonl"))
    assert size <= 100_000
    last = max(numbers)
    assert numbers.count(last) == 1
    assert last in (1149, 2149, 3149)
