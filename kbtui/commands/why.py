"""``why``: the first stage that lost a document, and the smallest change that brings it in."""

from __future__ import annotations

import argparse

from kbtui.commands.options import (
    NO_HITS,
    Commands,
    Console,
    Outcome,
    add_common,
    add_question,
    add_settings,
    configured,
    opened,
    question,
)
from kbtui.errors import UsageError

_WHY = """examples:
  kbtui why guides/retries.md --query "how does retry backoff work"
  kbtui why adr-0015 how does retry backoff work --type decision
  kbtui why guides/retries.md --query "retry backoff" --limit 3 --set penalty.pull=0 --json
"""


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the parser."""
    why = commands.add_parser(
        "why",
        help="why a document is not in the answer, and the smallest change that brings it in",
        description="Name the first stage that lost a document, show what it lacks, and try single changes of settings "
        "until some bring it in, smallest first. Asked with the flags of `kbtui query`. Exit code 1: no such document.",
        epilog=_WHY,
    )
    why.add_argument("id", metavar="ID", help="the document, as `kbtui query` names it")
    add_question(why, nargs="*")
    why.add_argument("--query", metavar="TEXT", help="the question, where it does not follow the ID")
    add_settings(why)
    add_common(why)
    why.set_defaults(run=_why)


def _why(args: argparse.Namespace, console: Console) -> Outcome:
    if bool(args.text) == (args.query is not None):
        raise UsageError("why takes one question: --query TEXT, or words after the ID", f"See: {args.prog} --help")
    if args.query is not None:
        args.text = [args.query]
    config = configured(args)

    from kbtui import render

    with opened(config) as explorer:
        why = explorer.why(args.id, question(args), config.settings, report=console.progress)
    show = render.why_json if args.json else render.why_text
    return Outcome(out=show(why), code=NO_HITS if why.stage == "index" and not why.skipped else 0)
