"""``index`` and ``status``: build the library, and see what it holds."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from kbtui.commands.options import Commands, Console, Outcome, add_common, configured, corpus_of, opened
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
        help="what the store holds, by type and tier, and what deserves a look",
        description="Show what the store holds: documents, passages, bytes and tokens by type and tier, how much is "
        "embedded, which files were skipped and why; dangling relations, duplicates, and documents that are larger "
        "than the budget of a context or than a document's part of it.",
        epilog=_STATUS,
    )
    add_common(status)
    status.set_defaults(run=_status)


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
        status, survey = explorer.status(), explorer.survey(config.settings.budget())
    status = replace(status, notices=(*config.notices, *status.notices), search_limit=config.search_limit)
    return Outcome(out=render.status_json(status, survey) if args.json else render.status_text(status, survey))
