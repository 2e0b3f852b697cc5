"""The rows of the tune drawer: every knob of the register, families spelled out, and how a key moves one."""

from __future__ import annotations

import math

from kbtui.settings import KNOBS, TIER_TYPES, Knob, Settings, Value, knob_for
from kbtui.tui.ink import Line, one

BIG_STEP = 10
"""How many steps a key takes with shift held."""


def groups(settings: Settings, source_types: tuple[str, ...]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the names of all settings by group, in the register's order.

    A family stands for every tier, or for every type of this library; what the settings name besides is there too.
    """
    found: dict[str, list[str]] = {}
    for knob in KNOBS:
        names = found.setdefault(knob.group, [])
        names.extend(name for name in _members(knob, source_types) if name not in names)
    named = settings.keys()
    for name in named:
        names = found[knob_for(name).group]
        if name not in names:
            names.append(name)
    return tuple((group, tuple(names)) for group, names in found.items())


def _members(knob: Knob, source_types: tuple[str, ...]) -> tuple[str, ...]:
    if not knob.family:
        return (knob.key,)
    members = tuple(name for name, _ in TIER_TYPES) if knob.key == "prior.tier." else source_types
    return tuple(knob.key + member for member in members if "." not in member)  # no setting's name has a further dot


def matching(group: str, names: tuple[str, ...], words: str) -> tuple[str, ...]:
    """Return the names in which, with their group and meaning, every word occurs; case does not matter."""
    wanted = words.lower().split()
    said = {name: f"{group} {name} {knob_for(name).summary}".lower() for name in names}
    return tuple(name for name in names if all(word in said[name] for word in wanted))


def change_line(key: str, before: Value, after: Value, width: int) -> Line:
    """Return a setting with two values, the one that it goes from first."""
    return one(key, min(30, width)), (f"{shown(key, before)} → {shown(key, after)}", "accent")


def moved(key: str, value: Value, steps: int) -> Value:
    """Return the value that many steps on, at whole multiples of the step and within the knob's range.

    From "no bound" a step down leads back to the default; a step up stays.
    """
    knob = knob_for(key)
    if value is None:
        return knob.default if steps < 0 else None
    at = round(value / knob.step, 6)
    at = math.floor(at) + steps if steps > 0 else math.ceil(at) + steps
    target = round(min(knob.high, max(knob.low, at * knob.step)), 6)
    return float(target) if knob.kind == "number" else int(target)


def shown(key: str, value: Value) -> str:
    """Return a value as the drawer writes it."""
    if value is None:
        return "none"
    return f"{value:.2f}" if knob_for(key).kind == "number" else f"{value:,}"


def gauge(key: str, value: Value) -> tuple[float, float]:
    """Return from where to where a value's bar goes, in shares of its width; a penalty's begins at the right.

    A number's bar is measured against 1, or against the value beyond; any other against twice the default.
    """
    knob = knob_for(key)
    if value is None:
        return 0.0, 1.0
    size = max(1.0 if knob.kind == "number" else 2.0 * (knob.default or 1), abs(float(value)))
    low = -size if knob.low < 0 else 0.0
    high = size if knob.high > 0 else 0.0
    zero, at = -low / (high - low), (float(value) - low) / (high - low)
    return min(zero, at), max(zero, at)
