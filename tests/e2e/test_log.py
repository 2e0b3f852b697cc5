"""`kbtui log`: what was asked is listed, followed and asked again; no log ever fails a query."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kbtui.explorer import index
from kbtui.store import log
from kbtui.store.log import QueryLog, read_log
from tests.tui.drive import running
from tests.unit.store.test_log import record

ROOT = Path(__file__).parents[2]
ENV = {**os.environ, "PYTHONPATH": str(ROOT)} | {"KBTUI_LOG_BYTES": ""}
WORDS = "Loads wait in lanes. "


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    """A folder of two guides with a store of their words."""
    guides = tmp_path / "kb" / "guides"
    guides.mkdir(parents=True)
    (guides / "lanes.md").write_text(f"# Lanes\n\n{WORDS * 5}\n")
    (guides / "siding.md").write_text("# Siding\n\nLoads that gave up wait in the siding.\n")
    index(tmp_path / "kb", tmp_path / "kb" / ".kbtui", lexical_only=True)
    return tmp_path / "kb"


def run(*args: str, cwd: Path, stdin: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
    """Run the CLI to its end in a folder."""
    command = [sys.executable, "-m", "kbtui", *args]
    return subprocess.run(
        command, cwd=cwd, capture_output=True, encoding="utf-8", check=False, env=ENV | environ, input=stdin
    )


def logged(kb: Path) -> list[dict[str, Any]]:
    """Return the records of the log, as the CLI gives them."""
    done = run("log", "--json", cwd=kb)
    records: list[dict[str, Any]] = json.loads(done.stdout)["records"]
    return records


def test_every_query_is_logged_with_what_came_of_it(kb: Path) -> None:
    """`query`, `context`, each line of `--queries`, and what failed; looking at something else is no query."""
    assert run("log", cwd=kb).returncode == 1
    answer = json.loads(run("query", "lanes", "--json", "--limit", "1", "--expand", "0", cwd=kb).stdout)
    context = run("context", "siding", "--type", "guide", cwd=kb).stdout
    run("query", "--queries", "-", cwd=kb, stdin="loads\n\n")
    run("query", "lanes", "--type", "gide", cwd=kb)
    for args in (("read", "lanes"), ("search", "Loads"), ("compare", "lanes", "--with", "limit=1"), ("status",)):
        assert run(*args, cwd=kb).returncode == 0
    first, second, third, fourth, fifth = logged(kb)
    assert (first["text"], first["face"], first["changed"]) == ("lanes", "cli", {"expand": 0, "limit": 1})
    assert [row["id"] for row in first["results"]] == [row["id"] for row in answer["results"]]
    assert [row["fate"] for row in first["results"]] == [row["fate"] for row in answer["results"]]
    assert first["usage"] == answer["usage"]
    assert first["degraded"]
    assert (second["types"], second["usage"]["bytes"]) == (["guide"], len(context.encode()))
    assert third["text"] == "loads"
    assert fourth["error"] == {"message": "the query is empty", "exit_code": 2}
    assert (fifth["types"], fifth["results"], fifth["error"]["exit_code"]) == (["gide"], [], 2)


def test_what_the_files_say_is_not_what_a_query_changed(kb: Path) -> None:
    """A saved setting, a variable, a profile and a flag: three of them were this query's own."""
    (kb / "kbtui.toml").write_text("limit = 3\nexpand = 1\n[profile.small]\nbudget.bytes = 9000\n")
    run("query", "lanes", "--profile", "small", "--set", "expand=0", cwd=kb, KBTUI_PENALTY_BLOG="-1")
    (one,) = logged(kb)
    assert one["changed"] == {"budget.bytes": 9000, "expand": 0, "penalty.blog": -1.0}
    assert one["values"] == {"budget.bytes": 9000, "expand": 0, "limit": 3, "penalty.blog": -1.0}


def test_a_replay_asks_again_under_the_present_settings(kb: Path) -> None:
    """What the query itself brought along still holds; what is saved since shows; flags win."""
    run("query", "loads wait", "--expand", "0", cwd=kb)
    (one,) = logged(kb)
    same = json.loads(run("log", "--replay", one["id"], "--json", cwd=kb).stdout)
    assert (same["summary"], same["same_context"], same["settings"]) == ("no document moved", True, [])
    assert run("config", "set", "limit=1", cwd=kb).returncode == 0
    saved = json.loads(run("log", "--replay", one["id"][:6], "--json", cwd=kb).stdout)
    assert saved["settings"] == [{"key": "limit", "before": 5, "after": 1}]
    assert saved["summary"] == "1 out"
    typed = run("log", "--replay", one["id"], "--set", "limit=2", cwd=kb).stdout
    assert "no document moved" in typed
    (kb / "guides" / "new.md").write_text(f"# New\n\n{WORDS * 9}\n")
    assert run("index", "--lexical", cwd=kb).returncode == 0
    assert "generation: " in run("log", "--replay", one["id"], cwd=kb).stdout
    every = json.loads(run("log", "--replay", "all", "--json", cwd=kb).stdout)
    assert (every["totals"]["questions"], every["totals"]["changed"]) == (1, 1)
    assert logged(kb) == [one]
    assert run("log", "--replay", "zzz", cwd=kb).returncode == 2


def test_following_shows_what_is_asked_from_now_on(kb: Path) -> None:
    """What was there first, then each new record of that face, once; an interrupt ends it."""
    store = kb / ".kbtui"
    journal = QueryLog(store, most_bytes=100_000)
    journal.append(record(1))
    command = [sys.executable, "-m", "kbtui", "log", "--follow", "--json", "--face", "cli"]
    with subprocess.Popen(command, cwd=kb, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["id"] == record(1).record_id
        for number in (2, 3):
            journal.append(record(number))
            assert json.loads(process.stdout.readline())["id"] == record(number).record_id
        process.send_signal(signal.SIGINT)
        rest, said = process.communicate()
    assert (process.returncode, rest, said) == (130, b"", b"error: interrupted\n")


def test_a_log_that_cannot_be_written_is_said_once_and_changes_nothing(kb: Path) -> None:
    """The same bytes, the same exit code; one notice, and none with --quiet."""
    expected = run("query", "--queries", "-", cwd=kb, stdin="loads\nlanes\n", KBTUI_LOG_BYTES="0")
    (kb / ".kbtui" / log.FOLDER).write_text("in the way")
    done = run("query", "--queries", "-", cwd=kb, stdin="loads\nlanes\n")
    assert (done.returncode, done.stdout) == (expected.returncode, expected.stdout)
    assert expected.stderr == ""
    assert done.stderr.startswith("notice: the query log ")
    assert done.stderr.count("\n") == 1
    assert run("query", "lanes", "--quiet", cwd=kb).stderr == ""


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_read_only_store_answers(kb: Path) -> None:
    """As before there was a log."""
    (kb / ".kbtui").chmod(0o555)
    try:
        assert run("query", "lanes", cwd=kb).returncode == 0
    finally:
        (kb / ".kbtui").chmod(0o755)


def test_no_log_is_kept_when_it_is_off(kb: Path) -> None:
    """By file, by variable or by flag, and what is wrong with the number is told like any other mistake."""
    for args, environ in ((("--set", "log.bytes=0"), {}), ((), {"KBTUI_LOG_BYTES": "0"})):
        assert run("query", "lanes", *args, cwd=kb, **environ).returncode == 0
    assert run("config", "set", "log.bytes=0", cwd=kb).returncode == 0
    assert run("query", "lanes", cwd=kb).returncode == 0
    assert not (kb / ".kbtui" / log.FOLDER).exists()
    assert "log.bytes   0  " in run("config", "show", cwd=kb).stdout
    wrong = run("query", "lanes", "--set", "log.bytes=-1", cwd=kb)
    assert wrong.returncode == 2
    assert "log.bytes takes a whole number of bytes" in wrong.stderr


async def test_the_app_logs_a_question_once_however_often_it_is_asked(kb: Path) -> None:
    """A slider asks anew with every step; the next question is another record."""
    from kbtui.config import load
    from kbtui.tui.doors import ExplorerDoors

    store = kb / ".kbtui"
    config = load(kb, environ={"KBTUI_NO_USER_CONFIG": "1"})
    async with running(doors=ExplorerDoors(config), store=store, question="loads") as drive:
        await drive.ask("loads")
        await drive.ask("siding")
    assert [(one.face, one.query.text) for one in read_log(store).records] == [("app", "loads"), ("app", "siding")]
