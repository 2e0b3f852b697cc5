"""Including: what somebody tries on an answer from elsewhere: a document added by hand, a setting that brings it in."""

from __future__ import annotations

from dataclasses import replace

from kbtui.settings import Value
from kbtui.tui.screens.desk import NOTHING_YET
from kbtui.tui.screens.recalling import Recalling
from kbtui.tui.widgets.graph_view import GraphView
from kbtui.tui.widgets.result_list import ResultList


class Including(Recalling):
    """A desk that shows what becomes of an answer when a document is brought into it, one way or the other."""

    _sought = ""

    def seek(self) -> str:
        """Return the document that the next answer's list is to rest on, once; "" for none."""
        sought, self._sought = self._sought, ""
        return sought

    def include(self, doc_id: str) -> None:
        """Add a document to the answer by hand, or take it out again; the answer is then a what-if, and says so."""
        if self.session.answer is None:
            self.tell(NOTHING_YET)
            return
        there = next((row for row in self.session.answer.rows if row.document.doc_id == doc_id), None)
        if there is not None and doc_id not in self.session.include:
            self.tell(f"It is in the answer already: rank {there.rank}, {there.allocation.decision}.")
            return
        self._sought = doc_id
        self.session.toggle(doc_id)
        self.ask()

    def change(self, key: str, value: Value, doc_id: str) -> None:
        """Set a setting that brings a document in, and go to the list, where the document is under the cursor."""
        self.session.hold()
        self._sought = doc_id
        if self.session.turn(key, value):
            self.drawer.knobs.choose(key)
            self.tell(f"{key} is changed. u takes it back, s saves it.")
            self.resettle()
        self.action_to_list()

    def ask_inactive(self, doc_id: str) -> None:
        """Ask inactive documents, too, and rest on the document that this brings in."""
        self._sought = doc_id
        self.action_inactive()

    def search_texts(self, pattern: str) -> None:
        """Go and search the texts; the question stays what it was."""
        self.query_bar.put(self.session.query)
        self.session.searched = replace(self.session.searched, pattern=pattern)
        self.visit("search")

    def on_result_list_included(self, event: ResultList.Included) -> None:
        """Add the row's document by hand, or take it out."""
        self.include(event.doc_id)

    def on_graph_view_included(self, event: GraphView.Included) -> None:
        """Add a neighbour by hand, or take it out."""
        self.include(event.doc_id)
