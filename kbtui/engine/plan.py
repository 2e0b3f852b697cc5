"""Plan: how many candidates each tier is asked for, decided before anything is asked.

History cannot crowd out the truth, because every tier has places that no other tier can take.
"""

from __future__ import annotations

from kbtui.errors import UsageError
from kbtui.model import Plan, PoolRequest, Query, Tier, TypeCount

TYPED = "typed"
"""The name of the one pool of a query that asks for explicit types."""

UNTIERED = "untiered"
"""The name of the one pool of a query that asks for no tiers."""

HISTORY = "historical"

_IMPLEMENTATION = {"src": ("src", "ai-infrastructure")}
_RECEIVES = ("primary", "secondary", "custom", HISTORY)


def plan(
    query: Query,
    inventory: tuple[TypeCount, ...],
    tiers: tuple[Tier, ...],
    candidates: int,
    deadline_ms: int | None = None,
) -> Plan:
    """Return one request per tier that has documents, or a single one for explicit types.

    Errors: UsageError for a type that no document has, with the types there are.
    """
    if query.source_types:
        types = asked_types(query.source_types, inventory)
        pool = PoolRequest(tier=TYPED, source_types=types, k=candidates)
        return Plan(requests=(pool,), typed=True, scales=(types,), deadline_ms=deadline_ms)
    scales = _scales(tiers, inventory)
    if not query.tiered:
        tiers = (Tier(name=UNTIERED, source_types=(), share=1.0),)
    held = {tier.name: _held(tier, tiers, inventory) for tier in tiers}
    room = {name: sum(count.documents for count in counts) for name, counts in held.items()}
    sizes, notes = _fit(_split(tiers, candidates), room)
    requests = tuple(
        PoolRequest(
            tier=tier.name,
            source_types=tuple(sorted(count.source_type for count in held[tier.name])),
            k=sizes[tier.name],
        )
        for tier in tiers
        if sizes[tier.name]
    )
    return Plan(requests=requests, typed=False, notes=notes, scales=scales, deadline_ms=deadline_ms)


def asked_types(names: tuple[str, ...], inventory: tuple[TypeCount, ...]) -> tuple[str, ...]:
    """Return the types that the names stand for and that have documents; ``src`` includes implementation types.

    Errors: UsageError for a name that no document has.
    """
    known = {count.source_type for count in inventory if count.documents}
    found: dict[str, None] = {}
    for name in names:
        meant = [source_type for source_type in _IMPLEMENTATION.get(name, (name,)) if source_type in known]
        if not meant:
            raise UsageError(f"no document has the type {name!r}", _known(inventory))
        found.update(dict.fromkeys(meant))
    return tuple(found)


def _known(inventory: tuple[TypeCount, ...]) -> str:
    """Return the types there are with their counts, the most frequent first."""
    counts = sorted((count for count in inventory if count.documents), key=lambda c: (-c.documents, c.source_type))
    listed = ", ".join(f"{count.source_type} ({count.documents:,})" for count in counts)
    return f"Types: {listed}." if listed else "The knowledge base holds no documents."


def _scales(tiers: tuple[Tier, ...], inventory: tuple[TypeCount, ...]) -> tuple[tuple[str, ...], ...]:
    """Return what is not history, then history: where it fills the best of all, the rest still has scores to tell."""
    groups: dict[bool, list[str]] = {False: [], True: []}
    for tier in tiers:
        groups[tier.name == HISTORY].extend(count.source_type for count in _held(tier, tiers, inventory))
    return tuple(tuple(sorted(group)) for group in groups.values() if group)


def _held(tier: Tier, tiers: tuple[Tier, ...], inventory: tuple[TypeCount, ...]) -> tuple[TypeCount, ...]:
    """Return a tier's part of the inventory; a tier that names no types takes those that no tier names."""
    named = {source_type for other in tiers for source_type in other.source_types}
    return tuple(
        count
        for count in inventory
        if count.documents
        and (count.source_type in tier.source_types if tier.source_types else count.source_type not in named)
    )


def _split(tiers: tuple[Tier, ...], candidates: int) -> dict[str, int]:
    """Divide the candidates by share, by largest remainder; every tier gets at least one.

    Source: Hamilton's method of apportionment.
    """
    shares = {tier.name: tier.share for tier in tiers}
    whole = sum(shares.values())
    if whole <= 0:
        shares, whole = dict.fromkeys(shares, 1.0), float(len(shares))
    exact = {name: candidates * share / whole for name, share in shares.items()}
    sizes = {name: int(value) for name, value in exact.items()}
    by_remainder = sorted(exact, key=lambda name: sizes[name] - exact[name])  # stable: earlier tiers first
    for name in by_remainder[: candidates - sum(sizes.values())]:
        sizes[name] += 1
    for name in [name for name, size in sizes.items() if size == 0]:
        largest = max(sizes, key=lambda other: sizes[other])
        sizes[largest] -= 1
        sizes[name] = 1
    return sizes


def _fit(sizes: dict[str, int], room: dict[str, int]) -> tuple[dict[str, int], tuple[str, ...]]:
    """Hand what a tier cannot fill to the others, history last, and say so in words."""
    fitted = {name: min(size, room[name]) for name, size in sizes.items()}
    notes: list[str] = []
    for giver, size in sizes.items():
        spare = size - fitted[giver]
        given = []
        for taker in sorted(sizes, key=_turn):
            taken = min(spare, room[taker] - fitted[taker])
            if taken > 0:
                fitted[taker] += taken
                spare -= taken
                given.append(f"{taken} to {taker}")
        if size > room[giver]:
            handed = ", ".join(given) if given else "no tier could use the rest"
            notes.append(f"{giver} has {room[giver]} of {size} documents: {handed}")
    return fitted, tuple(notes)


def _turn(tier: str) -> int:
    """Return when a tier's turn is to receive places that others cannot fill."""
    return _RECEIVES.index(tier) if tier in _RECEIVES else _RECEIVES.index("custom")
