"""What the log room shows: a record as a row, all of it as lines, and what asking it again would change; pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from kbtui import text
from kbtui.model import Comparison, LogRecord, Placing, Ranking, Replayed
from kbtui.settings import Settings, Value
from kbtui.tui.figures import short
from kbtui.tui.ink import Line, Run, one
from kbtui.tui.knobs import shown
from kbtui.tui.list_view import told
from kbtui.tui.tries import move_line

HELD = 20_000
"""Most records that the room holds, the newest; those before them are counted."""

_NOW = 10
"""Cells of the column that says what asking again changed."""
_FATES = {"trimmed": "cut", "dropped": "dim"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LogView:
    """The records that are held, oldest first, and how they are looked at: words that each must hold, one face."""

    records: tuple[LogRecord, ...] = ()
    damaged: int = 0
    older: int = 0
    words: str = ""
    face: str = ""
    known: frozenset[str] = field(default=frozenset(), repr=False)

    def with_more(self, records: Iterable[LogRecord], damaged: int) -> LogView:
        """Return the view with records that came; one that is there already comes once."""
        fresh = tuple(record for record in records if record.record_id not in self.known)
        held = (*self.records, *fresh)
        kept = held[-HELD:]
        known = self.known | {record.record_id for record in fresh}
        return replace(
            self, records=kept, damaged=self.damaged + damaged, older=self.older + len(held) - len(kept), known=known
        )

    @property
    def faces(self) -> tuple[str, ...]:
        """Every face that has asked, by name."""
        return tuple(sorted({record.face for record in self.records}))

    def with_next_face(self) -> LogView:
        """Return the view of the next face; after the last one, of all."""
        faces = ("", *self.faces)
        at = faces.index(self.face) if self.face in faces else 0
        return replace(self, face=faces[(at + 1) % len(faces)])

    @property
    def is_plain(self) -> bool:
        """Whether every record is shown."""
        return not self.words.strip() and not self.face

    @property
    def shown(self) -> tuple[LogRecord, ...]:
        """The records to be seen, the newest first."""
        wanted = self.words.casefold().split()
        return tuple(
            record
            for record in reversed(self.records)
            if self.face in ("", record.face) and (not wanted or _holds(record, wanted))
        )

    def told(self) -> Line:
        """Return in words how much there is, and how much of it is seen."""
        runs: list[Run] = [(f"{len(self.records):,} record{'s' * (len(self.records) != 1)}", "dim")]
        if not self.is_plain:
            words = f" with {text.safe_line(self.words.strip())}" if self.words.strip() else ""
            face = f" of {text.safe_line(self.face)}" if self.face else ""
            runs.append((f"{len(self.shown):,} shown{face}{words}", "accent"))
        if self.older:
            runs.append((f"{self.older:,} older ones not held", "cut"))
        if self.damaged:
            runs.append((f"{self.damaged:,} damaged line{'s' * (self.damaged != 1)} left out", "cut"))
        spaced = [(("  ·  ", "dim"), run) for run in runs]
        return tuple(run for pair in spaced for run in pair)[1:]


def _holds(record: LogRecord, wanted: list[str]) -> bool:
    query = record.query
    said = " ".join(
        (record.record_id, query.text, *query.source_types, *query.filters.paths, record.error, record.time)
    ).casefold()
    return all(word in said for word in wanted)


# --- a row ----------------------------------------------------------------------------------------


def heading(width: int, *, replays: bool) -> Line:
    """Return the line above the rows."""
    now = f"{'now':<{_NOW}}" if replays else ""
    words = (
        f"  {'time (UTC)':<15}{'face':<5}{'docs':>5}{'bytes':>7}{'ms':>7}  {now}question"
        if width >= 70
        else f"  {'time':<9}{'face':<5}{'docs':>4}  {now}question"
    )
    return ((text.clip(words, max(1, width)), "dim"),)


def row_line(record: LogRecord, width: int, *, replays: bool, replayed: Replayed | None) -> Line:
    """Return a record on one line; with ``replays``, what asking it again changed has a column."""
    usage = record.usage
    docs, size = (f"{usage.items}", short(usage.size_bytes)) if usage is not None else ("-", "-")
    mark = ("✗ ", "error") if record.error else ("~ ", "cut") if record.degraded else ("  ", "")
    if width >= 70:
        head = one(_time(record.time)[5:], 15, "dim"), one(record.face, 5, "accent")
        figures = f"{docs:>5}{size:>7}{record.elapsed_ms:>7,.0f}  "
    else:
        head = one(_time(record.time)[11:], 9, "dim"), one(record.face, 5, "accent")
        figures = f"{docs:>4}  "
    now = (_now(replayed),) if replays else ()
    used = 2 + sum(text.cell_width(run) for run, _ in head) + len(figures) + (_NOW if now else 0)
    return (mark, *head, (figures, ""), *now, one(record.query.text, max(0, width - used)))


def _now(replayed: Replayed | None) -> Run:
    """Return what asking again changed in a few characters."""
    if replayed is None:
        return one("", _NOW)
    difference = replayed.difference
    if difference is None:
        return one("fails", _NOW, "error")
    if difference.unchanged:
        return one("≈", _NOW, "cut") if difference.same_context is False else one("=", _NOW, "dim")
    found = {"~": difference.count("moved"), "+": difference.count("new"), "-": difference.count("out")}
    said = " ".join(f"{sign}{number}" for sign, number in found.items() if number)
    return one(said or "fates", _NOW, "accent")


def _time(time: str) -> str:
    return time[:19].replace("T", " ")


# --- all of a record ------------------------------------------------------------------------------


def record_lines(record: LogRecord, width: int) -> Iterator[Line]:
    """Yield how a record was asked and what it cost: all but its question and its results."""
    facts = (
        record.face,
        f"{_time(record.time)} UTC",
        f"{record.elapsed_ms:,.0f} ms",
        f"generation {record.generation}",
    )
    yield ((text.safe_line("  ·  ".join(facts)), "dim"),)
    if record.usage is not None:
        usage = record.usage
        degraded: tuple[Run, ...] = (
            (("  degraded: some pool did not answer in full", "cut"),) if record.degraded else ()
        )
        yield ((f"{usage.items:,} documents, {usage.size_bytes:,} bytes, {usage.tokens:,} tokens", ""), *degraded)
    if record.error:
        yield (("✗ ", "error"), (text.safe_line(record.error), ""))
    for name, values in _filters(record):
        yield ((f"{name:<9}", "dim"), (text.safe_line(", ".join(values)), ""))
    own = dict(record.changed)
    if record.values:
        yield ()
        yield (("settings", "head"), ("  • asked for by the query itself", "dim"))
    for key, value in record.values:
        yield (("• " if key in own else "  ", "accent"), one(key, min(30, max(8, width - 12))), (shown(key, value), ""))


def _filters(record: LogRecord) -> Iterator[tuple[str, tuple[str, ...]]]:
    query = record.query
    for name, values in (
        ("types", query.source_types),
        ("paths", query.filters.paths),
        ("status", query.filters.statuses),
        ("inactive", ("too",) if query.filters.inactive else ()),
        ("include", query.include),
    ):
        if values:
            yield name, values


def result_lines(placings: Sequence[Placing], width: int) -> Iterator[Line]:
    """Yield what a record got."""
    if not placings:
        return
    yield ()
    yield (("what it got", "head"),)
    for placing in placings:
        score = "" if placing.score is None else f"{placing.score:.3f}"
        ink = _FATES.get(placing.fate, "")
        cells = (
            (f"{placing.rank:>3} ", "dim"),
            one(placing.fate, 8, ink),
            one(score, 7, "dim"),
            one(placing.source_type, 9, "dim"),
        )
        used = sum(text.cell_width(run) for run, _ in cells)
        yield (*cells, one(placing.doc_id, max(0, width - used)))


def replay_lines(replayed: Replayed, now: Settings, width: int) -> Iterator[Line]:
    """Yield what asking a record again, under these settings, makes different."""
    yield ()
    yield (("asked again now", "head"), ("  not logged", "dim"))
    if replayed.record.error:
        yield (("it failed then: what it would get now is all new", "cut"),)
    difference = replayed.difference
    if difference is None:
        yield (("✗ it fails now: ", "error"), (text.safe_line(replayed.error), ""))
        return
    yield ((told(difference), "strong"),)
    if difference.reversals:
        pairs = len(difference.reversals)
        yield ((f"{pairs:,} pair{'s' * (pairs != 1)} in the other order than before", "accent"),)
    yield from _context(difference)
    if difference.before.generation != difference.after.generation:
        said = f"generation {difference.before.generation} → {difference.after.generation}: other documents, perhaps"
        yield ((text.safe_line(said), "cut"),)
    for key, before, after in _between(Settings().with_values(dict(replayed.record.values)), now):
        yield (one(key, min(30, max(8, width - 20))), (f" {shown(key, before)} → {shown(key, after)}", "accent"))
    if difference.changes:
        yield (("was  is   change", "dim"),)
    yield from (move_line(move, width) for move in difference.changes)


def _context(difference: Comparison) -> Iterator[Line]:
    said = {True: "the same bytes", False: "other bytes", None: "unknown whether the same bytes"}
    before, after = (_cost(each) for each in (difference.before, difference.after))
    ink = "dim" if difference.same_context else "accent"
    yield (("context  ", "dim"), (said[difference.same_context], ink), (f"  {before} → {after}", ""))
    for each, when in ((difference.before, "then"), (difference.after, "now")):
        if each.degraded:
            yield ((f"degraded {when}: some pool did not answer in full", "cut"),)


def _cost(ranking: Ranking) -> str:
    return f"{short(ranking.usage.size_bytes)} B, {short(ranking.usage.tokens)} tok"


def _between(before: Settings, after: Settings) -> list[tuple[str, Value, Value]]:
    return [(key, before.get(key), value) for key, value in after.differing(before).items()]
