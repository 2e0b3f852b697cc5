"""The numbers an operator can turn, as one flat frozen value, and the register that describes them.

Every number has one name (``penalty.pull``), one default, one range and one step; the configuration
files, ``--set``, the environment and the tune drawer all read them from here. ``config.py`` loads
settings; nothing in here does I/O.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Literal

from kbtui.errors import UsageError
from kbtui.model import Budget, Tier

Value = int | float | None
Kind = Literal["whole", "number", "bound"]
Stage = Literal["gather", "fuse", "score", "expand", "pack"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """One setting: a ``whole`` number, a ``number``, or a ``bound`` (a whole number, or None for no bound).

    ``stage`` is the first stage that runs again when it moves. A ``family`` ends in a dot and stands
    for every name that starts with it (``penalty.`` any source type).
    """

    key: str
    default: Value
    kind: Kind
    low: float
    high: float
    step: float
    group: str
    stage: Stage
    summary: str

    @property
    def family(self) -> bool:
        """Whether the knob stands for all names below it."""
        return self.key.endswith(".")


def _knob(
    key: str,
    default: Value,
    kind: Kind,
    within: tuple[float, float],
    step: float,
    group: str,
    stage: Stage,
    summary: str,
) -> Knob:
    return Knob(
        key=key,
        default=default,
        kind=kind,
        low=within[0],
        high=within[1],
        step=step,
        group=group,
        stage=stage,
        summary=summary,
    )


def _penalty(name: str, default: float, summary: str) -> Knob:
    return _knob(f"penalty.{name}", default, "number", (-2.0, 0.0), 0.05, "penalties", "score", summary)


def _boost(name: str, default: float, summary: str) -> Knob:
    return _knob(f"boost.{name}", default, "number", (0.0, 2.0), 0.05, "boosts", "score", summary)


def _share(tier: str, default: float) -> Knob:
    return _knob(
        f"pools.{tier}",
        default,
        "number",
        (0.0, 1.0),
        0.05,
        "pools",
        "gather",
        f"share of the candidates for tier {tier}",
    )


KNOBS: tuple[Knob, ...] = (
    _knob("limit", 5, "whole", (1, 1000), 1, "response", "expand", "most documents in the response"),
    _knob("expand", 2, "whole", (0, 100), 1, "response", "expand", "places of the response kept for neighbours"),
    _knob("budget.bytes", 32_000, "bound", (1, 1e9), 1000, "budget", "pack", "most bytes of context"),
    _knob("budget.tokens", 8_000, "bound", (1, 1e9), 250, "budget", "pack", "most tokens of context"),
    _knob("budget.document_bytes", 8_000, "bound", (1, 1e9), 1000, "budget", "pack", "most bytes of one document"),
    _knob("budget.document_tokens", 2_000, "bound", (1, 1e9), 250, "budget", "pack", "most tokens of one document"),
    _knob("weights.dense", 0.6, "number", (0.0, 2.0), 0.05, "weights", "fuse", "weight of meaning (embeddings)"),
    _knob("weights.lexical", 0.4, "number", (0.0, 2.0), 0.05, "weights", "fuse", "weight of words (BM25)"),
    _boost("title", 0.05, "the query's words in the title, by share"),
    _boost("path", 0.05, "the query's words in the path, by share"),
    _boost("heading", 0.05, "the query's words in a matched passage's heading or symbol, by share"),
    _boost("identity", 1.0, "the query is the document's id, path or name"),
    _boost("extra_passages", 0.02, "each further matched passage, at most three"),
    _penalty("pull", -0.25, "pull requests"),
    _penalty("commit", -0.20, "commits"),
    _penalty("ticket", -0.10, "tickets"),
    _penalty("discussion", -0.10, "discussions"),
    _penalty("release", -0.10, "release notes"),
    _penalty("blog", -0.05, "blog posts"),
    _penalty("superseded", -0.30, "documents that another one replaces"),
    _knob("penalty.", 0.0, "number", (-2.0, 0.0), 0.05, "penalties", "score", "documents of this source type"),
    _knob("prior.tier.", 0.0, "number", (-2.0, 2.0), 0.05, "priors", "score", "every document of this tier"),
    _knob("prior.type.", 0.0, "number", (-2.0, 2.0), 0.05, "priors", "score", "every document of this source type"),
    _knob(
        "neighbour.decay",
        0.5,
        "number",
        (0.0, 1.0),
        0.05,
        "response",
        "expand",
        "a neighbour's part of its seed's score",
    ),
    _knob("pools.candidates", 100, "whole", (4, 10_000), 10, "pools", "gather", "candidate documents over all tiers"),
    _share("primary", 0.65),
    _share("secondary", 0.20),
    _share("historical", 0.10),
    _share("custom", 0.05),
)

_BY_KEY = {knob.key: knob for knob in KNOBS}
_FAMILIES = tuple(knob for knob in KNOBS if knob.family)

CUSTOM_TIER = "custom"
TIER_TYPES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "primary",
        (
            "src",
            "ai-infrastructure",
            "guide",
            "concept",
            "skill",
            "decision",
            "architecture",
            "runbook",
            "reference",
        ),
    ),
    ("secondary", ("app", "example", "test", "blog", "raw")),
    ("historical", ("ticket", "pull", "discussion", "release", "commit")),
    (CUSTOM_TIER, ()),
)
"""Tier by tier its source types; the custom tier takes every type that no other one names."""


def knob_for(key: str) -> Knob:
    """Return the knob of that name.

    Errors: UsageError naming the nearest known name.
    """
    found = _BY_KEY.get(key)
    if found is not None and not found.family:
        return found
    for family in _FAMILIES:
        rest = key.removeprefix(family.key)
        if rest and rest != key and "." not in rest:
            return family
    near = get_close_matches(key, [knob.key for knob in KNOBS if not knob.family], n=1)
    hint = f"Did you mean {near[0]}?" if near else "See: kbtui config show"
    raise UsageError(f"unknown setting {key!r}", hint)


def parse(key: str, text: str) -> Value:
    """Read a setting as people write it; ``none`` lifts a bound.

    Errors: UsageError for an unknown name, a wrong type or a value out of range.
    """
    knob = knob_for(key)
    word = text.strip().lower()
    if word == "none":
        return check(key, None)
    try:
        return check(key, float(word) if knob.kind == "number" else int(word.replace("_", "").replace(",", "")))
    except ValueError:
        wanted = "a number" if knob.kind == "number" else "a whole number"
        raise UsageError(f"{key} takes {wanted}, not {text!r}") from None


def check(key: str, value: object) -> Value:
    """Return the value as its knob keeps it.

    Errors: UsageError for an unknown name, a wrong type or a value out of range.
    """
    knob = knob_for(key)
    if value is None:
        if knob.kind != "bound":
            raise UsageError(f"{key} takes a number, not none")
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise UsageError(f"{key} takes a number, not {value!r}")
    if knob.kind != "number" and isinstance(value, float) and not value.is_integer():  # nor are inf and NaN
        raise UsageError(f"{key} takes a whole number, not {value!r}")
    if not knob.low <= value <= knob.high:  # NaN fails this too
        lift = ", or none for no bound" if knob.kind == "bound" else ""
        raise UsageError(f"{key} must lie between {knob.low:g} and {knob.high:g}{lift}; got {value!r}")
    return float(value) if knob.kind == "number" else int(value)


@dataclass(frozen=True, slots=True)
class Settings:
    """Every number the engine uses. Only what differs from the default is held, sorted by name."""

    changed: tuple[tuple[str, Value], ...] = ()
    _values: dict[str, Value] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        values = {knob.key: knob.default for knob in KNOBS if not knob.family}
        values.update(self.changed)
        object.__setattr__(self, "_values", values)

    def with_values(self, values: dict[str, Value]) -> Settings:
        """Return settings in which these names have these (checked) values."""
        merged = dict(self.changed)
        for key, value in values.items():
            merged[key] = check(key, value)
        return replace(
            self, changed=tuple(sorted((key, value) for key, value in merged.items() if value != knob_for(key).default))
        )

    def get(self, key: str) -> Value:
        """Return a value by name, a family member's default included."""
        return self._values[key] if key in self._values else knob_for(key).default

    def number(self, key: str) -> float:
        """Return a value that is always a number."""
        value = self.get(key)
        if value is None:
            raise UsageError(f"{key} has no value")
        return float(value)

    def whole(self, key: str) -> int:
        """Return a whole number."""
        return int(self.number(key))

    def bound(self, key: str) -> int | None:
        """Return a bound, None for none."""
        value = self.get(key)
        return None if value is None else int(value)

    def family(self, prefix: str) -> tuple[tuple[str, float], ...]:
        """Return every value whose name starts with the prefix, without the prefix, sorted.

        Shape: ``penalty.`` gives ``(("blog", -0.05), ("commit", -0.2), ...)``.
        """
        return tuple(
            sorted(
                (key.removeprefix(prefix), float(value))
                for key, value in self._values.items()
                if key.startswith(prefix) and value is not None
            )
        )

    def keys(self) -> tuple[str, ...]:
        """Return every name with a value, the register's order first, members of families after."""
        return tuple(self._values)

    def differing(self, other: Settings) -> dict[str, Value]:
        """Return the values of these that the other has not, the register's order first."""
        keys = dict.fromkeys((*other.keys(), *self.keys()))
        return {key: self.get(key) for key in keys if self.get(key) != other.get(key)}

    def digest(self) -> str:
        """Return a short hash of what differs from the defaults."""
        return hashlib.sha256(json.dumps(self.changed).encode()).hexdigest()[:12]

    def budget(self) -> Budget:
        """Return the four bounds of the context."""
        return Budget(
            size_bytes=self.bound("budget.bytes"),
            tokens=self.bound("budget.tokens"),
            document_bytes=self.bound("budget.document_bytes"),
            document_tokens=self.bound("budget.document_tokens"),
        )

    def tiers(self) -> tuple[Tier, ...]:
        """Return the tiers with their types and shares, in order of precedence."""
        return tuple(
            Tier(name=name, source_types=types, share=self.number(f"pools.{name}")) for name, types in TIER_TYPES
        )


def tier_of(source_type: str) -> str:
    """Return the name of the tier that a source type belongs to."""
    for name, types in TIER_TYPES:
        if source_type in types:
            return name
    return CUSTOM_TIER
