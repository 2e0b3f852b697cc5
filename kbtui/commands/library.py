"""``index``, ``status`` and ``config``: build the library, and see what it holds and how it is set up."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from kbtui.commands.options import Commands, Console, Outcome, add_common, add_settings, configured, corpus_of, opened
from kbtui.config import project_root
from kbtui.errors import UsageError

_INDEX = """examples:
  kbtui index                     this folder, or the one its store was built from
  kbtui index docs                another folder
  kbtui index docs --lexical      searchable by words within seconds, by meaning later
"""
_STATUS = """examples:
  kbtui status
  kbtui status --store docs/.kbtui --json
"""
_CONFIG = """examples:
  kbtui config show
  kbtui config show --set penalty.pull=-0.4 --json
"""
_KEYS = """examples:
  kbtui config keys
  kbtui config keys --json

in kbtui.toml:
  [keys]
  explore.copy = "Y"
  explore.next_pane = ["right_square_bracket", "n"]
"""


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the parsers."""
    index = commands.add_parser(
        "index",
        help="build or refresh the store of a folder",
        description="Build or refresh the store of a folder. Only what has changed is read and embedded; "
        "stopped half-way, the store is as it was, and the next run goes on.",
        epilog=_INDEX,
    )
    index.add_argument("path", nargs="?", type=Path, metavar="PATH", help="the folder (default: this one)")
    index.add_argument("--lexical", action="store_true", help="return once words can be searched; embed nothing")
    index.add_argument("--rebuild", action="store_true", help="build everything anew, embeddings from the cache")
    add_common(index)
    index.set_defaults(run=_index)

    status = commands.add_parser(
        "status",
        help="what the store holds, by type and tier, and what was skipped",
        description="Show what the store holds: documents, passages, bytes and tokens by type and tier, "
        "how much is embedded, and which files were skipped and why.",
        epilog=_STATUS,
    )
    add_common(status)
    status.set_defaults(run=_status)

    config = commands.add_parser("config", help="the settings in force", description="Look at the settings.")
    actions = config.add_subparsers(title="commands", metavar="COMMAND", required=True)
    show = actions.add_parser(
        "show",
        help="every setting, its value, and where it came from",
        description="Show every setting, its value, and which file, variable or flag it came from.",
        epilog=_CONFIG,
    )
    add_settings(show)
    add_common(show)
    show.set_defaults(run=_show)
    keys = actions.add_parser(
        "keys",
        help="every action of the app, its id, and its keys",
        description="Show every action of the app: the id under which [keys] in kbtui.toml gives it other keys, the "
        "keys in force, and what it does.",
        epilog=_KEYS,
    )
    add_common(keys)
    keys.set_defaults(run=_show_keys)


def _index(args: argparse.Namespace, console: Console) -> Outcome:
    if args.path is not None and not args.path.is_dir():
        raise UsageError(f"no folder {str(args.path)!r}", "kbtui index takes the folder of a knowledge base.")
    config = configured(args, args.path)
    corpus = args.path or corpus_of(config) or project_root(Path.cwd())

    from kbtui import render
    from kbtui.explorer import index

    report = index(corpus, config.store, lexical_only=args.lexical, rebuild=args.rebuild, report=console.progress)
    console.settle()
    if args.json:
        return Outcome(out=render.build_json(report))
    return Outcome(out="" if args.quiet else render.build_text(report))


def _status(args: argparse.Namespace, _: Console) -> Outcome:
    config = configured(args)

    from kbtui import render

    with opened(config) as explorer:
        status = explorer.status()
    status = replace(status, notices=(*config.notices, *status.notices), search_limit=config.search_limit)
    return Outcome(out=render.status_json(status) if args.json else render.status_text(status))


def _show(args: argparse.Namespace, _: Console) -> Outcome:
    config = configured(args)

    from kbtui import render

    return Outcome(out=render.config_json(config) if args.json else render.config_text(config))


def _show_keys(args: argparse.Namespace, _: Console) -> Outcome:
    config = configured(args)

    from kbtui.tui import keymap

    fitted = keymap.fitted(config.keys)
    if fitted.problems:
        raise UsageError(
            "\n".join(fitted.problems), "Mend [keys] in kbtui.toml; the app keeps its own keys until then."
        )
    return Outcome(out=keymap.as_json(fitted) if args.json else keymap.as_text(fitted))
