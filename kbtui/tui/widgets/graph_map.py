"""The Graph pane: the tree of neighbours, and below or beside it a map of what is nearest around the root."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.message import Message

from kbtui import text
from kbtui.errors import KbtuiError
from kbtui.model import Answer, EgoMap
from kbtui.tui import keymap
from kbtui.tui.chart import chart
from kbtui.tui.doors import Library
from kbtui.tui.graph_words import additions, standing, summary
from kbtui.tui.ink import Line
from kbtui.tui.looks import Fetch, Look, attempt
from kbtui.tui.screens.chooser import Choice, Chooser
from kbtui.tui.widgets.graph_view import GraphView
from kbtui.tui.widgets.lines import Page, Plate

LEAST_ROWS = 14
"""A pane with fewer rows shows the tree alone."""
ADDED = "a"
"""The key that lists what the graph added, unless the configuration has another."""
BESIDE = 100
"""From this width on the map stands beside the tree."""


class Mapped(Message):
    """A document's map came back."""

    def __init__(self, doc_id: str, outcome: EgoMap | KbtuiError) -> None:
        super().__init__()
        self.doc_id = doc_id
        self.outcome = outcome


def mapped(doc_id: str) -> Look:
    """Return the look that lays out what is around a document."""

    def look(library: Library) -> Iterator[Message]:
        yield Mapped(doc_id, attempt(partial(library.ego_map, doc_id)))

    return look


class GraphMap(Plate):
    """What is nearest around the root, drawn; what the tree's cursor rests on is marked, with its relations."""

    DEFAULT_CSS = "GraphMap { height: 1fr; width: 1fr; }"

    def __init__(self) -> None:
        super().__init__(id="map")
        self._outcome: EgoMap | KbtuiError | None = None
        self._ranks: dict[str, int] = {}
        self._cursor = ""
        self._drawn: tuple[tuple[int, int], list[Line]] | None = None

    def show(self, outcome: EgoMap | KbtuiError | None) -> None:
        """Show another map, or why there is none."""
        self._outcome = outcome
        self._redraw()

    def mark(self, doc_id: str, answer: Answer | None) -> None:
        """Mark another document, and what is in the answer."""
        rows = answer.rows if answer is not None else ()
        ranks = {row.document.doc_id: row.rank for row in rows}
        if (doc_id, ranks) != (self._cursor, self._ranks):
            self._cursor, self._ranks = doc_id, ranks
            self._redraw()

    def _redraw(self) -> None:
        self._drawn = None
        self.refresh()

    def lines(self, width: int) -> list[Line]:
        """Return the map, drawn once for its size."""
        size = (width, self.size.height)
        if self._drawn is None or self._drawn[0] != size:
            self._drawn = (size, self._draw(*size))
        return self._drawn[1]

    def _draw(self, width: int, height: int) -> list[Line]:
        if self._outcome is None:
            return [(("─" * width, "rule"),), (("…", "dim"),)]
        if isinstance(self._outcome, KbtuiError):
            return [(("─" * width, "rule"),), ((text.clip(text.safe_line(self._outcome.message), width), "error"),)]
        ego = self._outcome
        more = f", {ego.more} more near" if ego.more else ""
        told = text.clip(f"─ map: {len(ego.nodes)} documents{more} · ● in the answer ", max(1, width))
        head: Line = ((told, "dim"), ("─" * max(0, width - len(told)), "rule"))
        return [head, *chart(ego, self._ranks, self._cursor, width, max(0, height - 1))]


class GraphTold(Page, can_focus=False):
    """Below the tree: how the document under its cursor stands in the answer, and what the graph did to all of it."""

    DEFAULT_CSS = "GraphTold { height: auto; max-height: 5; overflow-x: hidden; overflow-y: hidden; }"
    HANGS = True

    def __init__(self) -> None:
        super().__init__("graph-told")
        self._told: tuple[Answer | None, str] = (None, "")

    def show(self, answer: Answer | None, doc_id: str) -> None:
        """Tell of another document."""
        if (answer, doc_id) != self._told:
            self._told = (answer, doc_id)
            self.rebuild(home=True)

    def build(self, width: int) -> list[Line]:
        """Return a rule, the document's path with its standing, and the summary."""
        answer, doc_id = self._told
        if answer is None:
            return []
        lines: list[Line] = [(("─" * width, "rule"),)]
        if doc_id:
            lines += [((text.safe_line(doc_id), "dim"),), ((standing(answer, doc_id).whole, ""),)]
        key = keymap.shown(keymap.remapped(self.app, "graph.added", ADDED))
        return [*lines, ((f"{key}: {summary(answer)}", "accent"),)]


class GraphPane(Container):
    """The tree and the map of one root; the keyboard is in the tree."""

    DEFAULT_CSS = """
    GraphPane { height: 1fr; layout: vertical; padding: 0 1; }
    GraphPane.-beside { layout: horizontal; }
    GraphPane #graph-tree { height: 1fr; width: 1fr; }
    GraphPane.-beside GraphMap { height: 1fr; width: 1fr; }
    GraphPane.-short GraphMap, GraphPane.-unmapped GraphMap { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            ADDED, "added", "Added", id="graph.added", tooltip="All that the graph added to this answer, or refused"
        ),
        Binding("m", "toggle_map", "Map", id="graph.map", tooltip="Show the map, or the tree alone"),
    ]

    def __init__(self, tree: GraphView, fetch: Fetch) -> None:
        super().__init__(id="graph")
        self._tree = tree
        self._fetch = fetch
        self._wanted = ""
        self.told = GraphTold()
        self.map = GraphMap()

    def compose(self) -> ComposeResult:
        """Lay out the tree with what is told below it, and the map."""
        yield Vertical(self._tree, self.told, id="graph-tree")
        yield self.map

    def focus(self, scroll_visible: bool = True) -> GraphPane:
        """Move the keyboard to the tree."""
        self._tree.focus(scroll_visible)
        return self

    def on_resize(self, event: events.Resize) -> None:
        """Give the map the room there is."""
        self.set_class(event.size.height < LEAST_ROWS, "-short")
        self.set_class(event.size.width >= BESIDE, "-beside")
        self._look()

    def on_graph_view_rooted(self, event: GraphView.Rooted) -> None:
        """Draw what is around another root."""
        event.stop()
        self.map.show(None)
        self._wanted = ""
        self._look()

    def on_graph_view_resting(self, event: GraphView.Resting) -> None:
        """Mark on the map what the cursor rests on."""
        event.stop()
        self.told.show(self._tree.answer, event.doc_id)
        self.map.mark(event.doc_id, self._tree.answer)

    def on_mapped(self, event: Mapped) -> None:
        """Show a map, unless another root was chosen since."""
        event.stop()
        if event.doc_id == self._tree.root_id:
            self.map.show(event.outcome)

    def _look(self) -> None:
        """Ask for the root's map, once, and only where it is seen."""
        root = self._tree.root_id
        if root and root != self._wanted and not self.has_class("-short") and not self.has_class("-unmapped"):
            self._wanted = root
            self._fetch("map", self, mapped(root))

    def action_added(self) -> None:
        """List what the graph added to the whole answer, and what it refused; enter reads a document."""
        answer = self._tree.answer
        if answer is None:
            return
        choices = tuple(
            Choice(value=each.doc_id, name=each.name, help=each.words, group=each.group) for each in additions(answer)
        )

        def read(doc_id: str | None) -> None:
            if doc_id:
                self._tree.post_message(GraphView.Opened(doc_id))

        self.app.push_screen(Chooser(summary(answer), choices, hint="enter reads it"), read)

    def action_toggle_map(self) -> None:
        """Show the map, or give its room to the tree."""
        if self.has_class("-short"):
            self.notify(f"The map needs {LEAST_ROWS} rows.", markup=False)
            return
        self.toggle_class("-unmapped")
        self._look()
