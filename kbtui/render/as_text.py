"""An answer as text for people: a table that fits 80 columns, then in words whatever was cut or is amiss."""

from __future__ import annotations

from collections.abc import Sequence

from kbtui.model import Answer, Fate, Match, Passage, Row, Step, Via
from kbtui.render.layout import WIDTH, at_least, cut_sentence, folded, notice_lines, one_line, plural, table
from kbtui.text import cell_width, safe_line

_HEAD = ("#", "tier", "type", "score", "penalty", "bytes", "tokens", "kept", "fate")
_ALIGNED = "><<>>>>><"
_INDENT = "    "
_BELOW_LISTED = 5
_FATES: tuple[Fate, ...] = ("whole", "trimmed", "dropped")


def answer_text(
    answer: Answer, *, candidates: bool = False, context: bool = False, explain: bool = False, trace: bool = False
) -> str:
    """Return an answer; the rows behind the limit, the context, every term and the trace where asked for."""
    lines = _summary(answer)
    if answer.rows:
        lines += ["", *_rows(answer.rows, explain)]
    if candidates and answer.behind:
        lines += ["", f"Behind the limit: {plural(len(answer.behind), 'document')}", *_rows(answer.behind, explain)]
    said = _said(answer)
    lines += ["", *said] if said else []
    if trace:
        lines += ["", *_trace(answer)]
    text = "\n".join(lines) + "\n"
    return f"{text}\ncontext\n{answer.context}" if context else text


def notices_text(answer: Answer) -> str:
    """Return what is to be said of an answer beside its context, one thing a line; "" for nothing."""
    return "".join(f"{line}\n" for notice in answer.notices for line in notice_lines(notice))


def _summary(answer: Answer) -> list[str]:
    usage, budget = answer.usage, answer.budget
    if not answer.rows:
        return [f"No document answers: {one_line(answer.query.text, 58)}"]
    total = at_least(answer.total, answer.total_relation)
    fates = [(sum(row.allocation.decision == fate for row in answer.rows), fate) for fate in _FATES]
    return [
        one_line(answer.query.text),
        f"{len(answer.rows)} of {total} {'document' if answer.total == 1 else 'documents'}: "
        + ", ".join(f"{n} {fate}" for n, fate in fates if n),
        f"context: {_of(usage.size_bytes, budget.size_bytes)} bytes, {_of(usage.tokens, budget.tokens)} tokens",
    ]


def _of(used: int, bound: int | None) -> str:
    return f"{used:,} (no bound)" if bound is None else f"{used:,} of {bound:,}"


def _rows(rows: tuple[Row, ...], explain: bool) -> list[str]:
    """Return the table; under each row its title, its id, and what else there is to know."""
    head, *lines = table([_HEAD, *(_figures(row) for row in rows)], _ALIGNED)
    out = [head]
    for line, row in zip(lines, rows, strict=True):
        out += [line, _INDENT + one_line(row.document.title, 76), _INDENT + safe_line(row.document.doc_id)]
        out += [f"{_INDENT}same text: {safe_line(doc_id)}" for doc_id in row.duplicates]
        if row.via is not None:
            out += folded(_brought(row.via), _INDENT)
        if row.origin == "included":
            out += folded("included by hand: a what-if", _INDENT)
        if row.allocation.reason:
            out += folded(row.allocation.reason, _INDENT)
        if explain:
            out += [*_terms(row), *(f"{_INDENT}{_passage(passage)}" for passage in row.passages)]
    return out


def _figures(row: Row) -> tuple[str, ...]:
    penalty, allocation = row.scored.penalty, row.allocation
    return (
        str(row.rank),
        one_line(row.scored.tier, 10),
        one_line(row.document.source_type, 10),
        f"{row.scored.score:.3f}",
        f"{penalty:+.2f}" if penalty else "-",
        f"{allocation.cost.size_bytes:,}",
        f"{allocation.cost.tokens:,}",
        f"{allocation.kept.size_bytes:,}",
        allocation.decision,
    )


def _brought(via: Via) -> str:
    arrow = f"-{via.kind}->" if via.direction == "out" else f"<-{via.kind}-"
    return f"neighbour: {via.seed} {arrow} this, depth {via.depth}"


def _terms(row: Row) -> list[str]:
    """Return the terms as a sum; those of 0 say why they are."""
    names = [one_line(term.name, 30) for term in row.scored.terms]
    left = WIDTH - len(_INDENT) - len("+0.0000") - 2 * len("  ") - max(map(cell_width, names), default=0)
    terms = [
        (f"{term.value:+.4f}", name, one_line(term.detail, left))
        for term, name in zip(row.scored.terms, names, strict=True)
    ]
    return table([*terms, (f"{row.scored.score:+.4f}", "score", "their sum")], "><<", _INDENT)


def _passage(passage: Passage) -> str:
    where = one_line(" > ".join(passage.heading) or "(no heading)", 40)
    span = f"bytes {passage.span.start:,}-{passage.span.end:,}"
    return ", ".join((f"{passage.match.score:.3f}  {where}", span, *_ranks(passage.match)))


def _ranks(match: Match) -> list[str]:
    ranks = (("dense", match.dense_rank), ("lexical", match.lexical_rank))
    return [f"{name} #{rank}" for name, rank in ranks if rank is not None]


def _said(answer: Answer) -> list[str]:
    """Return every truncation and notice in words."""
    cuts = [line for cut in answer.truncations for line in folded(cut_sentence(cut))]
    below = [f"{_INDENT}{one.similarity:.3f}  {safe_line(one.doc_id)}" for one in answer.below[:_BELOW_LISTED]]
    if len(answer.below) > _BELOW_LISTED:
        below.append(f"{_INDENT}and {len(answer.below) - _BELOW_LISTED:,} more: see below_min_similarity in --json")
    if below:
        cuts += ["Below min_similarity, by cosine:", *below]
    return cuts + [line for notice in answer.notices for line in notice_lines(notice)]


def _trace(answer: Answer) -> list[str]:
    trace = answer.trace
    head = f"trace: generation {one_line(trace.generation, 30)}, settings {trace.settings_hash}"
    return [head, *table([("stage", "in", "out", "ms", ""), *map(_step, trace.steps)], "<>>><"), *_notes(trace.steps)]


def _step(step: Step) -> tuple[str, ...]:
    dropped = [f"{one_line(reason, 40)}: {number:,}" for reason, number in step.dropped]
    said = ["reused"] if step.reused else []
    return step.stage, f"{step.came:,}", f"{step.went:,}", f"{step.elapsed_ms:.1f}", "; ".join(said + dropped)


def _notes(steps: Sequence[Step]) -> list[str]:
    return [line for step in steps for note in step.notes for line in folded(f"{step.stage}: {note}", _INDENT)]
