"""The Budget pane: what binds, what would fit next, and what other budgets would keep of the same documents."""

from __future__ import annotations

from collections import Counter

from kbtui import text
from kbtui.errors import KbtuiError
from kbtui.model import Answer, Fate, Span
from kbtui.settings import Settings
from kbtui.tui.curve import Climbed, Rung, climb, rungs
from kbtui.tui.figures import percent, short, split_cells
from kbtui.tui.ink import Line, Run, tier_fill, tier_ink
from kbtui.tui.looks import Fetch
from kbtui.tui.widgets.lines import Page

Found = dict[int | None, Answer | KbtuiError]
FATES: tuple[Fate, ...] = ("whole", "trimmed", "dropped")
ROOMY = 60
"""From this width on fates are told in words."""
_CHANGE = 28
"""Cells for what another budget does otherwise than the present one."""


class BudgetView(Page):
    """The bounds of the context, and the curve: a line for every budget, the present one marked."""

    HANGS = True
    DEFAULT_CSS = "BudgetView { height: 1fr; padding: 0 1; scrollbar-gutter: stable; overflow-x: hidden; }"

    def __init__(self, fetch: Fetch) -> None:
        super().__init__("budget")
        self._fetch = fetch
        self._answer: Answer | None = None
        self._settings: Settings | None = None
        self._found: Found = {}

    def show(self, answer: Answer, settings: Settings) -> None:
        """Show another answer's budget, and ask what others would keep; till that is known the old curve stays."""
        if answer is self._answer and settings == self._settings:
            return
        if self._answer is None or self._answer.query != answer.query:
            self._found = {}
        self._answer, self._settings = answer, settings
        self._fetch("curve", self, climb(answer.query, rungs(settings)))
        self.rebuild()

    def on_climbed(self, event: Climbed) -> None:
        """Draw one more line of the curve, unless another question came since."""
        event.stop()
        if self._answer is not None and event.query == self._answer.query:
            self._found[event.rung.tokens] = event.outcome
            self.rebuild()

    def build(self, width: int) -> list[Line]:
        """Return the bounds and the curve."""
        if self._answer is None or self._settings is None:
            return [(), (("Ask a question: what its context may cost is shown here.", "dim"),)]
        ladder = rungs(self._settings)
        return [
            *bounds(self._answer),
            *half_lines(self._answer, self._found, ladder),
            (),
            *curve(self._answer, self._found, ladder, width),
        ]


def bounds(answer: Answer) -> list[Line]:
    """Return what is used of each bound, which of them binds, and what would fit next."""
    usage, budget = answer.usage, answer.budget
    waits = answer.next_grant
    lines: list[Line] = [(("budget", "head"),)]
    for name, used, bound in (
        ("bytes", usage.size_bytes, budget.size_bytes),
        ("tokens", usage.tokens, budget.tokens),
    ):
        told = "  no bound" if bound is None else f" / {bound:,} {percent(used, bound):>4}"
        binds = "  binds" if waits is not None and waits.unit == name else ""
        lines.append(((f"  {name:<7}", "dim"), (f"{used:>8,}{told}", ""), (binds, "cut")))
    caps = [
        f"{bound:,} {name}"
        for name, bound in (("B", budget.document_bytes), ("tok", budget.document_tokens))
        if bound is not None
    ]
    if caps:
        lines.append(((f"  one document {', '.join(caps)}", "dim"),))
    return [*lines, *_next(answer)]


def _next(answer: Answer) -> list[Line]:
    """Return which passage the budget ended before and how much it lacks."""
    waits = answer.next_grant
    if waits is None:
        held = any(row.allocation.decision != "whole" for row in answer.rows)
        return [(("  next   " + ("nothing: documents end at their own bound" if held else "nothing waits"), "dim"),)]
    row = next(row for row in answer.rows if row.document.doc_id == waits.doc_id)
    what = "more of" if row.allocation.spans else "the first of"
    title = text.safe_line(row.document.title or row.document.doc_id)
    return [
        (("  next   ", "dim"), (f"{what} [{waits.rank}] ", ""), (title, tier_ink(row.scored.tier))),
        (
            ("  lacks  ", "dim"),
            (f"{waits.missing:,} {waits.unit}", "cut"),
            (f" (needs {waits.needs:,}, {max(0, waits.left):,} left)", "dim"),
        ),
    ]


def half_lines(answer: Answer, found: Found, ladder: tuple[Rung, ...]) -> list[Line]:
    """Return what half of the present budget would do, in words, once that is known."""
    rung = next((rung for rung in ladder if rung.half), None)
    outcome = found.get(rung.tokens) if rung is not None else None
    if rung is None or outcome is None:
        return []
    if isinstance(outcome, KbtuiError):
        said, ink = text.safe_line(outcome.message), "cut"
    else:
        said = against(answer, outcome) or "keeps the same"
        ink = "" if said == "keeps the same" else "cut"
    return [(("  half   ", "dim"), (f"{_figure(rung.tokens)} tokens: ", ""), (said, ink))]


def against(now: Answer, other: Answer) -> str:
    """Return in words what another budget does to the documents of an answer, by their numbers; "" for nothing."""
    kept = {row.document.doc_id: row.allocation.kept.size_bytes for row in other.rows}
    parts: dict[str, list[str]] = {"drops": [], "less of": [], "more of": []}
    for row in now.rows:
        before, after = row.allocation.kept.size_bytes, kept.get(row.document.doc_id, 0)
        if after != before:
            what = "more of" if after > before else "less of" if after else "drops"
            parts[what].append(str(row.rank))
    return ", ".join(f"{what} {' '.join(ranks)}" for what, ranks in parts.items() if ranks)


def _figure(tokens: int | None) -> str:
    return "none" if tokens is None else short(tokens).replace(".0", "")


def curve(now: Answer, found: Found, ladder: tuple[Rung, ...], width: int) -> list[Line]:
    """Return a line for every budget: what it keeps of each document, to one scale, and every fate's count.

    Where there is room it says, too, what is otherwise than now, by the numbers that documents have in the list.
    """
    answers = [outcome for outcome in found.values() if isinstance(outcome, Answer)]
    most = max((answer.usage.tokens for answer in answers), default=1)
    words = "whole trimmed dropped" if width >= ROOMY else " w  t  d"
    change = _CHANGE if width >= ROOMY + _CHANGE else 0
    room = max(4, width - 8 - 8 - len(words) - 2 - change)
    legend = "" if width >= ROOMY else "; w whole, t trimmed, d dropped"
    lines: list[Line] = [
        (("curve", "head"), (f"  tokens kept of a budget of so many tokens{legend}", "dim")),
        ((f"{'budget':>8} {'kept':<{room}}{'tok':>7} {words}{'  than now' if change else ''}", "dim"),),
    ]
    for rung in ladder:
        mark = "▶" if rung.present else "½" if rung.half else " "
        label: Run = (f"{mark}{_figure(rung.tokens):>7} ", "strong" if mark.strip() else "")
        outcome = found.get(rung.tokens)
        if outcome is None:
            lines.append((label, ("…", "dim")))
        elif isinstance(outcome, KbtuiError):
            lines.append((label, (text.clip(text.safe_line(outcome.message), max(1, width - 9)), "cut")))
        else:
            than_now = text.clip(f"  {against(now, outcome)}", change) if change else ""
            lines.append((label, *_kept(outcome, most, room), *_counts(outcome, words), (than_now, "dim")))
    return [*lines, *_plateau(found, ladder)]


def _kept(answer: Answer, most: int, room: int) -> list[Run]:
    """Return the tokens kept of every document as runs in its tier's pattern, the notice and marks after them."""
    kept = tuple(row.allocation.kept.tokens for row in answer.rows)
    cells = split_cells((*kept, max(0, answer.usage.tokens - sum(kept))), max(1, most), room)
    runs: list[Run] = []
    for row, cell in zip(answer.rows, cells, strict=False):
        fill = tier_fill(row.scored.tier)
        last = "▉" if fill == "█" and cell > 1 else fill
        runs.append((fill * (cell - 1) + last * min(cell, 1), tier_ink(row.scored.tier)))
    return [*runs, ("▪" * cells[-1], "cut"), (" " * (room - sum(cells)), "")]


def _counts(answer: Answer, words: str) -> list[Run]:
    counts = Counter(row.allocation.decision for row in answer.rows)
    runs: list[Run] = [(f"{short(answer.usage.tokens):>7}", "")]
    for fate, word in zip(FATES, words.split(), strict=True):
        number = counts[fate]
        ink = "dim" if not number else "" if fate == "whole" else "cut"
        runs.append((f" {number:>{max(2, len(word))}}", ink))
    return runs


def _plateau(found: Found, ladder: tuple[Rung, ...]) -> list[Line]:
    """Return from which budget on a larger one keeps no more, and why, once the curve is known to its end."""
    known = [(rung.tokens, found.get(rung.tokens)) for rung in ladder if rung.tokens is not None]
    last = known[-1][1]
    if not isinstance(last, Answer) or last.next_grant is not None:
        return []
    start = next(at for at, outcome in known if isinstance(outcome, Answer) and _spans(outcome) == _spans(last))
    whole = all(row.allocation.decision == "whole" for row in last.rows)
    why = "everything is whole" if whole else "every document is whole or at its own bound"
    return [(), ((f"  from {start:,} tokens on {why}; a larger budget keeps no more", "dim"),)]


def _spans(answer: Answer) -> list[tuple[Span, ...]]:
    return [row.allocation.spans for row in answer.rows]
