"""Comparing: an answer is pinned, later ones are held against it; tries have names, and one can go back to each."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from kbtui.tui.screens.chooser import Choice, Chooser
from kbtui.tui.screens.desk import NOTHING_YET
from kbtui.tui.screens.prompt import Prompt
from kbtui.tui.screens.sheet import Sheet
from kbtui.tui.screens.tuning import Tuning
from kbtui.tui.tries import Try, difference_lines

_KEEP = "n"
_SEPARATOR = ":"


class Comparing(Tuning):
    """A desk on which one answer lies beside the present one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "pin", "Pin", id="explore.pin", tooltip="Hold later answers against this one; again: no longer"),
        Binding("d", "diff", "Diff", show=False, id="explore.diff", tooltip="What is different from the pinned answer"),
        Binding(
            "T", "tries", "Tries", show=False, id="explore.tries", tooltip="Keep these numbers as a try, or go back"
        ),
    ]

    def _present(self, name: str) -> Try | None:
        """Return the answer shown and the settings it was asked under, by this name; None when it is yet to come."""
        session = self.session
        if session.answer is None or session.answer.trace.settings_hash != session.settings.digest():
            return None
        return Try(name=name, settings=session.settings, answer=session.answer)

    def action_pin(self) -> None:
        """Pin the answer, or take the pin out of the one that is pinned."""
        session = self.session
        if session.pinned is not None and session.pinned.answer is session.answer:
            session.pinned = None
            self.tell("No answer is pinned now.")
        elif (now := self._present("pinned")) is not None:
            session.pinned = now
            self.tell("Pinned: what moves against this answer is marked; d shows the difference.")
        else:
            self.tell(NOTHING_YET)
            return
        self.show_answer(same_question=True)

    def action_diff(self) -> None:
        """Show the pinned answer and the present one side by side."""
        reference, now = self.session.reference, self._present("now")
        if reference is None:
            self.tell("Nothing is pinned: p pins an answer, and d shows what changed since.")
        elif now is not None:
            self._side_by_side(reference, now)

    def _side_by_side(self, first: Try, second: Try) -> None:
        self.app.push_screen(Sheet("difference", lambda width: difference_lines(first, second, width)))

    def action_tries(self) -> None:
        """List the tries with their numbers: go back to one, hold one against now, or keep a new one."""
        pinned = self.session.pinned
        against = pinned.answer if pinned is not None else None
        choices = [Choice(value=_KEEP, name="keep as …", help="give the present numbers a name", group="now")]
        for each in self.session.tries:
            said = each.numbers(against)
            choices.append(Choice(value=f"back{_SEPARATOR}{each.name}", name=each.name, help=said, group="go back to"))
        for each in self.session.tries:
            choices.append(
                Choice(
                    value=f"diff{_SEPARATOR}{each.name}", name=each.name, help="side by side", group="hold against now"
                )
            )
        self.app.push_screen(Chooser("tries", tuple(choices)), self._do_with_try)

    def _do_with_try(self, value: str | None) -> None:
        if value == _KEEP:
            self._name_try()
            return
        what, _, name = (value or "").partition(_SEPARATOR)
        found = next((each for each in self.session.tries if each.name == name), None)
        now = self._present("now")
        if found is not None and what == "back":
            if self.session.restore(found.settings):
                self.resettle()
        elif found is not None and now is not None:
            self._side_by_side(found, now)

    def _name_try(self) -> None:
        now = self._present("")
        if now is None:
            self.tell(NOTHING_YET)
            return

        def keep(name: str, again: bool) -> str:
            if not name.strip():
                return "A try needs a name."
            if any(each.name == name.strip() for each in self.session.tries) and not again:
                return "There is a try of this name; enter again puts this one in its place."
            return ""

        def done(name: str | None) -> None:
            if name:
                self.session.keep_try(Try(name=name.strip(), settings=now.settings, answer=now.answer))
                self.tell(f"Kept as {name.strip()}.")

        suggested = f"try {len(self.session.tries) + 1}"
        self.app.push_screen(Prompt("keep a try", suggested, "The name of this try; T lists all.", keep), done)
