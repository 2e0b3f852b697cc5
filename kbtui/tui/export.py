"""What can be written to a file: the rows as JSON or CSV, the context, and the screen as a picture."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.app import App

from kbtui.model import Answer
from kbtui.tui import copies


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """A kind of file: the key that chooses it, its name, and what makes its text."""

    key: str
    name: str
    help: str
    suffix: str
    content: Callable[[App[Any]], str]

    def slug(self, question: str) -> str:
        """Return the question as a part of a file name."""
        return "-".join(re.findall(r"[a-z0-9]+", question.lower()))[:40].strip("-") or "screen"


PICTURE = Export(
    key="s",
    name="SVG",
    help="this screen as a picture",
    suffix="svg",
    content=lambda app: app.export_screenshot(title="kbtui"),
)
"""What every screen can be written as."""


def exports(answer: Answer | None) -> tuple[Export, ...]:
    """Return what can be written now; without an answer there is the picture alone."""
    if answer is None:
        return (PICTURE,)
    return (
        Export(
            key="j",
            name="JSON",
            help="the answer with candidates, terms, context and trace",
            suffix="json",
            content=lambda _: copies.everything_as_json(answer),
        ),
        Export(
            key="c",
            name="CSV",
            help="a line for every row of the list",
            suffix="csv",
            content=lambda _: copies.as_csv(answer),
        ),
        Export(key="t", name="text", help="the context an agent gets", suffix="txt", content=lambda _: answer.context),
        PICTURE,
    )


def write(content: str, path: str, again: bool) -> str:
    """Write a file; return "", or why it was not written. One that is there is replaced when asked for twice."""
    if not path.strip():
        return "Name a file."
    try:
        target = Path(path).expanduser()
        if target.is_dir():
            return f"{target} is a folder; name a file in it."
        if target.exists() and not again:
            return f"{target} is there already. Enter again replaces it; another name keeps it."
        target.write_bytes(content.encode("utf-8", "replace"))
    except (OSError, ValueError, RuntimeError) as error:
        return f"Not written: {error}"
    return ""
