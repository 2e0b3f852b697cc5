"""The clipboard: the desktop's own where there is one, tmux's inside tmux, else whatever the terminal does."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass

TIMEOUT_S = 3.0
"""How long a clipboard program may take; one that waits for a display that is gone never comes back."""
_OVER_SSH = ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A program that takes text for the clipboard on its standard input."""

    command: tuple[str, ...]
    where: str


def tool(environ: Mapping[str, str], which: Callable[[str], str | None] = shutil.which) -> Tool | None:
    """Return the program for this place; None where only the terminal itself can copy (OSC 52).

    Over ssh a program would fill the clipboard of the machine at the far end, where nobody sits.
    """
    local = not any(environ.get(name) for name in _OVER_SSH)
    tools = (
        (local and bool(environ.get("WAYLAND_DISPLAY")), ("wl-copy",), "with wl-copy"),
        (local and bool(environ.get("DISPLAY")), ("xclip", "-selection", "clipboard"), "with xclip"),
        (local and bool(environ.get("DISPLAY")), ("xsel", "--clipboard", "--input"), "with xsel"),
        (local, ("pbcopy",), "with pbcopy"),
        (local and bool(environ.get("WSL_DISTRO_NAME")), ("clip.exe",), "with clip.exe"),
        (bool(environ.get("TMUX")), ("tmux", "load-buffer", "-w", "-"), "to tmux, and through it to the terminal"),
    )
    for fits, command, where in tools:
        if fits and which(command[0]):
            return Tool(command=command, where=where)
    return None


def put(text: str, chosen: Tool) -> str:
    """Hand text to a program; return "", or what went wrong."""
    try:
        done = subprocess.run(
            chosen.command,
            input=text.encode("utf-8", "replace"),
            stdout=subprocess.DEVNULL,  # xclip stays behind and would hold a pipe open
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return f"{chosen.command[0]} ended with {done.returncode}" if done.returncode else ""
