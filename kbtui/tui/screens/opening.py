"""Opening: the library comes, goes and is built while the screen is used; what is wrong with it is said in place."""

from __future__ import annotations

from kbtui.errors import KbtuiError
from kbtui.tui import messages
from kbtui.tui.screens.asking import Asking


class Opening(Asking):
    """A desk whose library may be shut, old, or being built."""

    _indexing = False
    _unopened: KbtuiError | None = None
    _unbuilt: KbtuiError | None = None

    def know_types(self, source_types: tuple[str, ...]) -> None:
        """Take in which types the library has."""
        raise NotImplementedError

    def begin(self) -> None:
        """Open the library and refresh its index, now that there is something to look at."""
        self._indexing = self.errands.index()
        self.errands.open()

    def on_library_opened(self, event: messages.LibraryOpened) -> None:
        """Ask anew what was asked before, now of this generation."""
        self.know_types(tuple(sorted({kind.source_type for kind in event.status.types})))
        self.status.show(status=event.status)
        self._unopened = None
        self._tell_troubles()
        self.ask()

    def on_library_closed(self, event: messages.LibraryClosed) -> None:
        """Say in place why there is nothing to ask, unless an index is on its way."""
        self._unopened = event.error
        self._tell_troubles()

    def on_library_healed(self, event: messages.LibraryHealed) -> None:
        """Take back what was said of a store that could not be reached."""
        del event
        self._unopened = None
        self._tell_troubles()

    def on_indexing(self, event: messages.Indexing) -> None:
        """Show how far the index is."""
        self.status.show(progress=event.progress)

    def on_indexed(self, event: messages.Indexed) -> None:
        """Take the progress away; say what went wrong."""
        self._indexing = False
        self._unbuilt = event.outcome if isinstance(event.outcome, KbtuiError) else None
        self.status.show(progress=None)
        self._tell_troubles()

    def _tell_troubles(self) -> None:
        """Show what keeps the library shut or old, the build's own reason first; an open one goes on answering."""
        old = self._unbuilt or self._unopened
        self._remarks = (f"not refreshed: {old.message}. {old.hint}",) if old and self.errands.is_open else ()
        if self.errands.is_open:
            trouble, remark = None, "not refreshed" if old is not None else ""
        elif self._indexing:
            trouble, remark = None, ""
        else:
            trouble = self._unbuilt or self._unopened
            remark = "no knowledge base is open" if trouble is not None else ""
        self._trouble = trouble
        self.status.show(remark=remark)
        self.show_banner()
