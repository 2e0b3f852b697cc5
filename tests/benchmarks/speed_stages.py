"""Where the time of kbtui's own queries goes: the trace's stages, and in them the doors to libraries."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from inspect import isfunction
from time import perf_counter, process_time
from typing import Any
from unittest import mock

from kbtui.model import Answer
from kbtui.store.catalog import Catalog
from kbtui.store.lexical import Lexical
from kbtui.store.vectors import VectorIndex

DOORS = {VectorIndex: "dense", Lexical: "lexical", Catalog: "catalogue"}

INSIDE = "in it: "
"""Marks what runs inside of stages, partly side by side: it is no part of their sum."""

Times = dict[str, float]


class Clock:
    """The time in ms: of the wall, or of all this process's threads, which neighbours on a busy machine move less."""

    def __init__(self) -> None:
        self.busy_only = False

    def __call__(self) -> float:
        """Return the time."""
        return (process_time() if self.busy_only else perf_counter()) * 1000


class Stages:
    """The times of the question that is being asked, in ms; doors are used by two threads at once."""

    def __init__(self) -> None:
        self._times: Times = defaultdict(float)
        self._lock = threading.Lock()
        self._inside = threading.local()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Note the time of every call through a door; of calls within calls the outermost counts."""
        with ExitStack() as stack:
            for owner, stage in DOORS.items():
                for name, method in vars(owner).items():
                    if isfunction(method) and not name.startswith("_"):
                        stack.enter_context(mock.patch.object(owner, name, self._timed(stage, method)))
            yield

    def add(self, stage: str, milliseconds: float) -> None:
        """Add to a stage of the current question."""
        with self._lock:
            self._times[stage] += milliseconds

    def clear(self) -> None:
        """Forget what came through the doors for others."""
        with self._lock:
            self._times.clear()

    def of(self, answer: Answer, whole: float) -> Times:
        """Return the times of an answer by stage; what no stage took is composing."""
        steps = {step.stage: step.elapsed_ms for step in answer.trace.steps}
        steps["compose"] = whole - sum(steps.values())
        return {"whole": whole, **steps, **{INSIDE + stage: took for stage, took in self._times.items()}}

    def _timed(self, stage: str, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def timed(*args: Any, **kwargs: Any) -> Any:
            if getattr(self._inside, "busy", False):
                return method(*args, **kwargs)
            self._inside.busy = True
            started = perf_counter()
            try:
                return method(*args, **kwargs)
            finally:
                self._inside.busy = False
                self.add(stage, (perf_counter() - started) * 1000)

        return timed
