"""Finding one's way: what works on every screen of the app, to learn what there is, to go there, and to leave."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widget import Widget

from kbtui import text
from kbtui.tui import keymap
from kbtui.tui.export import PICTURE, Export, write
from kbtui.tui.screens.chooser import Choice, Chooser
from kbtui.tui.screens.help import HelpScreen, KeyHelp, PaneHelp
from kbtui.tui.screens.prompt import Prompt
from kbtui.tui.task_words import TASK_WORDS
from kbtui.tui.widgets.key_hints import turn


class Wayfinder(Screen[None]):
    """A screen with help, the palette, and the ways to the rooms: screens beside Explore, each with a name.

    A widget of a room carries the room's name, too, so that its keys are known to work there and nowhere else.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("w", "visit('why')", "Why not", id="app.why", tooltip="Why a document is missing, what brings it in"),
        Binding(
            "ctrl+f",
            "visit('search')",
            "Search",
            priority=True,
            id="app.search",
            tooltip="Search the texts of all documents, as grep does",
        ),
        Binding(
            "question_mark", "help", "Help", key_display="?", id="app.help", tooltip="What this pane shows, its keys"
        ),
        Binding("colon,ctrl+p", "palette", "Actions", key_display=":", id="app.palette", tooltip="Find any action"),
        Binding(
            "C", "visit('corpus')", "Corpus", show=False, id="app.corpus", tooltip="What the store holds, and lacks"
        ),
        Binding("L", "visit('log')", "Log", show=False, id="app.log", tooltip="What agents and people have asked"),
        Binding(
            "X", "export", "Export", show=False, id="app.export", tooltip="Write the rows, or a picture, to a file"
        ),
        Binding("q", "app.quit", "Quit", id="app.quit", tooltip="Leave kbtui"),
    ]
    AUTO_FOCUS = ""
    ROOM: ClassVar[str] = ""

    @property
    def place(self) -> str:
        """The name of the pane that the keyboard is in."""
        raise NotImplementedError

    @property
    def shows(self) -> str:
        """What that pane shows, in a few sentences."""
        raise NotImplementedError

    @property
    def subject(self) -> str:
        """The id of the document that the cursor is on, "" for none."""
        return ""

    def visit(self, room: str, about: str = "") -> Wayfinder:
        """Go to a room, "" for Explore, there about a document; return its screen."""
        raise NotImplementedError

    def renew(self) -> None:
        """Look again at what the library holds: there is a newer generation of it."""

    def action_visit(self, room: str) -> None:
        """Go to a room, with the document that the cursor is on."""
        self.visit(room, self.subject)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer no way to where one is."""
        return action != "visit" or parameters != (self.ROOM,)

    def tell(self, words: str, *, wrong: bool = False) -> None:
        """Say something at the edge of the screen for a while, in the place of what was said before.

        It may quote foreign text.
        """
        self.app.clear_notifications()
        self.notify(text.safe(words), severity="error" if wrong else "information", markup=False)

    # --- exports --------------------------------------------------------------------------------

    @property
    def exports(self) -> tuple[Export, ...]:
        """What can be written to a file: of any screen its picture."""
        return (PICTURE,)

    @property
    def export_name(self) -> str:
        """What a file is named after."""
        return self.place

    def action_export(self) -> None:
        """Offer what can be written to a file."""
        offered = self.exports
        choices = tuple(Choice(value=each.key, key=each.key, name=each.name, help=each.help) for each in offered)

        def ask(value: str | None) -> None:
            for each in offered:
                if each.key == value:
                    self._ask_where(each)

        self.app.push_screen(Chooser("export", choices), ask)

    def _ask_where(self, export: Export) -> None:
        """Ask for the path; what is written is what the screen shows now."""
        content = export.content(self.app)

        def done(path: str | None) -> None:
            if path:
                self.tell(f"Wrote {Path(path).expanduser()}, {len(content.encode('utf-8', 'replace')):,} bytes.")

        suggested = f"kbtui-{export.slug(self.export_name)}.{export.suffix}"
        remark = f"{export.help}; a path below {Path.cwd()}, or a whole one"
        self.app.push_screen(Prompt(f"export {export.name}", suggested, remark, partial(write, content)), done)

    # --- help and palette -----------------------------------------------------------------------

    def action_help(self) -> None:
        """Tell what this pane shows, and the keys that work in it and everywhere."""
        here: dict[str, list[str]] = {}
        everywhere: dict[str, list[str]] = {}
        for node, binding, enabled, tooltip in sorted(
            self.active_bindings.values(), key=lambda each: turn(each[0], each[1], ())
        ):
            if enabled and binding.id is not None:
                does = here if isinstance(node, Widget) and not isinstance(node, Screen) else everywhere
                does.setdefault(tooltip or binding.description, []).append(self.app.get_key_display(binding))
        self.app.push_screen(
            HelpScreen(PaneHelp(name=self.place, shows=self.shows, keys=_told(here), everywhere=_told(everywhere)))
        )

    def action_palette(self) -> None:
        """Offer every action, with its keys and what it does."""
        before, numbers = self.focused, self.numbers()
        choices = tuple(
            Choice(
                value=command.command_id,
                name=command.name,
                key=keys,
                help=command.help,
                group=command.group,
                words=TASK_WORDS.get(command.command_id, ""),
            )
            for command, keys in self._actions()
        )

        def run(command_id: str | None) -> None:
            if command_id is not None and command_id in {number.value for number in numbers}:
                self.turn_to(command_id)
            for command, _ in self._actions():
                if command.command_id == command_id:
                    self.call_later(self._perform, command, before)

        self.app.push_screen(Chooser("actions", (*choices, *numbers), sift=True), run)

    def numbers(self) -> tuple[Choice, ...]:
        """Return every setting with its present value, for the palette."""
        raise NotImplementedError

    def turn_to(self, key: str) -> None:
        """Go where a setting is turned, the cursor on it."""
        raise NotImplementedError

    def _actions(self) -> list[tuple[keymap.Command, str]]:
        """Return every action that is one here, with its keys as they are shown; those of sheets wait for a sheet."""
        fitted = keymap.Keymap(keys=self.app._keymap)
        ordered = list(keymap.GROUPS.values())
        found = [
            (command, keymap.shown(keys)) for command, keys in keymap.in_force(fitted) if not command.is_of_a_sheet
        ]
        return sorted(
            found, key=lambda each: ordered.index(each[0].group) if each[0].group in ordered else len(ordered)
        )

    async def _perform(self, command: keymap.Command, before: Widget | None) -> None:
        """Do what a key would do, in the pane where it works; where that is in another room, go there first."""
        if isinstance(self.app, command.owner) or isinstance(self, command.owner):
            await self.run_action(command.action)
            return
        fitting = [widget for widget in self.query("*") if isinstance(widget, command.owner)]
        target = before if before in fitting else next(iter(fitting), None)
        if target is not None:
            self.reveal(target)
            await self.app.run_action(command.action, target)
        elif command.room != self.ROOM:
            there = self.visit(command.room)
            there.call_after_refresh(there._perform, command, None)

    def reveal(self, widget: Widget) -> None:
        """Bring the pane of a widget to light, and the keyboard into it."""
        widget.focus()


def _told(keys: dict[str, list[str]]) -> tuple[KeyHelp, ...]:
    """Return each thing that keys do, with the keys that do it."""
    return tuple((" ".join(dict.fromkeys(shown)), does) for does, shown in keys.items())
