"""Which themes there are: the shipped ones and the user's own, and the one that was worn last."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from textual.theme import Theme

from kbtui.config import NO_USER_CONFIG
from kbtui.tui import themes

Stamp = tuple[tuple[str, int, int], ...]
"""The names, times and sizes of a folder's themes: what changes when one of them does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wardrobe:
    """The user's folder of themes, and the file that remembers a choice; None leaves both alone."""

    folder: Path | None
    memory: Path | None

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Wardrobe:
        """Return the user's own."""
        if environ.get(NO_USER_CONFIG):
            return cls(folder=None, memory=None)
        from platformdirs import user_config_path, user_state_path

        return cls(folder=user_config_path("kbtui") / "themes", memory=user_state_path("kbtui") / "theme")

    def stamp(self) -> Stamp:
        """Return what changes when a theme of the user's does."""
        if self.folder is None:
            return ()
        found: list[tuple[str, int, int]] = []
        for path in sorted(self.folder.glob("*.toml")):
            with suppress(OSError):  # it went between the listing and the look
                state = path.stat()
                found.append((path.name, state.st_mtime_ns, state.st_size))
        return tuple(found)

    def load(self) -> themes.Loaded:
        """Read every theme; one of the user's takes the place of a shipped one of its name.

        What cannot be read of the user's is one message, however many files it is about.
        """
        shipped = themes.load(themes.folder())
        if not self.stamp() or self.folder is None:
            return shipped
        own = themes.load(self.folder)
        merged: dict[str, Theme] = {theme.name: theme for theme in (*shipped.themes, *own.themes)}
        told = (f"of the themes in {self.folder}: {'; '.join(own.problems)}",) if own.problems else ()
        return themes.Loaded(themes=tuple(merged.values()), problems=(*shipped.problems, *told))

    def remembered(self) -> str:
        """Return the theme that was chosen last, "" for none."""
        if self.memory is None:
            return ""
        try:
            return self.memory.read_text(encoding="utf-8").strip()
        except (OSError, ValueError):
            return ""

    def remember(self, name: str) -> None:
        """Keep a choice for the next time; where it cannot be kept, the next time begins with the default."""
        if self.memory is None:
            return
        with suppress(OSError):
            self.memory.parent.mkdir(parents=True, exist_ok=True)
            self.memory.write_text(f"{name}\n", encoding="utf-8")
