"""The budget curve: the budgets it asks for, and the look that answers them one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from textual.message import Message

from kbtui.errors import KbtuiError
from kbtui.model import Answer, Query
from kbtui.settings import Settings, Value
from kbtui.tui.doors import Library
from kbtui.tui.looks import Look, attempt

TOKENS = (1_000, 2_000, 3_000, 4_000, 6_000, 8_000, 12_000, 16_000, 24_000, 32_000, 48_000, 64_000)
BYTES_A_TOKEN = 4
"""How many bytes go with a token where only one of the two is bounded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """A budget of the curve; ``tokens`` is None where nothing bounds the context, ``half`` is half of the present."""

    tokens: int | None
    settings: Settings
    present: bool = False
    half: bool = False


class Climbed(Message):
    """What a budget of the curve keeps came back."""

    def __init__(self, query: Query, rung: Rung, outcome: Answer | KbtuiError) -> None:
        super().__init__()
        self.query = query
        self.rung = rung
        self.outcome = outcome


def rungs(settings: Settings) -> tuple[Rung, ...]:
    """Return the curve's budgets, among them the present one and half of it; bytes keep their proportion to tokens."""
    budget = settings.budget()
    each = budget.size_bytes / budget.tokens if budget.size_bytes and budget.tokens else BYTES_A_TOKEN
    at = budget.tokens
    if at is None and budget.size_bytes is not None:
        at = round(budget.size_bytes / each)
    half = at // 2 if at is not None and at > 1 else None
    found = {}
    for tokens in {*TOKENS, *([half] if half is not None else [])}:
        values: dict[str, Value] = {"budget.tokens": tokens}
        if budget.size_bytes is not None:
            values["budget.bytes"] = max(1, round(tokens * each))
        found[tokens] = Rung(tokens=tokens, settings=settings.with_values(values), half=tokens == half)
    here = Rung(tokens=at, settings=settings, present=True)
    if at is None:
        return (*(found[tokens] for tokens in sorted(found)), here)
    found[at] = here
    return tuple(found[tokens] for tokens in sorted(found))


def climb(query: Query, ladder: tuple[Rung, ...]) -> Look:
    """Return the look that asks the same question under each budget; the engine only packs again."""

    def look(library: Library) -> Iterator[Message]:
        for rung in ladder:
            yield Climbed(query, rung, attempt(partial(library.what_if, query, rung.settings)))

    return look
