"""The app: themes, the Explore screen, and the library it is asked of; everything else is in the screen's rooms."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.theme import BUILTIN_THEMES

from kbtui.config import Config
from kbtui.tui import themes
from kbtui.tui.doors import Doors, ExplorerDoors
from kbtui.tui.errands import Place
from kbtui.tui.screens.explore import ExploreScreen
from kbtui.tui.session import Session


class KbtuiApp(App[None], inherit_bindings=False):
    """The cockpit on one store."""

    TITLE = "kbtui"
    CSS_PATH = "kbtui.tcss"
    COMMAND_PALETTE_BINDING = "ctrl+p"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "help_quit", "Quit?", show=False, system=True),
        Binding("colon", "command_palette", "Palette", show=False, id="app.palette"),
    ]

    def __init__(
        self, store: Path, corpus: Path | None, config: Config, *, doors: Doors | None = None, question: str = ""
    ) -> None:
        super().__init__()
        loaded = themes.load(themes.folder())
        for theme in loaded.themes:
            self.register_theme(theme)
        names = {theme.name for theme in loaded.themes}
        wanted = themes.NO_COLOUR if self.no_color else themes.DEFAULT
        if wanted in names:
            self.theme = wanted
            for name in BUILTIN_THEMES:
                self.unregister_theme(name)
        self.session = Session(config.settings, text=question)
        self._problems = (*config.problems, *loaded.problems)
        self._place = Place(store=store, corpus=corpus, doors=doors or ExplorerDoors(config))
        self._explore: ExploreScreen | None = None

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return values for our variables, for a theme that does not name them."""
        return themes.fallback()

    def get_default_screen(self) -> Screen[None]:
        """Return the Explore screen."""
        self._explore = ExploreScreen(self.session, self._place, self._problems)
        return self._explore

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """List every action that works here in the palette, with its key."""
        for node, binding, enabled, _ in screen.active_bindings.values():
            if enabled and binding.description and not binding.system:
                key = self.get_key_display(binding)
                yield SystemCommand(binding.description, f"key: {key}", partial(self.run_action, binding.action, node))
        yield SystemCommand("Theme", "Choose the colours", self.action_change_theme)

    def on_unmount(self) -> None:
        """Tell workers to end as soon as the app does, and let go of the store."""
        if self._explore is not None:
            self._explore.errands.stop()


def run(store: Path, corpus: Path | None, config: Config) -> int:
    """Run the app until it is quit; return the exit code."""
    app = KbtuiApp(store, corpus, config)
    app.run()
    return app.return_code or 0
