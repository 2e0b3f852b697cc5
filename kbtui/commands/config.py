"""``config``: the settings in force, where they are looked for, and changing what a file says."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from kbtui.commands.options import (
    Commands,
    Console,
    Outcome,
    add_common,
    add_profile,
    add_settings,
    configured,
    home,
    lenient,
)
from kbtui.config import places, project_file, typed, user_file
from kbtui.errors import UsageError
from kbtui.settings import Value, parse

_SHOW = """examples:
  kbtui config show
  kbtui config show --set penalty.pull=-0.4 --json
  kbtui config show --profile history
"""
_SET = """examples:
  kbtui config set penalty.pull=-0.4 limit=8
  kbtui config set budget.tokens=none --dry-run
  kbtui config set penalty.pull=0 penalty.ticket=0 --profile history
  kbtui config set limit=8 --user
"""
_UNSET = """examples:
  kbtui config unset penalty.pull
  kbtui config unset penalty.ticket --profile history
  kbtui config unset --profile history
"""
_VALIDATE = """examples:
  kbtui config validate
  kbtui config validate --config other.toml --json
"""
_LOCATE = """examples:
  kbtui config locate
  kbtui config locate --json
"""
_KEYS = """examples:
  kbtui config keys
  kbtui config keys --json

in kbtui.toml:
  [keys]
  app.copy = "Y"
  explore.next_pane = ["right_square_bracket", "J"]
"""
_SCHEMA = """examples:
  kbtui config schema | jq .properties.budget
"""


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the parsers."""
    config = commands.add_parser("config", help="the settings: look, change, validate", description="The settings.")
    actions = config.add_subparsers(title="commands", metavar="COMMAND", required=True)
    show = actions.add_parser(
        "show",
        help="every setting, its value, and where it came from",
        description="Show every setting, its value, and which file, variable, profile or flag it came from.",
        epilog=_SHOW,
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

    change = actions.add_parser(
        "set",
        help="write settings into a kbtui.toml, comments and order kept",
        description="Write settings into the project's kbtui.toml, comments and order kept, and show each line that "
        "changes. A file that is there and has mistakes is left as it is.",
        epilog=_SET,
    )
    change.add_argument("values", nargs="+", metavar="KEY=VALUE", help="a setting; none lifts a bound")
    _add_target(change)
    change.set_defaults(run=_set)

    unset = actions.add_parser(
        "unset",
        help="take settings out of a kbtui.toml",
        description="Take settings out of the project's kbtui.toml; a mistaken key can be taken out like any other. "
        "With --profile and no KEY the whole profile goes.",
        epilog=_UNSET,
    )
    unset.add_argument("keys", nargs="*", metavar="KEY", help="a setting that the file has")
    _add_target(unset)
    unset.set_defaults(run=_unset)

    for name, run, said, epilog in (
        ("validate", _validate, "read every file and variable, and list what is wrong (exit code 2)", _VALIDATE),
        ("locate", _locate, "where each file is looked for, and whether it is there", _LOCATE),
    ):
        parser = actions.add_parser(name, help=said, description=said[0].upper() + said[1:] + ".", epilog=epilog)
        add_common(parser)
        parser.set_defaults(run=run)
    schema = actions.add_parser(
        "schema", help="the JSON schema of a kbtui.toml", description="The JSON schema of a kbtui.toml.", epilog=_SCHEMA
    )
    add_common(schema)
    schema.set_defaults(run=_schema)


def _add_target(parser: argparse.ArgumentParser) -> None:
    add_profile(parser, "write into this profile of the file")
    where = parser.add_argument_group("which file (default: the project's, or that of --config)")
    which = where.add_mutually_exclusive_group()
    which.add_argument("--user", action="store_true", help="your own")
    which.add_argument("--project", action="store_true", help="the nearest at or above the documents, else a new one")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and write nothing")
    add_common(parser)


def _show(args: argparse.Namespace, _: Console) -> Outcome:
    config = configured(args)

    from kbtui import render

    return Outcome(out=render.config_json(config) if args.json else render.config_text(config))


def _set(args: argparse.Namespace, _: Console) -> Outcome:
    values: dict[str, Value | str] = {}
    for said in args.values:
        key, equals, text = said.partition("=")
        key = key.strip()
        if not equals:
            raise UsageError(f"config set takes KEY=VALUE, not {said!r}", f"See: {args.prog} --help")
        values[key] = parse(key, text) if args.profile else typed(key, text)
    return _edit(args, values, ())


def _unset(args: argparse.Namespace, _: Console) -> Outcome:
    if not args.keys and not args.profile:
        raise UsageError("the following arguments are required: KEY, or --profile NAME", f"See: {args.prog} --help")
    return _edit(args, {}, tuple(args.keys) or ("",))


def _edit(args: argparse.Namespace, values: dict[str, Value | str], unset: tuple[str, ...]) -> Outcome:
    from kbtui import render
    from kbtui.config_file import edited, write

    edit = edited(_target(args), values, unset=unset, profile=args.profile)
    if edit.lines and not args.dry_run:
        write(edit)
    show = render.edit_json if args.json else render.edit_text
    aside = render.problems_aside(edit.problems)
    return Outcome(out="" if args.quiet and not args.json else show(edit, written=not args.dry_run), aside=aside)


def _target(args: argparse.Namespace) -> Path:
    """Return the file that is to be changed."""
    if args.config is not None:
        if args.user or args.project:
            raise UsageError("--config names the file already", "Leave out --user and --project.")
        return Path(args.config)
    if not args.user:
        return project_file(home(args))
    own = user_file(os.environ)
    if own is None:
        raise UsageError("your own file is left out by KBTUI_NO_USER_CONFIG", "Unset that variable.")
    return own


def _validate(args: argparse.Namespace, _: Console) -> Outcome:
    from kbtui import render

    config = lenient(args)
    show = render.problems_json if args.json else render.problems_text
    return Outcome(out=show(config), code=UsageError.exit_code if config.problems else 0)


def _locate(args: argparse.Namespace, _: Console) -> Outcome:
    from kbtui import render

    found = places(home(args), config_file=args.config, environ=os.environ)
    store = lenient(args).store
    return Outcome(out=(render.places_json if args.json else render.places_text)(found, store))


def _schema(_: argparse.Namespace, __: Console) -> Outcome:
    from kbtui import render

    return Outcome(out=render.schema_json())


def _show_keys(args: argparse.Namespace, _: Console) -> Outcome:
    config = configured(args)

    from kbtui.tui import keymap

    fitted = keymap.fitted(config.keys)
    if fitted.problems:
        raise UsageError(
            "\n".join(fitted.problems), "Mend [keys] in kbtui.toml; the app keeps its own keys until then."
        )
    return Outcome(out=keymap.as_json(fitted) if args.json else keymap.as_text(fitted))
