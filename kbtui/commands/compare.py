"""``compare``: one question, or many, under two settings."""

from __future__ import annotations

import argparse
from dataclasses import replace

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
from kbtui.config import Config
from kbtui.errors import KbtuiError, UsageError
from kbtui.model import Comparison
from kbtui.settings import Settings, parse

_COMPARE = """examples:
  kbtui compare "how does retry backoff work" --with penalty.pull=0
  kbtui compare "retry backoff" --with budget.bytes=8000 --with expand=0 --json
  kbtui compare "retry backoff" --with-profile history
  kbtui compare --queries questions.jsonl --with weights.dense=1
"""


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the parser."""
    parser = commands.add_parser(
        "compare",
        help="one question, or many, under two settings",
        description="Ask twice: under the settings in force, and with others laid over them. See who moved, who is new "
        "and who is out, whose order turned round, and what it costs. Exit code 1: no hits under either.",
        epilog=_COMPARE,
    )
    add_question(parser, nargs="*")
    parser.add_argument("--queries", metavar="FILE", help="compare every line of a file (-: standard input)")
    other = parser.add_argument_group("what to compare with")
    other.add_argument("--with", dest="other", action="append", default=[], metavar="KEY=VALUE", help="repeatable")
    other.add_argument("--with-profile", default="", metavar="NAME", help="named settings, below --with")
    add_settings(parser)
    add_common(parser)
    parser.set_defaults(run=_compare)


def _compare(args: argparse.Namespace, console: Console) -> Outcome:
    from kbtui import render

    if bool(args.text) == (args.queries is not None):
        raise UsageError("the following arguments are required: TEXT, or --queries FILE", f"See: {args.prog} --help")
    config = configured(args)
    other = _other(args, config)
    pairs = render.settings_between(config.settings, other)
    if args.queries is not None:
        return _many(args, console, config, other)
    with opened(config) as explorer:
        compared = explorer.compare(question(args), config.settings, other)
    difference = compared.difference
    if args.json:
        out = render.comparison_json(compared, pairs)
    else:
        out = render.comparison_text(difference, compared.after.query.text, pairs)
    return Outcome(out=out, code=0 if difference.moves else NO_HITS)


def _other(args: argparse.Namespace, config: Config) -> Settings:
    """Return the settings to compare with.

    Errors: UsageError for none, and for one that is wrong.
    """
    if not args.other and not args.with_profile:
        raise UsageError("nothing to compare with", "Add --with KEY=VALUE or --with-profile NAME.")
    values = {}
    for said in args.other:
        key, equals, text = said.partition("=")
        if not equals:
            raise UsageError(f"--with takes KEY=VALUE, not {said!r}", f"See: {args.prog} --help")
        values[key.strip()] = parse(key.strip(), text)
    base = config.under(args.with_profile) if args.with_profile else config.settings
    return base.with_values(values)


def _many(args: argparse.Namespace, console: Console, config: Config, other: Settings) -> Outcome:
    """Compare line by line; what a line sets itself holds on both sides. The exit code is the gravest error's."""
    from kbtui import render
    from kbtui.commands import queries
    from kbtui.engine.compare import totals

    asked, with_other = question(args), replace(config, settings=other)
    found: list[Comparison] = []
    said: list[queries.Echo] = []
    gravest = 0
    with queries.lines_of(args.queries) as lines, opened(config) as explorer:
        for number, raw in enumerate(lines, start=1):
            echo: queries.Echo = {}
            try:
                before, after = (queries.understood(raw, asked, one) for one in (config, with_other))
                echo = before.echo
                difference = explorer.compare(before.query, before.settings, after.settings).difference
            except KbtuiError as error:
                gravest = max(gravest, error.exit_code)
                echo = error.echo if isinstance(error, queries.BadLine) else echo
                said.append(queries.error_object(number, error, echo))
                if not args.json:
                    console.out(f"line {number}: error: {render.one_line(error.message)}\n")
                continue
            found.append(difference)
            said.append(echo | {"line": number, "text": before.query.text} | render.comparison_value(difference))
            if not args.json:
                console.out(render.comparison_line(difference, before.query.text))
    sums, pairs = totals(found), render.settings_between(config.settings, other)
    code = gravest or (0 if any(one.moves for one in found) else NO_HITS)
    if args.json:
        return Outcome(out=render.comparisons_json(said, pairs, sums), code=code)
    failed = f"{len(said) - len(found)} not answered\n" if len(said) > len(found) else ""
    return Outcome(out=f"\n{render.settings_text(pairs)}{render.totals_text(sums)}{failed}", code=code)
