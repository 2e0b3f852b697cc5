"""``kbtui [PATH]`` and ``kbtui demo``: the app."""

from __future__ import annotations

import argparse
from pathlib import Path

from kbtui.commands.options import (
    Commands,
    Console,
    Outcome,
    add_common,
    add_settings,
    configured,
    corpus_of,
    lenient,
    named_store,
)
from kbtui.config import STORE_FOLDER, STORE_KEY, Flag, project_root
from kbtui.errors import UsageError

APP = "app"
"""The name under which the app is a command; `kbtui [PATH]` is how people call it."""

_APP = """examples:
  kbtui                           the knowledge base around this folder
  kbtui docs                      another folder
  kbtui --store /srv/kb/.kbtui    a store that is there already
"""
_DEMO = """examples:
  kbtui demo
  kbtui demo --index-only         index it, print where the store is, and go on with the CLI:
  kbtui query "how does retry backoff work" --store "$(kbtui demo --index-only)"
"""


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the parsers."""
    app = commands.add_parser(
        APP,
        help="the app (`kbtui [PATH]` is the same)",
        description="Open the app on a knowledge base; its index is built or refreshed in the background.",
        epilog=_APP,
    )
    app.add_argument("path", nargs="?", type=Path, metavar="PATH", help="the folder (default: this one)")
    add_settings(app)
    add_common(app, json=False)
    app.set_defaults(run=_app)

    demo = commands.add_parser(
        "demo",
        help="the app on a knowledge base that comes with kbtui",
        description="Open the app on the demo knowledge base: a job queue that does not exist, with guides, decisions, "
        "source code, tickets, pull requests and releases. Its store lies in your cache folder.",
        epilog=_DEMO,
    )
    demo.add_argument("--index-only", action="store_true", help="index it, print the path of the store, and end")
    add_settings(demo)
    add_common(demo, json=False)
    demo.set_defaults(run=_demo)


def _app(args: argparse.Namespace, console: Console) -> Outcome:
    if args.path is not None and not args.path.is_dir():
        raise UsageError(f"no folder {str(args.path)!r}", "See: kbtui --help")
    config = lenient(args, args.path)
    _needs_a_terminal(console)
    corpus = args.path or corpus_of(config) or project_root(Path.cwd())

    from kbtui.tui.app import run

    return Outcome(code=run(config.store, corpus if corpus.is_dir() else None, config))


def _demo(args: argparse.Namespace, console: Console) -> Outcome:
    from kbtui.demo import corpus

    store = named_store(args)
    if store is None:
        store = demo_store(corpus())
        args.flags = (Flag(name="kbtui demo", key=STORE_KEY, text=str(store)), *args.flags)
    config = configured(args, _demo_folder(store))
    if not args.index_only:
        _needs_a_terminal(console)

        from kbtui.tui.app import run

        return Outcome(code=run(config.store, corpus(), config))

    from kbtui.explorer import index

    index(corpus(), config.store, report=console.progress)
    console.settle()
    return Outcome(out=f"{config.store}\n")


def demo_store(corpus: Path) -> Path:
    """Return a store in the user's cache, one for each place where kbtui is installed: a store is of one corpus."""
    from hashlib import sha256

    from platformdirs import user_cache_path

    return user_cache_path("kbtui") / f"demo-{sha256(str(corpus).encode()).hexdigest()[:8]}" / STORE_FOLDER


def _demo_folder(store: Path) -> Path:
    """Return the folder whose project file counts: that of the demo's store, not where the package is installed."""
    return store.parent if store.name == STORE_FOLDER else store


def _needs_a_terminal(console: Console) -> None:
    """Refuse to draw where nobody looks.

    Errors: UsageError when standard input or output is no terminal.
    """
    if not console.interactive():
        raise UsageError("the app needs a terminal", "In a pipe or a script use: kbtui query TEXT")
