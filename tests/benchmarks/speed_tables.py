"""The speed benchmark's report as text: a column for each size, and how it grew from the one before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

Report = dict[str, Any]
Of = Callable[[Report], float]

STAGES = ("whole", "plan", "gather", "fuse", "score", "expand", "pack", "compose")
INSIDE = ("in it: embed", "in it: dense", "in it: lexical", "in it: catalogue")


def tables(report: Report) -> str:
    """Return every table."""
    sizes: dict[str, Report] = report["sizes"]
    said = ", ".join(f"{name} {value}" for name, value in report["machine"].items())
    parts = [
        said,
        _table("kbtui, a query by stage, ms", sizes, _times("stages_ms", (*STAGES, *INSIDE))),
        _table("a query, embedding included, ms", sizes, _times("queries_ms", _names(sizes, "queries_ms"))),
        _table("times as long as kbtui (median of the questions' ratios)", sizes, _flat("times_ours", sizes)),
        _table("processor time of a query, all threads, ms", sizes, _times("busy_ms", _names(sizes, "busy_ms"))),
        _table("a moved number, ms", sizes, _times("moves", _names(sizes, "moves"))),
        _table("a process of its own: opening, first question (ms), memory (MB)", sizes, _flat("alone", sizes)),
        _table("building: seconds, memory (MB)", sizes, _flat("build", sizes)),
        _table("on disk, MB", sizes, _flat("disk_mb", sizes)),
        _table("recall of the true nearest", sizes, _nested("recall", sizes), ".3f"),
        _table("all lines with a pattern, ms", sizes, _nested("grep", sizes)),
    ]
    for size, found in sizes.items():
        parts += [f"{size}: missing: {name}: {why}" for name, why in found["missing"].items()]
    return "\n\n".join(parts)


def _table(title: str, sizes: dict[str, Report], rows: Iterable[tuple[str, Of]], shape: str = ",.1f") -> str:
    lines = [f"{title:<64}" + "".join(f"{int(size):>14,}{'grew':>8}" for size in sizes)]
    for name, value in rows:
        line, before = f"  {name:<62}", None
        for found in sizes.values():
            try:
                now = value(found)
            except KeyError:
                line, before = line + f"{'-':>14}{'':>8}", None
                continue
            grew = f"{now / before:.1f}x" if before else ""
            line, before = line + f"{now:>14{shape}}{grew:>8}", now
        lines.append(line.rstrip())
    return "\n".join(lines)


def _at(*keys: str) -> Of:
    """Return how to take a number from a report."""

    def found(report: Report) -> float:
        value: Any = report
        for key in keys:
            value = value[key]
        return float(value)

    return found


def _times(part: str, names: Iterable[str]) -> list[tuple[str, Of]]:
    return [(f"{name} {point}", _at(part, name, point)) for name in names for point in ("p50", "p95")]


def _flat(part: str, sizes: dict[str, Report]) -> list[tuple[str, Of]]:
    return [(name, _at(part, name)) for name in _names(sizes, part)]


def _nested(part: str, sizes: dict[str, Report]) -> list[tuple[str, Of]]:
    """Return a row for each pair of names that some size has."""
    pairs = {
        (outer, inner): None
        for found in sizes.values()
        for outer, values in found[part].items()
        for inner, value in values.items()
        if not isinstance(value, str)
    }
    return [(f"{outer}, {inner}", _at(part, outer, inner)) for outer, inner in pairs]


def _names(sizes: dict[str, Report], part: str) -> list[str]:
    return list({name: None for found in sizes.values() for name in found[part]})
