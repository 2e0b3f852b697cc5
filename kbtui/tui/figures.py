"""Numbers as the app writes them: short, aligned, and as bars of characters."""

from __future__ import annotations

_EIGHTHS = " ▏▎▍▌▋▊▉"


def short(number: int) -> str:
    """Return a count in at most five characters: ``950``, ``8.1k``, ``76k``, ``1.2M``."""
    for factor, suffix in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if number >= factor:
            scaled = number / factor
            return f"{scaled:.1f}{suffix}" if scaled < 99.95 else f"{scaled:.0f}{suffix}"
    return str(number)


def signed(value: float) -> str:
    """Return a score's part with its sign; ``-`` when there is none."""
    return "-" if value == 0 else f"{value:+.2f}"


def percent(part: float, whole: float) -> str:
    """Return a share in whole percent; never 100% before it is, nor 0% when there is something."""
    if whole <= 0:
        return "0%"
    share = 100 * part / whole
    if 0 < share < 1:
        return "<1%"
    return "99%" if 99 <= share < 100 else f"{share:.0f}%"


def bar(share: float, width: int) -> str:
    """Return a bar that fills this share of the width, in eighths of a cell, padded to the width."""
    cells = max(0.0, min(1.0, share)) * width
    full, rest = int(cells), int((cells % 1) * 8)
    drawn = "█" * full + (_EIGHTHS[rest] if rest else "")
    return drawn.ljust(width)


def stretch(start: float, end: float, width: int) -> tuple[str, str, str]:
    """Return a bar from one share of the width to another, in half cells: what is before it, itself, what is after.

    A bar that is not empty is seen.
    """
    halves = 2 * width
    left, right = round(start * halves), round(end * halves)
    if end <= start:
        return " " * (left // 2), "", " " * (width - left // 2)
    if left == right:
        left, right = (left - 1, right) if right == halves else (left, right + 1)
    first, last = (left + 1) // 2, right // 2
    if first > last:
        return " " * last, "▐" if left % 2 else "▌", " " * (width - last - 1)
    drawn = ("▐" if left % 2 else "") + "█" * (last - first) + ("▌" if right % 2 else "")
    before = left // 2
    return " " * before, drawn, " " * (width - before - len(drawn))


def split_cells(parts: tuple[int, ...], whole: int, width: int) -> tuple[int, ...]:
    """Return how many of ``width`` cells each part of the whole takes; a part that is not 0 gets a cell where it fits.

    Shape: one number a part; their sum is at most ``width``.
    """
    if whole <= 0 or width <= 0:
        return tuple(0 for _ in parts)
    taken: list[int] = []
    end, reached = 0, 0
    for part in parts:
        end += part
        target = min(width, round(width * end / whole))
        cells = max(target - reached, 1 if part > 0 and reached < width else 0)
        taken.append(cells)
        reached += cells
    return tuple(taken)
