"""Source code: classes and functions as headings where a grammar is at hand, else paragraphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from kbtui.sources import plain
from kbtui.sources.passages import Outline, Section
from kbtui.text import clip, safe_line

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

NAME_CELLS = 120
CLASS_DEPTH = 4
"""Most classes inside of one another whose members are told apart."""

BARE_LINES = 4
"""Most lines of a class before its first member that do not stand for themselves: its name and a docstring."""

_GRAMMARS = {
    **dict.fromkeys(("py", "pyi"), "python"),
    **dict.fromkeys(("js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"), "javascript"),
}
_CLASSES = frozenset(("class_definition", "class_declaration", "class"))
_FUNCTIONS = frozenset(
    ("function_definition", "function_declaration", "generator_function_declaration", "method_definition")
)
_WRAPPERS = {"decorated_definition": "definition", "export_statement": "declaration"}
_ASSIGNED = frozenset(("arrow_function", "function_expression", "generator_function", "class"))

_Mark = tuple[int, tuple[str, ...]]
"""A line with which a symbol starts, and its path of names."""


def outline(path: str, lines: Sequence[str]) -> Outline:
    """Return the symbols of a source file as sections; without a grammar, or with stray line ends, paragraphs."""
    grammar = _GRAMMARS.get(PurePosixPath(path).suffix.lower().lstrip("."))
    if grammar is None or any(line.endswith("\r") for line in lines):
        return plain.outline(lines)  # a grammar counts line feeds alone
    tree = _parser(grammar).parse("".join(lines).encode("utf-8", "replace"))
    sections: list[Section] = []
    start, heading = 0, tuple[str, ...]()
    for line, names in _marks(tree.root_node, (), 0):
        if line > start:
            bare = line - start <= BARE_LINES and bool(heading)
            sections.append(Section(first=start, last=line, heading=heading, bare=bare))
        if line >= start:
            start, heading = line, names
    if len(lines) > start:
        sections.append(Section(first=start, last=len(lines), heading=heading))
    return Outline(sections=tuple(sections), symbols=True)


@cache
def _parser(grammar: str) -> Parser:
    import tree_sitter_javascript
    import tree_sitter_python
    from tree_sitter import Language, Parser

    language = tree_sitter_python if grammar == "python" else tree_sitter_javascript
    return Parser(Language(language.language()))


def _marks(scope: Node, names: tuple[str, ...], depth: int) -> Iterator[_Mark]:
    """Yield where symbols of a scope start, and where what stands between them does; comments go with what follows."""
    above: int | None = None
    below = -1
    inside = bool(names)
    for node in scope.named_children:
        if node.type == "comment":
            if above is None or node.start_point.row > below + 1:
                above = node.start_point.row
            below = node.end_point.row
            continue
        row = above if above is not None and node.start_point.row <= below + 1 else node.start_point.row
        above = None
        found = _symbol(node)
        if found is None:
            if not inside:
                yield row, names
                inside = True
            continue
        inside = False
        name, definition = found
        yield row, (*names, name)
        body = definition.child_by_field_name("body")
        if body and definition.type in _CLASSES and depth < CLASS_DEPTH:
            yield from _marks(body, (*names, name), depth + 1)


def _symbol(node: Node) -> tuple[str, Node] | None:
    """Return the name of what a statement defines, and the definition; None when it defines no symbol."""
    while node.type in _WRAPPERS:
        inner = node.child_by_field_name(_WRAPPERS[node.type])
        if inner is None:
            return None
        node = inner
    if node.type in ("lexical_declaration", "variable_declaration") and node.named_children:
        declarator = node.named_children[0]
        value = declarator.child_by_field_name("value")
        if value is None or value.type not in _ASSIGNED:
            return None
        return _name(declarator), value
    if node.type in _CLASSES | _FUNCTIONS:
        return _name(node), node
    return None


def _name(node: Node) -> str:
    name = node.child_by_field_name("name")
    written = name.text.decode("utf-8", "replace") if name and name.text else "(anonymous)"
    return clip(safe_line(written), NAME_CELLS)
