"""Lines as the app draws them: runs of literal text, each with the name of an ink; there is no markup to parse."""

from __future__ import annotations

from rich.cells import cell_len, split_graphemes

from kbtui import text

Run = tuple[str, str]
Line = tuple[Run, ...]

TIER_INKS = ("primary", "secondary", "historical", "custom")
TIER_FILLS = {"primary": "█", "secondary": "▓", "historical": "▒", "custom": "░"}
"""Each tier's pattern in a bar, so that a tier can be told without its colour."""


def tier_ink(tier: str) -> str:
    """Return the ink of a tier; a typed query's one pool, and any unknown tier, is drawn like the custom one."""
    return tier if tier in TIER_INKS else "custom"


def tier_fill(tier: str) -> str:
    """Return the pattern of a tier in a bar."""
    return TIER_FILLS[tier_ink(tier)]


TIER_CELLS = 13
NARROW = 38
"""Cells for a tier's name in a table, and the width below which three letters must do for it."""


def tier_cells(width: int) -> int:
    """Return the cells that a tier's name has in a table of this width."""
    return TIER_CELLS if width >= NARROW else 6


def tier_name(tier: str, width: int) -> str:
    """Return a tier's pattern and name, as long as the cells for it."""
    cells = tier_cells(width)
    name = text.safe_line(tier)
    return f"{tier_fill(tier)} {text.clip(name, cells - 3) if cells == TIER_CELLS else name[:3]}".ljust(cells)


def plain(line: Line) -> str:
    """Return a line's characters."""
    return "".join(run for run, _ in line)


def one(foreign: str, width: int, ink: str = "") -> Run:
    """Return foreign text as a run of exactly ``width`` cells: safe, on one line, clipped or padded."""
    shown = text.clip(text.safe_line(foreign), width)
    return shown + " " * (width - text.cell_width(shown)), ink


def wrap(line: Line, width: int) -> list[Line]:
    """Break a line into lines of at most ``width`` cells, after a space where there is one; nothing is lost."""
    whole = plain(line)
    if width <= 0 or cell_len(whole) <= width:
        return [line]
    cuts = _ascii_cuts(whole, width) if whole.isascii() else _wide_cuts(whole, width)
    return [_slice(line, start, end) for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]


def hang(line: Line, width: int) -> list[Line]:
    """Break a line as ``wrap`` does; what goes on stands two cells further in than the line began."""
    pieces = wrap(line, width)
    whole = plain(line)
    indent = min(len(whole) - len(whole.lstrip(" ")) + 2, width // 2)
    if len(pieces) < 2 or not indent:
        return pieces
    rest = _slice(line, len(plain(pieces[0])), len(whole))
    return [pieces[0], *(((" " * indent, ""), *piece) for piece in wrap(rest, width - indent))]


def _ascii_cuts(whole: str, width: int) -> list[int]:
    cuts: list[int] = []
    start = 0
    while len(whole) - start > width:
        space = whole.rfind(" ", start + width // 2, start + width)
        start = space + 1 if space >= 0 else start + width
        cuts.append(start)
    return cuts


def _wide_cuts(whole: str, width: int) -> list[int]:
    cuts: list[int] = []
    used, space = 0, -1
    line_start = 0
    used_to_space = 0
    for start, end, cells in split_graphemes(whole)[0]:
        if used + cells > width and start > line_start:
            at = space if space > line_start and used_to_space >= width // 2 else start
            cuts.append(at)
            used = used - used_to_space if at == space else 0
            line_start, space, used_to_space = at, -1, 0
        used += cells
        if whole[start:end] == " ":
            space, used_to_space = end, used
    return cuts


def _slice(line: Line, start: int, end: int) -> Line:
    runs: list[Run] = []
    at = 0
    for run, ink in line:
        piece = run[max(0, start - at) : max(0, end - at)]
        if piece:
            runs.append((piece, ink))
        at += len(run)
    return tuple(runs)
