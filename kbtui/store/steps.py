"""How a build says where it is, and hears that nobody waits for it any more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kbtui.model import Progress


class Cancelled(Exception):
    """The caller gave up; what is not published is thrown away, computed embeddings are kept."""


@dataclass(frozen=True, slots=True)
class Steps:
    """The caller's two ends of a build."""

    report: Callable[[Progress], None]
    cancelled: Callable[[], bool]

    def say(self, stage: str, done: int, total: int, detail: str = "") -> None:
        """Report progress.

        Errors: Cancelled.
        """
        if self.cancelled():
            raise Cancelled
        self.report(Progress(stage=stage, done=done, total=total, detail=detail))
