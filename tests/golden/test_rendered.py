"""The bytes that people and programs read, kept as files: a change of one is a change someone has looked at.

``KBTUI_TEST_WRITE_GOLDEN=1 pytest tests/golden`` writes them anew.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from kbtui import render
from kbtui.model import Answer, Why
from tests import answers

HERE = Path(__file__).parent
Value = TypeVar("Value")


def everything(show: Callable[..., str]) -> Callable[[Answer], str]:
    """Return the rendering with all that can be asked for."""
    return partial(show, candidates=True, context=True, explain=True, trace=True)


CASES: dict[str, tuple[Callable[[Answer], str], Callable[[], Answer]]] = {
    "cut.txt": (render.answer_text, answers.cut_answer),
    "cut.json": (render.answer_json, answers.cut_answer),
    "cut_everything.txt": (everything(render.answer_text), answers.cut_answer),
    "cut_everything.json": (everything(render.answer_json), answers.cut_answer),
    "cut_context.json": (render.context_json, answers.cut_answer),
    "what_if.txt": (render.answer_text, answers.what_if_answer),
    "what_if.json": (render.answer_json, answers.what_if_answer),
    "whole.txt": (render.answer_text, answers.whole_answer),
    "whole.json": (render.answer_json, answers.whole_answer),
}


WHYS: dict[str, tuple[Callable[[Why], str], Callable[[], Why]]] = {
    "why_rank.txt": (render.why_text, answers.why_outranked),
    "why_rank.json": (render.why_json, answers.why_outranked),
    "why_filter.txt": (render.why_text, answers.why_filtered),
    "why_filter.json": (render.why_json, answers.why_filtered),
}


@pytest.mark.parametrize("name", [*CASES, *WHYS])
def test_rendered_bytes_are_as_kept(name: str) -> None:
    """Byte for byte the file of that name."""
    rendered = shown(CASES[name]) if name in CASES else shown(WHYS[name])
    if os.environ.get("KBTUI_TEST_WRITE_GOLDEN"):
        (HERE / name).write_text(rendered)
    assert rendered == (HERE / name).read_text()


def shown(case: tuple[Callable[[Value], str], Callable[[], Value]]) -> str:
    """Return a value as it is rendered."""
    show, value = case
    return show(value())
