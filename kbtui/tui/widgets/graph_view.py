"""The Graph pane: a document's neighbours as a tree that opens lazily, grouped by kind of relation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from kbtui import text
from kbtui.model import Answer, Document, Neighbour, Neighbourhood
from kbtui.tui.graph_words import ARROWS, standing
from kbtui.tui.widgets.result_list import INCLUDE


@dataclass(slots=True)
class Spot:
    """What a line of the tree stands for; ``doc_id`` is empty for a group or a remark."""

    doc_id: str = ""
    asked: bool = False


class GraphView(Tree[Spot]):
    """Neighbours of the document at the root; what is in the answer is marked, and so is what cannot be."""

    DEFAULT_CSS = "GraphView { height: 2fr; overflow-x: hidden; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Read", id="graph.read", tooltip="Read this document"),
        Binding("right", "unfold", "Unfold", show=False, id="graph.unfold", tooltip="Show what this one is related to"),
        Binding(
            "left", "fold", "Fold", show=False, id="graph.fold", tooltip="Hide it again, or go to the line above it"
        ),
        Binding("full_stop", "reroot", "Root here", id="graph.root", tooltip="Walk the graph from this document"),
        Binding("i", "include", "Include", id="graph.include", tooltip=INCLUDE),
        Binding("backspace", "back", "Root back", show=False, id="graph.back", tooltip="Back to the root before"),
        Binding("j", "cursor_down", "Down", show=False, id="graph.down", tooltip="To the line below"),
        Binding("k", "cursor_up", "Up", show=False, id="graph.up", tooltip="To the line above"),
    ]

    class Wanted(Message):
        """The neighbours of a document are to be fetched."""

        def __init__(self, doc_id: str) -> None:
            super().__init__()
            self.doc_id = doc_id

    class Opened(Message):
        """A document is to be read."""

        def __init__(self, doc_id: str) -> None:
            super().__init__()
            self.doc_id = doc_id

    class Included(Message):
        """A document is to be added to the answer by hand, or taken out again."""

        def __init__(self, doc_id: str) -> None:
            super().__init__()
            self.doc_id = doc_id

    class Rooted(Message):
        """Another document is at the root, or the same one under another answer."""

    class Resting(Message):
        """The cursor rests on another document, or on none."""

        def __init__(self, doc_id: str) -> None:
            super().__init__()
            self.doc_id = doc_id

    def __init__(self) -> None:
        super().__init__(Text("no document yet"), Spot(), id="tree")
        self.auto_expand = False
        self.guide_depth = 3
        self.answer: Answer | None = None
        self._waiting: dict[str, list[TreeNode[Spot]]] = {}
        self._path: list[str] = []

    @property
    def root_id(self) -> str:
        """The document at the root, "" before there is one."""
        return self._path[-1] if self._path else ""

    def show(self, answer: Answer | None, doc_id: str) -> None:
        """Put a document at the root and forget the way there; the same one again only renews the marks."""
        renewed = answer is not self.answer
        self.answer = answer
        if renewed or self.root_id != doc_id:
            self._path = [doc_id]
            self._plant(doc_id)

    def _plant(self, doc_id: str) -> None:
        self._waiting.clear()
        self.clear()
        self.root.data = Spot(doc_id)
        self.root.set_label(Text(text.safe_line(doc_id)))
        self.cursor_line = 0
        self._want(self.root)
        self.post_message(self.Rooted())
        self.post_message(self.Resting(doc_id))

    def _want(self, node: TreeNode[Spot]) -> None:
        spot = node.data
        if spot is None or not spot.doc_id or spot.asked:
            return
        spot.asked = True
        node.add_leaf(Text("…", style="dim"), Spot())
        self._waiting.setdefault(spot.doc_id, []).append(node)
        self.post_message(self.Wanted(spot.doc_id))

    def fill(self, found: Neighbourhood) -> None:
        """Put fetched neighbours where they are waited for."""
        for node in self._waiting.pop(found.root.doc_id, []):
            node.remove_children()
            node.set_label(self._label(found.root))
            self._branch(node, found)
            node.expand()

    def fail(self, doc_id: str, reason: str) -> None:
        """Say in place why neighbours could not be fetched."""
        for node in self._waiting.pop(doc_id, []):
            node.remove_children()
            node.add_leaf(Text(text.safe_line(reason)), Spot())
            node.expand()

    def _branch(self, node: TreeNode[Spot], found: Neighbourhood) -> None:
        groups: dict[tuple[str, str], list[Neighbour]] = {}
        for neighbour in found.neighbours:
            groups.setdefault((neighbour.direction, neighbour.kind), []).append(neighbour)
        if not groups:
            node.add_leaf(Text("no relations", style="dim"), Spot())
        above = self._above(node)
        for (direction, kind), members in sorted(groups.items(), key=lambda item: (item[0][0] == "in", item[0][1])):
            label = Text(f"{ARROWS[direction]} {text.safe_line(kind)} ", style="bold")
            label.append(str(len(members)), style="not bold")
            group = node.add(label, Spot(), expand=len(members) <= 12)
            for neighbour in members:
                self._leaf(group, neighbour, above)
        if found.hidden:
            node.add_leaf(Text(f"{found.hidden:,} more relations not listed", style="dim"), Spot())

    def _leaf(self, group: TreeNode[Spot], neighbour: Neighbour, above: frozenset[str]) -> None:
        if neighbour.document is None:
            group.add_leaf(
                Text(f"✗ {text.safe_line(neighbour.doc_id)}  not in this knowledge base", style="dim"), Spot()
            )
        elif neighbour.cycle or neighbour.doc_id in above:
            label = self._label(neighbour.document)
            group.add_leaf(Text("↻ ").append_text(label).append("  already above"), Spot(neighbour.doc_id, asked=True))
        else:
            group.add(self._label(neighbour.document), Spot(neighbour.doc_id))

    def _above(self, node: TreeNode[Spot]) -> frozenset[str]:
        ids: set[str] = set()
        at: TreeNode[Spot] | None = node
        while at is not None:
            if at.data is not None and at.data.doc_id:
                ids.add(at.data.doc_id)
            at = at.parent
        return frozenset(ids)

    def _label(self, document: Document) -> Text:
        """Return a document's line: first what an operator looks for, last the title, which may be cut off."""
        stands = standing(self.answer, document.doc_id)
        label = Text()
        if stands.mark:
            label.append(f"{stands.mark} ", style="bold")
        if stands.short and stands.short != "whole":
            label.append(f"{stands.short} ")
        label.append(f"{text.clip(text.safe_line(document.source_type), 10)} ", style="dim")
        label.append(text.safe_line(document.title or document.doc_id))
        return label

    def on_tree_node_highlighted(self, event: Tree.NodeHighlighted[Spot]) -> None:
        """Tell which document the cursor rests on."""
        event.stop()
        self.post_message(self.Resting(self.current))

    def on_tree_node_expanded(self, event: Tree.NodeExpanded[Spot]) -> None:
        """Fetch what is around a document when it is unfolded."""
        event.stop()
        self._want(event.node)

    @property
    def current(self) -> str:
        """The document under the cursor, "" for none."""
        node = self.cursor_node
        return node.data.doc_id if node is not None and node.data is not None else ""

    def action_open(self) -> None:
        """Read the document under the cursor; a group folds or unfolds."""
        if self.current:
            self.post_message(self.Opened(self.current))
        elif self.cursor_node is not None:
            self.cursor_node.toggle()

    def action_include(self) -> None:
        """Add the document under the cursor to the answer by hand, or take it out again."""
        if self.current:
            self.post_message(self.Included(self.current))

    def action_unfold(self) -> None:
        """Unfold the line under the cursor."""
        if self.cursor_node is not None and self.cursor_node.allow_expand:
            self.cursor_node.expand()

    def action_fold(self) -> None:
        """Fold the line under the cursor, or go to the one above it."""
        node = self.cursor_node
        if node is None:
            return
        if node.is_expanded and node.children:
            node.collapse()
        elif node.parent is not None:
            self.move_cursor(node.parent)

    def action_reroot(self) -> None:
        """Put the document under the cursor at the root."""
        doc_id = self.current
        if doc_id and doc_id != self.root_id:
            self._path.append(doc_id)
            self._plant(doc_id)

    def action_back(self) -> None:
        """Put the root before this one back."""
        if len(self._path) > 1:
            self._path.pop()
            self._plant(self.root_id)
