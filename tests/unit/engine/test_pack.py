"""What the budget leaves of a selection."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kbtui.engine import frame
from kbtui.engine.pack import joined, pack, reserve
from kbtui.errors import UsageError
from kbtui.model import Allocation, Budget, Document, Entry, Match, Packing, Scored, Seat, Span
from tests.engine_fakes import document, word_count

UNLIMITED = Budget(size_bytes=None, tokens=None, document_bytes=None, document_tokens=None)
TOKENS_A_PASSAGE = 10

Selected = tuple[tuple[Seat, ...], tuple[Document, ...], tuple[tuple[Entry, ...], ...]]


def selected(*documents: tuple[str, tuple[int, ...], dict[int, float]]) -> Selected:
    """Return a selection in rank order: each document by name, passage sizes, and scores of matched passages."""
    seats, rows, passages = [], [], []
    for rank, (name, sizes, scores) in enumerate(documents, start=1):
        matches = tuple(
            Match(chunk_id=f"{name}#{ordinal}", score=scores[ordinal])
            for ordinal in sorted(scores, key=lambda ordinal: -scores[ordinal])
        )
        seats.append(
            Seat(
                rank=rank,
                scored=Scored(doc_id=name, tier="primary", source_type="guide", score=1.0, terms=(), matches=matches),
                origin="ranked",
            )
        )
        rows.append(replace(document(name, title="T"), text_bytes=sum(sizes), tokens=TOKENS_A_PASSAGE * len(sizes)))
        ends = [sum(sizes[:ordinal]) for ordinal in range(len(sizes) + 1)]
        passages.append(
            tuple(
                Entry(
                    chunk_id=f"{name}#{ordinal}",
                    doc_id=name,
                    ordinal=ordinal,
                    span=Span(start=ends[ordinal], end=ends[ordinal + 1]),
                    heading=(),
                    size_bytes=size,
                    tokens=TOKENS_A_PASSAGE,
                    searchable=ordinal > 0,
                )
                for ordinal, size in enumerate(sizes)
            )
        )
    return tuple(seats), tuple(rows), tuple(passages)


def packed(of: Selected, budget: Budget = UNLIMITED, at_most: int | None = None) -> Packing:
    return pack(*of, budget, word_count, at_most)


def framing(name: str, rank: int) -> int:
    """Return the bytes that a block adds to its text."""
    return len(f"===== [{rank}] {name} | guide | T =====\n\n")


def mark(gap: int) -> int:
    return len(f"\n[... {gap:,} bytes left out ...]\n") if gap else 0


def notice_room(of: Selected) -> int:
    return reserve(of[0], of[1], word_count).size_bytes


def fates(packing: Packing) -> list[str]:
    return [allocation.decision for allocation in packing.allocations]


def one(packing: Packing, name: str) -> Allocation:
    return next(allocation for allocation in packing.allocations if allocation.doc_id == name)


TWO = selected(("a", (100, 200, 300), {1: 0.9}), ("b", (50, 60), {1: 0.8}))
WHOLE_A = framing("a", 1) + 600
WHOLE_B = framing("b", 2) + 110


def test_what_fits_is_whole() -> None:
    """Everything is emitted in document order with nothing said; costs are the text and its frame."""
    packing = packed(TWO)
    assert fates(packing) == ["whole", "whole"]
    assert packing.notice == ""
    assert packing.truncations == ()
    assert one(packing, "a").chunk_ids == ("a#0", "a#1", "a#2")
    assert one(packing, "a").spans == (Span(start=0, end=600),)
    assert one(packing, "a").cost.size_bytes == one(packing, "a").kept.size_bytes == WHOLE_A
    assert one(packing, "b").cumulative.size_bytes == WHOLE_A + 1 + WHOLE_B


def test_an_exact_budget_keeps_everything() -> None:
    """The whole context to the byte needs no room for a notice; one byte less and it is cut."""
    exact = WHOLE_A + 1 + WHOLE_B
    large = selected(("a", (100, 2_000, 3_000), {1: 0.9}), ("b", (50, 60), {1: 0.8}))
    exact += 1_800 + 2_700
    assert fates(packed(large, replace(UNLIMITED, size_bytes=exact))) == ["whole", "whole"]
    cut = packed(large, replace(UNLIMITED, size_bytes=exact - 1))
    assert cut.grants == ("a#1", "b#1", "a#0")  # then a#2 does not fit, and ends the list
    assert cut.notice.startswith(frame.NOTICE_HEADER)


def test_passages_are_granted_in_one_order() -> None:
    """Best of each by rank, other matched ones by score, then unmatched ones by distance, rank and ordinal."""
    of = selected(
        ("a", (9,) * 6, {2: 0.9, 5: 0.4}),
        ("b", (9,) * 3, {1: 0.5, 0: 0.45}),
    )
    assert packed(of).grants == (
        "a#2",
        "b#1",
        "b#0",  # 0.45
        "a#5",  # 0.4
        "a#1",  # one from a#2
        "a#3",
        "a#4",  # one from a#5
        "b#2",
        "a#0",  # two away
    )


def test_a_neighbour_is_anchored_on_its_first_searchable_passage() -> None:
    """Without matches the front matter (passage 0) comes after what is worth reading."""
    assert packed(selected(("a", (9, 9, 9), {}))).grants == ("a#1", "a#0", "a#2")


def test_a_budget_grants_a_prefix() -> None:
    """Just enough for the best passage of both, their marks and the notice: those, and not a byte less."""
    cost_a = framing("a", 1) + mark(100) + 200 + mark(300)
    cost_b = framing("b", 2) + mark(50) + 60
    needs = cost_a + 1 + cost_b + notice_room(TWO)
    of = selected(("a", (100, 200, 3_000), {1: 0.9}), ("b", (50, 60), {1: 0.8}))
    needs += mark(3_000) - mark(300)
    packing = packed(of, replace(UNLIMITED, size_bytes=needs))
    assert packing.grants == ("a#1", "b#1")
    assert one(packing, "b").cumulative.size_bytes == needs - notice_room(of)
    assert one(packing, "a").spans == (Span(start=100, end=300),)
    assert packed(of, replace(UNLIMITED, size_bytes=needs - 1)).grants == ("a#1",)


def test_nothing_is_skipped_to_reach_further() -> None:
    """A passage that does not fit ends the list, though a smaller one behind it would fit; both say so."""
    of = selected(("a", (10, 100), {1: 0.9}), ("b", (10, 5_000), {1: 0.8}), ("c", (10, 20), {1: 0.7}))
    room = framing("a", 1) + mark(10) + 100 + notice_room(of) + 200
    packing = packed(of, replace(UNLIMITED, size_bytes=room))
    assert fates(packing) == ["trimmed", "dropped", "dropped"]
    needs_b = 1 + framing("b", 2) + mark(10) + 5_000
    needs_c = 1 + framing("c", 3) + mark(10) + 20
    assert one(packing, "b").reason == f"budget: needs {needs_b:,} bytes, 200 left"
    assert one(packing, "c").reason == f"budget: ended at rank 2, before it (needs {needs_c:,} bytes, 200 left)"


def test_the_passage_that_did_not_fit_is_named_with_what_it_lacks() -> None:
    """As many bytes more as are missing let it in, one less does not; where nothing was cut, nothing waits."""
    of = selected(("a", (10, 100, 9_000), {1: 0.9}), ("b", (10, 5_000), {1: 0.8}))
    room = framing("a", 1) + mark(10) + 100 + mark(9_000) + notice_room(of) + 200
    waits = packed(of, replace(UNLIMITED, size_bytes=room)).next_grant
    assert waits is not None
    assert (waits.doc_id, waits.rank, waits.chunk_id, waits.unit) == ("b", 2, "b#1", "bytes")
    assert waits.missing == waits.needs - 200 == 1 + framing("b", 2) + mark(10) + 5_000 - 200
    assert "b#1" in packed(of, replace(UNLIMITED, size_bytes=room + waits.missing)).grants
    assert "b#1" not in packed(of, replace(UNLIMITED, size_bytes=room + waits.missing - 1)).grants
    assert packed(of).next_grant is None


def test_a_document_bound_trims_only_that_document() -> None:
    """An oversized document keeps what its own bound holds; the others are whole, and both ways out are named."""
    of = selected(("a", (10, *(1_000,) * 9), {1: 0.9}), ("b", (10, 60), {1: 0.8}))
    packing = packed(of, replace(UNLIMITED, document_bytes=2_500))
    assert fates(packing) == ["trimmed", "whole"]
    assert one(packing, "a").chunk_ids == ("a#0", "a#1", "a#2")
    assert one(packing, "a").kept.size_bytes == framing("a", 1) + 2_010 + mark(7_000) <= 2_500
    assert one(packing, "a").reason == "document bound 2,500 bytes"
    (cut,) = packing.truncations
    assert (cut.scope, cut.limit_name, cut.limit) == ("a", "budget.document_bytes", 2_500)
    assert (cut.shown, cut.total) == (one(packing, "a").kept.size_bytes, framing("a", 1) + 9_010)
    assert cut.remedy == "--per-document 10,000 lifts the bound for it"
    assert "Does not help: a higher --limit, --max-bytes or --max-tokens." in packing.notice


def test_a_document_larger_than_the_budget_leaves_room() -> None:
    """One document alone exceeds the budget; with its own bound the second one is there too."""
    of = selected(("a", (10, *(1_000,) * 90), {1: 0.9}), ("b", (10, 60), {1: 0.8}))
    packing = packed(of, replace(UNLIMITED, size_bytes=10_000, document_bytes=4_000))
    assert fates(packing) == ["trimmed", "whole"]


def test_a_document_whose_best_passage_exceeds_its_bound_is_dropped_alone() -> None:
    """Its other passages do not stand in for it, and it does not stop the rest."""
    of = selected(("a", (10, 3_000, 20), {1: 0.9, 2: 0.85}), ("b", (10, 60), {1: 0.8}))
    packing = packed(of, replace(UNLIMITED, document_bytes=2_000))
    assert fates(packing) == ["dropped", "whole"]
    assert one(packing, "a").reason == "document bound 2,000 bytes"


def test_a_token_bound_is_named_as_such() -> None:
    """Tokens bind like bytes: ten a passage and the frame's words."""
    of = selected(("a", (10,) * 20, {1: 0.9}), ("b", (10,) * 2, {1: 0.8}))
    packing = packed(of, replace(UNLIMITED, document_tokens=100))
    assert one(packing, "a").reason == "document bound 100 tokens"
    assert 0 < one(packing, "a").kept.tokens <= 100
    whole = packed(of).allocations
    cut = packed(of, replace(UNLIMITED, tokens=whole[-1].cumulative.tokens - 50))
    assert cut.truncations[0].limit_name == "budget.tokens"
    assert cut.truncations[0].total_relation == "unknown"


def test_budget_and_document_bound_are_both_said() -> None:
    """A document that its bound trims and the budget trims further has two reasons and two ways out."""
    of = selected(("a", (10, *(1_000,) * 9), {1: 0.9}), ("b", (10, *(1_000,) * 9), {1: 0.8}))
    budget = replace(UNLIMITED, size_bytes=8_000, document_bytes=5_000)
    packing = packed(of, budget)
    assert one(packing, "b").reason.startswith("budget: needs 1,")
    assert one(packing, "b").reason.endswith("; document bound 5,000 bytes")
    assert "(budget and document bound)" in packing.notice
    assert "To keep all that the document bounds allow: --max-bytes" in packing.notice
    assert [cut.limit_name for cut in packing.truncations] == [
        "budget.bytes",
        "budget.document_bytes",
        "budget.document_bytes",
    ]


def raised(budget: Budget, flags: str) -> Budget:
    """Return the budget with the flags of a remedy applied."""
    names = {
        "--max-bytes": "size_bytes",
        "--max-tokens": "tokens",
        "--per-document": "document_bytes",
        "budget.document_tokens": "document_tokens",
    }
    words = flags.replace("--set ", "").replace("=", " ").split()
    values = {names[flag]: int(value.replace(",", "")) for flag, value in zip(words[::2], words[1::2], strict=True)}
    return replace(budget, **values)


TIGHT = (
    Budget(size_bytes=5_000, tokens=None, document_bytes=None, document_tokens=None),
    Budget(size_bytes=None, tokens=190, document_bytes=None, document_tokens=None),
    Budget(size_bytes=8_000, tokens=400, document_bytes=5_000, document_tokens=90),
    Budget(size_bytes=None, tokens=None, document_bytes=2_000, document_tokens=60),
)
LARGE = selected(
    ("a", (10, *(1_000,) * 9), {3: 0.9}), ("b", (10, *(900,) * 9), {1: 0.8}), ("c", (700,), {0: 0.7}), ("d", (30,), {})
)


@pytest.mark.parametrize("budget", TIGHT)
def test_the_advice_works(budget: Budget) -> None:
    """What the notice says keeps everything does, and what it says of the document bounds does too."""
    notice = packed(LARGE, budget).notice
    everything = notice.partition("To keep everything: ")[2].partition("\n")[0]
    assert fates(packed(LARGE, raised(budget, everything))) == ["whole"] * 4
    within = notice.partition("To keep all that the document bounds allow: ")[2].partition("\n")[0]
    if within:
        left = packed(LARGE, raised(budget, within)).truncations
        assert {cut.limit_name for cut in left} <= {"budget.document_bytes", "budget.document_tokens"}


@pytest.mark.parametrize(
    "budget",
    [
        Budget(size_bytes=1, tokens=None, document_bytes=None, document_tokens=None),
        Budget(size_bytes=1, tokens=1, document_bytes=3_000, document_tokens=None),
        Budget(size_bytes=None, tokens=1, document_bytes=None, document_tokens=None),
        Budget(size_bytes=None, tokens=None, document_bytes=20, document_tokens=None),
        Budget(size_bytes=None, tokens=None, document_bytes=None, document_tokens=3),
    ],
)
def test_too_little_is_refused_with_the_least_that_works(budget: Budget) -> None:
    """The hint names bounds under which a passage comes, and one byte or token less is refused again."""
    with pytest.raises(UsageError, match="too few") as refused:
        packed(LARGE, budget)
    flags = refused.value.hint.partition(": ")[2]
    least = raised(budget, flags)
    assert packed(LARGE, least).grants
    for name in ("size_bytes", "tokens", "document_bytes", "document_tokens"):
        before, after = getattr(budget, name), getattr(least, name)
        if before != after:
            with pytest.raises(UsageError, match="too few"):
                packed(LARGE, replace(least, **{name: after - 1}))


def test_a_small_context_needs_no_notice_to_fit() -> None:
    """Where everything whole is less than a passage and a notice, that is the least that works."""
    of = selected(("a", (10, 20), {1: 0.9}))
    with pytest.raises(UsageError) as refused:
        packed(of, replace(UNLIMITED, size_bytes=40))
    assert refused.value.hint == f"The least that works here: --max-bytes {framing('a', 1) + 30}"


def test_what_a_document_bound_cuts_is_no_small_context() -> None:
    """The whole would be less than a passage and the notice, but its own bound forbids it: the notice is needed."""
    of = selected(("a", (10, 200), {0: 0.9}))
    with pytest.raises(UsageError) as refused:
        packed(of, replace(UNLIMITED, size_bytes=40, document_bytes=framing("a", 1) + 200))
    least = framing("a", 1) + 10 + mark(200) + notice_room(of)
    assert refused.value.hint == f"The least that works here: --max-bytes {least:,}"


def test_the_caller_can_take_grants_back() -> None:
    """With at most two grants the rest is cut by the budget in tokens, and said."""
    packing = packed(LARGE, replace(UNLIMITED, tokens=100_000), at_most=2)
    assert packing.grants == ("a#3", "b#1")
    assert packing.truncations[0].limit_name == "budget.tokens"
    assert one(packing, "c").reason.startswith("budget: ended at rank 3")
    with pytest.raises(UsageError):
        packed(LARGE, replace(UNLIMITED, tokens=100_000), at_most=0)


def test_a_document_without_text_costs_nothing() -> None:
    """It has no header and is no cut; passages of no bytes are nowhere in the list."""
    of = selected(("a", (10, 20), {1: 0.9}), ("empty", (), {}), ("blank", (0, 0), {}))
    packing = packed(of, replace(UNLIMITED, size_bytes=10_000))
    assert packing.notice == ""
    assert fates(packing) == ["whole"] * 3
    assert one(packing, "empty").reason == one(packing, "blank").reason == "it has no text"
    assert one(packing, "blank").kept.size_bytes == 0
    assert one(packing, "blank").cumulative == one(packing, "a").cumulative


def test_nothing_selected_is_nothing_packed() -> None:
    """An empty selection is an empty context under any budget."""
    assert packed(((), (), ()), replace(UNLIMITED, size_bytes=1)) == Packing(
        allocations=(), grants=(), truncations=(), notice=""
    )


def test_spans_that_touch_are_one() -> None:
    """0-5 and 5-9 are 0-9; a gap stays a gap."""
    spans = (Span(start=0, end=5), Span(start=5, end=9), Span(start=12, end=20))
    assert joined(spans) == (Span(start=0, end=9), Span(start=12, end=20))
