"""Symbols of source files as headings."""

from __future__ import annotations

from kbtui.sources.code import outline

PYTHON = '''\
"""Module."""
import os

# about the lease
@dataclass
class Lease:
    """A lease."""

    term: int = 3

    def renew(self):
        return 1

    @property
    def over(self):
        return 2

LIMIT = 3

async def main():
    def inner(): ...
'''

SCRIPT = """\
import x from './x.mjs';
/** A grid. */
export default class Grid extends Base {
    static config = {a: 1}
    #rows = []
    /** Draws. */
    draw() { return 1; }
    async #load() {}
}
export const add = (a, b) => a + b;
const LIMIT = 3;
function sub() {}
"""


def symbols(path: str, text: str) -> list[tuple[int, tuple[str, ...]]]:
    return [(section.first, section.heading) for section in outline(path, text.splitlines(keepends=True)).sections]


def test_python_classes_and_functions_with_their_comments_and_decorators() -> None:
    assert symbols("a.py", PYTHON) == [
        (0, ()),
        (3, ("Lease",)),
        (10, ("Lease", "renew")),
        (13, ("Lease", "over")),
        (17, ()),
        (19, ("main",)),
    ]


def test_script_classes_methods_and_assigned_functions() -> None:
    assert symbols("a.mjs", SCRIPT) == [
        (0, ()),
        (1, ("Grid",)),
        (5, ("Grid", "draw")),
        (7, ("Grid", "#load")),
        (9, ("add",)),
        (10, ()),
        (11, ("sub",)),
    ]


def test_other_languages_are_paragraphs() -> None:
    assert symbols("a.sh", "f() {\n}\n\ng() {\n}\n") == [(0, ())]


def test_broken_and_odd_files_are_still_read() -> None:
    assert symbols("a.py", "def (:\n  ??\nclass\n")[0][0] == 0
    assert symbols("a.py", "def f():\r  pass\rdef g():\r  pass\r") == [(0, ())]
    assert symbols("a.py", "(" * 50_000)[0][0] == 0
    assert symbols("a.py", "") == []
    assert symbols("a.py", "x = '\ud800'\ndef f(): pass\n") == [(0, ()), (1, ("f",))]
