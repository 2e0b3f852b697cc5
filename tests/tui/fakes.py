"""A stand-in for the explorer: a handful of documents, ranked by the settings it is given, simply packed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

from kbtui.engine import frame
from kbtui.engine.compare import compare, logged, ranking
from kbtui.errors import KbtuiError, StoreError, UsageError
from kbtui.model import (
    Allocation,
    Answer,
    Budget,
    BuildReport,
    Compared,
    Cost,
    Dangling,
    Document,
    Duplicates,
    Edge,
    EgoMap,
    Expansion,
    Extract,
    Fate,
    LogPage,
    LogRecord,
    MapNode,
    Match,
    Neighbour,
    Neighbourhood,
    Notice,
    Oversized,
    Passage,
    Place,
    Placing,
    Pool,
    Progress,
    Query,
    Replayed,
    Row,
    Scored,
    ScoreTerm,
    Skipped,
    Span,
    Status,
    Step,
    Survey,
    Trace,
    TypeStatus,
    Usage,
    Via,
)
from kbtui.settings import Settings, tier_of
from kbtui.tui.doors import Library, Tail
from tests.tui.fake_inquiries import Inquiries, by_hand, declared

NOTICE = frame.NOTICE_HEADER + "\nThe budget of the context cut what was found."


def document(doc_id: str, title: str, source_type: str, size: int) -> Document:
    """Return a document of that size."""
    return Document(
        doc_id=doc_id,
        path=doc_id,
        title=title,
        source_type=source_type,
        text_bytes=size,
        size_bytes=size,
        tokens=size // 4,
    )


DOCUMENTS = (
    (0.91, document("docs/state.md", "State providers", "guide", 8_100)),
    (0.88, document("pulls/418.md", "Rework the state provider lifecycle", "pull", 28_600)),
    (0.80, document("adr/0007-state.md", "ADR 7: one provider a session", "decision", 2_400)),
    (0.74, document("src/state/provider.py", "provider.py", "src", 5_300)),
    (0.66, document("issues/1201.md", "State provider leaks a handle after reload", "ticket", 1_900)),
    (0.61, document("blog/state.md", "Why we moved state out of the view", "blog", 6_600)),
    (0.52, document("tests/test_provider.py", "test_provider.py", "test", 3_300)),
    (0.44, document("releases/2.4.md", "Release 2.4", "release", 2_100)),
    (0.31, document("notes/misc.md", "Loose notes", "meeting", 900)),
)


def crowded(documents: tuple[tuple[float, Document], ...]) -> tuple[tuple[float, Document], ...]:
    """Return what is found without tiers: all of history, and of the others only the first two."""
    others = [row.doc_id for _, row in documents if tier_of(row.source_type) != "historical"][:2]
    return tuple(
        (base, row) for base, row in documents if row.doc_id in others or tier_of(row.source_type) == "historical"
    )


@dataclass
class FakeLibrary(Inquiries):
    """A library over a few documents; ``bodies`` replaces a document's text, ``failure`` every answer."""

    documents: tuple[tuple[float, Document], ...] = DOCUMENTS
    bodies: dict[str, str] = field(default_factory=dict)
    failure: KbtuiError | None = None
    notices: tuple[Notice, ...] = ()
    asked: list[tuple[Query, Settings]] = field(default_factory=list)
    gate: Event | None = None
    closed: bool = False
    settled: list[Query] = field(default_factory=list)

    def settle(self, query: Query) -> None:
        """Note what is meant."""
        self.settled.append(query)

    def body(self, row: Document) -> str:
        """Return a document's text."""
        line = f"{row.title}: what there is to know.\n"
        return self.bodies.get(row.doc_id) or (line * (row.text_bytes // len(line) + 1))[: row.text_bytes]

    def query(self, query: Query, settings: Settings) -> Answer:
        """Rank, cut at the limit, pack."""
        self.asked.append((query, settings))
        if self.gate is not None:
            self.gate.wait(5)
        if self.failure is not None:
            raise self.failure
        unknown = [name for name in query.source_types if name not in {row.source_type for _, row in self.documents}]
        if unknown:
            raise UsageError(f"unknown type {unknown[0]!r}", "Known: guide, pull")
        penalties = dict(settings.family("penalty."))
        scored = [
            _scored(base, row, 0.0 if query.source_types else penalties.get(row.source_type, 0.0), settings)
            for base, row in (self.documents if query.tiered else crowded(self.documents))
            if not query.source_types or row.source_type in query.source_types
        ]
        scored.sort(key=lambda item: (-item[0].score, item[0].doc_id))
        scored = by_hand(scored, query.include, settings.whole("limit"))
        return declared(self._pack(query, settings, scored))

    def what_if(self, query: Query, settings: Settings) -> Answer:
        """Answer for comparison."""
        return self.query(query, settings)

    def _pack(self, query: Query, settings: Settings, scored: list[tuple[Scored, Document]]) -> Answer:
        limit, budget = settings.whole("limit"), settings.budget()
        room = 10**12 if budget.size_bytes is None else budget.size_bytes - len(NOTICE)
        cap = 10**12 if budget.document_bytes is None else budget.document_bytes
        rows: list[Row] = []
        behind: list[Row] = []
        blocks: list[str] = []
        places: list[Place] = []
        used = Cost(size_bytes=0, tokens=0)
        for rank, (item, row) in enumerate(scored, 1):
            if rank > limit:
                behind.append(_row(rank, item, row, "outranked", Cost(size_bytes=0, tokens=0), used))
                continue
            size = len(self.body(row))
            take = min(size, cap, max(0, room - used.size_bytes))
            take = 0 if take < min(size, 200) else take
            fate: Fate = "whole" if take == size else "trimmed" if take else "dropped"
            kept = Cost(size_bytes=take, tokens=take // 4)
            used = used + kept
            rows.append(_row(rank, item, row, fate, kept, used))
            if take:
                places.append(Place(doc_id=row.doc_id, at=sum(len(block) + 1 for block in blocks)))
                blocks.append(frame.header(rank, row) + self.body(row)[:take] + frame.CLOSE)
        cut = any(row.allocation.decision != "whole" for row in rows)
        context = "\n".join([*blocks, *([NOTICE] if cut else [])])
        return Answer(
            query=query,
            limit=limit,
            expand=settings.whole("expand"),
            budget=budget,
            rows=tuple(rows),
            behind=tuple(behind),
            total=len(scored),
            total_relation="gte",
            pools=_pools(),
            expansions=(
                Expansion(
                    doc_id="pulls/418.md",
                    via=Via(seed="docs/state.md", kind="link", direction="out", depth=1),
                    outcome="kept",
                ),
                Expansion(
                    doc_id=self.documents[-1][1].doc_id,
                    via=Via(seed="docs/state.md", kind="link", direction="in", depth=1),
                    outcome="suppressed",
                    reason="superseded",
                ),
            ),
            truncations=(),
            notices=self.notices,
            usage=Usage(size_bytes=len(context.encode()), tokens=used.tokens, items=len(blocks)),
            context=context,
            notice=NOTICE if cut else "",
            degraded=False,
            places=tuple(places),
            trace=Trace(
                generation="12",
                settings_hash=settings.digest(),
                steps=(
                    Step(stage="plan", came=9, went=9, elapsed_ms=0.1),
                    Step(stage="gather", came=9, went=9, reused=True),
                ),
            ),
        )

    def read(self, name: str, *, section: str | None = None, span: Span | None = None) -> Extract:
        """Return a document's text, or a part of it."""
        row = next((row for _, row in self.documents if row.doc_id == name), None)
        if row is None:
            raise UsageError(f"no document {name!r}")
        whole = self.body(row)
        at = span or Span(start=0, end=len(whole))
        first = whole[: at.start].count("\n") + 1
        return Extract(document=row, span=at, heading=(), text=whole[at.start : at.end], lines=(first, first))

    def neighbours(self, name: str, depth: int = 1) -> Neighbourhood:
        """Return the documents before and after this one, and one that is not there."""
        rows = [row for _, row in self.documents]
        at = next(at for at, row in enumerate(rows) if row.doc_id == name)
        after = rows[(at + 1) % len(rows)]
        return Neighbourhood(
            root=rows[at],
            neighbours=(
                Neighbour(doc_id=after.doc_id, document=after, parent=name, kind="link", direction="out", depth=1),
                Neighbour(
                    doc_id=rows[at - 1].doc_id, document=rows[at - 1], parent=name, kind="link", direction="in", depth=1
                ),
                Neighbour(doc_id="gone.md", document=None, parent=name, kind="related", direction="out", depth=1),
            ),
            hidden=3,
        )

    def ego_map(self, name: str) -> EgoMap:
        """Return all documents on a ring around this one, each related to it."""
        rows = [row for _, row in self.documents if row.doc_id != name][:8]
        root = next(row for _, row in self.documents if row.doc_id == name)
        return EgoMap(
            root=name,
            nodes=(
                MapNode(document=root, depth=0, x=0.5, y=0.5),
                *(
                    MapNode(document=row, depth=1, x=(at % 2) * 1.0, y=at / max(1, len(rows) - 1))
                    for at, row in enumerate(rows)
                ),
            ),
            edges=tuple(Edge(source=name, target=row.doc_id, kind="link") for row in rows),
            more=5,
        )

    def matched_words(self, question: str, name: str, span: Span) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Say that the first word is there, and the others are not."""
        del name, span
        first, *rest = question.split()
        return (first,), tuple(rest)

    def status(self) -> Status:
        """Return what there is."""
        return Status(
            store="store",
            corpus="corpus",
            generation="12",
            documents=len(self.documents),
            chunks=120,
            embedded=120,
            size_bytes=len({row.source_type for _, row in self.documents}),
            tokens=1,
            relations=20,
            dangling=1,
            embedder="fake",
            tokenizer="fake",
            types=tuple(
                TypeStatus(
                    source_type=name, tier=tier_of(name), documents=1, chunks=1, embedded=1, size_bytes=1, tokens=1
                )
                for name in sorted({row.source_type for _, row in self.documents})
            ),
            skipped=(
                Skipped(path="docs/scan.pdf", reason="binary"),
                Skipped(path="data/dump.sql", reason="too large", detail="94 MB, at most 20 MB"),
            ),
            built="2026-11-30T14:02:11+00:00",
            day="2026-11-30",
            parts=4,
            stored_bytes=123_456,
        )

    def survey(self, budget: Budget) -> Survey:
        """Return what deserves a look: something of everything."""
        largest = max((row for _, row in self.documents), key=lambda row: row.text_bytes)
        ids = tuple(row.doc_id for _, row in self.documents)
        return Survey(
            generation="12",
            budget=budget,
            dangling=(
                Dangling(target="gone.md", source=ids[0], kind="link", times=2),
                Dangling(target="gone.md", source=ids[1], kind="related", times=2),
            ),
            dangling_total=3,
            oversized=(Oversized(document=largest, bound="document", share=largest.text_bytes / 32_000),),
            over_budget=0,
            over_document=1,
            duplicates=(Duplicates(doc_ids=ids[:2], size_bytes=1_900),),
            duplicate_groups=1,
            duplicate_documents=2,
        )

    def replay(self, record: LogRecord, settings: Settings) -> Replayed:
        """Ask a logged query again."""
        try:
            answer = self.query(record.query, settings)
        except KbtuiError as error:
            return Replayed(record=record, answer=None, difference=None, error=error.message)
        return Replayed(record=record, answer=answer, difference=compare(logged(record), ranking(answer)))

    def compare(self, query: Query, before: Settings, after: Settings) -> Compared:
        """Answer twice."""
        first, second = self.query(query, before), self.query(query, after)
        return Compared(before=first, after=second, difference=compare(ranking(first), ranking(second)))

    def refresh(self) -> bool:
        """There is never a newer one."""
        return False

    def close(self) -> None:
        """Note that it was let go."""
        self.closed = True


def _scored(base: float, row: Document, penalty: float, settings: Settings) -> tuple[Scored, Document]:
    dense = settings.number("weights.dense")
    terms = [
        ScoreTerm(name="dense", value=base * dense, detail="best passage, rank 3 in its pool"),
        ScoreTerm(name="lexical", value=base * settings.number("weights.lexical")),
    ]
    if penalty:
        terms.append(ScoreTerm(name=f"penalty.{row.source_type}", value=penalty))
    match = Match(chunk_id=f"{row.doc_id}#1", score=base, dense=base, dense_rank=3, dense_raw=base)
    score = sum(term.value for term in terms)
    tier = tier_of(row.source_type)
    return (
        Scored(
            doc_id=row.doc_id, tier=tier, source_type=row.source_type, score=score, terms=tuple(terms), matches=(match,)
        ),
        row,
    )


def _row(rank: int, scored: Scored, row: Document, fate: Fate, kept: Cost, used: Cost) -> Row:
    spans = (Span(start=0, end=kept.size_bytes),) if kept.size_bytes else ()
    return Row(
        rank=rank,
        document=row,
        scored=scored,
        origin="neighbour" if rank == 4 else "ranked",
        via=Via(seed="docs/state.md", kind="link", direction="out", depth=1) if rank == 4 else None,
        passages=(
            Passage(
                chunk_id=f"{row.doc_id}#1",
                heading=("Guide", row.title),
                span=Span(start=0, end=900),
                match=scored.matches[0],
            ),
        ),
        allocation=Allocation(
            doc_id=row.doc_id,
            rank=rank,
            decision=fate,
            chunk_ids=(),
            spans=spans,
            cost=Cost(size_bytes=row.text_bytes, tokens=row.tokens),
            kept=kept,
            cumulative=used,
            reason="needs 3,300 bytes, 120 left" if fate == "dropped" else "",
        ),
    )


def _pools() -> tuple[Pool, ...]:
    sizes = (("primary", 65), ("secondary", 20), ("historical", 10), ("custom", 5))
    return tuple(
        Pool(tier=tier, retriever=retriever, k=k, hits=(), found=k, survived=k - 1, total=40 * k, elapsed_ms=1.5)
        for tier, k in sizes
        for retriever in ("dense", "lexical")
    )


def many(count: int) -> FakeLibrary:
    """Return a library of that many documents, none of which costs anything to speak of."""
    return FakeLibrary(
        documents=tuple(
            (1 - at / count, document(f"docs/{at:06}.md", f"Document {at}", "guide", 400)) for at in range(count)
        )
    )


def asked(number: int, text: str = "state provider", *, face: str = "mcp", error: str = "", **values: int) -> LogRecord:
    """Return a record of that question; ``values`` are what its query brought along."""
    got: tuple[tuple[str, Fate], ...] = (
        () if error else (("docs/state.md", "trimmed"), ("src/state/provider.py", "whole"), ("gone.md", "dropped"))
    )
    own = tuple((name.replace("_", "."), value) for name, value in values.items())
    return LogRecord(
        record_id=f"{number:010x}",
        time=f"2026-12-01T05:{number // 60:02}:{number % 60:02}.000+00:00",
        face=face,
        query=Query(text=text),
        settings_hash="fecc3bbac4fe",
        values=own,
        changed=own,
        placings=tuple(
            Placing(doc_id=doc_id, rank=rank, fate=fate, source_type="guide", score=0.9)
            for rank, (doc_id, fate) in enumerate(got, 1)
        ),
        usage=None if error else Usage(size_bytes=9_100, tokens=2_275, items=2),
        elapsed_ms=12.5,
        generation="11",
        context_hash="abc",
        error=error,
        exit_code=5 if error else 0,
    )


LOGGED = LogPage(
    records=(
        asked(1, "how are handles closed"),
        asked(2, face="cli", limit=2),
        asked(3, "", error="the query is empty"),
        asked(4, "what changed in 2.4", face="app"),
    ),
    damaged=1,
)


@dataclass
class FakeDoors:
    """Opens the given library; ``missing`` until an index has been built."""

    library: FakeLibrary = field(default_factory=FakeLibrary)
    missing: bool = False
    steps: tuple[Progress, ...] = ()
    failure: KbtuiError | None = None
    hold: Event | None = None
    indexed: int = 0
    logged: LogPage = field(default_factory=lambda: LOGGED)
    appended: list[LogPage] = field(default_factory=list)
    unlogged: KbtuiError | None = None

    def open(self, store: Path) -> Library:
        """Open the library."""
        if self.missing:
            raise StoreError("no store here", "Run: kbtui index")
        return self.library

    def index(
        self, corpus: Path, store: Path, report: Callable[[Progress], None], cancelled: Callable[[], bool]
    ) -> BuildReport:
        """Report the steps; the first publication makes the library appear."""
        if self.failure is not None:
            raise self.failure
        for step in self.steps:
            if step.stage == "publish":
                self.missing = False
            report(step)
        while self.hold is not None and not cancelled() and not self.hold.wait(0.01):
            continue
        self.missing = False
        self.indexed += 1
        return replace(_REPORT)

    def log(self, store: Path) -> LogPage:
        """Return what is logged."""
        if self.unlogged is not None:
            raise self.unlogged
        return self.logged

    def follow(self, store: Path) -> Tail:
        """Follow what a test appends."""
        return self

    def fresh(self) -> LogPage:
        """Return what was appended since the last look."""
        found, self.appended = self.appended, []
        return LogPage(
            records=tuple(record for page in found for record in page.records),
            damaged=sum(page.damaged for page in found),
        )


_REPORT = BuildReport(
    generation="12",
    documents=9,
    chunks=120,
    added=9,
    changed=0,
    removed=0,
    embedded=0,
    from_cache=0,
    pending=0,
    skipped=(),
)
