"""The Pools pane: what each tier asked for, found and used, and what the stages did with it."""

from __future__ import annotations

from kbtui import text
from kbtui.errors import KbtuiError
from kbtui.model import Answer, Pool
from kbtui.settings import Settings
from kbtui.tui.ink import TIER_INKS, Line, tier_cells, tier_ink, tier_name
from kbtui.tui.looks import Fetch
from kbtui.tui.widgets.lines import Page
from kbtui.tui.widgets.starvation import Untiered, starvation, untiered

_TIER_ORDER = {name: at for at, name in enumerate(TIER_INKS)}


class PoolsView(Page):
    """A line for every pool, what no tiers would have done, then a line for every stage."""

    HANGS = True
    DEFAULT_CSS = "PoolsView { height: 1fr; padding: 0 1; scrollbar-gutter: stable; overflow-x: hidden; }"

    answer: Answer | None = None

    def __init__(self, fetch: Fetch) -> None:
        super().__init__("pools")
        self._fetch = fetch
        self._settings: Settings | None = None
        self._other: Answer | KbtuiError | None = None

    def show(self, answer: Answer, settings: Settings) -> None:
        """Show another answer's pools, and ask what one pool would have given; till that is known the old one stays."""
        if answer is self.answer and settings == self._settings:
            return
        if self.answer is None or self.answer.query != answer.query:
            self._other = None
        self.answer, self._settings = answer, settings
        if not answer.query.source_types:
            self._fetch("untiered", self, untiered(answer.query, settings))
        self.rebuild()

    def on_untiered(self, event: Untiered) -> None:
        """Show what one pool gives, unless another question came since."""
        event.stop()
        if self.answer is not None and event.query == self.answer.query:
            self._other = event.outcome
            self.rebuild()

    def build(self, width: int) -> list[Line]:
        """Return the pools and the stages."""
        if self.answer is None:
            return [(), (("Ask a question: what every tier brought is shown here.", "dim"),)]
        return [
            *pools(self.answer, width),
            (),
            *starvation(self.answer, self._other, width),
            (),
            *stages(self.answer),
            *_notices(self.answer),
        ]


ROOMY = 54
"""From this width on a pool's line says of how many documents it drew, and its status."""


def pools(answer: Answer, width: int) -> list[Line]:
    """Return what each tier asked its two retrievers for and how much of it is in the response."""
    rest = f"{'of':>8}  status" if width >= ROOMY else ""
    lines: list[Line] = [
        (("pools", "head"), ("  how many documents each may bring (asked), brought (found)", "dim")),
        (("  and has left after the filters (left); by meaning and by words", "dim"),),
        ((f"{'tier':<{tier_cells(width)}}{'by':<8}{'asked':>5}{'found':>6}{'left':>5}{rest}", "dim"),),
    ]
    tier = None
    for pool in sorted(answer.pools, key=lambda pool: _TIER_ORDER.get(pool.tier, len(_TIER_ORDER))):
        lines.extend(_pool(pool, width, name=pool.tier != tier))
        tier = pool.tier
    return lines


def _pool(pool: Pool, width: int, *, name: bool) -> list[Line]:
    cells = tier_cells(width)
    label = tier_name(pool.tier, width) if name else ""
    word = {"dense": "meaning", "lexical": "words"}[pool.retriever]
    mark = {"eq": " ", "gte": "+", "unknown": "?"}[pool.total_relation]
    ink = "dim" if pool.status in {"ok", "empty", "skipped"} else "error"
    status = f"{pool.status} {text.safe_line(pool.detail)}".rstrip()
    line: Line = (
        (f"{label:<{cells}}", tier_ink(pool.tier)),
        (f"{word:<8}{pool.k:>5}{pool.found:>6}{pool.survived:>5}", ""),
    )
    if width >= ROOMY:
        return [(*line, (f"{pool.total:>7,}{mark}", "dim"), (f"  {status}", ink))]
    return [line] if pool.status == "ok" else [line, ((f"{'':<{cells}}{status}", ink),)]


def stages(answer: Answer) -> list[Line]:
    """Return what every stage took and gave, and whether it had to run again."""
    lines: list[Line] = [(("stages", "head"), (f"   generation {text.safe_line(answer.trace.generation)}", "dim"))]
    for step in answer.trace.steps:
        reused = "kept" if step.reused else f"{step.elapsed_ms:.1f} ms"
        dropped = ", ".join(f"{count} {text.safe_line(reason)}" for reason, count in step.dropped if count)
        lines.append(
            (
                (f"  {text.safe_line(step.stage):<10}", ""),
                (f"{step.came:>6} → {step.went:<6}", ""),
                (f"{reused:>9}", "dim"),
                (f"  {dropped}", "dim"),
            )
        )
        lines.extend(((f"    {text.safe_line(note)}", "dim"),) for note in step.notes)
    return lines


def _notices(answer: Answer) -> list[Line]:
    lines: list[Line] = []
    for notice in answer.notices:
        ink = {"info": "dim", "warning": "cut", "error": "error"}[notice.severity]
        lines.append(())
        lines.append(((f"{notice.severity}: ", ink), (text.safe_line(notice.message), "")))
        if notice.remedy:
            lines.append(((f"  {text.safe_line(notice.remedy)}", "dim"),))
    return lines
