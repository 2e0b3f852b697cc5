"""The app: themes, keys, the Explore screen, and the library it is asked of; all else is in the screen's rooms."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.filter import LineFilter, NoColor
from textual.screen import Screen
from textual.widgets import Input

from kbtui import text
from kbtui.config import Config
from kbtui.tui import keymap, themes
from kbtui.tui.doors import Doors, ExplorerDoors
from kbtui.tui.errands import Place
from kbtui.tui.ink import Line
from kbtui.tui.knobs import change_line
from kbtui.tui.screens.chooser import Choice, Chooser
from kbtui.tui.screens.explore import ExploreScreen
from kbtui.tui.screens.sheet import Sheet
from kbtui.tui.session import Session
from kbtui.tui.wardrobe import Wardrobe

LOOK_S = 1.0
"""How often the user's themes are looked at; a look is a few file times, read in a thread."""


class KbtuiApp(App[None], inherit_bindings=False):
    """The cockpit on one store."""

    TITLE = "kbtui"
    CSS_PATH = "kbtui.tcss"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "help_quit", "How to quit", show=False, id="app.interrupt", tooltip="Tell how to leave"),
        Binding("ctrl+t", "theme", "Theme", show=False, id="app.theme", tooltip="Choose the colours"),
    ]

    def __init__(
        self,
        store: Path,
        corpus: Path | None,
        config: Config,
        *,
        doors: Doors | None = None,
        question: str = "",
        environ: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        environ = os.environ if environ is None else environ
        self.wardrobe = Wardrobe.of(environ)
        self._config = config
        self._stamp = self.wardrobe.stamp()
        self._theme_problems: tuple[str, ...] = ()
        self._put_on(self.wardrobe.load())
        fitted = keymap.fitted(config.keys)
        self.set_keymap(fitted.keys)
        self._key_problems = fitted.problems
        self.session = Session(
            config.settings,
            text=question,
            saved=config.saved,
            profiles={profile.name: config.under(profile.name) for profile in config.profiles},
            bookmarks={bookmark.name: bookmark for bookmark in config.bookmarks},
        )
        self._place = Place(
            store=store,
            corpus=corpus,
            doors=doors or ExplorerDoors(config),
            loaded=config.settings,
            file=config.target,
            log_bytes=config.log_bytes,
            environ=environ,
            search_limit=config.search_limit,
        )
        self._explore: ExploreScreen | None = None

    @property
    def problems(self) -> tuple[str, ...]:
        """What of the configuration, the keys and the themes could not be followed."""
        return (*self._config.problems, *self._key_problems, *self._theme_problems)

    def get_default_screen(self) -> Screen[None]:
        """Return the Explore screen."""
        self._explore = ExploreScreen(self.session, self._place, self.problems)
        return self._explore

    def on_mount(self) -> None:
        """Look after the user's themes."""
        if self.wardrobe.folder is not None:
            self.set_interval(LOOK_S, self.look_at_themes)

    def on_unmount(self) -> None:
        """Tell workers to end as soon as the app does, and let go of the store."""
        if self._explore is not None:
            self._explore.errands.stop()

    def action_help_quit(self) -> None:
        """Tell how to leave from where the keyboard is: ctrl+c may have been pressed to stop or to copy something."""
        typing = isinstance(self.focused, Input)
        quits = self.get_key_display(Binding(self._keymap.get("app.quit", "q").partition(",")[0], "quit"))
        self.notify(f"To leave kbtui: {'esc, then ' if typing else ''}{quits}. To copy: y.", markup=False)

    async def action_quit(self) -> None:
        """Leave; where numbers were turned that no file has, say so first."""
        lost = self.session.unsaved(self._place.loaded)
        if not lost:
            self.exit()
            return

        def lines(width: int) -> list[Line]:
            return [
                *(change_line(key, before, now, width) for key, (before, now) in lost.items()),
                (),
                ((f"They are not in {text.safe_line(str(self._place.file))}. To keep them: esc, then s.", ""),),
            ]

        def leave(yes: bool | None) -> None:
            if yes:
                self.exit()

        self.push_screen(Sheet("quit: these numbers are not saved", lines, "quits without them"), leave)

    # --- colours --------------------------------------------------------------------------------

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return values for our variables, for a theme that does not name them."""
        return themes.fallback()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return what is done to every line last: with NO_COLOR no colour is left, not even a grey."""
        return [*super().get_line_filters(), *([NoColor()] if self.no_color else [])]

    def _put_on(self, loaded: themes.Loaded) -> None:
        """Take these themes in the place of all others, and wear the one that is wanted."""
        named = {theme.name: theme for theme in loaded.themes}
        for theme in loaded.themes:
            self.register_theme(theme)
        worn = self.theme if self.theme in named and self.is_running else ""
        chosen = worn or self._config.theme or self.wardrobe.remembered()
        wanted = themes.NO_COLOUR if self.no_color else chosen if chosen in named else themes.DEFAULT
        self._theme_problems = loaded.problems
        if self._config.theme and self._config.theme not in named:
            near = get_close_matches(self._config.theme, named, n=1)
            hint = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(named)}"
            self._theme_problems += (f"theme {self._config.theme!r}: no such theme. {hint}",)
        if wanted not in named:
            return
        again = self.theme == wanted
        self.theme = wanted
        for name in set(self.available_themes) - set(named):
            self.unregister_theme(name)
        if again and self.is_running:
            self._watch_theme(wanted)

    def look_at_themes(self) -> None:
        """See in a thread whether a theme of the user's has changed."""
        self.run_worker(self._see_themes, group="themes", thread=True, exit_on_error=False)

    def _see_themes(self) -> None:
        stamp = self.wardrobe.stamp()
        if stamp != self._stamp:
            self._stamp = stamp
            self.call_from_thread(self._change, self.wardrobe.load())

    def _change(self, loaded: themes.Loaded) -> None:
        self._put_on(loaded)
        if self._explore is not None:
            self._explore.warn(self.problems)

    def action_theme(self) -> None:
        """Choose a theme, seeing each on the way; it is remembered unless a file names another."""
        before = self.theme
        choices = tuple(Choice(value=name, name=name) for name in self.available_themes)

        def wear(name: str) -> None:
            self.theme = name

        def settle(name: str | None) -> None:
            self.theme = name or before
            if name and self._config.theme:
                self.notify(f"Until kbtui ends: {self._config.source('theme')} names another.", markup=False)
            elif name:
                self.wardrobe.remember(name)

        self.push_screen(
            Chooser("theme", choices, sift=True, hint="type to find a theme", start=before, preview=wear), settle
        )


def run(store: Path, corpus: Path | None, config: Config) -> int:
    """Run the app until it is quit; return the exit code."""
    app = KbtuiApp(store, corpus, config)
    app.run()
    return app.return_code or 0
