"""The house rules, as tests: formatter, linter, types and import contracts run with everything else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

CHECKS = {
    "formatted": [sys.executable, "-m", "ruff", "format", "--check", "."],
    "linted": [sys.executable, "-m", "ruff", "check", "."],
    "typed": [sys.executable, "-m", "mypy"],
    "layered": [str(Path(sys.executable).with_name("lint-imports"))],
}


@pytest.mark.parametrize("name", CHECKS)
def test_the_code_is(name: str) -> None:
    """Each check exits 0 on the package and its tests."""
    done = subprocess.run(CHECKS[name], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_one_door_for_each_library() -> None:
    """Only its door imports a library, so that a change of library is a change of one file."""
    doors = {
        "chromadb": {"store/vectors.py"},
        "tantivy": {"store/lexical.py"},
        "tiktoken": {"store/tokens.py"},
        "networkx": {"store/graph.py"},
        "onnxruntime": {"store/embed.py"},
        "pygments": {"tui/colouring.py"},
        "tomlkit": {"config_file.py"},
    }
    package = ROOT / "kbtui"
    for library, allowed in doors.items():
        users = {
            path.relative_to(package).as_posix()
            for path in package.rglob("*.py")
            if "demo/kb" not in path.as_posix()
            and any(
                line.lstrip().startswith((f"import {library}", f"from {library}"))
                for line in path.read_text().splitlines()
            )
        }
        assert users == allowed, f"{library} is imported by {sorted(users)}"
