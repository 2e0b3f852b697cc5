"""What the corpus room shows, section by section, as rows; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from kbtui import text
from kbtui.model import Budget, Document, Oversized, Status, Survey, TypeStatus
from kbtui.settings import TIER_TYPES
from kbtui.tui.figures import bar, percent, short
from kbtui.tui.ink import Line, one, tier_fill, tier_ink

Draw = Callable[[int], Line]
"""A line for a width."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A row: how it is drawn, what there is to say of it below the list, and what Enter can do with it.

    ``doc_id`` is a document to read, ``source_type`` a type to ask; "" for neither.
    """

    draw: Draw
    said: str
    doc_id: str = ""
    source_type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A line between rows, on which no cursor rests."""

    draw: Draw


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the room under its own tab; ``count`` is None where a count says nothing."""

    name: str
    count: int | None
    items: tuple[Entry | Heading, ...]
    empty: str = ""


def sections(status: Status, survey: Survey) -> tuple[Section, ...]:
    """Return everything there is to show."""
    return (
        Section(name="types", count=len(status.types), items=tuple(_types(status)), empty="Nothing is indexed yet."),
        Section(name="skipped", count=len(status.skipped), items=tuple(_skipped(status)), empty="No file was skipped."),
        Section(
            name="dangling",
            count=survey.dangling_total,
            items=tuple(_dangling(survey)),
            empty="Every relation leads to a document.",
        ),
        Section(
            name="oversized",
            count=survey.over_budget + survey.over_document,
            items=tuple(_oversized(survey)),
            empty="Every document fits into a context whole.",
        ),
        Section(
            name="duplicates",
            count=survey.duplicate_groups,
            items=tuple(_duplicates(survey)),
            empty="No two documents have the same bytes.",
        ),
        Section(
            name="notices",
            count=len(status.notices),
            items=tuple(_notices(status)),
            empty="There is nothing else that you must know.",
        ),
        Section(name="store", count=None, items=tuple(_store(status))),
    )


def documents(source_type: str, found: tuple[Document, ...], total: int) -> Section:
    """Return the documents of a type as a section of their own, without a tab; ``total`` counts them all."""
    said = f"{total:,} document{'s' * (total != 1)} of the type {text.safe_line(source_type)}"
    items: list[Entry | Heading] = [_heading(said), *map(_document, found), *_rest(len(found), total)]
    return Section(name=source_type, count=total, items=tuple(items))


def _document(each: Document) -> Entry:
    cost = f"{short(each.text_bytes)} B  {short(each.tokens)} tok"
    status = f", {each.status}" if each.status else ""
    return Entry(
        draw=_two(each.doc_id, cost),
        said=f"{each.title}: {each.doc_id}, {each.text_bytes:,} bytes, {each.tokens:,} tokens{status}",
        doc_id=each.doc_id,
    )


def _heading(words: str, ink: str = "head") -> Heading:
    return Heading(draw=lambda width: ((text.clip(words, max(0, width)), ink),))


def _rest(listed: int, total: int) -> Iterator[Heading]:
    if total > listed:
        yield _heading(f"and {total - listed:,} more, not listed", "cut")


# --- types ----------------------------------------------------------------------------------------

_FIGURES = (("documents", 10), ("passages", 9), ("dense", 6), ("bytes", 7), ("tokens", 7))
"""The columns and how wide they are."""
_WIDE = sum(width for _, width in _FIGURES)


def _types(status: Status) -> Iterator[Entry | Heading]:
    if not status.types:
        return
    yield Heading(draw=lambda width: _columns("type", tuple(name for name, _ in _FIGURES), width, "dim"))
    tiers = [name for name, _ in TIER_TYPES]
    ordered = sorted(status.types, key=lambda each: (_place(each.tier, tiers), -each.size_bytes, each.source_type))
    for tier, group in groupby(ordered, key=lambda each: each.tier):
        yield from _tier(tier, tuple(group), status)


def _place(tier: str, tiers: list[str]) -> int:
    return tiers.index(tier) if tier in tiers else len(tiers)


def _tier(tier: str, types: tuple[TypeStatus, ...], status: Status) -> Iterator[Entry | Heading]:
    figures = _figures(types)
    size = sum(each.size_bytes for each in types)
    yield Heading(
        draw=lambda width: (*_columns(tier, figures, width, tier_ink(tier)), *_bar(size, status, tier, width))
    )
    for each in types:
        yield _type(each, status)


def _type(each: TypeStatus, status: Status) -> Entry:
    figures = _figures((each,))
    return Entry(
        draw=lambda width: (
            *_columns(each.source_type, figures, width, "", indent=2),
            *_bar(each.size_bytes, status, each.tier, width),
        ),
        said=(
            f"{each.source_type}, of the tier {each.tier}: documents {each.documents:,}, passages {each.chunks:,}, "
            f"embedded {each.embedded:,}, bytes {each.size_bytes:,}, tokens {each.tokens:,}. Enter asks this type."
        ),
        source_type=each.source_type,
    )


def _figures(types: Iterable[TypeStatus]) -> tuple[str, ...]:
    found = tuple(types)
    chunks = sum(each.chunks for each in found)
    dense = percent(sum(each.embedded for each in found), chunks) if chunks else "-"
    size, tokens = (sum(each.size_bytes for each in found), sum(each.tokens for each in found))
    return (f"{sum(each.documents for each in found):,}", f"{chunks:,}", dense, short(size), short(tokens))


def _columns(name: str, figures: tuple[str, ...], width: int, ink: str, *, indent: int = 0) -> Line:
    """Return a name and its figures."""
    room = max(8, min(24, width - _WIDE)) - indent
    cells = "".join(f"{figure:>{size}}" for figure, (_, size) in zip(figures, _FIGURES, strict=True))
    return (" " * indent, ""), one(name, room, ink), (cells, "dim" if ink == "dim" else "")


def _bar(size: int, status: Status, tier: str, width: int) -> Line:
    """Return a part of all bytes as a bar in the pattern of its tier, where there is room for one."""
    room = min(30, width - 24 - _WIDE - 7)
    if room < 8 or not status.size_bytes:
        return ()
    cells = max(1, round(room * size / status.size_bytes)) if size else 0
    return (
        (f" {tier_fill(tier) * cells}", tier_ink(tier)),
        (f" {percent(size, status.size_bytes)}", "dim"),
    )


# --- what deserves a look -------------------------------------------------------------------------


def _skipped(status: Status) -> Iterator[Entry | Heading]:
    for reason, group in groupby(sorted(status.skipped, key=lambda each: each.reason), key=lambda each: each.reason):
        files = tuple(group)
        yield _heading(f"{len(files):,} {text.safe_line(reason)}")
        for each in files:
            why = f"{each.reason}: {each.detail}" if each.detail else each.reason
            yield Entry(
                draw=_two(each.path, each.detail),
                said=f"{each.path} was left out, {why}. Nothing of it can be found or read.",
            )


def _dangling(survey: Survey) -> Iterator[Entry | Heading]:
    for target, group in groupby(survey.dangling, key=lambda each: each.target):
        relations = tuple(group)
        counted = f"{relations[0].times:,} relation{'s' * (relations[0].times != 1)}"
        yield Heading(draw=_two(target, counted, "head", indent=0))
        for each in relations:
            yield Entry(
                draw=_two(each.source, each.kind),
                said=f"{each.source} leads to {target} ({each.kind}), and no document goes by that name.",
                doc_id=each.source,
            )
    yield from _rest(len(survey.dangling), survey.dangling_total)


def _oversized(survey: Survey) -> Iterator[Entry | Heading]:
    budget = survey.budget
    bounds = (
        ("budget", survey.over_budget, f"larger than the whole budget ({_bounds(budget.size_bytes, budget.tokens)})"),
        (
            "document",
            survey.over_document,
            f"never whole: larger than a document's part ({_bounds(*_part(budget))})",
        ),
    )
    for bound, total, words in bounds:
        if total:
            yield _heading(f"{total:,} {words}")
            listed = [each for each in survey.oversized if each.bound == bound]
            yield from (_large(each) for each in listed)
            yield from _rest(len(listed), total)


def _part(budget: Budget) -> tuple[int | None, int | None]:
    return budget.document_bytes, budget.document_tokens


def _bounds(size_bytes: int | None, tokens: int | None) -> str:
    said = [f"{short(bound)} {unit}" for bound, unit in ((size_bytes, "B"), (tokens, "tok")) if bound is not None]
    return ", ".join(said) or "no bound"


def _large(each: Oversized) -> Entry:
    document, share = each.document, each.share
    cost = f"{short(document.text_bytes):>6} B {short(document.tokens):>6} tok  "

    def draw(width: int) -> Line:
        runs: list[tuple[str, str]] = [("  ", "")]
        if share is not None:
            gauge = bar(min(1.0, share), 8) if width >= 70 else ""
            runs += [(gauge, "cut" if each.bound == "budget" else "accent"), (f"{100 * share:>5.0f}% ", "")]
        runs += [(cost, "dim"), one(document.doc_id, max(0, width - sum(len(run) for run, _ in runs) - len(cost)))]
        return tuple(runs)

    of_budget = "" if share is None else f", {100 * share:,.0f}% of the budget"
    said = f"{document.doc_id}: {document.text_bytes:,} bytes, {document.tokens:,} tokens{of_budget}. {document.title}"
    return Entry(draw=draw, said=said, doc_id=document.doc_id)


def _duplicates(survey: Survey) -> Iterator[Entry | Heading]:
    for each in survey.duplicates:
        yield _heading(f"{len(each.doc_ids):,} documents of the same {short(each.size_bytes)} bytes")
        for doc_id in each.doc_ids:
            others = ", ".join(other for other in each.doc_ids if other != doc_id)
            yield Entry(
                draw=_two(doc_id, ""),
                said=f"{doc_id} has the bytes of {others}. An answer holds at most one of them.",
                doc_id=doc_id,
            )
    yield from _rest(len(survey.duplicates), survey.duplicate_groups)


def _notices(status: Status) -> Iterator[Entry | Heading]:
    for notice in status.notices:
        ink = {"error": "error", "warning": "cut"}.get(notice.severity, "dim")
        yield Entry(
            draw=_two(notice.message, notice.severity, ink),
            said=f"{notice.severity}: {notice.message}" + (f". {notice.remedy}" if notice.remedy else ""),
        )


# --- the store ------------------------------------------------------------------------------------


def _store(status: Status) -> Iterator[Entry | Heading]:
    facts = (
        ("corpus", status.corpus),
        ("store", status.store),
        ("generation", status.generation),
        ("published", status.built.replace("T", " ").replace("+00:00", " UTC") or "unknown"),
        ("ages as of", status.day or "unknown"),
        ("on disk", f"{status.stored_bytes:,} bytes in {status.parts:,} parts"),
        ("documents", f"{status.documents:,}, {status.size_bytes:,} bytes, {status.tokens:,} tokens"),
        ("passages", f"{status.chunks:,}"),
        ("embedded", f"{status.embedded:,}, {percent(status.embedded, status.chunks)} of the passages"),
        ("relations", f"{status.relations:,}, {status.dangling:,} of them dangling"),
        ("embedder", status.embedder),
        ("tokenizer", status.tokenizer),
    )
    for name, value in facts:
        yield Entry(draw=_fact(name, value), said=f"{name}: {value}")


def _fact(name: str, value: str) -> Draw:
    return lambda width: ((f"  {name:<12}", "dim"), one(value, max(0, width - 14)))


def _two(name: str, aside: str, ink: str = "", *, indent: int = 2) -> Draw:
    """Return how a name is drawn with a few words at the right, which take at most half of the line."""
    shown = text.safe_line(aside)

    def draw(width: int) -> Line:
        side = text.clip(shown, max(0, width // 2 - 2))
        room = max(0, width - indent - text.cell_width(side) - (1 if side else 0))
        return (" " * indent, ""), one(name, room, ink), (f" {side}" if side else "", "dim")

    return draw
