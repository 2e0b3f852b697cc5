"""An answer as JSON for programs: keys in a fixed order, and present only where they apply.

Foreign text goes out as it is, but escaped, so that no control character reaches a terminal.
Times and ``reused`` appear with ``trace`` alone: the rest is the same bytes for an equal answer.
"""

from __future__ import annotations

from kbtui.model import (
    Answer,
    Budget,
    Cost,
    Match,
    Passage,
    Pool,
    Query,
    Row,
    Step,
    Truncation,
    Via,
)
from kbtui.render.json_parts import Json, document_json, dump, notice_json, span_json
from kbtui.render.layout import cut_sentence

_CUTS_NOTED = 5


def answer_json(
    answer: Answer, *, candidates: bool = False, context: bool = False, explain: bool = False, trace: bool = False
) -> str:
    """Return an answer; the rows behind the limit, the context, how terms came about and the trace where asked for."""
    return dump(answer_value(answer, candidates=candidates, context=context, explain=explain, trace=trace))


def answer_value(
    answer: Answer, *, candidates: bool = False, context: bool = False, explain: bool = False, trace: bool = False
) -> Json:
    """Return what ``answer_json`` writes."""
    out: Json = {
        "query": _query(answer.query, answer),
        "count": len(answer.rows),
        "total": answer.total,
        "total_relation": answer.total_relation,
        **_disclosure(answer),
        "results": [row_json(row, explain) for row in answer.rows],
    }
    if candidates:
        out["candidates"] = [row_json(row, explain) for row in answer.behind]
    if context:
        out["context"] = answer.context
    out |= {
        "usage": _usage(answer),
        "budget": _budget(answer.budget),
        "pools": [_pool(pool, answer, trace) for pool in answer.pools],
        "truncations": [_truncation(truncation) for truncation in answer.truncations],
        "notices": [notice_json(notice) for notice in answer.notices],
        "degraded": answer.degraded,
    }
    if answer.below:
        out["below_min_similarity"] = [{"id": one.doc_id, "similarity": one.similarity} for one in answer.below]
    if trace:
        out["trace"] = {
            "generation": answer.trace.generation,
            "settings": answer.trace.settings_hash,
            "steps": [_step(step) for step in answer.trace.steps],
            "neighbours": [
                {"id": tried.doc_id, "via": _via(tried.via), "outcome": tried.outcome}
                | ({"reason": tried.reason} if tried.reason else {})
                for tried in answer.expansions
            ],
        }
    return out


def context_json(answer: Answer) -> str:
    """Return the context with what is to be said of it, without the rows."""
    return dump(
        {
            "query": _query(answer.query, answer),
            **_disclosure(answer),
            "context": answer.context,
            "usage": _usage(answer),
            "budget": _budget(answer.budget),
            "truncations": [_truncation(truncation) for truncation in answer.truncations],
            "notices": [notice_json(notice) for notice in answer.notices],
            "degraded": answer.degraded,
        }
    )


def _disclosure(answer: Answer) -> Json:
    """Return the keys that say a result is not all there is; none of them where it is."""
    out: Json = {}
    by_limit = [cut for cut in answer.truncations if cut.limit_name == "limit"]
    if by_limit:
        out |= {"_truncated_by_limit": True, "_limit_applied": answer.limit}
        requested = by_limit[0].requested
        if requested is not None and requested != answer.limit:
            out["_limit_requested"] = requested
    if answer.notice:
        out["_truncated_by_budget"] = True
    floors = [cut.limit for cut in answer.truncations if cut.limit_name == "min_similarity"]
    if floors:
        out |= {"_truncated_by_min_similarity": True, "_min_similarity_applied": floors[0]}
    if answer.total_relation != "eq":
        out["count_is_exact"] = False
    sentences = [f"{cut_sentence(cut)}." for cut in answer.truncations[:_CUTS_NOTED]]
    more = len(answer.truncations) - _CUTS_NOTED
    note = " ".join([*sentences, f"And {more:,} more: see truncations."] if more > 0 else sentences)
    return out | ({"truncation_note": note} if note else {})


def _query(query: Query, answer: Answer) -> Json:
    return query_json(query) | {"limit": answer.limit, "expand": answer.expand}


def query_json(query: Query) -> Json:
    """Return what was asked, without the settings it was asked with."""
    out: Json = {"text": query.text, "types": list(query.source_types)}
    if query.filters.paths:
        out["paths"] = list(query.filters.paths)
    if query.filters.statuses:
        out["statuses"] = list(query.filters.statuses)
    if query.filters.inactive:
        out["inactive"] = True
    if query.include:
        out["include"] = list(query.include)
    return out


def row_json(row: Row, explain: bool) -> Json:
    """Return a document of an answer, with what its score is made of and what became of it."""
    document, allocation = row.document, row.allocation
    out: Json = {"rank": row.rank} | document_json(document)
    if row.duplicates:
        out["duplicates"] = list(row.duplicates)
    out |= {"tier": row.scored.tier, "score": row.scored.score}
    out["terms"] = [
        {"name": term.name, "value": term.value} | ({"detail": term.detail} if explain and term.detail else {})
        for term in row.scored.terms
    ]
    out["origin"] = row.origin
    if row.via is not None:
        out["via"] = _via(row.via)
    out |= {
        "passages": [_passage(passage, explain) for passage in row.passages],
        "cost": _cost(allocation.cost),
        "kept": _cost(allocation.kept) | {"spans": [span_json(span) for span in allocation.spans]},
        "cumulative": _cost(allocation.cumulative),
        "fate": allocation.decision,
    }
    return out | ({"reason": allocation.reason} if allocation.reason else {})


def _passage(passage: Passage, explain: bool) -> Json:
    out: Json = {"heading": list(passage.heading)} | span_json(passage.span) | {"score": passage.match.score}
    return out | (_retrieved(passage.match) if explain else {})


def _retrieved(match: Match) -> Json:
    """Return a match's rank, raw and scaled score in each retriever that brought it."""
    out: Json = {}
    if match.dense_rank is not None:
        out["dense"] = {"rank": match.dense_rank, "raw": match.dense_raw, "scaled": match.dense}
    if match.lexical_rank is not None:
        out["lexical"] = {"rank": match.lexical_rank, "raw": match.lexical_raw, "scaled": match.lexical}
    return out


def _pool(pool: Pool, answer: Answer, trace: bool) -> Json:
    """Return a pool; ``used`` counts the documents of the response that it brought."""
    shown = {row.document.doc_id for row in answer.rows}
    out: Json = {
        "tier": pool.tier,
        "retriever": pool.retriever,
        "k": pool.k,
        "found": pool.found,
        "survived": pool.survived,
        "used": len(shown.intersection(hit.doc_id for hit in pool.hits)),
        "status": pool.status,
        "total": pool.total,
    }
    if pool.total_relation != "eq":
        out["total_relation"] = pool.total_relation
    if pool.detail:
        out["detail"] = pool.detail
    return out | ({"elapsed_ms": round(pool.elapsed_ms, 3)} if trace else {})


def _truncation(cut: Truncation) -> Json:
    out: Json = {"stage": cut.stage, "scope": cut.scope, "limit_name": cut.limit_name, "limit": cut.limit}
    if cut.requested is not None:
        out["requested"] = cut.requested
    return out | {
        "shown": cut.shown,
        "total": cut.total,
        "total_relation": cut.total_relation,
        "remedy": cut.remedy,
    }


def _step(step: Step) -> Json:
    return {
        "stage": step.stage,
        "in": step.came,
        "out": step.went,
        "dropped": dict(step.dropped),
        "notes": list(step.notes),
        "reused": step.reused,
        "elapsed_ms": round(step.elapsed_ms, 3),
    }


def _via(via: Via) -> Json:
    return {"seed": via.seed, "kind": via.kind, "direction": via.direction, "depth": via.depth}


def _usage(answer: Answer) -> Json:
    return {"bytes": answer.usage.size_bytes, "tokens": answer.usage.tokens, "items": answer.usage.items}


def _budget(budget: Budget) -> Json:
    return {
        "bytes": budget.size_bytes,
        "tokens": budget.tokens,
        "document_bytes": budget.document_bytes,
        "document_tokens": budget.document_tokens,
    }


def _cost(cost: Cost) -> Json:
    return {"bytes": cost.size_bytes, "tokens": cost.tokens}
