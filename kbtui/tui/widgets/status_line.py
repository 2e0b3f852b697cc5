"""The status line: which generation answers, how much of it is embedded, how long the last answer took, or progress."""

from __future__ import annotations

from time import monotonic

from kbtui import text
from kbtui.model import Progress, Status
from kbtui.tui.figures import bar, percent
from kbtui.tui.ink import Line, Run
from kbtui.tui.widgets.lines import Plate

_STAGES = {"scan": "looking at files", "read": "reading", "embed": "embedding", "publish": "publishing"}


class Pace:
    """How fast a stage goes, from the times at which its progress was told."""

    def __init__(self) -> None:
        self._stage = ""
        self._start = (0.0, 0)

    def left(self, progress: Progress, now: float) -> str:
        """Return rate and time left in words, "" until there is something to go by."""
        if progress.stage != self._stage:
            self._stage, self._start = progress.stage, (now, progress.done)
            return ""
        began, first = self._start
        done, elapsed = progress.done - first, now - began
        if done <= 0 or elapsed < 1 or progress.total <= 0:
            return ""
        rate = done / elapsed
        seconds = (progress.total - progress.done) / rate
        return f"{rate:,.0f}/s, {_duration(seconds)} left"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min"


class StatusLine(Plate):
    """One line; what is under way takes the place of what rests."""

    DEFAULT_CSS = "StatusLine { height: 1; padding: 0 1; }"

    def __init__(self) -> None:
        super().__init__(id="status")
        self.status: Status | None = None
        self.progress: Progress | None = None
        self.remark = ""
        self.elapsed_ms: float | None = None
        self.waiting = False
        self.what_if = False
        self._pace = Pace()
        self._left = ""

    def show(self, **facts: object) -> None:
        """Change some of what is shown."""
        for name, value in facts.items():
            setattr(self, name, value)
        if self.progress is not None and "progress" in facts:
            self._left = self._pace.left(self.progress, monotonic())
        self.refresh()

    def lines(self, width: int) -> list[Line]:
        """Return the one line."""
        runs: list[Run] = []
        if self.progress is not None:
            runs.extend(progress_runs(self.progress, self._left, width))
        if self.remark:
            runs.append((f"{text.clip(text.safe_line(self.remark), width)}  ", "cut"))
        if self.what_if:
            runs.append(("what-if, by hand  ", "cut"))
        if self.status is not None:
            runs.append((status_words(self.status), "dim"))
        elif self.progress is None and not self.remark:
            runs.append(("opening the knowledge base …", "dim"))
        if self.elapsed_ms is not None:
            runs.append((f" · {self.elapsed_ms:.0f} ms", "dim"))
        if self.waiting:
            runs.append((" · asking …", "accent"))
        return [tuple(runs)]


def status_words(status: Status) -> str:
    """Return what the library holds, in a few words."""
    embedded = percent(status.embedded, status.chunks)
    generation = text.safe_line(status.generation)
    skipped = f" · {len(status.skipped):,} skipped" if status.skipped else ""
    return (
        f"generation {generation} · {status.documents:,} documents · {status.chunks:,} chunks"
        f" · dense {embedded}{skipped}"
    )


def progress_runs(progress: Progress, left: str, width: int) -> list[Run]:
    """Return a build's progress: words, bar, rate and time left."""
    words = _STAGES.get(progress.stage, text.safe_line(progress.stage))
    room = max(6, min(24, width // 5))
    runs: list[Run] = [(f"indexing: {words} ", "accent")]
    if progress.total > 0:
        runs.append((f"▕{bar(progress.done / progress.total, room)}▏", "accent"))
        runs.append((f" {progress.done:,}/{progress.total:,} ", ""))
    elif progress.done:
        runs.append((f"{progress.done:,} ", ""))
    if left:
        runs.append((f"{left} ", "dim"))
    runs.append((" ", ""))
    return runs
