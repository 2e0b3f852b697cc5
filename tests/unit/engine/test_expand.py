"""The response inside its limit: seeds, neighbours, backfill."""

from __future__ import annotations

import pytest

from kbtui.engine.expand import Admission, Room, expand
from kbtui.engine.score import Weights
from kbtui.model import Document, Edge, Expansion, Filters, Gathered, Scored, ScoreTerm, Selection
from kbtui.settings import Settings
from tests.engine_fakes import document

WEIGHTS = Weights.of(Settings())
ANY = Admission(source_types=(), filters=Filters())


def link(source: str, target: str, kind: str = "link", weight: float = 1.0) -> Edge:
    return Edge(source=source, target=target, kind=kind, weight=weight)


def expanded(
    ranked: str,
    *edges: Edge,
    others: tuple[Document, ...] = (),
    limit: int = 5,
    reserve: int = 2,
    admission: Admission = ANY,
    first_score: float = 1.0,
) -> Selection:
    """Expand from documents named by letters, best first; each scores 0.1 less than the one before."""
    scored = tuple(
        Scored(
            doc_id=name,
            tier="primary",
            source_type="guide",
            score=first_score - place / 10,
            terms=(ScoreTerm(name="dense", value=first_score - place / 10),),
        )
        for place, name in enumerate(ranked)
    )
    known = {name: document(name) for name in ranked} | {row.doc_id: row for row in others}
    for edge in edges:
        for end in (edge.source, edge.target):
            if not edge.dangling:
                known.setdefault(end, document(end))
    gathered = Gathered(
        pools=(), bounds=(), documents=tuple(known.values()), entries=(), edges=edges, embedded=1, chunks=1
    )
    return expand(scored, gathered, Room(limit=limit, expand=reserve, decay=0.5), admission, WEIGHTS)


def places(found: Selection) -> str:
    """Return the seats in words: ``a b | x | c`` are seeds, neighbours, backfill."""
    parts = (
        " ".join(seat.scored.doc_id for seat in found.seats if seat.origin == origin)
        for origin in ("ranked", "neighbour", "backfill")
    )
    return " | ".join(parts)


def outcome(found: Selection, doc_id: str) -> Expansion:
    (one,) = [expansion for expansion in found.expansions if expansion.doc_id == doc_id]
    return one


def test_seeds_then_neighbours_then_backfill() -> None:
    """Of five places three are seeds, one neighbour takes the fourth, the next ranked document the fifth."""
    found = expanded("abcdef", link("b", "x"))
    assert places(found) == "a b c | x | d"
    assert [seat.rank for seat in found.seats] == [1, 2, 3, 4, 5]
    assert [one.doc_id for one in found.outranked] == ["e", "f"]


@pytest.mark.parametrize(
    ("limit", "reserve", "seats"),
    [(5, 0, "a b c d e |  | "), (3, 2, "a | x y | "), (3, 9, "a | x y | "), (2, 2, "a | x | "), (1, 2, "a |  | ")],
)
def test_the_limit_is_never_passed(limit: int, reserve: int, seats: str) -> None:
    """Neighbours take places inside the limit, never the first; expand 0 has none, limit 1 is one ranked."""
    found = expanded("abcdef", link("a", "x"), link("a", "y"), link("a", "z"), limit=limit, reserve=reserve)
    assert places(found) == seats
    assert len(found.seats) == limit


def test_without_expansion_the_graph_is_not_read() -> None:
    """expand 0 and limit 1 consider no neighbour at all."""
    assert expanded("ab", link("a", "x"), reserve=0).expansions == ()
    assert expanded("ab", link("a", "x"), limit=1).expansions == ()


def test_one_seed_cannot_spend_all_places() -> None:
    """Breadth first: a has three links, b one; each brings one."""
    found = expanded("abc", link("a", "x"), link("a", "y"), link("a", "z"), link("b", "w"))
    assert places(found) == "a b c | x w | "
    assert outcome(found, "y").outcome == "over_limit"


def test_relations_have_an_order() -> None:
    """Successors first, then outgoing, then incoming, mentions last; heavier before lighter, then by id."""
    edges = (
        link("a", "m", "mention"),
        link("i", "a"),
        link("a", "o2"),
        link("a", "o1"),
        link("a", "o9", weight=2.0),
        link("s", "a", "supersedes"),
    )
    found = expanded("abcdefgh", *edges, limit=8, reserve=7)
    assert places(found) == "a | s o9 o1 o2 i m | b"


def test_successors_of_all_seeds_come_first() -> None:
    """A replacement for the second seed goes before a link of the first."""
    found = expanded("ab", link("a", "x"), link("b", "s", "superseded_by"), limit=3, reserve=1)
    assert places(found) == "a b | s | "


def test_a_neighbour_says_how_it_came() -> None:
    """Seed, kind, direction and depth; its score is half of its seed's, and it pays its own penalties."""
    found = expanded("a", link("x", "a", "blocked_by"), others=(document("x", "pull"),))
    seat = found.seats[1]
    assert seat.via is not None
    assert (seat.via.seed, seat.via.kind, seat.via.direction, seat.via.depth) == ("a", "blocked_by", "in", 1)
    assert [(term.name, term.value) for term in seat.scored.terms] == [
        ("neighbour", 1.0 * 0.5),
        ("penalty.pull", -0.25),
    ]
    assert seat.scored.score == 1.0 * 0.5 - 0.25
    assert (seat.scored.tier, seat.scored.source_type) == ("historical", "pull")


def test_a_seed_below_zero_gives_nothing() -> None:
    """A neighbour never gains from a negative score halved."""
    assert expanded("a", link("a", "x"), first_score=-0.4).seats[1].scored.score == 0.0


def test_a_neighbour_that_was_a_candidate_keeps_its_terms() -> None:
    """d is ranked fourth and linked: it comes as a neighbour, with its own score, and only once."""
    found = expanded("abcdef", link("a", "d"))
    assert places(found) == "a b c | d | e"
    assert found.seats[3].scored.terms == (ScoreTerm(name="dense", value=1.0 - 3 / 10),)


def test_a_seed_is_no_neighbour() -> None:
    """A link between two seeds changes nothing, and says so; neither does a link to itself."""
    found = expanded("abcdef", link("a", "b"), link("a", "a"))
    assert places(found) == "a b c |  | d e"
    assert [(one.doc_id, one.outcome) for one in found.expansions] == [
        ("b", "already_present"),
        ("a", "already_present"),
    ]


@pytest.mark.parametrize(
    ("row", "admission", "reason"),
    [
        (document("x", archived=True), Admission(source_types=(), filters=Filters(inactive=True)), "archived"),
        (document("x", status="rejected", inactive=True), ANY, "inactive: rejected"),
        (document("x", superseded=True), ANY, "superseded"),
        (document("x", "pull"), Admission(source_types=("guide",), filters=Filters()), "type pull was not asked for"),
        (
            document("x", status="open"),
            Admission(source_types=(), filters=Filters(statuses=("closed",))),
            "status open was not asked for",
        ),
        (
            document("x"),
            Admission(source_types=(), filters=Filters(statuses=("closed",))),
            "status none was not asked for",
        ),
        (document("x"), Admission(source_types=(), filters=Filters(paths=("docs/*",))), "path was not asked for"),
    ],
)
def test_a_neighbour_obeys_the_filters(row: Document, admission: Admission, reason: str) -> None:
    """What a filter keeps out is suppressed with the reason, and its place is backfilled."""
    found = expanded("abcdef", link("a", "x"), others=(row,), admission=admission)
    assert places(found) == "a b c |  | d e"
    assert (outcome(found, "x").outcome, outcome(found, "x").reason) == ("suppressed", reason)


@pytest.mark.parametrize(
    ("row", "filters"),
    [
        (document("x", status="rejected", inactive=True), Filters(inactive=True)),
        (document("x", superseded=True), Filters(inactive=True)),
        (document("x", status="Closed"), Filters(statuses=("closed",))),
        (document("docs/deep/x"), Filters(paths=("src/*", "docs/*"))),
    ],
)
def test_a_neighbour_that_passes_the_filters_is_kept(row: Document, filters: Filters) -> None:
    """The same filters let through what they ask for."""
    found = expanded(
        "abcdef", link("a", row.doc_id), others=(row,), admission=Admission(source_types=(), filters=filters)
    )
    assert outcome(found, row.doc_id).outcome == "kept"


def test_a_dangling_relation_is_counted() -> None:
    """A relation to nothing takes no place, and is said."""
    found = expanded("ab", Edge(source="a", target="gone", kind="link", dangling=True))
    assert places(found) == "a b |  | "
    assert outcome(found, "gone").reason == "no such document"


def test_fewer_documents_than_places() -> None:
    """Two candidates and three neighbours: two of those fit into their places, and nothing is behind the limit."""
    found = expanded("ab", link("a", "x"), link("a", "y"), link("b", "z"))
    assert places(found) == "a b | x z | "
    assert found.outranked == ()


# --- copies ---


def test_a_copy_of_a_seed_is_already_there() -> None:
    """A neighbour with a seed's text takes no place: the next one does, and the copy says whose text it has."""
    seed, copy = document("a", sha256="x"), document("copy", sha256="x")
    found = expanded("abcdef", link("a", "copy"), link("a", "y"), others=(seed, copy))
    assert places(found) == "a b c | y | d"
    one = outcome(found, "copy")
    assert (one.outcome, one.same_as, one.reason) == ("already_present", "a", "it has the same text as a")


def test_a_copy_of_a_ranked_document_brings_that_one() -> None:
    """The copy's place goes to the better of the two, with its own terms; it is not filled in again behind."""
    ranked, copy = document("e", sha256="x"), document("copy", sha256="x")
    found = expanded("abcdef", link("a", "copy"), others=(ranked, copy))
    assert places(found) == "a b c | e | d"
    assert [one.doc_id for one in found.outranked] == ["f"]
    assert (outcome(found, "e").outcome, outcome(found, "copy").same_as) == ("kept", "e")
    (seat,) = [seat for seat in found.seats if seat.origin == "neighbour"]
    assert [term.name for term in seat.scored.terms] == ["dense"]


def test_two_copies_among_the_neighbours_take_one_place() -> None:
    """The first of them is kept; the second says whose text it has."""
    copies = (document("x", sha256="t"), document("y", sha256="t"))
    found = expanded("abcdef", link("a", "x"), link("b", "y"), link("c", "z"), others=copies)
    assert places(found) == "a b c | x z | "
    assert outcome(found, "y").same_as == "x"


def test_a_copy_that_is_kept_out_stands_for_nothing() -> None:
    """A filter speaks first: an archived copy is suppressed, and the document itself is not brought by it."""
    rows = (document("e", sha256="x"), document("copy", sha256="x", archived=True))
    found = expanded("abcdef", link("a", "copy"), others=rows)
    assert places(found) == "a b c |  | d e"
    assert (outcome(found, "copy").outcome, outcome(found, "copy").reason) == ("suppressed", "archived")
