"""``search``: the lines of all documents that a pattern is found in."""

from __future__ import annotations

import argparse

from kbtui.commands.options import NO_HITS, Commands, Console, Outcome, add_common, configured, opened
from kbtui.errors import UsageError
from kbtui.model import TextQuery

_SEARCH = """examples:
  kbtui search "retry_limit"
  kbtui search "retr[a-z]+" --regex --ignore-case --type guide
  kbtui search claim --word --path "guides/*" --limit 20 --json
"""


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the parser."""
    search = commands.add_parser(
        "search",
        help="find the lines that hold a text or match an expression",
        description="Search the texts of all documents line by line, as grep does. Every matching line is counted, "
        "whatever the limit; a cursor goes on where a page ends. Exit code 1: no such line.",
        epilog=_SEARCH,
    )
    search.add_argument("pattern", metavar="PATTERN", help="the text to find, taken literally")
    how = search.add_argument_group("how to match")
    how.add_argument("--regex", action="store_true", help="PATTERN is a regular expression")
    how.add_argument("--word", action="store_true", help="whole words only")
    how.add_argument("--ignore-case", action="store_true", help="capitals and small letters are the same")
    which = search.add_argument_group("which documents (before the limit)")
    which.add_argument("--type", action="append", default=[], metavar="T", help="only this source type; repeatable")
    which.add_argument("--path", action="append", default=[], metavar="GLOB", help="only these paths; repeatable")
    page = search.add_argument_group("how much")
    page.add_argument("--limit", type=int, default=100, metavar="N", help="most lines (default: 100)")
    page.add_argument("--cursor", default="", metavar="CURSOR", help="go on where another page of this search ended")
    page.add_argument("--timeout", type=_seconds, default=20.0, metavar="S", help="most seconds (default: 20)")
    add_common(search)
    search.set_defaults(run=_search)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 86_400:  # NaN fails this too
        raise argparse.ArgumentTypeError(f"a number of seconds above 0, not {text!r}")
    return seconds


def _search(args: argparse.Namespace, _: Console) -> Outcome:
    config = configured(args)
    if args.limit < 1:
        raise UsageError(f"--limit must be at least 1, not {args.limit}")

    from kbtui import render

    query = TextQuery(
        pattern=args.pattern,
        regex=args.regex,
        word=args.word,
        ignore_case=args.ignore_case,
        paths=tuple(args.path),
        source_types=tuple(args.type),
    )
    with opened(config) as explorer:
        found = explorer.search_text(
            query, limit=args.limit, ceiling=config.search_limit, cursor=args.cursor, seconds=args.timeout
        )
    show = render.lines_json if args.json else render.lines_text
    return Outcome(out=show(found), code=0 if found.total else NO_HITS)
