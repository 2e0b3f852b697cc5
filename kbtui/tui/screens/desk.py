"""What the working screen offers beside its own work: help for each pane, zoom, ways for its data to leave the app."""

from __future__ import annotations

import subprocess
from asyncio import to_thread
from typing import ClassVar

from textual.app import SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.widget import Widget

from kbtui.errors import KbtuiError
from kbtui.model import Answer, Row
from kbtui.tui import clipboard, copies, editor, messages
from kbtui.tui.errands import Errands
from kbtui.tui.export import Export, exports
from kbtui.tui.pane_help import PANE_HELP
from kbtui.tui.screens.chooser import Choice, Chooser
from kbtui.tui.screens.wayfinding import Wayfinder
from kbtui.tui.session import Session
from kbtui.tui.widgets.pane_tabs import PANES, RESULTS
from kbtui.tui.widgets.read_view import ReadView

PANE_OF = {"query-bar": "query", "left": RESULTS, "drawer": "tune"} | {pane.name: pane.name for pane in PANES}
"""The pane that a widget belongs to, by the id of the nearest one around it."""
ZOOMS = {"left": "-zoom-left", "right": "-zoom-right", "drawer": "-zoom-drawer"}
"""What can be zoomed, and the class that the screen has meanwhile."""
NOTHING_YET = "There is no answer yet: ask a question first."


class Desk(Wayfinder):
    """A screen with a session; nothing here ranks, packs or lays anything out."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy", "Copy", id="app.copy", tooltip="Copy id, path, context, JSON, command or MCP call"),
        Binding(
            "o", "edit", "Edit", show=False, id="app.edit", tooltip="Open the file in $EDITOR, at its best passage"
        ),
        Binding("z", "zoom", "Zoom", show=False, id="app.zoom", tooltip="Give the whole screen to this pane, and back"),
    ]

    session: Session
    errands: Errands
    _last_focus: Widget | None = None

    @property
    def row(self) -> Row | None:
        """The row that the cursor is on."""
        raise NotImplementedError

    @property
    def marked(self) -> tuple[Row, ...]:
        """The rows that are marked, in rank order."""
        raise NotImplementedError

    # --- finding one's way ----------------------------------------------------------------------

    @property
    def place(self) -> str:
        """The name of the pane that the keyboard is in."""
        if self.focused is not None:
            for node in self.focused.ancestors_with_self:
                if node.id in PANE_OF:
                    return PANE_OF[node.id]
        return RESULTS

    @property
    def shows(self) -> str:
        """What the pane with the keyboard shows, in a few sentences."""
        return PANE_HELP[self.place]

    def reveal(self, widget: Widget) -> None:
        """Bring the pane of a widget to light, and the keyboard into it."""
        for node in widget.ancestors_with_self:
            if node.id == "drawer":
                self.add_class("-tuning")
            elif node.id in PANE_OF and node.id != "query-bar":
                self.action_pane(PANE_OF[node.id])
        widget.focus()

    def action_pane(self, name: str) -> None:
        """Open a pane."""
        raise NotImplementedError

    # --- zoom -----------------------------------------------------------------------------------

    def action_zoom(self) -> None:
        """Give the screen to the pane with the keyboard, or take it back."""
        if not self.unzoom():
            self.set_class(True, "-zoom", ZOOMS[self._zone()])

    def _zone(self) -> str:
        nodes = self.focused.ancestors_with_self if self.focused is not None else ()
        return next((node.id for node in nodes if node.id in ZOOMS), "left")

    def unzoom(self) -> bool:
        """Show everything again; say whether something was zoomed."""
        zoomed = self.has_class("-zoom")
        self.remove_class("-zoom", *ZOOMS.values())
        return zoomed

    def zoom_to(self, zone: str) -> None:
        """Let the zoom, when there is one, go to another part of the screen."""
        if self.has_class("-zoom"):
            self.remove_class(*ZOOMS.values())
            self.add_class(ZOOMS[zone])

    def on_descendant_focus(self) -> None:
        """Let the zoom follow the keyboard; the question ends it."""
        self._last_focus = self.focused
        if self.place == "query":
            self.unzoom()
        else:
            self.zoom_to(self._zone())

    def on_resize(self) -> None:
        """Give the keyboard back to where it was, when that can be seen again."""
        self.call_after_refresh(self._refocus)

    def _refocus(self) -> None:
        if self.focused is None and self._last_focus is not None:
            self._last_focus.focus(scroll_visible=False)

    # --- copying --------------------------------------------------------------------------------

    def action_copy(self) -> None:
        """Offer what can be copied."""
        answer, row = self.session.answer, self.row
        if answer is None:
            self.tell(NOTHING_YET)
            return
        self.offer_copies(self._forms(answer, row))

    def offer_copies(self, forms: list[tuple[Choice, str]]) -> None:
        """Let one of these texts be chosen, and copy it."""

        def copy(value: str | None) -> None:
            for choice, words in forms:
                if choice.value == value:
                    self.run_worker(self._put(choice.name, words), group="copy", exit_on_error=False)

        self.app.push_screen(Chooser("copy", tuple(choice for choice, _ in forms)), copy)

    def _forms(self, answer: Answer, row: Row | None) -> list[tuple[Choice, str]]:
        """Return what can be copied, the context first."""
        place, settings = self.errands.place, self.session.settings
        shell = copies.command_line(answer.query, settings, place.loaded, place.store)
        forms = [
            (Choice(value="y", key="y", name="context", help="the text an agent gets, byte for byte"), answer.context),
            (Choice(value="j", key="j", name="JSON", help="what `kbtui query --json` prints"), copies.as_json(answer)),
            (Choice(value="l", key="l", name="command line", help="the `kbtui query` that gives this answer"), shell),
            (
                Choice(value="m", key="m", name="MCP call", help="the tool call that gives an agent this answer"),
                copies.mcp_call(answer.query, settings, place.loaded),
            ),
        ]
        marked = self.marked
        if marked:
            for key, name, parts in (
                ("i", "marked ids", [each.document.doc_id for each in marked]),
                ("p", "marked paths", [each.document.path for each in marked]),
            ):
                said = f"of {len(marked):,} marked rows, one a line"
                forms.append((Choice(value=key, key=key, name=name, help=said), "\n".join(parts)))
        elif row is not None:
            document = row.document
            forms += [
                (Choice(value="i", key="i", name="id", help=document.doc_id), document.doc_id),
                (Choice(value="p", key="p", name="path", help=document.path), document.path),
            ]
        return forms

    async def _put(self, name: str, words: str) -> None:
        """Copy with a program where there is one; through the terminal where there is none, or it fails."""
        tool = clipboard.tool(self.errands.place.environ)
        wrong = await to_thread(clipboard.put, words, tool) if tool is not None else ""
        said = f"Copied: {name}, {len(words.encode('utf-8', 'replace')):,} bytes, "
        if tool is not None and not wrong:
            self.tell(f"{said}{tool.where}.")
            return
        self.app.copy_to_clipboard(words)
        why = f" ({wrong})" if wrong else ""
        self.tell(f"{said}through the terminal (OSC 52){why}. A terminal may refuse, and does not say so.")

    # --- the editor -----------------------------------------------------------------------------

    def action_edit(self) -> None:
        """Find the file of the document that is read, or of the row's, and the line where one is in it."""
        for reader in self.query(ReadView):
            if reader.has_focus and reader.reading is not None:
                self.errands.locate(reader.reading.document.doc_id, 0, reader.line)
                return
        row = self.row
        if row is None:
            self.tell(NOTHING_YET)
            return
        best = max(row.passages, key=lambda passage: passage.match.score, default=None)
        self.errands.locate(row.document.doc_id, best.span.start if best is not None else 0)

    def on_located(self, event: messages.Located) -> None:
        """Hand the terminal to the editor, and take it back when that ends."""
        try:
            if isinstance(event.outcome, KbtuiError):
                raise event.outcome
            words = editor.chosen(self.errands.place.environ)
            command = editor.command(words, event.outcome.file, event.outcome.line)
            with self.app.suspend():
                done = subprocess.run(command, check=False)
        except KbtuiError as error:
            self.tell(f"{error.message}. {error.hint}", wrong=True)
        except (OSError, SuspendNotSupported) as error:
            self.tell(f"The editor cannot be started: {error}", wrong=True)
        else:
            self.refresh()
            if done.returncode:
                self.tell(f"{words[0]} ended with {done.returncode}.", wrong=True)

    # --- exports --------------------------------------------------------------------------------

    @property
    def exports(self) -> tuple[Export, ...]:
        """What can be written to a file."""
        return exports(self.session.answer)

    @property
    def export_name(self) -> str:
        """The question."""
        return self.session.text
