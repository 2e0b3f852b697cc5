"""A map drawn with characters: lines in dots of braille between labels that do not lie on one another. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kbtui import text
from kbtui.model import EgoMap, MapNode
from kbtui.settings import tier_of
from kbtui.tui.ink import Line, Run, tier_ink

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of a braille cell, row by row."""
_BRAILLE = 0x2800
_ROWS_AWAY = (0, 1, -1, 2, -2, 3, -3, 4, -4)
_LEAST_LABEL = 6

Dot = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A document's mark and name in a row of the chart; ``mark_at`` is where lines to it end."""

    row: int
    start: int
    mark_at: int
    runs: tuple[Run, ...]
    width: int


def chart(ego: EgoMap, ranks: Mapping[str, int], cursor: str, width: int, height: int) -> list[Line]:
    """Return the map in this many cells: what is in the answer with its rank, and what the cursor rests on marked."""
    labels = _labels(ego, ranks, cursor, width, height)
    dots: dict[Dot, int] = {}
    lit: set[Dot] = set()
    for edge in ego.edges:
        one, other = labels.get(edge.source), labels.get(edge.target)
        if one is None or other is None:
            continue
        for x, y in line(_middle(one), _middle(other)):
            cell = (x // 2, y // 4)
            dots[cell] = dots.get(cell, 0) | _DOTS[y % 4][x % 2]
            if cursor in (edge.source, edge.target):
                lit.add(cell)
    starts = {(label.start, label.row): label for label in labels.values()}
    return [_row(row, width, starts, dots, lit) for row in range(height)]


def line(start: Dot, end: Dot) -> Iterator[Dot]:
    """Yield the dots from one to another, both included.

    Source: Bresenham, "Algorithm for computer control of a digital plotter", 1965.
    """
    (x, y), (to_x, to_y) = start, end
    across, down = abs(to_x - x), -abs(to_y - y)
    step_x, step_y = (1 if to_x > x else -1), (1 if to_y > y else -1)
    error = across + down
    while True:
        yield x, y
        if (x, y) == end:
            return
        twice = 2 * error
        if twice >= down:
            error += down
            x += step_x
        if twice <= across:
            error += across
            y += step_y


def _middle(label: Label) -> Dot:
    return 2 * label.mark_at, 4 * label.row + 2


def _labels(ego: EgoMap, ranks: Mapping[str, int], cursor: str, width: int, height: int) -> dict[str, Label]:
    """Return a label for every document that finds a place: the cursor's first, then from the middle outwards."""
    taken: set[tuple[int, int]] = set()
    found: dict[str, Label] = {}
    if width < _LEAST_LABEL or height < 1:
        return found
    for node in sorted(ego.nodes, key=lambda node: (node.document.doc_id not in (cursor, ego.root), node.depth)):
        doc_id = node.document.doc_id
        label = _placed(node, _mark(node, ego, ranks), _name(node, ranks), doc_id == cursor, taken, width, height)
        if label is not None:
            found[doc_id] = label
            taken.update((column, label.row) for column in range(label.start - 1, label.start + label.width + 1))
    return found


def _mark(node: MapNode, ego: EgoMap, ranks: Mapping[str, int]) -> str:
    if node.document.doc_id == ego.root:
        return "◉"
    return "●" if node.document.doc_id in ranks else "○"


def _name(node: MapNode, ranks: Mapping[str, int]) -> str:
    title = text.safe_line(node.document.title or node.document.doc_id)
    rank = ranks.get(node.document.doc_id)
    return title if rank is None else f"{rank} {title}"


def _placed(
    node: MapNode, mark: str, name: str, chosen: bool, taken: set[tuple[int, int]], width: int, height: int
) -> Label | None:
    """Return the label in the free place that is nearest to where the layout wants it; shorter before farther away."""
    ink = tier_ink(tier_of(node.document.source_type))
    most = min(max(_LEAST_LABEL, min(24, width // 3)), width - 2)
    column, row = round(node.x * (width - 1)), round(node.y * (height - 1))
    for cells in (most, most // 2, 0):
        shown = text.clip(name, cells)
        size = text.cell_width(shown) + 2 if shown else 1
        for away in _ROWS_AWAY:
            for left in (node.x > 0.5, node.x <= 0.5):
                start = column - size + 1 if left else column
                start = max(0, min(width - size, start))
                at = (row + away, start, start + size)
                if 0 <= at[0] < height and not any((x, at[0]) in taken for x in range(at[1], at[2])):
                    words: Run = (shown, "key" if chosen else "strong" if mark != "○" else "")
                    runs = ((f"{shown} ", words[1]), (mark, ink)) if left else ((f"{mark} ", ink), words)
                    mark_at = start + size - 1 if left else start
                    return Label(
                        row=at[0], start=start, mark_at=mark_at, runs=runs if shown else ((mark, ink),), width=size
                    )
    return None


def _row(row: int, width: int, starts: dict[tuple[int, int], Label], dots: dict[Dot, int], lit: set[Dot]) -> Line:
    runs: list[Run] = []
    column = 0
    while column < width:
        label = starts.get((column, row))
        if label is not None:
            runs.extend(label.runs)
            column += label.width
            continue
        bits = dots.get((column, row), 0)
        runs.append((chr(_BRAILLE + bits), "accent" if (column, row) in lit else "rule") if bits else (" ", ""))
        column += 1
    return tuple(runs)
