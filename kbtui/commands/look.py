"""``read`` and ``neighbours``: look at one document, and at what is around it."""

from __future__ import annotations

import argparse

from kbtui.commands.options import Commands, Console, Outcome, add_common, configured, opened
from kbtui.model import Span

_READ = """examples:
  kbtui read guides/retries.md
  kbtui read guides/retries.md --section Backoff
  kbtui read guides/retries.md --span 0:2000 --json
"""
_NEIGHBOURS = """examples:
  kbtui neighbours guides/retries.md
  kbtui neighbours guides/retries.md --depth 2 --json
"""


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the parsers."""
    read = commands.add_parser(
        "read",
        help="print a document, a section or a span of it",
        description="Print a document's text, made safe for a terminal. ID is an id, an alias or a path.",
        epilog=_READ,
    )
    read.add_argument("id", metavar="ID", help="the document, as `kbtui query` names it")
    part = read.add_mutually_exclusive_group()
    part.add_argument("--section", metavar="HEADING", help="only what stands under this heading or symbol")
    part.add_argument("--span", type=_span, metavar="A:B", help="only the passages of these bytes of the file")
    add_common(read)
    read.set_defaults(run=_read)

    neighbours = commands.add_parser(
        "neighbours",
        help="list what a document leads to, and what leads to it",
        description="List the relations of a document, nearest first.",
        epilog=_NEIGHBOURS,
    )
    neighbours.add_argument("id", metavar="ID", help="the document, as `kbtui query` names it")
    neighbours.add_argument("--depth", type=int, default=1, metavar="N", help="how many relations away (default: 1)")
    add_common(neighbours)
    neighbours.set_defaults(run=_neighbours)


def _span(text: str) -> Span:
    """Read ``A:B``, two byte offsets of which the first is lower."""
    start, _, end = text.partition(":")
    if not (start.isdecimal() and end.isdecimal() and int(start) < int(end)):
        raise argparse.ArgumentTypeError(f"A:B, two byte offsets, the lower first, not {text!r}")
    return Span(start=int(start), end=int(end))


def _read(args: argparse.Namespace, _: Console) -> Outcome:
    config = configured(args)

    from kbtui import render

    with opened(config) as explorer:
        extract = explorer.read(args.id, section=args.section, span=args.span)
    return Outcome(out=render.extract_json(extract) if args.json else extract.text)


def _neighbours(args: argparse.Namespace, _: Console) -> Outcome:
    config = configured(args)

    from kbtui import render

    with opened(config) as explorer:
        around = explorer.neighbours(args.id, args.depth)
    return Outcome(out=render.neighbours_json(around) if args.json else render.neighbours_text(around))
