"""Everything but answers as JSON: what a store holds, what a build did, documents, relations."""

from __future__ import annotations

from kbtui.model import BuildReport, Extract, Neighbourhood, Skipped, Status, Survey
from kbtui.render.json_parts import Json, document_json, dump, notice_json, span_json


def extract_json(extract: Extract) -> str:
    """Return a document's text, whole or in part, with where it is from."""
    first, last = extract.lines
    out = document_json(extract.document) | {"span": span_json(extract.span), "lines": {"first": first, "last": last}}
    if extract.heading:
        out["heading"] = list(extract.heading)
    return dump(out | {"text": extract.text})


def neighbours_json(around: Neighbourhood) -> str:
    """Return what is around a document; ``hidden`` where relations were left out."""
    neighbours: list[Json] = []
    for near in around.neighbours:
        one: Json = {"id": near.doc_id}
        if near.document is None:
            one["dangling"] = True
        else:
            one |= {"title": near.document.title, "type": near.document.source_type}
        one |= {"parent": near.parent, "kind": near.kind, "direction": near.direction, "depth": near.depth}
        neighbours.append(one | ({"cycle": True} if near.cycle else {}))
    out: Json = {"root": document_json(around.root), "count": len(neighbours), "neighbours": neighbours}
    return dump(out | ({"hidden": around.hidden, "count_is_exact": False} if around.hidden else {}))


def status_json(status: Status, survey: Survey) -> str:
    """Return what a generation holds, and what of it deserves a look; ``total`` where a list may be shorter."""
    return dump(
        {
            "store": status.store,
            "corpus": status.corpus,
            "generation": status.generation,
            "built": status.built,
            "day": status.day,
            "parts": status.parts,
            "stored_bytes": status.stored_bytes,
            "documents": status.documents,
            "chunks": status.chunks,
            "embedded": status.embedded,
            "embedded_share": status.embedded / status.chunks if status.chunks else 1.0,
            "bytes": status.size_bytes,
            "tokens": status.tokens,
            "relations": status.relations,
            "dangling": status.dangling,
            "embedder": status.embedder,
            "tokenizer": status.tokenizer,
            "search_limit": status.search_limit,
            "types": [
                {
                    "type": each.source_type,
                    "tier": each.tier,
                    "documents": each.documents,
                    "chunks": each.chunks,
                    "embedded": each.embedded,
                    "bytes": each.size_bytes,
                    "tokens": each.tokens,
                }
                for each in status.types
            ],
            "skipped": [_skipped(skipped) for skipped in status.skipped],
            "survey": _survey(survey),
            "notices": [notice_json(notice) for notice in status.notices],
        }
    )


def _survey(survey: Survey) -> Json:
    return {
        "dangling": {
            "total": survey.dangling_total,
            "relations": [
                {"target": each.target, "source": each.source, "kind": each.kind, "times": each.times}
                for each in survey.dangling
            ],
        },
        "oversized": {
            "over_budget": survey.over_budget,
            "over_document": survey.over_document,
            "documents": [
                {
                    "id": each.document.doc_id,
                    "bytes": each.document.text_bytes,
                    "tokens": each.document.tokens,
                    "bound": each.bound,
                    "share": None if each.share is None else round(each.share, 4),
                }
                for each in survey.oversized
            ],
        },
        "duplicates": {
            "total": survey.duplicate_groups,
            "documents": survey.duplicate_documents,
            "groups": [{"ids": list(each.doc_ids), "bytes": each.size_bytes} for each in survey.duplicates],
        },
    }


def build_json(report: BuildReport) -> str:
    """Return what a build did."""
    return dump(
        {
            "generation": report.generation,
            "documents": report.documents,
            "chunks": report.chunks,
            "added": report.added,
            "changed": report.changed,
            "removed": report.removed,
            "embedded": report.embedded,
            "from_cache": report.from_cache,
            "pending": report.pending,
            "skipped": [_skipped(skipped) for skipped in report.skipped],
            "elapsed_ms": round(report.elapsed_ms, 3),
        }
    )


def _skipped(skipped: Skipped) -> Json:
    out: Json = {"path": skipped.path, "reason": skipped.reason}
    return out | ({"detail": skipped.detail} if skipped.detail else {})
