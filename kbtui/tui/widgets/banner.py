"""The banner above the list: an error in place, or what the caller must know of the answer."""

from __future__ import annotations

from kbtui import text
from kbtui.errors import KbtuiError
from kbtui.model import Answer
from kbtui.tui.ink import Line, wrap
from kbtui.tui.widgets.lines import Page

_LINES = 4


class Banner(Page, can_focus=False):
    """At most a few lines, gone when there is nothing to say; the rows below stay."""

    DEFAULT_CSS = "Banner { height: auto; max-height: 6; padding: 0 1; display: none; overflow-x: hidden; }"

    def __init__(self) -> None:
        super().__init__("banner")
        self._said: list[Line] = []

    def show(
        self,
        error: KbtuiError | None,
        answer: Answer | None,
        problems: tuple[str, ...] = (),
        *,
        emptied: bool = False,
    ) -> None:
        """Say what there is to say, or vanish; ``emptied`` is a question that was taken away above its answer."""
        self._said = [(("! ", "error"), (text.safe_line(problem), "")) for problem in problems]
        if error is not None:
            self._said.append((("✗ ", "error"), (text.safe_line(error.message), "error")))
            if error.hint:
                self._said.append((("  ", ""), (text.safe_line(error.hint), "")))
            if answer is not None:
                self._said.append((("  the rows below are of the question before", "dim"),))
        elif answer is not None and emptied:
            asked = text.clip(text.safe_line(answer.query.text), 40)
            self._said.append((("◇ ", "cut"), (f"No question. The rows are still those of: {asked}", "")))
        elif answer is not None:
            self._said.extend(_notices(answer))
        self.display = bool(self._said)
        self.styles.height = "auto" if not self._said else min(6, len(self._wrapped(max(20, self.app.size.width // 2))))
        self.rebuild(home=True)

    def _wrapped(self, width: int) -> list[Line]:
        return [piece for line in self._said for piece in wrap(line, width)]

    def build(self, width: int) -> list[Line]:
        """Return what is said."""
        del width
        return self._said


def _notices(answer: Answer) -> list[Line]:
    lines: list[Line] = []
    if answer.degraded:
        lines.append((("◆ degraded: ", "error"), ("some tier did not answer in full; see pools", "")))
    for notice in answer.notices:
        if notice.severity != "info" and len(lines) < _LINES:
            lines.append((("◆ ", "cut"), (text.safe_line(notice.message), "")))
    return lines
