"""The Explain pane: why a document stands where it stands, what it costs, and what was done to it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from textual.message import Message

from kbtui import text
from kbtui.errors import KbtuiError
from kbtui.model import Answer, Passage, Row, ScoreTerm, Via
from kbtui.render.layout import plural
from kbtui.settings import Settings
from kbtui.tui.doors import Library
from kbtui.tui.figures import percent
from kbtui.tui.graph_words import ARROWS, seeds, via_words
from kbtui.tui.ink import Line, Run, tier_fill, tier_ink
from kbtui.tui.levers import rivals
from kbtui.tui.looks import Fetch, Look, attempt
from kbtui.tui.widgets.lines import Page

BLANK: Line = ()
_NAME = 18
_NEIGHBOURS_ORDER = (
    "Their order: what supersedes a row, then one of each row in turn, its own links before links to it, "
    "mentions last. The score below does not order them."
)
ROOMY = 52
"""From this width on the running sum stands beside each term."""


class WordsMatched(Message):
    """Which of the query's words a row's best passage holds, and which it does not, came back."""

    def __init__(self, row: Row, outcome: tuple[tuple[str, ...], tuple[str, ...]] | KbtuiError) -> None:
        super().__init__()
        self.row = row
        self.outcome = outcome


def matched(query_text: str, row: Row) -> Look:
    """Return the look that compares the query's words with a row's best passage, as the lexical index does."""

    def look(library: Library) -> Iterator[Message]:
        best = row.passages[0]
        find = partial(library.matched_words, query_text, row.document.doc_id, best.span)
        yield WordsMatched(row, attempt(find))

    return look


class ExplainView(Page):
    """The terms of a score as signed bars that add up, then how it was found and what it costs."""

    HANGS = True
    DEFAULT_CSS = "ExplainView { height: 1fr; padding: 0 1; scrollbar-gutter: stable; overflow-x: hidden; }"

    answer: Answer | None = None
    row: Row | None = None

    def __init__(self, fetch: Fetch) -> None:
        super().__init__("explain")
        self._fetch = fetch
        self._settings = Settings()
        self._words: WordsMatched | None = None

    def show(self, answer: Answer, row: Row | None, settings: Settings) -> None:
        """Explain another row; its words come as soon as its best passage was read."""
        other = self.row is None or row is None or self.row.document.doc_id != row.document.doc_id
        if other or self.answer is None or self.answer.query != answer.query:
            self._words = None
        self.answer, self.row, self._settings = answer, row, settings
        if row is not None and row.passages and self._words is None:
            self._fetch("words", self, matched(answer.query.text, row))
        self.rebuild(home=other)

    def on_words_matched(self, event: WordsMatched) -> None:
        """Show which words matched, unless another row or question came since."""
        event.stop()
        if self.row is not None and self.answer is not None and event.row == self.row:
            self._words = event
            self.rebuild()

    def build(self, width: int) -> list[Line]:
        """Return the explanation."""
        if self.answer is None or self.row is None:
            return [BLANK, (("Ask a question: the row under the cursor is explained here.", "dim"),)]
        row = self.row
        return [
            *_title(row),
            *_place(row, self.answer),
            BLANK,
            *terms(row.scored.terms, width),
            BLANK,
            *_found(row, self.answer, self._words),
            BLANK,
            *_cost(row, self.answer),
            BLANK,
            *would_matter(self.answer, row, self._settings),
        ]


def _title(row: Row) -> list[Line]:
    document, tier = row.document, row.scored.tier
    marks = [word for word in ("archived", "inactive", "superseded") if getattr(document, word)]
    facts = [text.safe_line(row.scored.source_type), f"rank {row.rank}", *marks]
    if document.status:
        facts.append(f"status {text.safe_line(document.status)}")
    dated = document.updated or document.created
    if dated:
        facts.append(text.safe_line(dated))
    return [
        ((text.safe_line(document.title) or text.safe_line(document.doc_id), "strong"),),
        ((text.safe_line(document.path), "dim"),),
        ((f"{tier_fill(tier)} {text.safe_line(tier)}", tier_ink(tier)), ("  ·  " + "  ·  ".join(facts), "")),
    ]


def _place(row: Row, answer: Answer) -> list[Line]:
    """Return, of a row that has its place not by its score, how it came to it; nothing of the others."""
    if row.origin != "neighbour" or row.via is None:
        return []
    places = plural(answer.expand, "place")
    return [
        BLANK,
        (("↳ ", "accent"), (f"The graph brought it, {via_words(answer, row.via)}.", "strong")),
        (
            (f"  {places} of {answer.limit} are kept for neighbours of the first {seeds(answer)} rows (", ""),
            ("expand", "accent"),
            ("), below them.", ""),
        ),
        ((f"  {_NEIGHBOURS_ORDER}", "dim"),),
    ]


def terms(parts: tuple[ScoreTerm, ...], width: int) -> list[Line]:
    """Return the terms as a waterfall: each bar begins where the one before it ended, and the last end is the score."""
    reached = [0.0]
    for part in parts:
        reached.append(reached[-1] + part.value)
    low = min(reached)
    high = max(*reached, low + 1e-9)
    roomy = width >= ROOMY
    room = max(4, width - _NAME - 10 - 8 * roomy)

    def cell(value: float) -> int:
        return round((value - low) / (high - low) * room)

    lines: list[Line] = [(("score", "head"), (f"{reached[-1]:>{_NAME + 4}.3f}", "strong"))]
    for part, start in zip(parts, reached, strict=False):
        left, right = sorted((cell(start), cell(start + part.value)))
        down = part.value < 0
        fill = ("░" if down else "█") * max(right - left, 1 if part.value else 0)
        ink = "penalty" if down else "boost"
        name = text.clip(text.safe_line(part.name), _NAME)
        lines.append(
            (
                (f"  {name:<{_NAME}}", "" if part.value else "dim"),
                (f"{part.value:>+7.3f} ", ink if part.value else "dim"),
                (f"{start + part.value:>7.3f} " if roomy else "", "dim"),
                (" " * min(left, room - len(fill)) + fill, ink),
            )
        )
        if part.detail:
            lines.append(((f"    {text.safe_line(part.detail)}", "dim"),))
    return lines


def _found(row: Row, answer: Answer, words: WordsMatched | None) -> list[Line]:
    lines: list[Line] = [(("found by", "head"),)]
    lines += [(("  = ", "accent"), (f"same text: {text.safe_line(doc_id)}", "")) for doc_id in row.duplicates]
    if row.via is not None:
        lines.append(_via(row.via))
    if row.origin == "backfill":
        lines.append((("  filled a place that the graph did not use", "dim"),))
    if row.origin == "included":
        lines.append((("  included by hand: a what-if", "accent"),))
    for passage in row.passages:
        lines.extend(_passage(passage))
    if row.via is None and not row.passages and row.origin != "backfill":
        lines.append((("  no passage of its own matched", "dim"),))
    if words is not None:
        lines.extend(_words(words))
    return [*lines, *_pool(row, answer)]


def _words(words: WordsMatched) -> list[Line]:
    """Return the query's words that the best passage holds, and those that it does not, stems counted as equal."""
    if isinstance(words.outcome, KbtuiError):
        return [((f"  {text.safe_line(words.outcome.message)}", "error"),)]
    held, missing = (" ".join(map(text.safe_line, part)) for part in words.outcome)
    return [
        (("  words      ", "dim"), (held or "none", "match" if held else "dim")),
        *([(("  not there  ", "dim"), (missing, "dim"))] if missing else []),
    ]


def _pool(row: Row, answer: Answer) -> list[Line]:
    """Return what its pool asked, found and kept, by meaning and by words, and how many of it are in the response."""
    tier = row.scored.tier
    pools = [pool for pool in answer.pools if pool.tier == tier] or list(answer.pools)
    used = sum(one.scored.tier == tier for one in answer.rows)
    if not pools:
        return []
    name = text.safe_line(pools[0].tier)

    def both(numbers: list[int]) -> str:
        return "/".join(f"{number}" for number in numbers)

    found, left = both([pool.found for pool in pools]), both([pool.survived for pool in pools])
    return [
        (
            ("  pool       ", "dim"),
            (name, tier_ink(tier)),
            (f": asked {pools[0].k}, found {found}, left {left}, used {used}", ""),
        )
    ]


def would_matter(answer: Answer, row: Row, settings: Settings) -> list[Line]:
    """Return the rows above and below: the gap, the terms that make it, and the settings that would turn it."""
    lines: list[Line] = [(("would matter", "head"), ("  by these terms, nearest first", "dim"))]
    if row.origin == "neighbour":
        return [*lines, (("  its place is the graph's: ", "dim"), ("expand, neighbour.decay", "accent"))]
    for rival in rivals(answer, row, settings):
        arrow, verb = ("↑", "leads by") if rival.leads >= 0 else ("↓", "trails by")
        title = text.clip(text.safe_line(rival.row.document.title or rival.row.document.doc_id), 40)
        lines.append(((f"  {arrow} {rival.row.rank} ", "strong"), (title, ""), (f" {verb} {abs(rival.leads):.3f}", "")))
        made = "  ".join(f"{text.safe_line(name)} {value:+.3f}" for name, value in rival.made_of[:3])
        lines.append(((f"      {made}", "dim"),))
        for lever in rival.levers:
            steps = f"{lever.steps} step{'s' * (lever.steps != 1)}"
            lines.append(
                (
                    (f"      {text.safe_line(lever.key)} ", "accent"),
                    (f"{lever.now:g} → {lever.wanted:g}", ""),
                    (f"  {steps}", "dim"),
                )
            )
    if row.allocation.decision == "outranked":
        lines.append((("  or  ", "dim"), ("limit ", "accent"), (f"{answer.limit} → {row.rank} or more", "")))
    return lines


def _via(via: Via) -> Line:
    words = "links to it" if via.direction == "out" else "is linked from it"
    return (
        (f"  ↳ {ARROWS[via.direction]} {text.safe_line(via.kind)} ", "accent"),
        (f"{text.safe_line(via.seed)} {words}, depth {via.depth}", ""),
    )


def _passage(passage: Passage) -> list[Line]:
    heading = " › ".join(text.safe_line(part) for part in passage.heading) or "(no heading)"
    match = passage.match
    ways: list[Run] = []
    for name, rank, share, raw in (
        ("meaning", match.dense_rank, match.dense, match.dense_raw),
        ("words", match.lexical_rank, match.lexical, match.lexical_raw),
    ):
        told = "not found" if rank is None else f"#{rank} {share or 0.0:.2f}" + (f" raw {raw:.4g}" if raw else "")
        ways.append((f"{name} {told}  ", "" if rank is not None else "dim"))
    return [
        (("  ▪ ", "match"), (heading, ""), (f"  {passage.span.start:,}-{passage.span.end:,}", "dim")),
        (("    ", ""), *ways),
    ]


def _cost(row: Row, answer: Answer) -> list[Line]:
    allocation = row.allocation
    document = row.document
    size = allocation.cost.size_bytes or document.text_bytes
    tokens = allocation.cost.tokens or document.tokens
    lines: list[Line] = [
        (("cost", "head"), (f"  {allocation.decision}", "strong" if allocation.decision == "whole" else "cut")),
        (("  whole      ", "dim"), (f"{size:>7,} B {tokens:>6,} tok", "")),
    ]
    if allocation.decision in {"whole", "trimmed"}:
        kept, upto = allocation.kept, allocation.cumulative
        share = percent(kept.size_bytes, answer.usage.size_bytes)
        lines.append((("  in context ", "dim"), (f"{kept.size_bytes:>7,} B {kept.tokens:>6,} tok {share:>4}", "")))
        lines.append((("  up to here ", "dim"), (f"{upto.size_bytes:>7,} B {upto.tokens:>6,} tok", "")))
    if allocation.decision == "trimmed":
        spans = ", ".join(f"{span.start:,}-{span.end:,}" for span in allocation.spans)
        lines.append((("  spans      ", "dim"), (spans, "")))
    if allocation.reason:
        lines.append(((f"  {text.safe_line(allocation.reason)}", "cut"),))
    return lines
