"""Which files are text, and how each is read: by its name alone, so that a scan opens nothing."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Literal

Format = Literal["markdown", "code", "text"]

_MARKDOWN = frozenset("md markdown mdown mkd mdx qmd".split())
_CODE = frozenset(
    (
        "py pyi js mjs cjs jsx ts mts cts tsx go rs java kt kts scala c h cc cpp cxx hh hpp hxx cs swift m mm rb php pl pm"
        " lua sh bash zsh fish ps1 sql r jl ex exs erl hrl hs ml mli clj cljs el lisp vim dart groovy gradle tf proto"
        " graphql vue svelte css scss less zig nim v sol cmake mk"
    ).split()
)
_TEXT = frozenset("txt text rst adoc asciidoc org tex log ini cfg conf toml yaml yml json".split())
_NAMES: dict[str, Format] = {
    **dict.fromkeys(
        "readme license licence copying notice authors contributors changelog changes history news todo".split(), "text"
    ),
    **dict.fromkeys("makefile dockerfile jenkinsfile rakefile gemfile procfile justfile vagrantfile".split(), "code"),
}
_LOCKS = frozenset("package-lock.json npm-shrinkwrap.json pnpm-lock.yaml composer.lock".split())


def format_of(path: str) -> Format | None:
    """Return how a file is read, None when its name is not one of a text format."""
    name = PurePosixPath(path).name.lower()
    stem, dot, suffix = name.rpartition(".")
    if not dot:
        return _NAMES.get(name)
    if name in _LOCKS or stem.endswith(".min"):
        return None
    if suffix in _MARKDOWN:
        return "markdown"
    if suffix in _CODE:
        return "code"
    return "text" if suffix in _TEXT else None


def is_generated(path: str) -> bool:
    """Say whether a file's name tells that a tool wrote it: a lock file, or minified code."""
    name = PurePosixPath(path).name.lower()
    return name in _LOCKS or name.rpartition(".")[0].endswith(".min")
