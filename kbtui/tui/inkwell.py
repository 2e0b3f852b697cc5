"""Which ink is which colour and weight: the one place that turns names of inks into styles of the theme."""

from __future__ import annotations

from collections.abc import Mapping

from rich.style import Style
from textual.color import Color

INKS = {
    "": ("", ""),
    "primary": ("kb-primary", ""),
    "secondary": ("kb-secondary", ""),
    "historical": ("kb-historical", ""),
    "custom": ("kb-custom", ""),
    "penalty": ("kb-penalty", ""),
    "boost": ("kb-boost", ""),
    "cut": ("kb-cut", ""),
    "match": ("kb-match", ""),
    "found": ("kb-match", "bold underline"),
    "accent": ("kb-moves", ""),
    "dim": ("kb-dim", "kb-dim-style"),
    "rule": ("kb-rule", ""),
    "strong": ("", "bold"),
    "head": ("kb-budget", "bold"),
    "key": ("kb-moves", "bold underline"),
    "error": ("error", "bold"),
    "keyword": ("kb-boost", "bold"),
    "string": ("kb-secondary", ""),
    "comment": ("kb-dim", "italic"),
    "number": ("kb-custom", ""),
    "name": ("kb-primary", "bold"),
}
"""An ink's colour, by its variable ("" keeps the widget's), and its weight, written out or by its variable."""

WASHES = {"cursor": ("kb-cursor", "kb-cursor-style"), "resting": ("kb-resting", "kb-resting-style")}
"""What is laid under a whole line: the background's variable and the weight's."""


def fill(variables: Mapping[str, str]) -> dict[str, Style]:
    """Return the style of every ink and wash under a theme's variables.

    A class of a style sheet for each would do too, and costs every change of focus the styling of hundreds of nodes.
    """
    styles = {
        name: _weight(weight, variables)
        + (Style(color=Color.parse(variables[colour]).rich_color) if colour else Style())
        for name, (colour, weight) in INKS.items()
    }
    for name, (ground, weight) in WASHES.items():
        styles[name] = _weight(weight, variables) + Style(bgcolor=Color.parse(variables[ground]).rich_color)
    return styles


def _weight(weight: str, variables: Mapping[str, str]) -> Style:
    return Style.parse(variables.get(weight, weight) or "none")
