"""``log``: what was asked through every face, live if wanted, and asked again under the present settings."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from kbtui.commands.options import (
    NO_HITS,
    Commands,
    Console,
    Outcome,
    add_common,
    add_settings,
    configured,
    opened,
)
from kbtui.config import Config
from kbtui.errors import UsageError
from kbtui.model import LogPage, LogRecord, Replayed
from kbtui.settings import Settings

if TYPE_CHECKING:
    from kbtui.store.log import LogTail

SHOWN = 20
EVERY = "all"
_LOOK_EVERY_S = 0.2

_LOG = """examples:
  kbtui log
  kbtui log --face mcp --follow
  kbtui log --limit 100 --json
  kbtui log --replay 3f2a9c01bd
  kbtui log --replay all --profile history
"""


def add(commands: Commands[argparse.ArgumentParser]) -> None:
    """Add the parser."""
    log = commands.add_parser(
        "log",
        help="what was asked through every face; asked again with --replay",
        description="List the queries of every face: what was asked, under which settings, what came of it. With "
        "--replay ask one again as it was asked, under the settings in force now, and see what is different.",
        epilog=_LOG,
    )
    log.add_argument("--limit", type=_count, metavar="N", help=f"the newest N (default: {SHOWN}; of --replay all: all)")
    log.add_argument("--face", metavar="F", help="only what was asked through this face (cli, app, mcp)")
    how = log.add_mutually_exclusive_group()
    how.add_argument("--follow", action="store_true", help="go on with what is asked from now on, until interrupted")
    how.add_argument("--replay", metavar="ID", help="a record by its id or how it starts; all for every one")
    add_settings(log, limit=False)
    add_common(log)
    log.set_defaults(run=_log)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text[:12]) > 0):
        raise argparse.ArgumentTypeError(f"a whole number above 0, not {text!r}")
    return int(text)


def _log(args: argparse.Namespace, console: Console) -> Outcome:
    config = configured(args)

    from kbtui import render
    from kbtui.explorer import follow_log, query_log

    tail = follow_log(config.store)
    page = query_log(config.store)
    if args.replay is not None:
        return _replay(args, config, page)
    chosen = _chosen(page, args.face, args.limit or SHOWN)
    if args.follow:
        show = render.record_line_json if args.json else render.record_text
        for record in chosen:
            console.out(show(record))
        seen = frozenset(record.record_id for record in page.records)  # the tail began before the page was read
        _follow(tail, args.face, seen, lambda record: console.out(show(record)))
    out = render.log_json(page, chosen) if args.json else render.log_text(page, chosen)
    return Outcome(out=out, code=0 if chosen else NO_HITS)


def _chosen(page: LogPage, face: str | None, limit: int | None) -> tuple[LogRecord, ...]:
    """Return the newest records of a face, oldest first."""
    found = tuple(record for record in page.records if face in (None, record.face))
    return found if limit is None else found[-limit:]


def _replay(args: argparse.Namespace, config: Config, page: LogPage) -> Outcome:
    from kbtui import render
    from kbtui.engine.compare import totals

    if args.replay == EVERY:
        chosen = _chosen(page, args.face, args.limit)
        with opened(config) as explorer:
            replays = tuple(explorer.replay(record, _now(config, record)) for record in chosen)
        sums = totals(one.difference for one in replays if one.difference is not None)
        show = render.replays_json if args.json else render.replays_text
        return Outcome(out=show(replays, sums), code=0 if replays else NO_HITS)
    record = _named(page, args.replay)
    settings = _now(config, record)
    with opened(config) as explorer:
        replayed: Replayed = explorer.replay(record, settings)
    pairs = render.settings_between(Settings().with_values(dict(record.values)), settings)
    return Outcome(out=(render.replay_json if args.json else render.replay_text)(replayed, pairs))


def _now(config: Config, record: LogRecord) -> Settings:
    """Return the settings in force, under what the query itself brought along, under what is typed now."""
    from kbtui.journal import asked_again

    return asked_again(record, config.settings, config.typed)


def _named(page: LogPage, name: str) -> LogRecord:
    found = [record for record in page.records if record.record_id.startswith(name)] if name else []
    if not found:
        raise UsageError(f"no record {name!r} in the log", "Ids are shown by: kbtui log")
    if len(found) > 1 and all(record.record_id != name for record in found):
        raise UsageError(f"{len(found)} records start with {name!r}", "Give more of the id.")
    return found[-1]


def _follow(tail: LogTail, face: str | None, seen: frozenset[str], show: Callable[[LogRecord], None]) -> None:
    """Show what is appended and was not seen, until somebody interrupts."""
    while True:
        for record in tail.fresh().records:
            if face in (None, record.face) and record.record_id not in seen:
                show(record)
        time.sleep(_LOOK_EVERY_S)
