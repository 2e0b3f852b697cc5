"""Answers built by hand, with every feature a face must show; values are chosen to be checked by eye."""

from __future__ import annotations

from dataclasses import replace

from kbtui.model import (
    Allocation,
    Answer,
    Below,
    Change,
    Cost,
    Depth,
    Document,
    Expansion,
    Fate,
    Gap,
    Hit,
    Match,
    Notice,
    Origin,
    Passage,
    Pool,
    Query,
    Row,
    Scored,
    ScoreTerm,
    Span,
    Step,
    TermGap,
    Trace,
    Truncation,
    Usage,
    Via,
    Why,
)
from kbtui.settings import Settings, tier_of

HOSTILE = "\x1b]0;owned\x07[/]\x9b31m\x7f\u202eevil\nline"
"""An escape sequence, markup, C1, DEL, a bidi override and a line end."""


def document(doc_id: str, source_type: str, title: str, size_bytes: int = 1000) -> Document:
    """Return a document whose token count is a quarter of its bytes."""
    return Document(
        doc_id=doc_id,
        path=doc_id,
        title=title,
        source_type=source_type,
        size_bytes=size_bytes,
        text_bytes=size_bytes,
        tokens=size_bytes // 4,
    )


def scored(doc: Document, *terms: ScoreTerm, matches: tuple[Match, ...] = ()) -> Scored:
    """Return a document with a score that is the sum of its terms."""
    return Scored(
        doc_id=doc.doc_id,
        tier=tier_of(doc.source_type),
        source_type=doc.source_type,
        score=sum(term.value for term in terms),
        terms=terms,
        matches=matches,
    )


def allocation(doc: Document, rank: int, fate: Fate, kept: int, cumulative: int, reason: str = "") -> Allocation:
    """Return what the budget left: the first ``kept`` bytes."""
    return Allocation(
        doc_id=doc.doc_id,
        rank=rank,
        decision=fate,
        chunk_ids=(f"{doc.doc_id}#0",) if kept else (),
        spans=(Span(start=0, end=kept),) if kept else (),
        cost=Cost(size_bytes=doc.text_bytes + 60, tokens=doc.tokens + 15),
        kept=Cost(size_bytes=kept, tokens=kept // 4),
        cumulative=Cost(size_bytes=cumulative, tokens=cumulative // 4),
        reason=reason,
    )


def row(
    rank: int, of: Scored, doc: Document, granted: Allocation, origin: Origin = "ranked", via: Via | None = None
) -> Row:
    """Return a row whose passages are the matches of its document, a thousand bytes each."""
    passages = tuple(
        Passage(
            chunk_id=match.chunk_id,
            heading=("Retries", "Backoff"),
            span=Span(start=1000 * place, end=1000 * place + 1000),
            match=match,
        )
        for place, match in enumerate(of.matches)
    )
    return Row(rank=rank, document=doc, scored=of, origin=origin, via=via, passages=passages, allocation=granted)


def pool(tier: str, retriever: str, *doc_ids: str) -> Pool:
    """Return a pool that found these documents, one hit each."""
    return Pool(
        tier=tier,
        retriever="dense" if retriever == "dense" else "lexical",
        k=65,
        hits=tuple(
            Hit(chunk_id=f"{doc_id}#0", doc_id=doc_id, rank=rank, score=1 / rank)
            for rank, doc_id in enumerate(doc_ids, start=1)
        ),
        found=len(doc_ids),
        survived=len(doc_ids),
        total=40,
        elapsed_ms=1.25,
    )


GUIDE = document("guides/retries.md", "guide", "Retries and backoff", 2_000)
PULL = document("pulls/412.md", "pull", "Rework the backoff of the claim loop", 28_600)
SUCCESSOR = document("decisions/adr-0015.md", "decision", "Bounded jitter with a floor", 4_000)
TICKET = document("tickets/97.md", "ticket", "Backoff overflows after 31 attempts", 900)


def cut_answer() -> Answer:
    """Return four rows: one whole, one trimmed, a neighbour that was dropped, and one behind the limit."""
    query = Query(text="how does retry backoff work")
    settings = Settings()
    match = Match(
        chunk_id="guides/retries.md#0",
        score=0.92,
        dense=0.9,
        lexical=0.95,
        dense_rank=1,
        lexical_rank=2,
        dense_raw=0.61,
        lexical_raw=14.5,
    )
    guide = scored(
        GUIDE,
        ScoreTerm(name="dense", value=0.54, detail="0.6 x 0.900, rank 1, raw 0.61"),
        ScoreTerm(name="lexical", value=0.38, detail="0.4 x 0.950, rank 2, raw 14.5"),
        ScoreTerm(name="title", value=0.05, detail="backoff retry"),
        matches=(match,),
    )
    pull = scored(
        PULL,
        ScoreTerm(name="dense", value=0.5, detail="0.6 x 0.833, rank 3, raw 0.55"),
        ScoreTerm(name="lexical", value=0.0, detail="not retrieved"),
        ScoreTerm(name="penalty.pull", value=-0.25, detail="it is of type pull"),
        matches=(replace(match, chunk_id="pulls/412.md#0", score=0.5, lexical=None, lexical_rank=None),),
    )
    successor = scored(
        SUCCESSOR, ScoreTerm(name="neighbour", value=0.485, detail="0.5 x the score of guides/retries.md")
    )
    ticket = scored(TICKET, ScoreTerm(name="dense", value=0.2), ScoreTerm(name="penalty.ticket", value=-0.1))
    via = Via(seed=GUIDE.doc_id, kind="link", direction="out", depth=1)
    return Answer(
        query=query,
        limit=3,
        expand=2,
        budget=settings.budget(),
        rows=(
            row(1, guide, GUIDE, allocation(GUIDE, 1, "whole", 2_060, 2_060)),
            row(2, pull, PULL, allocation(PULL, 2, "trimmed", 8_000, 10_060, "document bound: 8,000 of 28,660 bytes")),
            row(
                3,
                successor,
                SUCCESSOR,
                allocation(SUCCESSOR, 3, "dropped", 0, 10_060, "needs 4,060 bytes, 940 left"),
                "neighbour",
                via,
            ),
        ),
        behind=(row(4, ticket, TICKET, allocation(TICKET, 4, "outranked", 0, 10_060)),),
        total=37,
        total_relation="gte",
        pools=(pool("primary", "dense", GUIDE.doc_id), pool("historical", "lexical", PULL.doc_id, TICKET.doc_id)),
        expansions=(Expansion(doc_id=SUCCESSOR.doc_id, via=via, outcome="kept"),),
        truncations=(
            Truncation(
                stage="expand",
                scope="response",
                limit_name="limit",
                limit=3,
                requested=3,
                shown=3,
                total=37,
                total_relation="gte",
                remedy="a higher --limit shows more of at least 37; a larger budget does not help",
            ),
            Truncation(
                stage="pack",
                scope="context",
                limit_name="budget.bytes",
                limit=32_000,
                requested=None,
                shown=10_060,
                total=34_780,
                total_relation="eq",
                remedy="--max-bytes 35,000 keeps everything; a higher --limit does not help",
            ),
        ),
        notices=(
            Notice(
                severity="warning",
                code="partial_dense",
                message="dense: 120 of 400 chunks are embedded.",
                remedy="Let kbtui index end.",
            ),
        ),
        usage=Usage(size_bytes=11_000, tokens=2_750, items=2),
        context="===== [1] guides/retries.md | guide | Retries and backoff =====\nBackoff doubles.\n",
        notice="===== kbtui: this context was cut =====\n",
        degraded=True,
        trace=Trace(
            generation="7",
            settings_hash=settings.digest(),
            steps=(
                Step(stage="gather", came=100, went=38, dropped=(("inactive", 62),), notes=("historical gave 3",)),
                Step(stage="pack", came=3, went=2, dropped=(("budget", 1),), reused=True, elapsed_ms=1.5),
            ),
        ),
    )


def what_if_answer() -> Answer:
    """Return the whole answer with a ticket that was added by hand."""
    answer = whole_answer()
    (ticket,) = cut_answer().behind
    granted = allocation(TICKET, 2, "whole", 960, 3_020)
    said = "what-if: included by hand: tickets/97.md"
    return replace(
        answer,
        query=replace(answer.query, include=(TICKET.doc_id,)),
        rows=(*answer.rows, row(2, ticket.scored, TICKET, granted, "included")),
        total=2,
        notices=(Notice(severity="warning", code="what_if", message=said),),
        usage=Usage(size_bytes=3_020, tokens=755, items=2),
    )


def why_outranked() -> Why:
    """Return why the ticket of the cut answer is behind the limit, and two changes that bring it in."""
    answer = cut_answer()
    (ticket,), pull = answer.behind, answer.rows[1]
    return Why(
        query=answer.query,
        doc_id=TICKET.doc_id,
        document=TICKET,
        stage="rank",
        reason="rank 4, the limit is 3: 0.150 short of place 2",
        row=ticket,
        depths=(
            Depth(tier="historical", retriever="dense", k=10, rank=3, total=3_938),
            Depth(
                tier="historical", retriever="lexical", k=10, rank=None, total=3_938, status="failed", detail="no index"
            ),
        ),
        gap=Gap(
            other=PULL.doc_id,
            rank=2,
            score=ticket.scored.score,
            other_score=pull.scored.score,
            terms=(
                TermGap(name="dense", value=0.2, other=0.5),
                TermGap(name="penalty.pull", value=0.0, other=-0.25),
                TermGap(name="penalty.ticket", value=-0.1, other=0.0),
            ),
        ),
        neighbour=replace(answer.expansions[0], outcome="over_limit", reason="all 2 places for neighbours are taken"),
        changes=(
            Change(key="limit", before=3, after=4, steps=1, rank=4, fate="whole", out=()),
            Change(key="prior.type.ticket", before=0.0, after=0.2, steps=4, rank=2, fate="trimmed", out=(PULL.doc_id,)),
        ),
        runs=74,
    )


def why_filtered() -> Why:
    """Return why a document that the question keeps out is not there: nothing was tried."""
    remedy = "ask with --type ticket, or without --type"
    query = replace(cut_answer().query, source_types=("guide",))
    reason = "type ticket was not asked for"
    return Why(query=query, doc_id=TICKET.doc_id, document=TICKET, stage="filter", reason=reason, remedy=remedy)


def why_hostile() -> Why:
    """Return why with hostile text in every slot that foreign text can reach."""
    why = why_outranked()
    (behind,) = hostile_answer().behind
    assert why.gap is not None
    assert why.neighbour is not None
    return replace(
        why,
        query=Query(text=HOSTILE),
        doc_id=HOSTILE,
        document=behind.document,
        reason=HOSTILE,
        remedy=HOSTILE,
        row=behind,
        depths=tuple(replace(depth, tier=HOSTILE, detail=HOSTILE) for depth in why.depths),
        gap=replace(why.gap, other=HOSTILE, terms=(TermGap(name=HOSTILE, value=0.1, other=0.0),)),
        neighbour=replace(why.neighbour, doc_id=HOSTILE, reason=HOSTILE),
        changes=(replace(why.changes[1], key=f"penalty.{HOSTILE}", out=(HOSTILE,)),),
    )


def whole_answer() -> Answer:
    """Return an answer that is all there is: one row, nothing cut, nothing amiss."""
    answer = cut_answer()
    return replace(
        answer,
        rows=answer.rows[:1],
        behind=(),
        total=1,
        total_relation="eq",
        pools=answer.pools[:1],
        expansions=(),
        truncations=(),
        notices=(),
        usage=Usage(size_bytes=2_060, tokens=515, items=1),
        notice="",
        degraded=False,
    )


def hostile_answer() -> Answer:
    """Return an answer with hostile text in every slot that foreign text can reach."""
    answer = whole_answer()
    (guide,) = answer.rows
    doc = replace(GUIDE, doc_id=HOSTILE, path=HOSTILE, title=HOSTILE, source_type=HOSTILE)
    via = Via(seed=HOSTILE, kind=HOSTILE, direction="in", depth=1)
    hostile = replace(
        guide,
        document=doc,
        via=via,
        scored=replace(
            guide.scored, tier=HOSTILE, terms=(ScoreTerm(name=HOSTILE, value=guide.scored.score, detail=HOSTILE),)
        ),
        passages=(replace(guide.passages[0], heading=(HOSTILE,)),),
        allocation=replace(guide.allocation, reason=HOSTILE),
        duplicates=(HOSTILE,),
    )
    cut = replace(cut_answer().truncations[0], scope=HOSTILE, remedy=HOSTILE)
    return replace(
        answer,
        query=Query(text=HOSTILE),
        rows=(hostile,),
        behind=(hostile,),
        below=(Below(doc_id=HOSTILE, similarity=0.25),),
        truncations=(cut,),
        notices=(Notice(severity="error", code="x", message=HOSTILE, remedy=HOSTILE),),
        trace=Trace(
            generation=HOSTILE,
            settings_hash="0",
            steps=(Step(stage="gather", came=1, went=0, dropped=((HOSTILE, 1),), notes=(HOSTILE,)),),
        ),
        context="",
    )
