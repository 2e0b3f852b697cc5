"""Expand: the response inside its limit: seeds, then neighbours the graph brings, then backfill."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from kbtui.engine.fold import text_of
from kbtui.engine.score import Weights, standing, total
from kbtui.model import (
    Document,
    Edge,
    Expansion,
    Filters,
    Gathered,
    Outcome,
    Related,
    Scored,
    ScoreTerm,
    Seat,
    Selection,
    Via,
)
from kbtui.settings import tier_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How many places there are, how many of them neighbours may take, and what a neighbour inherits."""

    limit: int
    expand: int
    decay: float

    @property
    def reserve(self) -> int:
        """The places kept for neighbours: never all of them."""
        return min(self.expand, self.limit - 1)

    def seeds(self, scored: tuple[Scored, ...]) -> tuple[Scored, ...]:
        """Return the ranked documents whose neighbours are considered."""
        return scored[: self.limit - self.reserve]


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """What a neighbour must be: of the types asked for (none: any), and past the filters."""

    source_types: tuple[str, ...]
    filters: Filters


def connect(gathered: Gathered, related: Related) -> Gathered:
    """Return what was gathered with these relations and the documents at their ends."""
    rows = {document.doc_id: document for document in (*gathered.documents, *related.documents)}
    return replace(gathered, edges=related.edges, documents=tuple(rows.values()))


def expand(
    scored: tuple[Scored, ...], gathered: Gathered, room: Room, admission: Admission, weights: Weights
) -> Selection:
    """Return at most ``limit`` seats, the ranked documents behind them, and every neighbour considered.

    What is scored has different texts (see ``fold``); a neighbour of the same text as one of them stands for that.
    """
    seeds = room.seeds(scored)
    rows = {document.doc_id: document for document in gathered.documents}
    ranked = {one.doc_id: one for one in scored}
    near = _breadth_first(tuple(seed.doc_id for seed in seeds), gathered.edges) if room.reserve else []
    texts = {text_of(rows[doc_id]): doc_id for doc_id in ranked}
    expansions = _consider(near, {seed.doc_id for seed in seeds}, rows, texts, room.reserve, admission)
    brought = [one.via for one in expansions if one.outcome == "kept"]
    kept = [one.doc_id for one in expansions if one.outcome == "kept"]
    neighbours = [
        ranked.get(doc_id)
        or _inherited(rows[doc_id], ranked[via.seed], room.decay, bool(admission.source_types), weights)
        for doc_id, via in zip(kept, brought, strict=True)
    ]
    left = [one for one in scored[len(seeds) :] if one.doc_id not in kept]
    backfill = left[: room.limit - len(seeds) - len(neighbours)]
    seats = (
        *(Seat(rank=rank, scored=one, origin="ranked") for rank, one in enumerate(seeds, start=1)),
        *(
            Seat(rank=rank, scored=one, origin="neighbour", via=via)
            for rank, (one, via) in enumerate(zip(neighbours, brought, strict=True), start=len(seeds) + 1)
        ),
        *(
            Seat(rank=rank, scored=one, origin="backfill")
            for rank, one in enumerate(backfill, start=len(seeds) + len(neighbours) + 1)
        ),
    )
    return Selection(seats=seats, outranked=tuple(left[len(backfill) :]), expansions=expansions)


def _consider(
    near: list[tuple[str, Via]],
    seated: set[str],
    rows: dict[str, Document],
    texts: dict[str, str],
    reserve: int,
    admission: Admission,
) -> tuple[Expansion, ...]:
    """Return every document one edge from a seed, once, in the order they are considered, with its outcome.

    ``texts`` says which document stands for a text; it takes the place that a copy of it would have had.
    """
    stands_for = dict(texts)
    free = reserve
    found: dict[str, Expansion] = {}
    for doc_id, via in near:
        if doc_id in found:
            continue
        outcome, reason = _outcome(doc_id, rows.get(doc_id), seated, admission)
        taken = doc_id
        if outcome == "kept":
            taken = stands_for.setdefault(text_of(rows[doc_id]), doc_id)
        if taken != doc_id:
            found[doc_id] = _copy(doc_id, via, taken)
        if taken in found or (taken != doc_id and taken in seated):
            continue
        if outcome == "kept" and not free:
            outcome, reason = "over_limit", f"all {reserve} places for neighbours are taken"
        free -= outcome == "kept"
        found[taken] = Expansion(doc_id=taken, via=via, outcome=outcome, reason=reason)
    return tuple(found.values())


def _copy(doc_id: str, via: Via, of: str) -> Expansion:
    """Return what becomes of a neighbour whose text another document of the ranking has."""
    return Expansion(
        doc_id=doc_id, via=via, outcome="already_present", reason=f"it has the same text as {of}", same_as=of
    )


def _breadth_first(seeds: tuple[str, ...], edges: tuple[Edge, ...]) -> list[tuple[str, Via]]:
    """Return the neighbours of all seeds: successors first, then one neighbour of each seed in turn.

    So a single seed with many relations cannot spend the places alone.
    """
    around: dict[str, list[tuple[int, float, str, str, Via]]] = {seed: [] for seed in seeds}
    for edge in edges:
        for seed, other, out in ((edge.source, edge.target, True), (edge.target, edge.source, False)):
            if seed in around and other != seed:
                via = Via(seed=seed, kind=edge.kind, direction="out" if out else "in", depth=1)
                around[seed].append((_turn(edge.kind, out), -edge.weight, other, edge.kind, via))
    queue = []
    for place, seed in enumerate(seeds):
        ordered = sorted(around[seed], key=lambda near: near[:4])
        met: set[str] = set()
        for turn, _, other, _, via in ordered:
            if other not in met:
                met.add(other)
                queue.append((turn > 0, len(met), place, other, via))
    return [(other, via) for *_, other, via in sorted(queue, key=lambda near: near[:3])]


def _turn(kind: str, out: bool) -> int:
    """Return the order of relations: successors, outgoing, incoming, mentions."""
    if (kind, out) in (("supersedes", False), ("superseded_by", True)):
        return 0
    if kind == "mention":
        return 3
    return 1 if out else 2


def _outcome(doc_id: str, document: Document | None, seated: set[str], admission: Admission) -> tuple[Outcome, str]:
    """Return what becomes of a neighbour while there is room."""
    if doc_id in seated:
        return "already_present", "it is a ranked result itself"
    reason = "no such document" if document is None else barred(document, admission)
    return ("suppressed", reason) if reason else ("kept", "")


def barred(document: Document, admission: Admission) -> str:
    """Return why a document is no neighbour: a superseded one comes through the graph only by flag."""
    reason, _ = excluded(document, admission)
    return reason or ("superseded" if document.superseded and not admission.filters.inactive else "")


def excluded(document: Document, admission: Admission) -> tuple[str, str]:
    """Return why the query's types and filters keep a document out of every pool, and what lets it in; or "", ""."""
    filters = admission.filters
    statuses = {status.casefold() for status in filters.statuses}
    kind, status = document.source_type, document.status or "none"
    grounds = (
        (document.archived, "archived", "archived documents never appear; its front matter says that it is one"),
        (
            bool(admission.source_types) and kind not in admission.source_types,
            f"type {kind} was not asked for",
            f"ask with --type {kind}, or without --type",
        ),
        (
            bool(statuses) and document.status.casefold() not in statuses,
            f"status {status} was not asked for",
            f"ask with --status {document.status}, or without --status" if document.status else "ask without --status",
        ),
        (
            bool(filters.paths) and not any(fnmatchcase(document.path, pattern) for pattern in filters.paths),
            "path was not asked for",
            "ask with a --path that it matches, or without --path",
        ),
        (
            document.inactive and not filters.inactive,
            "superseded" if document.superseded else f"inactive: {document.status}",
            "ask with --inactive",
        ),
    )
    return next(((reason, remedy) for holds, reason, remedy in grounds if holds), ("", ""))


def _inherited(document: Document, seed: Scored, decay: float, typed: bool, weights: Weights) -> Scored:
    """Return a neighbour that no retriever brought: a part of its seed's score, and its own standing."""
    part = max(0.0, seed.score) * decay
    terms = (
        ScoreTerm(name="neighbour", value=part, detail=f"{decay:g} x the score of {seed.doc_id}"),
        *standing(document, typed, weights),
    )
    return Scored(
        doc_id=document.doc_id,
        tier=tier_of(document.source_type),
        source_type=document.source_type,
        score=total(terms),
        terms=terms,
    )
