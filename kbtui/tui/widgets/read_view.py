"""The Read pane: a whole document, with the parts that are in the context marked."""

from __future__ import annotations

from dataclasses import dataclass

from kbtui import text
from kbtui.model import Document
from kbtui.tui.ink import Line, wrap
from kbtui.tui.widgets.lines import Page


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A document cut at the edges of what was granted; the pieces' texts join to the whole."""

    document: Document
    pieces: tuple[tuple[str, bool], ...]


class ReadView(Page):
    """A document's safe text; a bar at the left marks what the agent gets of it."""

    DEFAULT_CSS = "ReadView { height: 1fr; padding: 0 1; scrollbar-gutter: stable; overflow-x: hidden; }"

    reading: Reading | None = None
    note = ""

    def show(self, reading: Reading) -> None:
        """Show another document."""
        changed = self.reading is None or self.reading.document.doc_id != reading.document.doc_id
        self.reading, self.note = reading, ""
        self.rebuild(home=changed)

    def tell(self, note: str) -> None:
        """Say in place why there is no document to read."""
        self.reading, self.note = None, note
        self.rebuild(home=True)

    def build(self, width: int) -> list[Line]:
        """Return the document's lines behind their marks."""
        if self.reading is None:
            ink = "error" if self.note else "dim"
            return [(), ((text.safe_line(self.note) or "Press enter on a row to read its document here.", ink),)]
        document = self.reading.document
        granted = any(marked for _, marked in self.reading.pieces)
        legend = "▌ in the context" if granted else "not in the context"
        facts = f"{document.text_bytes:,} B, {document.tokens:,} tok  "
        return [
            ((text.safe_line(document.title) or text.safe_line(document.doc_id), "strong"),),
            ((text.safe_line(document.path), "dim"),),
            ((facts, "dim"), (legend, "match" if granted else "dim")),
            (),
            *_marked(self.reading, width),
        ]


def _marked(reading: Reading, width: int) -> list[Line]:
    """Return the text's lines, wrapped here so that every line of a granted part has its mark."""
    lines: list[Line] = []
    open_line: list[tuple[str, bool]] = []

    def finish() -> None:
        marked = any(flag for piece, flag in open_line if piece)
        runs = tuple((piece.expandtabs(4), "" if flag or not marked else "dim") for piece, flag in open_line if piece)
        mark = ("▌ ", "match") if marked else ("  ", "")
        for wrapped in wrap(runs, max(1, width - 2)):
            lines.append((mark, *wrapped))
        open_line.clear()

    for piece, flag in reading.pieces:
        first, *rest = piece.split("\n")
        open_line.append((first, flag))
        for part in rest:
            finish()
            open_line.append((part, flag))
    finish()
    return lines
