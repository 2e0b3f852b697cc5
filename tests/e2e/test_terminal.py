"""The app in a real terminal, through tmux: what pilot tests cannot see, up to the prompt after it."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from time import monotonic

import pytest

from kbtui.explorer import Explorer, index
from kbtui.model import Query
from kbtui.settings import Settings

if shutil.which("tmux") is None:
    pytest.skip("tmux is not installed", allow_module_level=True)

ROOT = Path(__file__).parents[2]
PATIENCE_S = 90
"""How long anything may take on a busy machine; reaching it is a failure, not a measurement."""
HOSTILE = (
    "\x1b]52;c;c3RvbGVu\x07\x1b]0;stolen\x07\x1b[31m\x9b2J\x1b[?1049l\x1bP+q\x1b\\ [/] [bold [@click=app.quit]x[/] "
    "\u202e\u200b\x08"
)
QUOTED = json.dumps(HOSTILE)[1:-1]
"""The same inside the quotes of front matter."""
TAKEN = re.compile(r"\x1b\](?:0|2|52|8);|[\x80-\x9f]|\x1bP\+q|\x08")
"""What the app itself never writes while nothing is copied: titles, clipboard, links, C1, DCS requests, backspaces."""


@dataclass(frozen=True)
class Terminal:
    """A tmux server of its own with one window, in it a shell."""

    socket: str

    def tmux(self, *words: str) -> str:
        done = subprocess.run(["tmux", "-L", self.socket, *words], capture_output=True, text=True, check=False)
        return done.stdout

    def keys(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def typed(self, words: str) -> None:
        self.tmux("send-keys", "-l", words)

    def screen(self) -> str:
        return self.tmux("capture-pane", "-p")

    def ask(self, form: str) -> str:
        return self.tmux("display-message", "-p", form).strip()

    def until(self, met: Callable[[], bool]) -> None:
        end, never = monotonic() + PATIENCE_S, Event()
        while not met():
            assert monotonic() < end, f"never came true; the terminal shows:\n{self.screen()}"
            never.wait(0.05)

    def shows(self, words: str) -> None:
        self.until(lambda: words in self.screen())


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """A terminal of 100x30 that takes OSC 52, as the most trusting ones do; what it took is `show-buffer`."""
    it = Terminal(f"kbtui-test-{tmp_path.name[-30:]}")
    it.tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", "env PS1='$ ' sh")
    it.tmux("set", "-g", "set-clipboard", "on")
    it.tmux("set", "-g", "allow-passthrough", "off")
    it.shows("$")
    yield it
    it.tmux("kill-server")


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small knowledge base, indexed, whose every text tries to take the terminal over."""
    corpus = tmp_path_factory.mktemp("kb")
    (corpus / "guides").mkdir()
    for name, path in (("lanes", "lanes.md"), ("siding", f"siding{HOSTILE.replace('/', '')}.md")):
        slots = ("title", f"{name} {QUOTED}"), ("type", f"odd {QUOTED}"), ("tags", QUOTED), ("status", QUOTED)
        front = "\n".join(f'{slot}: "{value}"' for slot, value in slots)
        (corpus / "guides" / path).write_bytes(
            f"---\n{front}\n---\n# About {name} {HOSTILE}\n\nLoads wait in {name}. {HOSTILE}\n".encode()
        )
    (corpus / "guides" / "plain.md").write_text("# Plain loads\n\nLoads go from [lanes](lanes.md) to the yard.\n")
    index(corpus, corpus / ".kbtui")
    return corpus


def start(terminal: Terminal, knowledge: Path, **environ: str) -> None:
    """Start the app, and wait until it can be asked."""
    named = {"KBTUI_NO_USER_CONFIG": "1", "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "default", **environ}
    words = [
        "env",
        *("-u", "COLUMNS", "-u", "LINES"),
        *(f"{name}={value}" for name, value in named.items()),
        sys.executable,
        "-m",
        "kbtui",
        str(knowledge),
    ]
    terminal.typed(f"clear; {shlex.join(words)}; echo left with $?")
    terminal.keys("Enter")
    terminal.shows("What would an agent ask?")
    terminal.shows("dense 100%")
    terminal.until(lambda: "indexing" not in terminal.screen())


def ask(terminal: Terminal, question: str) -> None:
    terminal.typed(question)
    terminal.keys("Enter")
    terminal.shows("whole")
    terminal.until(lambda: "asking" not in terminal.screen())


def test_from_the_first_frame_to_the_prompt_after_it(terminal: Terminal, knowledge: Path, tmp_path: Path) -> None:
    """Start, type, resize, copy, quit: the copy is the answer's bytes, and the terminal is as it was before."""
    terminal.keys("stty -a > " + shlex.quote(str(tmp_path / "before")), "Enter")
    start(terminal, knowledge)
    assert terminal.ask("#{alternate_on}") == "1"
    ask(terminal, "plain loads")
    terminal.shows("Plain loads")
    terminal.shows("[explain]")

    terminal.tmux("resize-window", "-x", "70", "-y", "20")
    terminal.shows("[results]")
    terminal.tmux("resize-window", "-x", "40", "-y", "8")
    terminal.shows("kbtui needs 60x15")
    terminal.tmux("resize-window", "-x", "1", "-y", "1")
    terminal.tmux("resize-window", "-x", "160", "-y", "40")
    terminal.shows("[explain]")

    terminal.keys("y")
    terminal.shows("the text an agent gets, byte for byte")
    terminal.keys("y")
    terminal.shows("Copied: context")
    explorer = Explorer.open(knowledge / ".kbtui")
    try:
        expected = explorer.query(Query(text="plain loads"), Settings()).context
    finally:
        explorer.close()
    assert terminal.tmux("show-buffer").rstrip("\n") == expected.rstrip("\n")

    terminal.keys("q")
    terminal.shows("left with 0")
    assert terminal.ask("#{alternate_on}#{mouse_any_flag}#{keypad_flag}#{cursor_flag}") == "0001"
    terminal.keys("stty -a > " + shlex.quote(str(tmp_path / "after")), "Enter")
    terminal.typed("echo $((40 + 2)) is typed as before")
    terminal.keys("Enter")
    terminal.shows("42 is typed as before")
    before, after = ((tmp_path / name).read_text() for name in ("before", "after"))
    assert _modes(after) == _modes(before)


def _modes(stty: str) -> list[str]:
    """Return a terminal's modes; its size may have changed."""
    return [word for word in stty.replace(";", " ").split() if not word.isdigit()]


PANES = (
    ("e", "score"),
    ("c", "====="),
    ("g", "link"),
    ("r", "in the context"),
    ("l", "without tiers"),
    ("b", "one document"),
)
SHEETS = (
    ("X", "the answer with candidates"),
    ("y", "the text an agent gets"),
    ("H", "type to find a question"),
    (":", "type to find an action"),
    ("?", "keys in"),
    ("t", "neighbour.decay"),
    ("w", "─ why not ─"),
    ("C-f", "─ search text ─"),
    ("C", "duplicates"),
    ("L", "what it got"),
)
"""The keys to every screen, and what shows that it is there; esc leaves those of the second kind."""


def test_no_document_takes_the_terminal_over_on_any_screen(terminal: Terminal, knowledge: Path, tmp_path: Path) -> None:
    """Escapes that set the clipboard, the title or the screen, markup that quits: all of it is text here.

    They are in titles, types, tags, states, headings, texts and a file's name. Beside what the terminal did, the bytes
    that reached it are looked through.
    """
    title = terminal.ask("#{pane_title}")
    raw = tmp_path / "raw"
    terminal.tmux("pipe-pane", "-O", f"cat > {shlex.quote(str(raw))}")
    start(terminal, knowledge, KBTUI_LOG_BYTES="1000000")
    ask(terminal, "lanes siding loads")
    for key, shown in (*PANES, *SHEETS):
        terminal.keys(key)
        terminal.shows(shown)
        if (key, shown) in SHEETS:
            terminal.keys("Escape")
            terminal.until(lambda: shown not in terminal.screen())  # noqa: B023 - waited for at once
    assert terminal.tmux("list-buffers") == ""
    assert terminal.ask("#{pane_title}") == title
    assert terminal.ask("#{alternate_on}") == "1"
    written = raw.read_text(errors="replace")
    assert "[@click=app.quit]" in written, "the texts were on the screen, literally"
    assert TAKEN.search(written) is None
    terminal.keys("q")
    terminal.shows("left with 0")


def test_the_editor_gets_the_terminal_and_gives_it_back(terminal: Terminal, knowledge: Path, tmp_path: Path) -> None:
    """While it runs the screen is its own; after it the app is there again, with its rows."""
    editor = tmp_path / "vim"
    editor.write_text(f'#!/bin/sh\necho "editing $*"\nstty -a > {tmp_path}/inside\nread line\n')
    editor.chmod(0o755)
    start(terminal, knowledge, EDITOR=str(editor))
    ask(terminal, "plain loads")
    terminal.keys("o")
    terminal.shows("editing +")
    assert terminal.ask("#{alternate_on}") == "0"
    assert " icanon" in (tmp_path / "inside").read_text()
    terminal.keys("Enter")
    terminal.shows("[explain]")
    terminal.shows("Plain loads")
    terminal.keys("q")
    terminal.shows("left with 0")
