"""Which files are text, and how each is read: by its name alone, so that a scan opens nothing."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Literal

Format = Literal["markdown", "code", "text"]

_MARKDOWN = "md markdown mdown mkd mdx qmd"
_CODE = (
    "py pyi js mjs cjs jsx ts mts cts tsx go rs java kt kts scala c h cc cpp cxx hh hpp hxx cs swift m mm rb php pl"
    " pm lua sh bash zsh fish ps1 sql r jl ex exs erl hrl hs ml mli clj cljs el lisp vim dart groovy gradle tf proto"
    " graphql vue svelte css scss less zig nim v sol cmake mk"
)
_TEXT = "txt text rst adoc asciidoc org tex log ini cfg conf toml yaml yml json"
_TEXT_NAMES = "readme license licence copying notice authors contributors changelog changes history news todo"
_CODE_NAMES = "makefile dockerfile jenkinsfile rakefile gemfile procfile justfile vagrantfile"
_LOCKS = frozenset(("package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "composer.lock"))

_SUFFIXES: dict[str, Format] = {
    **dict.fromkeys(_MARKDOWN.split(), "markdown"),
    **dict.fromkeys(_CODE.split(), "code"),
    **dict.fromkeys(_TEXT.split(), "text"),
}
_NAMES: dict[str, Format] = {
    **dict.fromkeys(_TEXT_NAMES.split(), "text"),
    **dict.fromkeys(_CODE_NAMES.split(), "code"),
}


def format_of(path: str) -> Format | None:
    """Return how a file is read, None when its name is not one of a text format."""
    name = PurePosixPath(path).name.lower()
    _, dot, suffix = name.rpartition(".")
    if not dot:
        return _NAMES.get(name)
    return None if is_generated(path) else _SUFFIXES.get(suffix)


def is_generated(path: str) -> bool:
    """Say whether a file's name tells that a tool wrote it: a lock file, or minified code."""
    name = PurePosixPath(path).name.lower()
    return name in _LOCKS or name.rpartition(".")[0].endswith(".min")
