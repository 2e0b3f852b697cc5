"""Themes: one TOML file each, colours only; what cannot be read is told, and the app starts all the same."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from textual.color import Color, ColorParseError
from textual.theme import BUILTIN_THEMES, Theme

import kbtui

DEFAULT = "dark"
NO_COLOUR = "mono"
BUILTIN = "textual-dark"
"""Textual's own theme, in use only when not one of ours can be read."""

_BASE = (
    "primary",
    "secondary",
    "accent",
    "warning",
    "error",
    "success",
    "foreground",
    "background",
    "surface",
    "panel",
)
KB_COLOURS = (
    "primary",
    "secondary",
    "historical",
    "custom",
    "penalty",
    "boost",
    "budget",
    "cut",
    "moves",
    "match",
    "dim",
    "rule",
    "cursor",
    "resting",
)
"""What the ``[kb]`` table must name, each under ``$kb-NAME`` in the style sheet."""
KB_STYLES = ("cursor-style", "resting-style", "dim-style")
"""What it may name besides: text styles, for themes in which a colour alone would not do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The themes that could be read and, in words, those that could not."""

    themes: tuple[Theme, ...]
    problems: tuple[str, ...]


def folder() -> Path:
    """Return where the themes are: in the installed package, or beside it in a checkout."""
    package = Path(kbtui.__file__).parent
    installed = package / "themes"
    return installed if installed.is_dir() else package.parent / "themes"


def load(where: Path) -> Loaded:
    """Read every theme of a folder, sorted by file name."""
    themes: list[Theme] = []
    problems: list[str] = []
    for path in sorted(where.glob("*.toml")):
        try:
            themes.append(parse(path.stem, path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError, KeyError) as error:
            problems.append(f"theme {path.name}: {_words(error)}")
    if not themes and not problems:
        problems.append(f"no themes in {where}")
    return Loaded(themes=tuple(themes), problems=tuple(problems))


def _words(error: Exception) -> str:
    return f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)


def parse(name: str, toml: str) -> Theme:
    """Return the theme that a TOML text describes.

    Errors: KeyError for a missing entry, ValueError for a colour that is none, TypeError for a wrong type.
    """
    table = tomllib.loads(toml)
    colours, kb = table["colors"], table["kb"]
    variables = {f"kb-{key}": _colour(key, kb[key]) for key in KB_COLOURS}
    variables |= {f"kb-{key}": _text(key, kb.get(key, "none")) for key in KB_STYLES}
    variables |= {key: _text(key, value) for key, value in table.get("variables", {}).items()}
    base = {key: _colour(key, colours[key]) for key in _BASE}
    return Theme(
        name=name,
        dark=bool(table["dark"]),
        ansi=bool(table.get("ansi", False)),
        variables=variables,
        primary=base["primary"],
        secondary=base["secondary"],
        accent=base["accent"],
        warning=base["warning"],
        error=base["error"],
        success=base["success"],
        foreground=base["foreground"],
        background=base["background"],
        surface=base["surface"],
        panel=base["panel"],
    )


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{key} must be text, not {value!r}")
    return value


def _colour(key: str, value: object) -> str:
    written = _text(key, value)
    try:
        Color.parse(written)
    except ColorParseError:
        raise ValueError(f"{key} is no colour: {written!r}") from None
    return written


def fallback() -> dict[str, str]:
    """Return values for every variable of the ``[kb]`` table, taken from Textual's own theme."""
    system = BUILTIN_THEMES[BUILTIN].to_color_system().generate()
    roles = {
        "primary": "text-primary",
        "secondary": "text-success",
        "historical": "text-warning",
        "custom": "text-secondary",
        "penalty": "text-error",
        "boost": "text-primary",
        "budget": "text-primary",
        "cut": "text-warning",
        "moves": "text-accent",
        "match": "text-accent",
        "dim": "foreground",
        "rule": "foreground",
        "cursor": "primary-darken-3",
        "resting": "surface",
    }
    values = {f"kb-{key}": system[role] for key, role in roles.items()}
    return values | {f"kb-{key}": "none" for key in KB_STYLES}
