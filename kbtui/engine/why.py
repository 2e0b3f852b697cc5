"""Why: the first stage that lost a document, read from an answer, and the changes that bring it in.

Nothing is ranked here. What an answer does not say (how deep in its pool a document lies, what it would score) is
asked of the same pipeline with a larger k, or with the document included by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from kbtui.engine.bring import Watch, bring, held
from kbtui.engine.expand import Admission, excluded
from kbtui.engine.pipeline import Evidence, Pipeline
from kbtui.engine.plan import asked_types
from kbtui.engine.reach import rank_in
from kbtui.errors import UsageError
from kbtui.model import (
    Answer,
    Depth,
    Document,
    Entry,
    Filters,
    Gap,
    Gathered,
    LostAt,
    Plan,
    Pool,
    Query,
    Related,
    Row,
    Skipped,
    TermGap,
    TypeCount,
    Why,
)
from kbtui.settings import Settings


def why(
    evidence: Evidence,
    query: Query,
    settings: Settings,
    doc_id: str,
    watch: Watch = lambda _number, _setting: True,
    diagnosed: Callable[[Why], None] = lambda _: None,
) -> Why:
    """Return why a document of the generation is, or is not, in the answer to a query under these settings.

    ``watch`` is told of each trial of a change, and can end them; ``diagnosed`` of all but the changes, before the
    first trial.

    Errors: those of the answer itself.
    """
    (document,) = evidence.documents((doc_id,))
    remembering = _Remembering(evidence)
    pipeline, inventory = Pipeline(remembering), evidence.inventory()
    answer = pipeline.answer(query, settings)
    types = asked_types(query.source_types, inventory) if query.source_types else ()
    reason, remedy = excluded(document, Admission(source_types=types, filters=query.filters))
    if reason:
        then = "" if document.archived else _let_in(pipeline, query, settings, document)
        remedy = f"{remedy}{then}"
        return Why(query=query, doc_id=doc_id, document=document, stage="filter", reason=reason, remedy=remedy)
    said = _diagnosed(pipeline, query, settings, document, answer)
    if held(answer, doc_id) is not None or said.stage == "copy":  # ask of the one that stands for it
        return said
    diagnosed(said)
    documents = sum(count.documents for count in inventory)
    found = bring(_Asked(pipeline, query), settings, document, answer, documents, watch)
    return replace(said, changes=found.changes, runs=found.runs, exhausted=found.exhausted)


def _let_in(pipeline: Pipeline, query: Query, settings: Settings, document: Document) -> str:
    """Return what becomes of a document when nothing that was asked for keeps it out."""
    lifted = replace(query, source_types=(), filters=Filters(inactive=True))
    try:
        answer = pipeline.answer(lifted, settings)
    except UsageError as error:
        return f"; with nothing kept out there is no answer: {error.message}"
    said = _diagnosed(pipeline, lifted, settings, document, answer)
    where = {"answer": "in the answer", "rank": "outranked", "budget": "dropped", "pool": "in no pool"}
    return f"; with nothing kept out it is {where.get(said.stage, 'refused')} ({said.reason})"


def not_indexed(query: Query, name: str, skipped: tuple[Skipped, ...]) -> Why:
    """Return why a name stands for no document of the generation."""
    wanted = name.strip().removeprefix("./").casefold()
    one = next((one for one in skipped if one.path.casefold() == wanted), None)
    if one is None:
        reason = "no document and no skipped file has this id, path, alias or title"
        remedy = "see that it lies in the folder that was indexed and that no ignore file names it; then kbtui index"
        return Why(query=query, doc_id=name, stage="index", reason=reason, remedy=remedy)
    detail = f" ({one.detail})" if one.detail else ""
    return Why(query=query, doc_id=one.path, stage="index", reason=f"skipped: {one.reason}{detail}", skipped=True)


def _diagnosed(pipeline: Pipeline, query: Query, settings: Settings, document: Document, answer: Answer) -> Why:
    """Return the stage at which a document was lost that the filters let pass, with what there is to know of it."""
    doc_id = document.doc_id
    row = next((row for row in (*answer.rows, *answer.behind) if row.document.doc_id == doc_id), None)
    neighbour = next((one for one in answer.expansions if one.doc_id == doc_id and one.outcome != "kept"), None)
    depths = _depths(answer.pools, pipeline.deeper(query, settings, document), document)
    shown = row or _what_if(pipeline, query, settings, doc_id)
    gap = _gap(answer, shown) if shown is not None and (row is None or row in answer.behind) else None
    stage, reason = _lost(answer, row, gap) if row else _never_ranked(answer, settings, doc_id, depths)
    if stage == "pool" and neighbour is not None:
        stage = "neighbour"
        reason = f"{neighbour.reason}; as a result of its own it is in no pool: {reason}"
    return Why(
        query=query,
        doc_id=doc_id,
        document=document,
        stage=stage,
        reason=reason,
        row=row,
        depths=depths,
        gap=gap,
        neighbour=neighbour,
    )


def _never_ranked(answer: Answer, settings: Settings, doc_id: str, depths: tuple[Depth, ...]) -> tuple[LostAt, str]:
    """Return the stage and the reason of a document that is neither in the answer nor behind its limit."""
    for below in answer.below:
        if below.doc_id == doc_id:
            least = settings.number("min_similarity")
            return "floor", f"its cosine is {below.similarity:.3f}, min_similarity is {least:g}, and no words found it"
    for row in (*answer.rows, *answer.behind):
        if doc_id in row.duplicates:
            place = "in the answer" if held(answer, row.document.doc_id) else "not in the answer"
            return "copy", f"it has the same text as {row.document.doc_id}, which stands for both and is {place}"
    return "pool", "; ".join(_deep(depth) for depth in depths)


def _lost(answer: Answer, row: Row, gap: Gap | None) -> tuple[LostAt, str]:
    """Return the stage and the reason by the document's row in the answer."""
    allocation = row.allocation
    if allocation.decision == "outranked":
        short = f"{gap.other_score - gap.score:.3f} short of place {gap.rank}" if gap else "no place"
        return "rank", f"rank {row.rank}, the limit is {answer.limit}: {short}"
    if allocation.decision == "dropped":
        return "budget", allocation.reason
    return "answer", f"rank {row.rank}, {allocation.decision}" + (f": {allocation.reason}" if allocation.reason else "")


def _deep(depth: Depth) -> str:
    """Return in words how far a pool was from a document."""
    if depth.rank is not None:
        return f"{depth.retriever} rank {depth.rank:,}, k is {depth.k:,}"
    return f"{depth.retriever} does not find it" + (f" ({depth.detail})" if depth.detail else "")


def _depths(pools: tuple[Pool, ...], deeper: tuple[Pool, ...], document: Document) -> tuple[Depth, ...]:
    """Return a document's true rank in both retrievers' pools of its tier, against the k that was asked."""
    asked = {(pool.tier, pool.retriever): pool for pool in pools}
    return tuple(
        Depth(
            tier=pool.tier,
            retriever=pool.retriever,
            k=asked[pool.tier, pool.retriever].k,
            rank=rank_in(pool, document.doc_id),
            total=pool.total,
            status=pool.status,
            detail=pool.detail,
        )
        for pool in deeper
    )


def _what_if(pipeline: Pipeline, query: Query, settings: Settings, doc_id: str) -> Row | None:
    """Return the row that a document has when it is added by hand; None where no budget holds it."""
    try:
        answer = pipeline.answer(replace(query, include=(doc_id,)), settings)
    except UsageError:
        return None
    return next(row for row in answer.rows if row.document.doc_id == doc_id)


def _gap(answer: Answer, row: Row) -> Gap | None:
    """Return the terms of a document beside those of the one in the last place that ranking gives."""
    ranked = [seat for seat in answer.rows if seat.origin in ("ranked", "backfill")]
    if not ranked:
        return None
    last = ranked[-1]
    own, other = ({term.name: term.value for term in one.scored.terms} for one in (row, last))
    return Gap(
        other=last.document.doc_id,
        rank=last.rank,
        score=row.scored.score,
        other_score=last.scored.score,
        terms=tuple(
            TermGap(name=name, value=own.get(name, 0.0), other=other.get(name, 0.0)) for name in {**other, **own}
        ),
    )


class _Asked:
    """A query that is asked under changing settings."""

    def __init__(self, pipeline: Pipeline, query: Query) -> None:
        self._pipeline, self._query = pipeline, query

    def seated(self, settings: Settings) -> tuple[str, ...]:
        """Return the documents that have places."""
        return self._pipeline.seated(self._query, settings)

    def answer(self, settings: Settings) -> Answer:
        """Return the answer."""
        return self._pipeline.answer(self._query, settings)


class _Remembering:
    """The evidence, asked for each plan once: two settings that make the same plan find the same."""

    def __init__(self, evidence: Evidence) -> None:
        self.generation = evidence.generation
        self._evidence = evidence
        self._gathered: dict[tuple[str, Filters, Plan], Gathered] = {}

    def gather(self, text: str, filters: Filters, plan: Plan) -> Gathered:
        """Return what is known of a plan, or ask."""
        asked = (text, filters, plan)
        if asked not in self._gathered:
            self._gathered[asked] = self._evidence.gather(text, filters, plan)
        return self._gathered[asked]

    def related(self, seeds: tuple[str, ...], candidates: tuple[str, ...]) -> Related:
        """Return the relations of these seeds."""
        return self._evidence.related(seeds, candidates)

    def inventory(self) -> tuple[TypeCount, ...]:
        """Return how many documents each type has."""
        return self._evidence.inventory()

    def documents(self, doc_ids: tuple[str, ...]) -> tuple[Document, ...]:
        """Return the documents of these ids."""
        return self._evidence.documents(doc_ids)

    def passages(self, doc_ids: tuple[str, ...]) -> tuple[tuple[Entry, ...], ...]:
        """Return every passage of each document."""
        return self._evidence.passages(doc_ids)

    def texts(self, chunk_ids: tuple[str, ...]) -> tuple[str, ...]:
        """Return the safe text of each passage."""
        return self._evidence.texts(chunk_ids)

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens of a text."""
        return self._evidence.count_tokens(text)
