"""Recalling: a question from elsewhere is put into the bar and asked: from a room, from before, from a bookmark."""

from __future__ import annotations

from kbtui.settings import Settings
from kbtui.tui.screens.saving import Saving


class Recalling(Saving):
    """A desk that can be handed a question."""

    def open_document(self, doc_id: str) -> None:
        """Read a document, whether it is in the list or not."""
        raise NotImplementedError

    def action_ask(self) -> None:
        """Move the keyboard to the question."""
        raise NotImplementedError

    def pose(self, question: str, source_types: tuple[str, ...], settings: Settings | None = None) -> None:
        """Ask this question of these types, under these settings or the present ones; undo takes settings back."""
        if settings is not None and self.session.restore(settings):
            self.drawer.show(self.session.settings, self._source_types)
            self.query_bar.show(self.session.settings)
        self.query_bar.put(question, source_types)
        self.session.put(question, source_types)
        self.ask()
        self.action_to_list()
