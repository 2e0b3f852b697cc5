"""The pygments door: which ink each part of a source text has."""

from __future__ import annotations

from kbtui.tui.ink import Run

MOST_CHARACTERS = 200_000
LONGEST_LINE = 5_000
"""A longer text, or one with a longer line, has no colours: nothing else bounds a lexer's time."""

_INKS = (
    ("Token.Comment", "comment"),
    ("Token.Keyword", "keyword"),
    ("Token.Operator.Word", "keyword"),
    ("Token.Literal.String", "string"),
    ("Token.Literal.Number", "number"),
    ("Token.Name.Function", "name"),
    ("Token.Name.Class", "name"),
    ("Token.Name.Tag", "name"),
    ("Token.Name.Decorator", "name"),
    ("Token.Generic.Heading", "head"),
    ("Token.Generic.Subheading", "head"),
    ("Token.Generic.Strong", "strong"),
)


def coloured(path: str, text: str) -> tuple[Run, ...]:
    """Return a text as runs that join to it, inked by the language that its file's name says; plain where unknown."""
    plain = ((text, ""),)
    if len(text) > MOST_CHARACTERS or max(map(len, text.split("\n"))) > LONGEST_LINE:
        return plain
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_for_filename(path)
    except ClassNotFound:
        return plain
    runs: list[Run] = []
    for _, kind, part in lexer.get_tokens_unprocessed(text):
        ink = _ink(str(kind))
        if runs and runs[-1][1] == ink:
            runs[-1] = (runs[-1][0] + part, ink)
        else:
            runs.append((part, ink))
    return tuple(runs) if "".join(part for part, _ in runs) == text else plain


def _ink(kind: str) -> str:
    return next((ink for name, ink in _INKS if kind.startswith(name)), "")
