"""`kbtui config`: settings written, profiles asked for, mistakes told, through the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FILE = "# ours\n[penalty]\npull = -0.3  # asked for\n"


def run(*args: str, cwd: Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run the CLI to its end in a folder."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "kbtui", *args]
    return subprocess.run(command, cwd=cwd, capture_output=True, encoding="utf-8", check=False, env=env, input=stdin)


def data(*args: str, cwd: Path) -> dict[str, Any]:
    """Return the JSON of a command that succeeds."""
    done = run(*args, "--json", cwd=cwd)
    assert (done.returncode, done.stderr) == (0, "")
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def test_a_setting_is_shown_written_and_in_force(tmp_path: Path) -> None:
    """A dry run writes nothing; the real one says the same lines, and the next command finds the value."""
    file = tmp_path / "kbtui.toml"
    file.write_text(FILE)
    lines = "- pull = -0.3  # asked for\n+ pull = -0.4  # asked for\n"
    dry = run("config", "set", "penalty.pull=-0.4", "--dry-run", cwd=tmp_path)
    assert dry.stdout == f"{file}: 1 line, not written (--dry-run)\n{lines}"
    assert file.read_text() == FILE
    assert run("config", "set", "penalty.pull=-0.4", cwd=tmp_path).stdout == f"{file}: 1 line\n{lines}"
    assert file.read_text() == FILE.replace("-0.3", "-0.4")
    (pull,) = [one for one in data("config", "show", cwd=tmp_path)["settings"] if one["key"] == "penalty.pull"]
    assert (pull["value"], pull["from"]) == (-0.4, str(file))
    edit = data("config", "unset", "penalty.pull", cwd=tmp_path)
    assert edit["written"]
    assert edit["lines"][0] == {"number": 2, "old": "[penalty]", "new": None}


def test_a_profile_is_made_asked_for_and_taken_out(tmp_path: Path) -> None:
    """From nothing; `config show` says where its values came from, and an unknown name gets the known ones."""
    assert run("config", "set", "limit=20", "--profile", "history", cwd=tmp_path).returncode == 0
    shown = data("config", "show", "--profile", "history", "--set", "expand=0", cwd=tmp_path)
    assert shown["profiles"] == {"history": {"limit": 20}}
    assert {one["key"]: one["from"] for one in shown["settings"] if one["from"] != "default"} == {
        "limit": "profile history",
        "expand": "--set",
    }
    unknown = run("config", "show", "--profile", "histroy", cwd=tmp_path)
    assert (unknown.returncode, unknown.stderr) == (2, "error: no profile 'histroy'\nhint: Known: history\n")
    assert run("config", "unset", "--profile", "history", cwd=tmp_path).returncode == 0
    assert data("config", "show", cwd=tmp_path)["profiles"] == {}


def test_a_profile_holds_for_queries_and_for_a_line_of_them(tmp_path: Path, demo_store: Path) -> None:
    """The same answer as the flags that it stands for; on a line it wins over the flags."""
    (tmp_path / "kbtui.toml").write_text("[profile.two]\nlimit = 2\nexpand = 0\n")
    store = ("--store", str(demo_store))
    typed = data("query", "retry backoff", *store, "--limit", "2", "--expand", "0", cwd=tmp_path)
    assert data("query", "retry backoff", *store, "--profile", "two", cwd=tmp_path) == typed
    assert len(data("query", "retry backoff", *store, "--profile", "two", "--limit", "3", cwd=tmp_path)["results"]) == 3
    lines = (
        '{"text": "retry backoff", "profile": "two"}\n{"text": "x", "profile": "tow"}\n{"text": "x", "profile": 3}\n'
    )
    done = run("query", "--queries", "-", *store, "--limit", "4", cwd=tmp_path, stdin=lines)
    first, second, third = (json.loads(line) for line in done.stdout.splitlines())
    assert len(first["results"]) == 2
    assert second["error"]["hint"] == "Known: two"
    assert third["error"]["message"] == "profile takes the name of one"


def test_validate_lists_every_mistake_and_leaves_with_2(tmp_path: Path) -> None:
    """On standard output, since it is what was asked for."""
    assert run("config", "validate", cwd=tmp_path).stdout == "no mistakes; 0 files read\n"
    (tmp_path / "kbtui.toml").write_text("lmit = 3\n[profile.a]\nexpand = -1\n")
    done = run("config", "validate", "--json", cwd=tmp_path)
    assert done.returncode == 2
    value = json.loads(done.stdout)
    assert not value["valid"]
    assert len(value["problems"]) == 2
    assert "Did you mean limit?" in run("config", "validate", cwd=tmp_path).stdout
    refused = run("config", "set", "limit=3", cwd=tmp_path)
    assert refused.returncode == 2
    assert "left as it is" in refused.stderr
    assert run("config", "unset", "lmit", cwd=tmp_path).stderr.startswith("warning: still wrong: ")


def test_locate_names_every_file(tmp_path: Path) -> None:
    """Also those that are not there."""
    found = data("config", "locate", cwd=tmp_path)
    assert [(place["layer"], place["there"]) for place in found["files"]] == [
        ("user", False),
        ("project", False),
        ("config", False),
    ]
    assert found["files"][1]["path"] == str(tmp_path / "kbtui.toml")


def test_the_schema_knows_every_setting(tmp_path: Path) -> None:
    """Nested as a file is, families as additional properties, and profiles with the same keys."""
    schema = data("config", "schema", cwd=tmp_path)
    assert schema["properties"]["budget"]["properties"]["bytes"]["anyOf"][1] == {"const": "none"}
    assert schema["properties"]["penalty"]["additionalProperties"]["maximum"] == 0.0
    assert "pull" in schema["properties"]["profile"]["additionalProperties"]["properties"]["penalty"]["properties"]
