"""At rest the app does nothing; and what it draws, it draws from runs of literal text, never from markup."""

from __future__ import annotations

import ast
import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.widget import Widget

import kbtui.tui
from tests.tui.drive import running

PACKAGE = Path(kbtui.tui.__file__).parent


@pytest.mark.parametrize(
    "keys",
    [
        (),
        ("t",),
        ("g", "g"),
        ("c", "c"),
        ("r", "r"),
        ("l", "l"),
        ("b", "b"),
        ("colon",),
        ("question_mark",),
        ("C",),
        ("L", "a"),
        (*["down"] * 5, "w"),
        ("ctrl+f", *"provider", "enter", "enter"),
    ],
)
async def test_nothing_repaints_when_idle(keys: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """A second of the app's own clock without a key: no widget draws a line, and nothing is written to the terminal."""
    async with running() as drive:
        await drive.press(*keys)
        blink = drive.app.focused
        if blink is not None and hasattr(blink, "cursor_blink"):
            blink.cursor_blink = False  # a caret may blink: it is one cell, and the terminal's user asked for it
        await drive.rest()
        drawn: list[str] = []
        written: list[str] = []
        render_lines = Widget.render_lines

        def counted(self: Widget, crop: object) -> object:
            drawn.append(repr(self))
            return render_lines(self, crop)  # type: ignore[arg-type]

        monkeypatch.setattr(Widget, "render_lines", counted)
        monkeypatch.setattr(drive.app, "_display", lambda screen, renderable: written.append(repr(screen)))
        passed = asyncio.Event()
        drive.app.set_timer(1.0, passed.set)
        await passed.wait()
        assert drawn == []
        assert written == []


async def test_the_count_of_repaints_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    async with running() as drive:
        monkeypatch.setattr(drive.app, "_display", lambda screen, renderable: drawn.append(repr(screen)))
        await drive.press("down")
        assert drawn


# --- no markup ----------------------------------------------------------------------------------------

TAKES_MARKUP = {"Static", "Label", "Button", "DataTable", "OptionList", "Option", "Collapsible", "Tab", "TabPane"}
"""Widgets that parse a plain str as markup."""
PARSED = {"add", "add_leaf", "set_label", "add_option", "add_row", "add_column", "update"}
"""Methods of theirs that do."""


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            yield name, node


def is_text(node: ast.expr) -> bool:
    """Say whether an expression can be seen to be a plain str."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def parsed(source: str) -> list[str]:
    """Return the places of a module where a str, or a title made of one, meets a parser of markup."""
    tree = ast.parse(source)
    found: list[str] = []
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    for name, call in calls(tree):
        if name in TAKES_MARKUP - own:
            found.append(f"{call.lineno}: {name}")
        if name in PARSED and any(is_text(argument) for argument in call.args):
            found.append(f"{call.lineno}: {name} of a str")
        if name == "notify" and not any(
            word.arg == "markup" and isinstance(word.value, ast.Constant) and word.value.value is False
            for word in call.keywords
        ):
            found.append(f"{call.lineno}: notify with markup")
        if name in {"from_markup", "assemble"}:
            found.append(f"{call.lineno}: {name}")
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                is_title = isinstance(target, ast.Attribute) and target.attr in {"border_title", "border_subtitle"}
                if is_title and isinstance(node.value, ast.JoinedStr):
                    names = {part.id for part in ast.walk(node.value) if isinstance(part, ast.Name)}
                    if not names <= {"self", "settings", "size", "tokens"}:
                        found.append(f"{node.lineno}: a title of {sorted(names)}")
    return found


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.stem)
def test_no_plain_str_reaches_a_widget_that_would_parse_it(path: Path) -> None:
    """The app draws through `ink.Line`; a tree's labels are `Text`; a toast says `markup=False`."""
    assert parsed(path.read_text()) == []


@pytest.mark.parametrize(
    "source",
    [
        "Static(title)",
        "node.add(f'{title}')",
        "self.notify(title)",
        "self.notify(title, markup=True)",
        "self.border_title = f'{document.title}'",
        "Content.from_markup(title)",
    ],
)
def test_the_scan_sees_what_it_looks_for(source: str) -> None:
    assert parsed(source)
