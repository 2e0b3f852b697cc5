"""Everything but answers as text for people: what a store holds, what a build did, relations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from kbtui.model import BuildReport, Neighbour, Neighbourhood, Skipped, Status, Survey
from kbtui.render.layout import notice_lines, one_line, plural, share, table
from kbtui.text import safe_line

_NAMED = 10
"""How many of a list are named; the rest is counted."""


def status_text(status: Status, survey: Survey) -> str:
    """Return what a generation holds, by type, what was skipped, and what else deserves a look."""
    lines = [
        f"store       {safe_line(status.store)}",
        f"corpus      {safe_line(status.corpus)}",
        f"generation  {one_line(status.generation)}, published {one_line(status.built, 30)}",
        f"on disk     {status.stored_bytes:,} bytes in {plural(status.parts, 'part')}",
        f"documents   {status.documents:,} ({status.size_bytes:,} bytes, {status.tokens:,} tokens)",
        f"passages    {status.chunks:,}, {share(status.embedded, status.chunks)} embedded",
        f"relations   {status.relations:,}, {status.dangling:,} of them dangling",
        f"embedder    {one_line(status.embedder, 60)}",
        f"tokenizer   {one_line(status.tokenizer, 60)}",
        f"search      at most {plural(status.search_limit, 'line')} at once",
    ]
    if status.types:
        head = ("tier", "type", "documents", "passages", "embedded", "bytes", "tokens")
        rows = [
            (
                one_line(each.tier, 10),
                one_line(each.source_type, 16),
                f"{each.documents:,}",
                f"{each.chunks:,}",
                share(each.embedded, each.chunks),
                f"{each.size_bytes:,}",
                f"{each.tokens:,}",
            )
            for each in status.types
        ]
        lines += ["", *table([head, *rows], "<<>>>>>")]
    lines += ["", *_skipped(status.skipped), *_dangling(survey), *_oversized(survey), *_duplicates(survey)]
    lines += [line for notice in status.notices for line in notice_lines(notice)]
    return _text(lines)


def build_text(report: BuildReport) -> str:
    """Return what a build did, in a few lines."""
    changes = f"{report.added:,} added, {report.changed:,} changed, {report.removed:,} removed"
    lines = [
        f"{plural(report.documents, 'document')} ({changes}) in {report.elapsed_ms / 1000:.1f} s",
        f"{plural(report.chunks, 'passage')}: {report.embedded:,} embedded now, {report.from_cache:,} from the cache"
        + (f", {report.pending:,} still to embed" if report.pending else ""),
        *_skipped(report.skipped),
        f"generation {one_line(report.generation)}",
    ]
    return _text(lines)


def neighbours_text(around: Neighbourhood) -> str:
    """Return relations as an indented list, the root first; ``->`` leads away from a document, ``<-`` to it."""
    root = around.root
    lines = [f"{safe_line(root.doc_id)}  {one_line(root.title, 60)}"]
    children: dict[str, list[Neighbour]] = {}
    for near in around.neighbours:
        children.setdefault(near.parent, []).append(near)
    stack = list(reversed(children.pop(root.doc_id, [])))
    while stack:
        near = stack.pop()
        lines.append("  " * near.depth + _relation(near))
        if not near.cycle:
            stack += reversed(children.pop(near.doc_id, []))
    if not around.neighbours:
        lines.append("  no relations")
    if around.hidden:
        lines.append(f"  and {plural(around.hidden, 'relation')} more, not shown")
    return _text(lines)


def _relation(near: Neighbour) -> str:
    arrow = f"-{near.kind}->" if near.direction == "out" else f"<-{near.kind}-"
    said = f"{one_line(arrow, 40)} {safe_line(near.doc_id)}"
    if near.document is None:
        return f"{said}  (dangling: no such document)"
    return f"{said}  (met above)" if near.cycle else f"{said}  {one_line(near.document.title, 60)}"


def _skipped(skipped: tuple[Skipped, ...]) -> list[str]:
    """Return how many files were left out for which reason, and the first of them by name."""
    if not skipped:
        return ["no file skipped"]
    reasons = Counter(one_line(each.reason, 60) for each in skipped)
    counted = ", ".join(f"{number:,} {reason}" for reason, number in sorted(reasons.items()))
    lines = [f"{plural(len(skipped), 'file')} skipped: {counted}"]
    for each in skipped[:_NAMED]:
        detail = f" ({one_line(each.detail, 60)})" if each.detail else ""
        lines.append(f"  {safe_line(each.path)}: {one_line(each.reason, 60)}{detail}")
    return lines + _more(len(skipped) - _NAMED)


def _dangling(survey: Survey) -> list[str]:
    if not survey.dangling_total:
        return ["no relation dangles"]
    named = [
        f"  {safe_line(each.source)} -{one_line(each.kind, 20)}-> {safe_line(each.target)}"
        for each in survey.dangling[:_NAMED]
    ]
    lines = [f"{plural(survey.dangling_total, 'relation')} dangling, the commonest targets first:", *named]
    return lines + _more(survey.dangling_total - len(named))


def _oversized(survey: Survey) -> list[str]:
    total = survey.over_budget + survey.over_document
    if not total:
        return ["no document is larger than its bound"]
    whole, one = ("larger than the budget of a context", "than a document's part of it")
    named = []
    for each in survey.oversized[:_NAMED]:
        share = "" if each.share is None else f", {100 * each.share:,.0f}% of the budget"
        size = f"{each.document.text_bytes:,} bytes, {each.document.tokens:,} tokens"
        named.append(f"  {safe_line(each.document.doc_id)}: {size}{share}")
    lines = [f"{plural(survey.over_budget, 'document')} {whole}, {survey.over_document:,} more {one}:", *named]
    return lines + _more(total - len(named))


def _duplicates(survey: Survey) -> list[str]:
    if not survey.duplicate_groups:
        return ["no two documents have the same bytes"]
    named = [
        "  "
        + ", ".join(safe_line(doc_id) for doc_id in each.doc_ids[:4])
        + (f", and {len(each.doc_ids) - 4:,} more" if len(each.doc_ids) > 4 else "")
        for each in survey.duplicates[:_NAMED]
    ]
    said = (
        f"{survey.duplicate_documents:,} documents share {plural(survey.duplicate_groups, 'text')}; an answer has one"
    )
    return [f"{said} of each:", *named, *_more(survey.duplicate_groups - len(named))]


def _more(number: int) -> list[str]:
    return [f"  and {number:,} more; see --json"] if number > 0 else []


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
