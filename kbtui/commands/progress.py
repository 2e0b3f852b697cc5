"""How far a build is, as one line that is written over and over; plain characters, so that any terminal will do."""

from __future__ import annotations

from collections.abc import Callable

from kbtui.model import Progress
from kbtui.text import clip, safe_line

_WIDTH = 78
_EVERY_S = 0.1


class ProgressLine:
    """The line, with the rate and the time left of the stage it is in; stages may take turns."""

    def __init__(self, write: Callable[[str], None], clock: Callable[[], float]) -> None:
        self._write = write
        self._clock = clock
        self._stage = ""
        self._began: dict[str, tuple[float, int]] = {}
        self._shown = 0.0
        self._visible = False

    def show(self, progress: Progress) -> None:
        """Write the line anew, at most ten times a second within a stage."""
        now = self._clock()
        began, first = self._began.setdefault(progress.stage, (now, progress.done))
        if progress.stage != self._stage:
            self._stage = progress.stage
        elif now - self._shown < _EVERY_S and progress.done != progress.total:
            return
        self._shown, self._visible = now, True
        text = progress_text(progress, progress.done - first, now - began)
        self._write("\r" + text.ljust(_WIDTH))

    def clear(self) -> None:
        """Take the line away."""
        if self._visible:
            self._write("\r" + " " * _WIDTH + "\r")
            self._visible = False


def progress_text(progress: Progress, done: int, elapsed_s: float) -> str:
    """Return stage, count, share, rate and time left; ``done`` were done in ``elapsed_s``."""
    parts = [progress.stage]
    if progress.total:
        parts.append(f"{progress.done:,} of {progress.total:,} ({100 * progress.done // progress.total}%)")
    elif progress.done:
        parts.append(f"{progress.done:,}")
    if done > 0 and elapsed_s >= 1:
        rate = done / elapsed_s
        parts.append(f"{rate:,.0f}/s" if rate >= 1 else f"{rate:.1f}/s")
        if progress.total:
            parts.append(f"{_duration((progress.total - progress.done) / rate)} left")
    if progress.detail:
        parts.append(safe_line(progress.detail))
    return clip("  ".join(parts), _WIDTH)


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
