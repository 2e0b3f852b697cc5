"""Help is instant: nothing heavy is imported before a command runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = (
    "chromadb",
    "networkx",
    "tiktoken",
    "numpy",
    "textual",
    "onnxruntime",
    "tantivy",
    "tree_sitter",
    "yaml",
    "tomlkit",
)

PROBE = """
import json, sys
from kbtui.cli import main
code = main(sys.argv[1:])
print(json.dumps([code, sorted({name.partition(".")[0] for name in sys.modules})]), file=sys.stderr)
"""


def imported(*args: str) -> tuple[int, set[str]]:
    """Run a command line in a process of its own; return its exit code and what it had imported at the end."""
    done = subprocess.run([sys.executable, "-c", PROBE, *args], capture_output=True, text=True, check=True)
    code, names = json.loads(done.stderr.splitlines()[-1])
    return code, set(names)


@pytest.mark.parametrize(
    "args",
    [
        ("--help",),
        ("--version",),
        ("query", "--help"),
        ("context", "--help"),
        ("why", "--help"),
        ("search", "--help"),
        ("demo", "--help"),
        ("index", "--help"),
        ("config", "show"),
        ("config", "set", "--help"),
        ("config", "locate"),
    ],
)
def test_no_heavy_library_is_imported_for(args: tuple[str, ...]) -> None:
    """Neither for help nor for the version nor for the settings."""
    code, names = imported(*args)
    assert code == 0
    assert not names.intersection(HEAVY)


def test_the_probe_sees_what_is_imported() -> None:
    """The check above can fail: an import is found."""
    done = subprocess.run(
        [sys.executable, "-c", "import networkx\n" + PROBE, "--version"], capture_output=True, text=True, check=True
    )
    assert "networkx" in json.loads(done.stderr.splitlines()[-1])[1]


FRAME = """
import asyncio, json, sys
from pathlib import Path
from kbtui.config import load
from kbtui.tui.app import KbtuiApp

async def main():
    apart = {"KBTUI_NO_USER_CONFIG": "1"}
    config = load(Path(sys.argv[1]), environ=apart)
    app = KbtuiApp(config.store, None, config, environ=apart)
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        print(json.dumps(sorted(name for name in sys.modules if name.startswith("kbtui.tui.rooms"))), file=sys.stderr)

asyncio.run(main())
"""


def test_the_first_frame_waits_for_no_room(tmp_path: Path) -> None:
    """Nor does an empty `[keys]`: the register of all actions is looked through when it is asked for."""
    done = subprocess.run([sys.executable, "-c", FRAME, str(tmp_path)], capture_output=True, text=True, check=True)
    assert json.loads(done.stderr.splitlines()[-1]) == []
