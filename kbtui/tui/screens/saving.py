"""Saving: what would be written into the project's file is shown first; settings can have names there, as profiles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message

from kbtui import text
from kbtui.config_file import Edit, edited, write
from kbtui.errors import KbtuiError
from kbtui.model import Compared
from kbtui.settings import Settings, Value
from kbtui.tui.doors import Library
from kbtui.tui.ink import Line
from kbtui.tui.looks import attempt
from kbtui.tui.screens.chooser import Choice, Chooser
from kbtui.tui.screens.comparing import Comparing
from kbtui.tui.screens.prompt import Prompt
from kbtui.tui.screens.sheet import Sheet
from kbtui.tui.tries import Try, difference_lines

_KEEP = "n"
EFFECT = (
    "From then on these are the numbers of whoever asks this knowledge base:",
    "agents, `kbtui query`, and this app when it starts.",
    "To take it back: u until the old numbers are there, then s again.",
)
PROFILE_EFFECT = (
    "Nothing changes for those who ask, unless they name the profile:",
    "`kbtui query --profile NAME`, or P here. The file can be edited by hand.",
)
"""What a save does, and how to take it back, below the lines that it changes."""


class ProfileAnswered(Message):
    """One question has been asked under a profile and under the present numbers."""

    def __init__(self, profile: tuple[str, Settings], now: Settings, outcome: Compared | KbtuiError) -> None:
        super().__init__()
        self.profile = profile
        self.now = now
        self.outcome = outcome


class Saving(Comparing):
    """A desk from which numbers go into the project's kbtui.toml."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "save", "Save", id="explore.save", tooltip="Write these numbers to kbtui.toml; shown first"),
        Binding(
            "P", "profiles", "Profiles", show=False, id="explore.profiles", tooltip="Named numbers: load, save, compare"
        ),
    ]

    def action_save(self) -> None:
        """Show what saving would change in the project's file, and do it when that is agreed to."""
        values = self.session.settings.differing(self.session.saved)
        if not values:
            self.tell("Nothing to save: these are the numbers of the file.")
            return
        now = self.session.settings

        def saved() -> None:
            self.session.saved = now

        self._offer(values, "", saved)

    def _offer(self, values: dict[str, Value], profile: str, done: Callable[[], object]) -> None:
        edit = attempt(lambda: edited(self.errands.place.file, values, profile=profile))
        if isinstance(edit, KbtuiError):
            self.tell(f"{edit.message}. {edit.hint}", wrong=True)
            return

        def agreed(yes: bool | None) -> None:
            if not yes:
                return
            outcome = attempt(lambda: write(edit))
            if isinstance(outcome, KbtuiError):
                self.tell(f"{outcome.message}. {outcome.hint}", wrong=True)
                return
            done()
            self.tell(f"Wrote {edit.path}.")

        says = PROFILE_EFFECT if profile else EFFECT

        def lines(_: int) -> list[Line]:
            return [*edit_lines(edit), (), *(((said, "dim"),) for said in says)]

        self.app.push_screen(Sheet("save", lines, "writes it"), agreed)

    def action_profiles(self) -> None:
        """List the profiles: load one, hold one against now, or save the present numbers as one."""
        choices = [Choice(value=_KEEP, name="save as …", help="give the present numbers a name", group="now")]
        for group, verb, said in (("load", "load", "take its numbers"), ("hold against now", "diff", "side by side")):
            choices += [
                Choice(value=f"{verb}:{name}", name=name, help=said, group=group) for name in self.session.profiles
            ]
        self.app.push_screen(Chooser("profiles", tuple(choices)), self._do_with_profile)

    def _do_with_profile(self, value: str | None) -> None:
        verb, _, name = (value or "").partition(":")
        if verb == _KEEP:
            self._name_profile()
        elif verb == "load":
            if self.session.restore(self.session.profiles[name]):
                self.resettle()
        elif verb == "diff" and self.session.answer is not None:
            query, named, now = self.session.answer.query, self.session.profiles[name], self.session.settings

            def look(library: Library) -> Iterator[Message]:
                yield ProfileAnswered((name, named), now, attempt(lambda: library.compare(query, named, now)))

            self.errands.fetch("profile", self, look)

    def on_profile_answered(self, event: ProfileAnswered) -> None:
        """Show a profile and the present numbers side by side."""
        if isinstance(event.outcome, KbtuiError):
            self.tell(event.outcome.message, wrong=True)
            return
        name, settings = event.profile
        first = Try(name=name, settings=settings, answer=event.outcome.before)
        second = Try(name="now", settings=event.now, answer=event.outcome.after)
        self.app.push_screen(Sheet("profile", lambda width: difference_lines(first, second, width)))

    def _name_profile(self) -> None:
        now = self.session.settings
        values = now.differing(self.session.saved)

        def check(name: str, _: bool) -> str:
            if not name.strip():
                return "A profile needs a name."
            outcome = attempt(lambda: edited(self.errands.place.file, values, profile=name.strip()))
            return outcome.message if isinstance(outcome, KbtuiError) else ""

        def done(name: str | None) -> None:
            if name:
                self._offer(values, name.strip(), lambda: self.session.profiles.update({name.strip(): now}))

        if values:
            said = "The profile's name; it holds what differs from the file."
            self.app.push_screen(Prompt("save a profile", "", said, check), done)
        else:
            self.tell("Nothing to save: these are the numbers of the file.")


def edit_lines(edit: Edit) -> list[Line]:
    """Return the lines of a file that a change would change, the way people show them."""
    lines: list[Line] = [
        ((text.safe_line(str(edit.path)), "strong"), ("" if edit.before is not None else "  new", "cut"))
    ]
    lines.append(())
    for line in edit.lines:
        number = (f"{line.number:>4} ", "dim")
        if line.old is not None:
            lines.append((number, (f"- {text.safe_line(line.old)}", "penalty")))
        if line.new is not None:
            lines.append((number, (f"+ {text.safe_line(line.new)}", "boost")))
    lines.extend((("! ", "error"), (text.safe_line(problem), "")) for problem in edit.problems)
    return lines
