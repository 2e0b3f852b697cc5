"""``query`` and ``context``: ask, and get the rows or the text an agent gets."""

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
    asking,
    configured,
    question,
)
from kbtui.errors import KbtuiError, UsageError
from kbtui.model import Answer

_QUERY = """examples:
  kbtui query "how does retry backoff work"
  kbtui query "retry backoff" --type ticket --type pull --limit 10
  kbtui query "retry backoff" --set penalty.pull=-0.4 --explain
  kbtui query "retry backoff" --json --candidates
  kbtui query --queries questions.jsonl --limit 3 > answers.jsonl
"""
_CONTEXT = """examples:
  kbtui context "how does retry backoff work"
  kbtui context "how does retry backoff work" --max-bytes 6000 --max-tokens none
"""


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the parsers."""
    query = commands.add_parser(
        "query",
        help="ask, and see each hit's tier, penalty, cost and fate",
        description="Ask the knowledge base, and see what an agent would get: each hit's tier, score, penalty and "
        "cost, what the budget made of it, and whatever was cut. Exit code 1: no hits.",
        epilog=_QUERY,
    )
    add_question(query, nargs="*")
    query.add_argument(
        "--queries",
        metavar="FILE",
        help='ask every line of a file (-: standard input), one JSON answer a line; a line is text or {"text": ...}',
    )
    shown = query.add_argument_group("what to show")
    shown.add_argument("--explain", action="store_true", help="every term of every score, and the matched passages")
    shown.add_argument("--context", action="store_true", help="the context an agent gets, after the rows")
    shown.add_argument("--candidates", action="store_true", help="the documents behind the limit, too")
    shown.add_argument("--trace", action="store_true", help="what each stage did, and how long it took")
    add_settings(query)
    add_common(query)
    query.set_defaults(run=_query)

    context = commands.add_parser(
        "context",
        help="print the context an agent gets, and nothing else",
        description="Print the assembled context, byte for byte what an agent gets. Exit code 1: no hits.",
        epilog=_CONTEXT,
    )
    add_question(context)
    add_settings(context)
    add_common(context)
    context.set_defaults(run=_context)


def _ask(args: argparse.Namespace, console: Console) -> Answer:
    config = configured(args)
    with asking(config, console, args.quiet) as explorer:
        return explorer.query(question(args), config.settings)


def _query(args: argparse.Namespace, console: Console) -> Outcome:
    from kbtui import render

    if not args.text and args.queries is None:
        raise UsageError("the following arguments are required: TEXT, or --queries FILE", f"See: {args.prog} --help")
    if args.text and args.queries is not None:
        raise UsageError("TEXT and --queries exclude each other", f"See: {args.prog} --help")
    if args.queries is not None:
        return _queries(args, console)
    answer = _ask(args, console)
    show = render.answer_json if args.json else render.answer_text
    out = show(answer, candidates=args.candidates, context=args.context, explain=args.explain, trace=args.trace)
    return Outcome(out=out, code=_code(answer))


def _queries(args: argparse.Namespace, console: Console) -> Outcome:
    """Answer line by line, each as soon as it can be; the exit code is the gravest error's."""
    from kbtui import render
    from kbtui.commands import queries

    config, asked = configured(args), question(args)
    gravest, any_hits = 0, False
    with queries.lines_of(args.queries) as lines, asking(config, console, args.quiet) as explorer:
        for number, raw in enumerate(lines, start=1):
            echo: queries.Echo = {}
            try:
                line = queries.understood(raw, asked, config)
                echo = line.echo
                answer = explorer.query(line.query, line.settings)
            except KbtuiError as error:
                gravest = max(gravest, error.exit_code)
                echo = error.echo if isinstance(error, queries.BadLine) else echo
                console.out(render.line_json(queries.error_object(number, error, echo)))
                continue
            any_hits = any_hits or bool(answer.rows)
            show = {name: getattr(args, name) for name in ("candidates", "context", "explain", "trace")}
            console.out(render.line_json(echo | render.answer_value(answer, **show)))
    return Outcome(code=gravest or (0 if any_hits else NO_HITS))


def _context(args: argparse.Namespace, console: Console) -> Outcome:
    from kbtui import render

    answer = _ask(args, console)
    if args.json:
        return Outcome(out=render.context_json(answer), code=_code(answer))
    return Outcome(out=answer.context, aside=render.notices_text(answer), code=_code(answer))


def _code(answer: Answer) -> int:
    return 0 if answer.rows else NO_HITS
