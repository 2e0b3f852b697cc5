"""How many candidates each tier is asked for."""

from __future__ import annotations

import pytest

from kbtui.engine.plan import TYPED, UNTIERED, plan
from kbtui.errors import UsageError
from kbtui.model import Plan, Query, Tier, TypeCount
from kbtui.settings import Settings

TIERS = Settings().tiers()
PLENTY = {"guide": 500, "src": 300, "test": 400, "ticket": 3_000, "pull": 900, "meeting": 200}


def planned(counts: dict[str, int], *types: str, candidates: int = 100, tiers: tuple[Tier, ...] = TIERS) -> Plan:
    inventory = tuple(TypeCount(source_type=name, documents=number) for name, number in counts.items())
    return plan(Query(text="q", source_types=types), inventory, tiers, candidates)


def sizes(found: Plan) -> dict[str, int]:
    return {request.tier: request.k for request in found.requests}


def test_every_tier_gets_its_share() -> None:
    """With documents in plenty the shares 0.65, 0.20, 0.10 and 0.05 of 100 are asked for, and nothing is handed on."""
    found = planned(PLENTY)
    assert sizes(found) == {"primary": 65, "secondary": 20, "historical": 10, "custom": 5}
    assert found.notes == ()
    assert not found.typed


def test_remainders_are_divided_by_size() -> None:
    """Of 30: 19.5, 6, 3 and 1.5; the whole parts are 29, and the earlier of the two equal remainders gets the last."""
    assert sizes(planned(PLENTY, candidates=30)) == {"primary": 20, "secondary": 6, "historical": 3, "custom": 1}


def test_every_tier_gets_at_least_one() -> None:
    """A share of 0 is still one candidate, taken from the largest; all shares 0 means equal ones."""
    none = tuple(Tier(name=tier.name, source_types=tier.source_types, share=0.0) for tier in TIERS)
    assert sizes(planned(PLENTY, tiers=none, candidates=8)) == dict.fromkeys(
        ("primary", "secondary", "historical", "custom"), 2
    )
    only = tuple(
        Tier(name=tier.name, source_types=tier.source_types, share=float(tier.name == "primary")) for tier in TIERS
    )
    assert sizes(planned(PLENTY, tiers=only)) == {"primary": 97, "secondary": 1, "historical": 1, "custom": 1}


def test_what_a_tier_cannot_fill_goes_to_history_last() -> None:
    """Three guides leave 62: secondary has room for 400 - 20, so history gets none of them."""
    found = planned({"guide": 3, "test": 400, "ticket": 3_000, "meeting": 200})
    assert sizes(found) == {"primary": 3, "secondary": 20 + 62, "historical": 10, "custom": 5}
    assert found.notes == ("primary has 3 of 65 documents: 62 to secondary",)


def test_history_gets_what_nobody_else_can_use() -> None:
    """Primary hands 62 on: 5 to secondary, 1 to custom, the other 56 to history."""
    found = planned({"guide": 3, "test": 25, "ticket": 3_000, "meeting": 6})
    assert sizes(found) == {"primary": 3, "secondary": 25, "historical": 10 + 56, "custom": 6}
    assert found.notes == ("primary has 3 of 65 documents: 5 to secondary, 1 to custom, 56 to historical",)


def test_a_small_library_is_asked_for_all_it_has() -> None:
    """Six documents are six candidates, not a hundred; a tier without documents is not asked."""
    found = planned({"guide": 4, "ticket": 2})
    assert sizes(found) == {"primary": 4, "historical": 2}
    assert "secondary has 0 of 20 documents: no tier could use the rest" in found.notes


def test_a_custom_type_is_in_the_custom_tier() -> None:
    """A type that no tier names is asked for by the custom one."""
    custom = next(request for request in planned(PLENTY).requests if request.tier == "custom")
    assert custom.source_types == ("meeting",)


def test_explicit_types_share_one_pool() -> None:
    """Asking for types gives one pool of all candidates, whatever the tiers."""
    found = planned(PLENTY, "ticket", "guide")
    assert found.typed
    assert [(request.tier, request.source_types, request.k) for request in found.requests] == [
        (TYPED, ("ticket", "guide"), 100)
    ]


@pytest.mark.parametrize(
    ("counts", "types"),
    [
        ({"src": 2, "ai-infrastructure": 1}, ("src", "ai-infrastructure")),
        ({"src": 2}, ("src",)),
        ({"ai-infrastructure": 1}, ("ai-infrastructure",)),
    ],
)
def test_src_includes_implementation_types(counts: dict[str, int], types: tuple[str, ...]) -> None:
    """``src`` means src and ai-infrastructure, as far as there are any."""
    (request,) = planned(counts, "src").requests
    assert request.source_types == types


def test_an_unknown_type_lists_the_known_ones() -> None:
    """A type that no document has is refused, with the types there are, most frequent first."""
    with pytest.raises(UsageError, match="tikcet") as refused:
        planned({"guide": 4, "ticket": 1_200}, "tikcet")
    assert refused.value.hint == "Types: ticket (1,200), guide (4)."


def test_without_tiers_one_pool_asks_for_everything() -> None:
    """A what-if: all types in one pool of all candidates, and penalties hold as they do with tiers."""
    inventory = tuple(TypeCount(source_type=name, documents=number) for name, number in PLENTY.items())
    found = plan(Query(text="q", tiered=False), inventory, TIERS, 100)
    assert [(request.tier, request.k) for request in found.requests] == [(UNTIERED, 100)]
    assert found.requests[0].source_types == tuple(sorted(PLENTY))
    assert not found.typed


def test_an_empty_library_asks_nothing() -> None:
    """Without documents there is no pool, and a type is refused saying so."""
    assert planned({}).requests == ()
    with pytest.raises(UsageError) as refused:
        planned({}, "guide")
    assert "no documents" in refused.value.hint


def test_scores_are_measured_apart_from_history() -> None:
    """Whatever the shares, and without tiers, too; a typed question is measured by its types."""
    mixed = {"guide": 3, "pull": 9, "ticket": 9, "meeting": 1}
    apart = (("guide", "meeting"), ("pull", "ticket"))
    inventory = tuple(TypeCount(source_type=name, documents=number) for name, number in mixed.items())
    assert planned(mixed).scales == plan(Query(text="q", tiered=False), inventory, TIERS, 100).scales == apart
    assert planned(mixed, "pull").scales == (("pull",),)
    assert planned({"pull": 9}).scales == (("pull",),)
