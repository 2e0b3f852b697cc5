"""Compose: what the stages did becomes the answer that every face renders: rows, notices, trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from kbtui.engine.charge import Count
from kbtui.engine.disclose import below_floor, beyond_limit
from kbtui.engine.expand import Room
from kbtui.engine.floor import kept_out
from kbtui.engine.memo import Ran
from kbtui.engine.pack import Packed, behind, outranked
from kbtui.model import (
    Allocation,
    Answer,
    Candidate,
    Cost,
    Document,
    Entry,
    Expansion,
    Folded,
    Gathered,
    Match,
    Notice,
    Origin,
    Passage,
    Plan,
    Pool,
    Query,
    Row,
    Scored,
    Selection,
    Severity,
    Step,
    Trace,
    TypeCount,
    Via,
)
from kbtui.settings import KNOBS, Settings
from kbtui.text import QUERY_CHARACTERS, QUERY_WORDS, asked_part

BELOW = "below min_similarity"

_DEGRADING: dict[str, Severity] = {"partial": "warning", "timed_out": "warning", "failed": "error"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a row shows of a document at any rank: its matched passages, and what it would cost whole."""

    passages: tuple[Passage, ...]
    cost: Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """One query's way through the stages; ``shown`` has every candidate by id."""

    query: Query
    settings: Settings
    generation: str
    inventory: tuple[TypeCount, ...]
    room: Room
    plan: Ran[Plan]
    gather: Ran[Gathered]
    floor: Ran[Gathered]
    fuse: Ran[tuple[Candidate, ...]]
    score: Ran[tuple[Scored, ...]]
    fold: Ran[Folded]
    expand: Ran[Selection]
    pack: Ran[Packed]
    shown: Mapping[str, Shown]


def show(candidates: tuple[Candidate, ...], gathered: Gathered, count: Count) -> Mapping[str, Shown]:
    """Return what is shown of each candidate, by id."""
    documents = {document.doc_id: document for document in gathered.documents}
    entries = {entry.chunk_id: entry for entry in gathered.entries}
    return {one.doc_id: _shown(one.matches, documents[one.doc_id], entries, count) for one in candidates}


def _shown(matches: tuple[Match, ...], document: Document, entries: Mapping[str, Entry], count: Count) -> Shown:
    passages = tuple(
        Passage(chunk_id=match.chunk_id, heading=entry.heading, span=entry.span, match=match)
        for match in matches
        for entry in (entries[match.chunk_id],)
    )
    return Shown(passages=passages, cost=behind(document, count))


def compose(course: Course, count: Count) -> Answer:
    """Return the answer; the context and its usage are as packed."""
    gathered, selection, packed = course.gather.result, course.expand.result, course.pack.result
    documents = {document.doc_id: document for document in gathered.documents}
    entries = {entry.chunk_id: entry for entry in gathered.entries}
    rows, others = _rows(course, documents, entries, count), _behind(course, documents, entries, count)
    below, least = kept_out(course.floor.result, course.fuse.result), course.settings.number("min_similarity")
    incomplete = any(pool.status in _DEGRADING or pool.survived >= pool.k < pool.total for pool in gathered.pools)
    return Answer(
        query=course.query,
        limit=course.room.limit,
        expand=course.room.reserve,
        budget=course.settings.budget(),
        rows=rows,
        behind=others,
        total=len(rows) + len(others),
        total_relation="gte" if others or incomplete else "eq",
        pools=gathered.pools,
        expansions=selection.expansions,
        truncations=(
            below_floor(below, least, len(course.fuse.result))
            + beyond_limit(selection, course.room.limit)
            + packed.packing.truncations
        ),
        notices=_notices(course),
        usage=packed.usage,
        context=packed.context,
        notice=packed.packing.notice,
        degraded=any(pool.status in _DEGRADING for pool in gathered.pools),
        trace=Trace(generation=course.generation, settings_hash=course.settings.digest(), steps=_steps(course)),
        below=below,
        places=packed.places,
        next_grant=packed.packing.next_grant,
    )


def _rows(course: Course, documents: dict[str, Document], entries: dict[str, Entry], count: Count) -> tuple[Row, ...]:
    """Return the response, each seat with its document, passages and allocation."""
    seats, allocations = course.expand.result.seats, course.pack.result.packing.allocations
    copies = _copies(course)
    found = []
    for seat, allocation in zip(seats, allocations, strict=True):
        document = documents[seat.scored.doc_id]
        shown = _known(course, seat.scored, document, entries, count)
        found.append(_row(document, seat.scored, shown, allocation, copies, seat.origin, seat.via))
    return tuple(found)


def _behind(course: Course, documents: dict[str, Document], entries: dict[str, Entry], count: Count) -> tuple[Row, ...]:
    """Return the ranked documents that the limit left out, their ranks continued."""
    selection, allocations = course.expand.result, course.pack.result.packing.allocations
    copies = _copies(course)
    found = []
    for rank, scored in enumerate(selection.outranked, start=len(selection.seats) + 1):
        document = documents[scored.doc_id]
        shown = _known(course, scored, document, entries, count)
        allocation = outranked(rank, document, shown.cost, allocations[-1].cumulative, count)
        found.append(_row(document, scored, shown, allocation, copies))
    return tuple(found)


def _known(course: Course, scored: Scored, document: Document, entries: dict[str, Entry], count: Count) -> Shown:
    """Return what is shown of a document, also of one that is no candidate: the graph or the operator brought it."""
    return course.shown.get(scored.doc_id) or _shown(scored.matches, document, entries, count)


def _row(
    document: Document,
    scored: Scored,
    shown: Shown,
    allocation: Allocation,
    copies: dict[str, tuple[str, ...]],
    origin: Origin = "ranked",
    via: Via | None = None,
) -> Row:
    return Row(
        rank=allocation.rank,
        document=document,
        scored=scored,
        origin=origin,
        via=via,
        passages=shown.passages,
        allocation=allocation,
        duplicates=copies.get(scored.doc_id, ()),
    )


def _copies(course: Course) -> dict[str, tuple[str, ...]]:
    """Return the documents that each one stands for, since they have its text, by id."""
    pairs = {(fold.kept, fold.doc_id) for fold in course.fold.result.folds}
    pairs |= {(one.same_as, one.doc_id) for one in course.expand.result.expansions if one.same_as}
    return {kept: tuple(sorted(copy for stands, copy in pairs if stands == kept)) for kept, _ in pairs}


def _notices(course: Course) -> tuple[Notice, ...]:
    """Return what the caller must know: an empty library, missing embeddings, pools that did not answer in full."""
    gathered = course.gather.result
    found = []
    if not course.inventory:
        found.append(Notice(severity="info", code="empty", message="the knowledge base holds no documents"))
    if not course.settings.number("weights.dense") and not course.settings.number("weights.lexical"):
        found.append(
            Notice(
                severity="warning",
                code="weights.none",
                message="no retriever counts: weights.dense and weights.lexical are both 0",
                remedy="Give one of them a weight: --set weights.dense=0.6",
            )
        )
    if gathered.embedded < gathered.chunks:
        found.append(
            Notice(
                severity="warning",
                code="dense.partial",
                message=f"dense: {gathered.embedded:,} of {gathered.chunks:,} chunks",
                remedy="Finish the index: kbtui index --store STORE",
            )
        )
    grouped: dict[tuple[str, str, str], list[Pool]] = {}
    for pool in gathered.pools:
        said = (pool.retriever, pool.status) == ("dense", "partial") and gathered.embedded < gathered.chunks
        if pool.status in _DEGRADING and not said:
            grouped.setdefault((pool.retriever, pool.status, pool.detail), []).append(pool)
    for (retriever, status, detail), pools in grouped.items():
        tiers, words = ", ".join(pool.tier for pool in pools), status.replace("_", " ")
        message = f"{retriever} {words} for {tiers}" + (f": {detail}" if detail else "")
        found.append(Notice(severity=_DEGRADING[status], code=f"{retriever}.{status}", message=message))
    return (*found, *_no_words(course), *_cut_query(course.query), *_what_if(course), *_idle_settings(course))


def _no_words(course: Course) -> tuple[Notice, ...]:
    """Return what is said of rows that no word of the question speaks for: something is always nearest in meaning."""
    asked = [pool for pool in course.gather.result.pools if pool.retriever == "lexical"]
    searched = bool(asked) and all(pool.status in ("ok", "empty") for pool in asked)
    if not searched or any(pool.found for pool in asked) or not course.expand.result.seats:
        return ()
    of = " of these types" if course.query.source_types else ""
    message = f"no document{of} has any word of the query: the results are only the nearest in meaning, however far"
    remedy = "Ask in words that the documents use."
    return (Notice(severity="warning", code="lexical.none", message=message, remedy=remedy),)


def _cut_query(query: Query) -> tuple[Notice, ...]:
    """Return what is said of a query that is longer than what is asked of it."""
    asked, whole = len(asked_part(query.text)), len(query.text)
    message = (
        f"the query has {whole:,} characters, only the first {asked:,} are asked: "
        f"it is bounded to {QUERY_WORDS:,} different words and {QUERY_CHARACTERS:,} characters"
    )
    remedy = "Ask with fewer words; a higher --limit or a larger budget does not help."
    return (Notice(severity="warning", code="query.cut", message=message, remedy=remedy),) if asked < whole else ()


def _what_if(course: Course) -> tuple[Notice, ...]:
    """Return what is said of documents added by hand: nobody gets this answer who only asks."""
    by_hand = {seat.scored.doc_id for seat in course.expand.result.seats if seat.origin == "included"}
    added = [name for name in course.query.include if name in by_hand]
    there = [name for name in course.query.include if name not in by_hand]
    said = ([f"included by hand: {', '.join(added)}"] if added else []) + (
        [f"in the answer anyway: {', '.join(there)}"] if there else []
    )
    message = f"what-if: {'; '.join(said)}"
    return (Notice(severity="warning", code="what_if", message=message),) if said else ()


def _idle_settings(course: Course) -> tuple[Notice, ...]:
    """Return what is said of a changed setting of a source type that no document has: it may be a slip of the pen."""
    held = {count.source_type for count in course.inventory}
    registered = {knob.key for knob in KNOBS}
    return tuple(
        Notice(severity="warning", code="setting.idle", message=f"{key} changes nothing: no document is of that type")
        for key, _ in course.settings.changed
        for family in ("penalty.", "prior.type.")
        if key.startswith(family) and key not in registered and key.removeprefix(family) not in held
    )


def _steps(course: Course) -> tuple[Step, ...]:
    """Return each stage's bookkeeping: what came went on, or is counted with the reason."""
    return (
        _plan_step(course),
        _gather_step(course),
        _fuse_step(course),
        _step("score", course.score, len(course.fuse.result), len(course.score.result)),
        _fold_step(course),
        _expand_step(course),
        _pack_step(course),
    )


def _step(
    stage: str,
    ran: Ran[object],
    came: int,
    went: int,
    dropped: tuple[tuple[str, int], ...] = (),
    notes: tuple[str, ...] = (),
) -> Step:
    return Step(
        stage=stage,
        came=came,
        went=went,
        dropped=tuple((reason, number) for reason, number in dropped if number),
        notes=notes,
        reused=ran.reused,
        elapsed_ms=ran.elapsed_ms,
    )


def _asked(course: Course) -> int:
    types = {source_type for request in course.plan.result.requests for source_type in request.source_types}
    return sum(count.documents for count in course.inventory if count.source_type in types)


def _found(course: Course) -> int:
    return len({hit.doc_id for pool in course.gather.result.pools for hit in pool.hits})


def _plan_step(course: Course) -> Step:
    came, went = sum(count.documents for count in course.inventory), _asked(course)
    return _step("plan", course.plan, came, went, (("type not asked for", came - went),), course.plan.result.notes)


def _gather_step(course: Course) -> Step:
    notes = tuple(
        f"{pool.tier} {pool.retriever}: k {pool.k}, found {pool.found}, past the filters {pool.survived}, {pool.status}"
        for pool in course.gather.result.pools
    )
    came, went = _asked(course), _found(course)
    return _step("gather", course.gather, came, went, (("in no pool", came - went),), notes)


def _fuse_step(course: Course) -> Step:
    """A document that only hits below the floor had found goes no further; one with other hits does, without them."""
    below, came, went = course.floor.result.below, _found(course), len(course.fuse.result)
    least = course.settings.number("min_similarity")
    documents = len({hit.doc_id for hit in below})
    note = f"hits by meaning below min_similarity {least:g}: {len(below):,} passages of {documents:,} documents"
    return _step("fuse", course.fuse, came, went, ((BELOW, came - went),), (note,) if below else ())


def _fold_step(course: Course) -> Step:
    folded = course.fold.result
    notes = tuple(f"{one.doc_id} has the same text as {one.kept}" for one in folded.folds)
    dropped = (("the same text as another", len(folded.folds)),)
    return _step("fold", course.fold, len(course.score.result), len(folded.scored), dropped, notes)


def _expand_step(course: Course) -> Step:
    """Candidates and neighbours come in; a candidate that was refused as a neighbour counts as a candidate."""
    selection = course.expand.result
    seated = {seat.scored.doc_id for seat in selection.seats}
    came = seated.union(scored.doc_id for scored in course.fold.result.scored)
    refused = [one for one in selection.expansions if one.doc_id not in came]
    counted = Counter(_refusal(one) for one in refused)
    dropped = (("outranked", len(selection.outranked)), *sorted(counted.items()))
    return _step("expand", course.expand, len(came) + len(refused), len(seated), dropped)


def _refusal(one: Expansion) -> str:
    """Return why a neighbour was not taken, without naming another document: it is counted by reason."""
    if one.same_as:
        return "the same text as another"
    return "over the limit" if one.outcome == "over_limit" else one.reason


def _pack_step(course: Course) -> Step:
    packing = course.pack.result.packing
    emitted = sum(1 for allocation in packing.allocations if allocation.decision != "dropped")
    dropped = Counter(
        allocation.reason.partition(" ")[0].rstrip(":")
        for allocation in packing.allocations
        if allocation.decision == "dropped"
    )
    notes = tuple(f"rank {one.rank}: {one.decision}, {one.reason}" for one in packing.allocations if one.reason)
    return _step("pack", course.pack, len(packing.allocations), emitted, tuple(sorted(dropped.items())), notes)
