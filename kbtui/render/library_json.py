"""Everything but answers as JSON: what a store holds, what a build did, documents, relations."""

from __future__ import annotations

from kbtui.model import BuildReport, Extract, Neighbourhood, Skipped, Status
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


def status_json(status: Status) -> str:
    """Return what a generation holds."""
    return dump(
        {
            "store": status.store,
            "corpus": status.corpus,
            "generation": status.generation,
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
            "notices": [notice_json(notice) for notice in status.notices],
        }
    )


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
