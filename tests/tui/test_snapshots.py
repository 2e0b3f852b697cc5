"""What the screens look like, kept as text for four sizes and as a picture for each theme.

``KBTUI_TEST_WRITE_GOLDEN=1 pytest tests/tui/test_snapshots.py`` writes them anew; look at what changed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kbtui.tui import themes
from tests.tui.drive import Drive, running

HERE = Path(__file__).parent / "snapshots"
SIZES = ((60, 15), (80, 24), (120, 40), (200, 50))
SCREENS: dict[str, tuple[str, ...]] = {
    "results": (),
    "explain": ("e",),
    "context": ("c",),
    "graph": ("g",),
    "read": ("r",),
    "pools": ("l",),
    "budget": ("b",),
    "tune": ("t",),
    "what-if": (*["down"] * 5, "i"),
    "why": (*["down"] * 5, "w"),
    "search": ("ctrl+f", *"provider", "enter"),
    "found": ("ctrl+f", *"provider", "enter", "enter"),
    "help": ("question_mark",),
    "actions": ("colon",),
    "copy": ("y",),
    "corpus": ("C",),
    "corpus, dangling": ("C", "right", "right"),
    "corpus, oversized": ("C", "right", "right", "right"),
    "log": ("L",),
    "questions": ("H",),
    "settings found": ("colon", *"penalty"),
    "what the graph added": ("g", "g", "a"),
    "a filter": ("slash", "tab", *"guide path:docs/*", "enter"),
    "tune, filtered": ("t", "f", *"pull", "enter"),
    "documents of a type": ("C", "enter"),
    "log, asked again": ("L", "down", "down", "enter"),
}
PICTURES: dict[str, tuple[str, ...]] = {
    "why": SCREENS["why"],
    "search": SCREENS["search"],
    "corpus": ("C",),
    "log": ("L", "a", "down", "down"),
}
"""Screens kept as pictures, too: each at 80x24 and 120x40, dark and light."""
PANES = ("explain", "context", "graph", "read", "pools", "budget", "tune", "help", "actions")
"""Those of Explore, each once dark and small, once light and larger."""


def kept(name: str, shown: str) -> str:
    """Return what is kept under a name, after writing it anew where that is wanted."""
    if os.environ.get("KBTUI_TEST_WRITE_GOLDEN"):
        HERE.mkdir(exist_ok=True)
        (HERE / name).write_text(shown)
    return (HERE / name).read_text()


async def still(drive: Drive) -> None:
    """Let nothing of the picture depend on when it is taken."""
    drive.explore.status.show(elapsed_ms=1.0)
    await drive.rest()
    await drive.rest()  # a scrollbar is drawn one refresh after what it stands for


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_every_screen_looks_as_kept(size: tuple[int, int]) -> None:
    """Character for character, at the smallest size, two common ones and a large one."""
    parts: list[str] = []
    for name, keys in SCREENS.items():
        async with running(size=size) as drive:
            await drive.press(*keys)
            await still(drive)
            lines = [line.rstrip() for line in drive.text().splitlines()]
            parts.append("\n".join([f"##### {name}", *lines, ""]))
    shown = "\n".join(parts)
    assert shown == kept(f"{size[0]}x{size[1]}.txt", shown)


@pytest.mark.parametrize("theme", [theme.name for theme in themes.load(themes.folder()).themes])
async def test_every_theme_looks_as_kept(theme: str) -> None:
    """The list, its cursor, the rules, the meter and the footer in the theme's colours, as a picture."""
    async with running(size=(80, 24), theme=theme) as drive:
        await still(drive)
        shown = drive.app.export_screenshot(title=theme)
    assert shown == kept(f"{theme}.svg", shown)


@pytest.mark.parametrize(("size", "theme"), [((80, 24), "dark"), ((120, 40), "light")])
@pytest.mark.parametrize("name", PANES)
async def test_every_pane_looks_as_kept(name: str, size: tuple[int, int], theme: str) -> None:
    """A pane's bars, marks, colours of code and washes, as a picture."""
    async with running(size=size, theme=theme) as drive:
        await drive.press(*SCREENS[name])
        await still(drive)
        shown = drive.app.export_screenshot(title=name)
    assert shown == kept(f"{name}-{size[0]}x{size[1]}-{theme}.svg", shown)


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", PICTURES)
async def test_every_room_looks_as_kept(name: str, size: tuple[int, int], theme: str) -> None:
    """A room's own inks, washes and rules, as a picture."""
    async with running(size=size, theme=theme) as drive:
        await drive.press(*PICTURES[name])
        shown = drive.app.export_screenshot(title=name)
    assert shown == kept(f"{name}-{size[0]}x{size[1]}-{theme}.svg", shown)
