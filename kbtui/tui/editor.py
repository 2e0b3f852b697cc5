"""How an editor is started at a line of a file."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from kbtui.errors import SourceError, UsageError

_PLUS = frozenset(
    [
        "vi",
        "vim",
        "nvim",
        "view",
        "gvim",
        "nano",
        "pico",
        "emacs",
        "emacsclient",
        "xemacs",
        "mg",
        "jed",
        "joe",
        "jmacs",
        "ne",
        "micro",
        "kak",
        "ed",
        "ex",
        "less",
        "most",
        "pluma",
        "gedit",
        "mcedit",
        "tilde",
        "dte",
        "vis",
    ]
)
"""Editors that take +LINE before the file."""
_COLON = frozenset(["hx", "helix", "subl", "sublime_text", "zed", "zeditor", "lapce"])
"""Editors that take FILE:LINE."""
_GOTO = frozenset(["code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"])
"""Editors that take FILE:LINE after --goto."""


def chosen(environ: Mapping[str, str]) -> list[str]:
    """Return the words of the editor's command: $EDITOR, else $VISUAL.

    Errors: UsageError when neither is set, or it cannot be split into words.
    """
    for name in ("EDITOR", "VISUAL"):
        written = environ.get(name, "").strip()
        if written:
            try:
                return shlex.split(written)
            except ValueError as error:
                raise UsageError(f"${name} cannot be read: {error}") from error
    raise UsageError("no editor is named", "Set EDITOR (or VISUAL), for example EDITOR=nano, and start kbtui again.")


def command(words: list[str], path: Path, line: int) -> list[str]:
    """Return the command that opens a file at a line, for exec: no shell reads it.

    An editor that is not known gets the file alone, since a stray +12 would be another file to it.
    """
    name = Path(words[0]).name.removesuffix(".exe").removesuffix(".basic").removesuffix(".tiny")
    file = str(path)
    if name in _PLUS:
        return [*words, f"+{line}", file]
    if name in _COLON:
        return [*words, f"{file}:{line}"]
    if name in _GOTO:
        return [*words, "--goto", f"{file}:{line}"]
    return [*words, file]


def file_of(corpus: Path, path: str) -> Path:
    """Return the file of a document.

    Errors: SourceError when it is not there any more, or leads out of the corpus.
    """
    root = corpus.resolve()
    file = (root / path).resolve()
    if not file.is_relative_to(root):
        raise SourceError(f"{path} leads out of {corpus}")
    if not file.is_file():
        raise SourceError(f"{path} is not there any more", "It was when the knowledge base was indexed.")
    return file
