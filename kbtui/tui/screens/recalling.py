"""Recalling: a question from elsewhere is put into the bar and asked: from a room, from before, from a bookmark."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType

from kbtui import text
from kbtui.bookmarks import Bookmark
from kbtui.config_file import bookmarked, write
from kbtui.errors import KbtuiError
from kbtui.model import Query
from kbtui.settings import Settings
from kbtui.tui import only
from kbtui.tui.history import History
from kbtui.tui.looks import attempt
from kbtui.tui.screens.asking import SLASH, Asking
from kbtui.tui.screens.chooser import Choice, Chooser
from kbtui.tui.screens.prompt import Prompt
from kbtui.tui.screens.saving import Saving, edit_lines
from kbtui.tui.screens.sheet import Sheet
from kbtui.tui.widgets.query_bar import QueryBar


class Recalling(Saving):
    """A desk that can be handed a question, and remembers those that were asked."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("H,ctrl+r", "history", "History", show=False, id="explore.history", tooltip="Pick an earlier question"),
        Binding(
            "M", "bookmark", "Bookmark", show=False, id="explore.bookmark", tooltip="Keep question, filters and numbers"
        ),
        Binding(
            "B",
            "bookmarks",
            "Bookmarks",
            show=False,
            id="explore.bookmarks",
            tooltip="Go to a bookmark; rename; remove",
        ),
    ]

    history: History
    _walked: int | None = None
    _draft = Query(text="")

    def open_document(self, doc_id: str) -> None:
        """Read a document, whether it is in the list or not."""
        raise NotImplementedError

    def action_ask(self) -> None:
        """Move the keyboard to the question."""
        raise NotImplementedError

    def pose(self, query: Query, settings: Settings | None = None) -> None:
        """Ask this question, under these settings or the present ones; undo takes settings back."""
        if settings is not None and self.session.restore(settings):
            self.drawer.show(self.session.settings, self._source_types)
            self.query_bar.show(self.session.settings)
        self.put(only.safe(query))
        self._remember()
        self.ask()
        self.action_to_list()

    # --- what was asked before ------------------------------------------------------------------

    @property
    def _question(self) -> Query:
        """What stands in the fields; where that cannot be read, what the question was limited to before."""
        asked = self.query_bar.asked
        if isinstance(asked, Query):
            return asked
        return replace(self.session.query, text=self.query_bar.query_field.value, include=())

    def _remember(self) -> None:
        before, self._walked = self.history.trouble, None
        asked = self.query_bar.asked
        if not isinstance(asked, Query) or asked.text.startswith(SLASH):
            return  # a search of the texts, or what cannot be read, is no question
        self.history.keep(asked)
        if self.history.trouble and not before:
            self.tell(self.history.trouble, wrong=True)

    def on_query_bar_asked(self, event: QueryBar.Asked) -> None:
        """Remember a question that is confirmed; one that is typed on is no longer one of before."""
        self._walked = None
        if event.now:
            self._remember()

    def on_descendant_blur(self, event: events.DescendantBlur) -> None:
        """Remember a question that is left standing, and have it logged."""
        bar = self.query_bar
        if event.widget in (bar.query_field, bar.types_field) and self.app.app_focus and not bar.has_focus_within:
            self.settle()
        if event.widget is self.query_bar.query_field and self.app.app_focus and self._walked is None:
            self._remember()

    def action_older(self) -> None:
        """Go to the question before this one; what was being typed is kept for the way back."""
        questions = self.history.questions
        if self._walked is None:
            self._draft = self._question
            at = len(questions) - (1 if questions[-1:] != [self._draft] else 2)
        else:
            at = self._walked - 1
        if at >= 0:
            self._walk(at, questions[at])

    def action_newer(self) -> None:
        """Go to the question after this one, past the last to what was being typed, from there to the results."""
        questions, at = self.history.questions, self._walked
        if at is None:
            self.action_to_list()
        elif at + 1 < len(questions) and questions[at + 1] != self._draft:
            self._walk(at + 1, questions[at + 1])
        else:
            self._walk(None, self._draft)

    def _walk(self, at: int | None, question: Query) -> None:
        self._walked = at
        self.query_bar.put(question)
        typed = QueryBar.Asked(question.text, question, now=False)
        Asking.on_query_bar_asked(self, typed)

    def action_history(self) -> None:
        """List the questions, the newest first, and ask one again."""
        questions = list(reversed(self.history.questions))
        if not questions:
            self.tell("No question was asked here before.")
            return
        choices = tuple(
            Choice(value=str(at), name=each.text, help=only.written(each), group="asked before")
            for at, each in enumerate(questions)
        )

        def ask(value: str | None) -> None:
            if value:
                self.pose(questions[int(value)])

        self.app.push_screen(Chooser("questions", choices, sift=True, hint="type to find a question"), ask)

    # --- bookmarks ------------------------------------------------------------------------------

    def action_bookmark(self) -> None:
        """Keep the question with its filters and settings, by a name, in the project's file."""
        now = self._question
        if not now.text.strip():
            self.tell("There is no question to keep: ask one first.")
            return
        values = tuple(self.session.settings.differing(self.session.saved).items())
        kept = Bookmark(name="", query=now, values=values)
        said = "The bookmark's name; it holds question, filters, and what differs from the file's numbers."
        self._put_under_a_name("bookmark", text.clip(now.text, 40), said, kept, "")

    def _put_under_a_name(self, title: str, suggested: str, said: str, kept: Bookmark, instead_of: str) -> None:
        """Ask for a name, and write the bookmark under it."""
        file = self.errands.place.file

        def put(name: str, again: bool) -> str:
            name = name.strip()
            if not name:
                return "A bookmark needs a name."
            if name in self.session.bookmarks and name != instead_of and not again:
                return "There is a bookmark of this name; enter again puts this one in its place."
            outcome = attempt(lambda: write(bookmarked(file, replace(kept, name=name), instead_of=instead_of)))
            return f"{outcome.message}. {outcome.hint}" if isinstance(outcome, KbtuiError) else ""

        def done(name: str | None) -> None:
            if name:
                self.session.bookmarks.pop(instead_of, None)
                self.session.bookmarks[name.strip()] = replace(kept, name=name.strip(), file=str(file))
                self.tell(f"Kept as {name.strip()} in {file}.")

        self.app.push_screen(Prompt(title, suggested, said, put), done)

    def action_bookmarks(self) -> None:
        """List the bookmarks: go to one, give it another name, or remove it."""
        marks = self.session.bookmarks
        if not marks:
            self.tell("There is no bookmark: M keeps the question, its filters and its numbers.")
            return
        choices = [
            Choice(
                value=f"{verb}:{name}", name=name, help=_told(mark) if verb == "go" else mark.query.text, group=group
            )
            for verb, group in (("go", "go to"), ("name", "rename"), ("drop", "remove"))
            for name, mark in sorted(marks.items())
        ]
        sheet = Chooser("bookmarks", tuple(choices), sift=True, hint="type to find a bookmark")
        self.app.push_screen(sheet, self._do_with_bookmark)

    def _do_with_bookmark(self, value: str | None) -> None:
        verb, _, name = (value or "").partition(":")
        mark = self.session.bookmarks.get(name)
        if mark is None:
            return
        if verb == "go":
            settings = self.session.saved.with_values(dict(mark.values))
            self.pose(mark.query, settings)
        elif mark.file != str(self.errands.place.file):
            self.tell(f"{name} is kept in {mark.file}: change it there.")
        elif verb == "name":
            self._put_under_a_name("rename", name, "The bookmark's other name.", mark, name)
        else:
            self._remove(mark)

    def _remove(self, mark: Bookmark) -> None:
        edit = attempt(lambda: bookmarked(self.errands.place.file, None, instead_of=mark.name))
        if isinstance(edit, KbtuiError):
            self.tell(f"{edit.message}. {edit.hint}", wrong=True)
            return

        def agreed(yes: bool | None) -> None:
            outcome = attempt(lambda: write(edit)) if yes else None
            if isinstance(outcome, KbtuiError):
                self.tell(f"{outcome.message}. {outcome.hint}", wrong=True)
            elif yes:
                del self.session.bookmarks[mark.name]
                self.tell(f"Removed {mark.name}.")

        self.app.push_screen(Sheet("remove a bookmark", lambda _: edit_lines(edit), "removes it"), agreed)


def _told(mark: Bookmark) -> str:
    """Return in words what a bookmark asks, of what alone, and under how many numbers of its own."""
    limits = only.written(mark.query)
    of = f" · of {limits}" if limits else ""
    numbers = f" · {len(mark.values)} number{'s' * (len(mark.values) != 1)}" if mark.values else ""
    return f"{mark.query.text}{of}{numbers}"
