"""What a stand-in for the explorer finds out beside answering: names, why a document is missing, lines of texts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from kbtui.errors import UsageError
from kbtui.model import (
    Answer,
    Change,
    Depth,
    Document,
    Gap,
    Notice,
    Progress,
    Query,
    Row,
    Scored,
    Span,
    TermGap,
    TextLine,
    TextLines,
    TextQuery,
    Why,
)
from kbtui.settings import Settings


def by_hand(
    scored: list[tuple[Scored, Document]], include: tuple[str, ...], limit: int
) -> list[tuple[Scored, Document]]:
    """Return ranked documents with the included ones in the last places before the limit, unless they are before it."""
    there = {row.doc_id for _, row in scored[: limit - len(include)]}
    moved = [one for one in scored if one[1].doc_id in include and one[1].doc_id not in there]
    rest = [one for one in scored if one not in moved]
    at = limit - len(moved)
    return [*rest[:at], *moved, *rest[at:]]


def declared(answer: Answer) -> Answer:
    """Return an answer with what was added by hand said, in rows and as a notice."""
    include = answer.query.include
    if not include:
        return answer
    rows = tuple(replace(row, origin="included") if row.document.doc_id in include else row for row in answer.rows)
    notice = Notice(
        severity="warning", code="what_if", message=f"what-if: included by hand: {', '.join(include)}", remedy=""
    )
    return replace(answer, rows=rows, notices=(*answer.notices, notice))


class Inquiries:
    """Why a document is missing is found by the fake's own answers; a search of texts reads its own bodies."""

    documents: tuple[tuple[float, Document], ...]

    def query(self, query: Query, settings: Settings) -> Answer:
        """Answer a query."""
        raise NotImplementedError

    def body(self, row: Document) -> str:
        """Return a document's text."""
        raise NotImplementedError

    def named(self, words: str, limit: int) -> tuple[Document, ...]:
        """Return what holds every word."""
        wanted = words.lower().split()
        found = (row for _, row in self.documents)
        return tuple(row for row in found if all(word in f"{row.doc_id} {row.title}".lower() for word in wanted))[
            :limit
        ]

    def of_type(self, source_type: str, limit: int) -> tuple[Document, ...]:
        """Return the documents of a type."""
        found = (row for _, row in self.documents if row.source_type == source_type)
        return tuple(sorted(found, key=lambda row: row.doc_id))[:limit]

    def why(
        self,
        name: str,
        query: Query,
        settings: Settings,
        *,
        report: Callable[[Progress], None],
        cancelled: Callable[[], bool],
        diagnosed: Callable[[Why], None],
    ) -> Why:
        """Say where a document was lost; a higher limit, and no penalty, bring it in."""
        answer = self.query(query, settings)
        document = next((row for _, row in self.documents if row.doc_id == name), None)
        if document is None:
            reason = "no document and no skipped file has this id, path, alias or title"
            return Why(query=query, doc_id=name, stage="index", reason=reason, remedy="kbtui index")
        row = next(row for row in (*answer.rows, *answer.behind) if row.document.doc_id == name)
        said = self._said(query, answer, row)
        if said.stage == "answer":
            return said
        diagnosed(said)
        report(Progress(stage="change", done=1, total=0, detail="limit"))
        if cancelled():
            return replace(said, runs=1, exhausted=False)
        changes = [
            change
            for key, value in (("limit", row.rank), (f"penalty.{document.source_type}", 0.0))
            if (change := self._change(query, settings, name, key, value)) is not None
        ]
        return replace(said, changes=tuple(changes), runs=2)

    def _said(self, query: Query, answer: Answer, row: Row) -> Why:
        decision = row.allocation.decision
        last = answer.rows[-1]
        outranked = decision == "outranked"
        return Why(
            query=query,
            doc_id=row.document.doc_id,
            document=row.document,
            stage="rank" if outranked else "budget" if decision == "dropped" else "answer",
            reason=f"rank {row.rank}, the limit is {answer.limit}" if outranked else row.allocation.reason or decision,
            row=row,
            depths=(Depth(tier=row.scored.tier, retriever="dense", k=65, rank=row.rank, total=2_600),),
            gap=Gap(
                other=last.document.doc_id,
                rank=last.rank,
                score=row.scored.score,
                other_score=last.scored.score,
                terms=tuple(TermGap(name=term.name, value=term.value, other=0.2) for term in row.scored.terms),
            )
            if outranked
            else None,
        )

    def _change(self, query: Query, settings: Settings, name: str, key: str, value: float) -> Change | None:
        before = self.query(query, settings)
        after = self.query(query, settings.with_values({key: value}))
        row = next((row for row in after.rows if row.document.doc_id == name), None)
        if row is None or row.allocation.decision == "dropped":
            return None
        kept = {row.document.doc_id for row in after.rows}
        out = tuple(row.document.doc_id for row in before.rows if row.document.doc_id not in kept)
        return Change(
            key=key,
            before=settings.get(key),
            after=value,
            steps=1,
            rank=row.rank,
            fate=row.allocation.decision,
            out=out,
        )

    def search_text(
        self, query: TextQuery, *, limit: int, ceiling: int, cursor: str, cancelled: Callable[[], bool]
    ) -> TextLines:
        """Search line by line; a cursor counts the lines that were shown."""
        del cancelled
        if not query.pattern:
            raise UsageError("the pattern is empty", "It would match every line.")
        pattern = query.pattern if query.regex else re.escape(query.pattern)
        pattern = rf"\b(?:{pattern})\b" if query.word else pattern
        try:
            expression = re.compile(pattern, re.IGNORECASE if query.ignore_case else 0)
        except re.error as error:
            raise UsageError(f"{query.pattern!r} is no regular expression: {error}") from None
        rows = sorted(
            (row for _, row in self.documents if not query.source_types or row.source_type in query.source_types),
            key=lambda row: row.path,
        )
        rows = [row for row in rows if not query.paths or any(part.strip("*") in row.path for part in query.paths)]
        lines = [
            TextLine(
                path=row.path,
                source_type=row.source_type,
                number=number,
                span=Span(start=0, end=1),
                text=line,
                matches=(),
                marks=tuple(found.span() for found in expression.finditer(line)),
            )
            for row in rows
            for number, line in enumerate(self.body(row).split("\n"), 1)
            if expression.search(line)
        ]
        first = int(cursor or 0)
        page = lines[first : first + min(limit, ceiling)]
        more = first + len(page) < len(lines)
        return TextLines(
            query=query,
            limit=min(limit, ceiling),
            lines=tuple(page),
            total=len(lines),
            total_relation="eq",
            documents=len(rows),
            cursor=str(first + len(page)) if more else "",
        )
