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
        _table("all lines with a pattern, ms", sizes, _grep(sizes)),
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


def _times(part: str, names: Iterable[str]) -> list[tuple[str, Of]]:
    return [
        (f"{name} {point}", lambda found, name=name, point=point: found[part][name][point])  # type: ignore[misc]
        for name in names
        for point in ("p50", "p95")
    ]


def _flat(part: str, sizes: dict[str, Report]) -> list[tuple[str, Of]]:
    return [(name, lambda found, name=name: found[part][name]) for name in _names(sizes, part)]  # type: ignore[misc]


def _nested(part: str, sizes: dict[str, Report]) -> list[tuple[str, Of]]:
    inner = {name: None for found in sizes.values() for values in found[part].values() for name in values}
    return [
        (f"{outer}, {name}", lambda found, outer=outer, name=name: found[part][outer][name])  # type: ignore[misc]
        for outer in _names(sizes, part)
        for name in inner
        if any(name in found[part].get(outer, {}) for found in sizes.values())
    ]


def _grep(sizes: dict[str, Report]) -> list[tuple[str, Of]]:
    return [
        (f"{name}, {what}", lambda found, name=name, what=what: found["grep"][name][what])  # type: ignore[misc]
        for name in _names(sizes, "grep")
        for what in ("kbtui", "ripgrep", "kbtui_lines", "ripgrep_lines")
    ]


def _names(sizes: dict[str, Report], part: str) -> list[str]:
    return list({name: None for found in sizes.values() for name in found[part]})
