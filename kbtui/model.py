"""Every value that crosses a file boundary: frozen, keyword-only, standard library only, no I/O.

The values are hashable (tuples, not lists), because the memo of ``engine/pipeline.py`` compares a
stage's arguments by equality. Times are never part of equality.

Units: sizes in bytes of UTF-8, offsets 0-based and half-open, ranks 1-based, scores higher is better.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Fate = Literal["whole", "trimmed", "dropped", "outranked"]
Origin = Literal["ranked", "neighbour", "backfill", "included"]
PoolStatus = Literal["ok", "empty", "partial", "timed_out", "failed", "skipped"]
TotalRelation = Literal["eq", "gte", "unknown"]
Direction = Literal["out", "in"]
Outcome = Literal["kept", "already_present", "over_limit", "suppressed"]
Severity = Literal["info", "warning", "error"]
ReferenceForm = Literal["id", "path", "number", "name"]
Retriever = Literal["dense", "lexical"]
LostAt = Literal["index", "filter", "pool", "floor", "copy", "neighbour", "rank", "budget", "answer"]


# --- what a source yields -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A half-open range of byte offsets into a file as it is on disk."""

    start: int
    end: int

    @property
    def size_bytes(self) -> int:
        """Bytes the span covers."""
        return self.end - self.start


@dataclass(frozen=True, slots=True, kw_only=True)
class FileStat:
    """What the scan knows of a file without reading it; equal stats mean an unchanged file."""

    path: str
    size_bytes: int
    mtime_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A file that was left out, with the reason in words ("too large", "binary", ...)."""

    path: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Age:
    """How old a document is on the day of its generation; None where it has no such date.

    ``changed`` counts from its last change, ``reviewed`` from its last review, ``overdue`` from the day it was
    to be reviewed by.

    Units: days, negative for a date to come.
    """

    changed: int | None = None
    reviewed: int | None = None
    overdue: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document as the catalogue knows it.

    ``doc_id`` is the POSIX path relative to the corpus root. ``size_bytes`` is the file's size on disk;
    ``text_bytes`` and ``tokens`` are the cost of its whole safe text, without a header.
    Dates are ISO strings or empty. ``code``: it is source code, so its headings are symbols. ``stale`` is the
    field of its front matter by which it calls itself out of date, "" for none; ``age`` is the catalogue's to fill.
    """

    doc_id: str
    path: str
    title: str
    source_type: str
    status: str = ""
    created: str = ""
    updated: str = ""
    archived: bool = False
    inactive: bool = False
    superseded: bool = False
    aliases: tuple[str, ...] = ()
    sha256: str = ""
    size_bytes: int = 0
    text_bytes: int = 0
    tokens: int = 0
    code: bool = False
    stale: str = ""
    reviewed: str = ""
    review_by: str = ""
    age: Age = Age()


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A passage cut at index time; the chunks of a document tile its file, in order, without gaps.

    ``text`` is safe text (see ``text.safe``): the concatenation over a document is its whole safe text.
    ``searchable`` is False for passages no retriever should match (front matter, blank space).
    """

    chunk_id: str
    doc_id: str
    ordinal: int
    span: Span
    heading: tuple[str, ...]
    text: str
    searchable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A relation as it is written in a document, before it is resolved.

    ``form`` says how ``target`` is to be looked up: a front-matter ``id``, a ``path`` relative to the
    document (or root), a ``number`` (of ``#123``) or a wikilink ``name``.
    """

    target: str
    kind: str
    form: ReferenceForm


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file read, cut and understood: what a reader yields.

    ``made_safe`` counts the places where foreign text was made safe; ``remarks`` says in words what else
    was not taken as it is (a broken head, invalid bytes, relations past the bound).
    """

    document: Document
    chunks: tuple[Chunk, ...]
    references: tuple[Reference, ...]
    made_safe: int = 0
    remarks: tuple[str, ...] = ()


# --- what the catalogue yields --------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The catalogue row of a chunk: everything but its text. Costs are of its safe text."""

    chunk_id: str
    doc_id: str
    ordinal: int
    span: Span
    heading: tuple[str, ...]
    size_bytes: int
    tokens: int
    searchable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A resolved relation; ``dangling`` when ``target`` is no document (it is then as written)."""

    source: str
    target: str
    kind: str
    weight: float = 1.0
    dangling: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeCount:
    """How many documents of a source type there are."""

    source_type: str
    documents: int


# --- the question ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """A named group of source types and the share of the candidates it is entitled to."""

    name: str
    source_types: tuple[str, ...]
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a document must be, besides of a type; holds inside every pool and for neighbours."""

    paths: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    inactive: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question. Its numbers (limit, expand, weights, budget) are in the settings it is asked with.

    ``include`` names documents that the operator adds by hand: the answer is then a what-if, and says so.
    Not ``tiered`` it is a what-if: one pool for all types, as a search without tiers would ask.
    """

    text: str
    source_types: tuple[str, ...] = ()
    filters: Filters = Filters()
    include: tuple[str, ...] = ()
    tiered: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What the context may cost; None is unlimited, never 0. The document bounds always bind."""

    size_bytes: int | None
    tokens: int | None
    document_bytes: int | None
    document_tokens: int | None


# --- gather ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolRequest:
    """What one tier asks each retriever for: ``k`` distinct documents of its own types."""

    tier: str
    source_types: tuple[str, ...]
    k: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One request per tier, in words what was handed from one tier to another, and how long asking may take.

    ``scales`` are groups of types: scores are measured by the best passages of each, and the first says what 0 is.
    ``deadline_ms`` is None for as long as it takes.
    """

    requests: tuple[PoolRequest, ...]
    typed: bool
    notes: tuple[str, ...] = ()
    scales: tuple[tuple[str, ...], ...] = ()
    deadline_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A chunk that a retriever returned; ``score`` is the retriever's own, higher is better."""

    chunk_id: str
    doc_id: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """What one retriever found for one tier.

    ``found`` counts distinct documents before filters, ``survived`` after; ``total`` is the number of
    documents the pool could draw from.
    """

    tier: str
    retriever: Retriever
    k: int
    hits: tuple[Hit, ...]
    found: int
    survived: int
    total: int
    total_relation: TotalRelation = "eq"
    status: PoolStatus = "ok"
    detail: str = ""
    elapsed_ms: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The raw scores that are 0 and 1 for a retriever, from its best passages of the types that the query admits.

    ``hits`` are these passages, whichever pool they belong to; one that is not among them counts 0.
    """

    retriever: Retriever
    low: float
    high: float
    hits: tuple[Hit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """What a query asks for literally, folded (see ``text.folded``), and the hits' passages that hold it."""

    words: str
    chunk_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Everything the pure stages need for one query: ids, ranks, scores, rows and edges; no bodies.

    ``documents`` holds the row of every candidate; once seeds are known (see ``Related``) their edges are in ``edges``,
    and the row of every end of them in ``documents``. ``entries`` holds the row of every chunk in a hit, of the pools
    and of the bounds; ``below`` the hits that a floor took out of the pools.
    """

    pools: tuple[Pool, ...]
    bounds: tuple[Bounds, ...]
    documents: tuple[Document, ...]
    entries: tuple[Entry, ...]
    edges: tuple[Edge, ...]
    embedded: int
    chunks: int
    phrases: tuple[Phrase, ...] = ()
    below: tuple[Hit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """The relations of seeds, and the row of every document at an end of them."""

    edges: tuple[Edge, ...]
    documents: tuple[Document, ...]


# --- fuse, score, expand --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A matched passage: per retriever its rank, raw score and scaled share (None: not retrieved)."""

    chunk_id: str
    score: float
    dense: float | None = None
    lexical: float | None = None
    dense_rank: int | None = None
    lexical_rank: int | None = None
    dense_raw: float | None = None
    lexical_raw: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A document that some pool brought, with its matched passages, best first."""

    doc_id: str
    tier: str
    source_type: str
    matches: tuple[Match, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTerm:
    """One signed part of a score; ``detail`` says in words where it comes from."""

    name: str
    value: float
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A document and the terms whose sum is its score; no matches when only the graph brought it."""

    doc_id: str
    tier: str
    source_type: str
    score: float
    terms: tuple[ScoreTerm, ...]
    matches: tuple[Match, ...] = ()

    @property
    def penalty(self) -> float:
        """The sum of the penalty terms, 0 or less."""
        return sum(term.value for term in self.terms if term.name.startswith("penalty."))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """A document that has the same text as a better one, which stands for both."""

    doc_id: str
    kept: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """The scored documents of different texts, best first, and those that were folded into one of them."""

    scored: tuple[Scored, ...]
    folds: tuple[Fold, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Below:
    """A document that a floor kept out, with the highest cosine that any passage of it had."""

    doc_id: str
    similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Via:
    """How the graph brought a document: from which seed, over which edge, how far."""

    seed: str
    kind: str
    direction: Direction
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """A neighbour that was considered and what became of it; ``same_as`` names another document of the same text."""

    doc_id: str
    via: Via
    outcome: Outcome
    reason: str = ""
    same_as: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """A place in the response."""

    rank: int
    scored: Scored
    origin: Origin
    via: Via | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The response before packing: at most ``limit`` seats, the rest of the candidates behind it."""

    seats: tuple[Seat, ...]
    outranked: tuple[Scored, ...]
    expansions: tuple[Expansion, ...]


# --- pack -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What framed text costs."""

    size_bytes: int
    tokens: int

    def __add__(self, other: Cost) -> Cost:
        return Cost(size_bytes=self.size_bytes + other.size_bytes, tokens=self.tokens + other.tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """What the budget left of a seat.

    ``cost`` is the whole document framed, ``kept`` what is emitted, ``cumulative`` up to and with it.
    ``chunk_ids`` are emitted in document order; ``spans`` are the same, joined where they touch.
    """

    doc_id: str
    rank: int
    decision: Fate
    chunk_ids: tuple[str, ...]
    spans: tuple[Span, ...]
    cost: Cost
    kept: Cost
    cumulative: Cost
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Truncation:
    """A bound that cut something: which, what was asked, shown and there, and the remedy."""

    stage: str
    scope: str
    limit_name: str
    limit: int | float | None
    requested: int | None
    shown: int
    total: int
    total_relation: TotalRelation
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something the caller must know: a degraded pool, a partial index, a skipped part."""

    severity: Severity
    code: str
    message: str
    remedy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NextGrant:
    """The passage before which a budget ended: what it needs of the bound that stopped there, and what was left."""

    doc_id: str
    rank: int
    chunk_id: str
    unit: str
    needs: int
    left: int

    @property
    def missing(self) -> int:
        """How much more of the bound would have let it in."""
        return max(1, self.needs - self.left)


@dataclass(frozen=True, slots=True, kw_only=True)
class Packing:
    """Every seat's allocation, the grants in the order given, and the notice ("" when nothing was cut)."""

    allocations: tuple[Allocation, ...]
    grants: tuple[str, ...]
    truncations: tuple[Truncation, ...]
    notice: str
    next_grant: NextGrant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A mark in the context: where its line begins, and the bytes of the file that it stands for."""

    at: int
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a document's block begins in the context, and its marks.

    Units: characters into the context.
    """

    doc_id: str
    at: int
    left_out: tuple[LeftOut, ...] = ()


# --- the answer -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What the context costs as rendered, notice included."""

    size_bytes: int
    tokens: int
    items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One stage's bookkeeping: ``came == went + sum of dropped``."""

    stage: str
    came: int
    went: int
    dropped: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()
    reused: bool = field(default=False, compare=False)
    elapsed_ms: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What each stage did, under which generation and settings."""

    generation: str
    settings_hash: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A matched passage of a row, for people: where it is and how well it matched."""

    chunk_id: str
    heading: tuple[str, ...]
    span: Span
    match: Match


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A document as every face shows it, in the response or (fate "outranked") behind the limit.

    ``duplicates`` are the other documents of the same text that it stands for.
    """

    rank: int
    document: Document
    scored: Scored
    origin: Origin
    via: Via | None
    passages: tuple[Passage, ...]
    allocation: Allocation
    duplicates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What every face renders. ``context`` is the exact text an agent gets, ``below`` what the floor kept out."""

    query: Query
    limit: int
    expand: int
    budget: Budget
    rows: tuple[Row, ...]
    behind: tuple[Row, ...]
    total: int
    total_relation: TotalRelation
    pools: tuple[Pool, ...]
    expansions: tuple[Expansion, ...]
    truncations: tuple[Truncation, ...]
    notices: tuple[Notice, ...]
    usage: Usage
    context: str
    notice: str
    degraded: bool
    trace: Trace
    below: tuple[Below, ...] = ()
    places: tuple[Place, ...] = ()
    next_grant: NextGrant | None = None


# --- why a document is, or is not, in an answer ---------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Depth:
    """How deep a document lies in a pool: its rank among the documents of the pool asked deeper, against ``k``.

    ``rank`` is None when the retriever does not find it at any depth.
    """

    tier: str
    retriever: Retriever
    k: int
    rank: int | None
    total: int
    status: PoolStatus = "ok"
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TermGap:
    """A term of two scores; 0 where a document does not have it."""

    name: str
    value: float
    other: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """What a document lacks against ``other``, the document in the last place that ranking gives, at ``rank``."""

    other: str
    rank: int
    score: float
    other_score: float
    terms: tuple[TermGap, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of one setting that brings a document in: tried, and one step less does not.

    ``steps`` counts steps of the setting; ``rank`` and ``fate`` are the document's then; ``out`` names the documents
    that are no longer in the context.
    """

    key: str
    before: int | float | None
    after: int | float | None
    steps: int
    rank: int
    fate: Fate
    out: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """The first stage that lost a document ("answer": none did), and the smallest changes that bring it in.

    ``skipped``: it is a file that was left out. ``row`` is the document's in the answer or behind the limit; ``gap``
    compares what it scores, or would if its pool had reached it. ``changes`` come best first; ``runs`` counts what was
    tried for them, and ``exhausted`` is False where larger changes were left untried.
    """

    query: Query
    doc_id: str
    stage: LostAt
    reason: str
    remedy: str = ""
    skipped: bool = False
    document: Document | None = None
    row: Row | None = None
    depths: tuple[Depth, ...] = ()
    gap: Gap | None = None
    neighbour: Expansion | None = None
    changes: tuple[Change, ...] = ()
    runs: int = 0
    exhausted: bool = True


# --- the library around queries -------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a build is: ``done`` of ``total`` (0: unknown) in a stage (scan, read, embed, publish)."""

    stage: str
    done: int
    total: int
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildReport:
    """What a build did. ``embedded`` counts passages computed, ``from_cache`` those already known."""

    generation: str
    documents: int
    chunks: int
    added: int
    changed: int
    removed: int
    embedded: int
    from_cache: int
    pending: int
    skipped: tuple[Skipped, ...]
    elapsed_ms: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeStatus:
    """One source type's share of the library; ``size_bytes`` is of the files on disk."""

    source_type: str
    tier: str
    documents: int
    chunks: int
    embedded: int
    size_bytes: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What the current generation holds. ``chunks`` counts passages that retrievers can match.

    ``built`` is when the generation was published (ISO, UTC); ``day`` is what ages are measured against; ``parts`` and
    ``stored_bytes`` are its folders and the files in them. ``search_limit`` is the ceiling of ``search``: of the
    machine, not of the generation.
    """

    store: str
    corpus: str
    generation: str
    documents: int
    chunks: int
    embedded: int
    size_bytes: int
    tokens: int
    relations: int
    dangling: int
    embedder: str
    tokenizer: str
    types: tuple[TypeStatus, ...]
    skipped: tuple[Skipped, ...]
    notices: tuple[Notice, ...] = ()
    search_limit: int = 1000
    built: str = ""
    day: str = ""
    parts: int = 0
    stored_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Dangling:
    """A relation that leads to no document; ``times`` counts the relations with this target, in all documents."""

    target: str
    source: str
    kind: str
    times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Oversized:
    """A document that no context holds whole: its text is larger than the ``bound``.

    ``share`` is its text by the whole budget, the larger one of bytes and tokens; None under no budget.
    """

    document: Document
    bound: Literal["budget", "document"]
    share: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicates:
    """Documents of the same bytes, by id; an answer holds at most one of them."""

    doc_ids: tuple[str, ...]
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What of a generation deserves a look, under a budget. Lists are bounded, the counts beside them are exact.

    ``over_budget`` and ``over_document`` count the documents that are larger than the budget of a context, and the
    others that are larger than what one document may have of it; ``duplicate_groups`` the texts that several
    documents have, ``duplicate_documents`` those documents.
    """

    generation: str
    budget: Budget
    dangling: tuple[Dangling, ...]
    dangling_total: int
    oversized: tuple[Oversized, ...]
    over_budget: int
    over_document: int
    duplicates: tuple[Duplicates, ...]
    duplicate_groups: int
    duplicate_documents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A document at the other end of a relation; ``document`` is None when the relation dangles.

    ``cycle`` marks a document that was already met nearer to the root.
    """

    doc_id: str
    document: Document | None
    parent: str
    kind: str
    direction: Direction
    depth: int
    cycle: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """A document and what is around it, breadth first; ``hidden`` counts edges past the cap."""

    root: Document
    neighbours: tuple[Neighbour, ...]
    hidden: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MapNode:
    """A document on a map: how many relations it is away from the middle, and where it lies.

    Units: 0..1 from the left, and from the top.
    """

    document: Document
    depth: int
    x: float
    y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EgoMap:
    """A document and what is nearest around it, laid out; ``more`` documents are near and not on it."""

    root: str
    nodes: tuple[MapNode, ...]
    edges: tuple[Edge, ...]
    more: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """A document's safe text, whole or a part; ``lines`` are 1-based, first and last."""

    document: Document
    span: Span
    heading: tuple[str, ...]
    text: str
    lines: tuple[int, int]


# --- searching texts ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class TextQuery:
    """What to search the texts for, and in which documents; the filters hold before any limit."""

    pattern: str
    regex: bool = False
    word: bool = False
    ignore_case: bool = False
    paths: tuple[str, ...] = ()
    source_types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLine:
    """A line in which the pattern was found.

    ``span`` is the line's, without its end; where the file's bytes were made safe it is its passages'
    (``span_is_exact`` is False then), and matches have none. ``marks`` are where in ``text`` it matches.

    Units: marks in characters.
    """

    path: str
    source_type: str
    number: int
    span: Span
    text: str
    matches: tuple[Span, ...]
    span_is_exact: bool = True
    text_is_whole: bool = True
    marks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLines:
    """A page of lines in order of paths; ``total`` counts all pages, ``documents`` what was to be searched.

    ``requested`` is what was asked for when a ceiling chose the limit. ``cursor`` is "" on the last page.
    """

    query: TextQuery
    limit: int
    lines: tuple[TextLine, ...]
    total: int
    total_relation: TotalRelation
    documents: int
    cursor: str
    requested: int | None = None


# --- comparing answers ----------------------------------------------------------------------------

Shift = Literal["same", "moved", "new", "out"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Placing:
    """A document's place in a ranking; fate "outranked" is behind the limit.

    ``kept_bytes`` is how much of its text the context has, None when that is not known.
    """

    doc_id: str
    rank: int
    fate: Fate
    title: str = ""
    source_type: str = ""
    score: float | None = None
    kept_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """What is compared of an answer; a logged one keeps no more than this. ``context_hash`` is "" when unknown."""

    placings: tuple[Placing, ...]
    usage: Usage
    generation: str
    degraded: bool = False
    context_hash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A document of one response or the other, or of both: where it was, where it is."""

    doc_id: str
    change: Shift
    before: Placing | None
    after: Placing | None

    @property
    def recut(self) -> bool:
        """Whether the budget treats it otherwise, though it is in both responses: by its fate, or by what is kept."""
        if self.change not in ("same", "moved") or self.before is None or self.after is None:
            return False
        kept = (self.before.kept_bytes, self.after.kept_bytes)
        return self.before.fate != self.after.fate or (None not in kept and kept[0] != kept[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What is different between two rankings of one question.

    ``moves`` has every document of either response, by its rank after, then those that are out by their
    rank before. ``reversals`` are pairs of documents of both responses, the better one before first, whose order
    turned round. ``largest`` is the longest way between two known ranks. ``same_context`` is None when unknown.
    """

    moves: tuple[Move, ...]
    reversals: tuple[tuple[str, str], ...]
    before: Ranking
    after: Ranking
    largest: Move | None
    same_context: bool | None

    def count(self, change: Shift) -> int:
        """Return how many documents changed in this way."""
        return sum(move.change == change for move in self.moves)

    @property
    def recut(self) -> int:
        """How many documents of both responses the budget treats otherwise."""
        return sum(move.recut for move in self.moves)

    @property
    def changes(self) -> tuple[Move, ...]:
        """The moves that are any: of what stands in another place, comes, goes, or is cut otherwise."""
        return tuple(move for move in self.moves if move.change != "same" or move.recut)

    @property
    def unchanged(self) -> bool:
        """Whether the same documents stand in the same places, cut alike."""
        return not self.changes


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One question under two settings."""

    before: Answer
    after: Answer
    difference: Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """What many comparisons add up to; ``changed`` counts the questions with any difference."""

    questions: int
    changed: int
    moved: int
    new: int
    out: int
    reversals: int
    recut: int
    before: Cost
    after: Cost


# --- the query log --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRecord:
    """A query as it was asked through some face, and what came of it.

    ``values`` are the settings it was answered under, as far as they differ from the defaults; ``changed``
    those that differed from what the files said. ``usage`` is None for one that failed, ``error`` then says why.
    """

    record_id: str
    time: str
    face: str
    query: Query
    settings_hash: str
    values: tuple[tuple[str, int | float | None], ...]
    changed: tuple[tuple[str, int | float | None], ...]
    placings: tuple[Placing, ...]
    usage: Usage | None
    elapsed_ms: float
    generation: str
    degraded: bool = False
    context_hash: str = ""
    error: str = ""
    exit_code: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPage:
    """What a log holds, oldest first; ``damaged`` counts lines that are no record (one that a killed writer tore)."""

    records: tuple[LogRecord, ...]
    damaged: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """A logged query asked again: what it would get now, and what is different. ``answer`` is None when it fails."""

    record: LogRecord
    answer: Answer | None
    difference: Comparison | None
    error: str = ""
