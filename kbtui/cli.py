"""The command line: the sole owner of standard output, standard error and exit codes."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from kbtui import __version__
from kbtui.commands import app, compare, config, library, log, look, query, search
from kbtui.commands.options import Outcome, Parser
from kbtui.errors import KbtuiError, UsageError

if TYPE_CHECKING:
    from kbtui.commands.progress import ProgressLine
    from kbtui.model import Progress

INTERRUPTED = 130
UNWRITABLE = 74
"""The exit code when standard output does not take what is printed (a full disk, a closed descriptor)."""
CRASHED = 70
"""The exit code of a defect of kbtui's own: never 1, which says that a query was answered."""

_EPILOG = """kbtui [PATH] without a command opens the app on the knowledge base at PATH (default: this folder).

examples:
  kbtui demo
  kbtui docs
  kbtui index docs && kbtui query "how does retry backoff work" --store docs/.kbtui

exit codes: 0 done, 1 no hits, 2 usage or configuration, 3 store, 4 corpus,
            5 retrieval failed, 70 a defect of kbtui, 74 output not written, 130 interrupt
"""
WITH_VALUE = (
    "--store",
    "--config",
    "--set",
    "--limit",
    "--expand",
    "--max-bytes",
    "--max-tokens",
    "--per-document",
    "--profile",
)
"""The options of the app that are followed by a value: what comes after that one may be the path."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code."""
    console = Console()
    try:
        return _run(list(sys.argv[1:] if argv is None else argv), console)
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        console.error("interrupted")
        return INTERRUPTED
    except UnwritableError as error:
        console.error(str(error))
        return UNWRITABLE
    except BaseException as error:  # a Rust panic is no Exception
        console.crash(error)
        return CRASHED


def _run(argv: list[str], console: Console) -> int:
    try:
        args = parsed(argv)
        console.quiet = args.quiet
        outcome: Outcome = args.run(args, console)
    except KbtuiError as error:
        console.error(error.message, error.hint)
        return error.exit_code
    except SystemExit as stop:  # --help and --version have printed already
        sys.stdout.flush()
        return int(stop.code or 0)
    if not args.quiet:
        console.aside(outcome.aside)
    console.out(outcome.out)
    return outcome.code


def parsed(argv: list[str]) -> argparse.Namespace:
    """Return the arguments of a command line.

    Errors: UsageError for one that is wrong, SystemExit after help.
    """
    args, unknown = parser().parse_known_args(with_command(argv))
    if unknown:
        raise UsageError(f"unknown argument {unknown[0]!r}", f"See: {args.prog} --help")
    return args


def parser() -> argparse.ArgumentParser:
    """Return the parser of every command; nothing heavy is imported for it."""
    main_parser = Parser(
        prog="kbtui",
        usage="kbtui [PATH] [options]\n       kbtui COMMAND [options]",
        description="See why an agent got what it got from a knowledge base.",
        epilog=_EPILOG,
    )
    main_parser.add_argument("--version", action="version", version=f"kbtui {__version__}")
    commands = main_parser.add_subparsers(prog="kbtui", title="commands", metavar="COMMAND", required=True)
    for group in (app, query, compare, log, search, look, library, config):
        group.add(commands)
    return main_parser


def with_command(argv: list[str]) -> list[str]:
    """Return the arguments with the command first: options may stand before it, and the app needs none named.

    Errors: UsageError for a word that is neither a folder nor a command, with the nearest command.
    """
    start = 0
    while start < len(argv) and argv[start].startswith("-") and argv[start] not in ("-h", "--help", "--version"):
        start += 2 if argv[start] in WITH_VALUE else 1
    if start >= len(argv):
        return [app.APP, *argv]
    word = argv[start]
    if word in ("-h", "--help", "--version"):
        return argv
    if word in COMMANDS:
        return [word, *argv[:start], *argv[start + 1 :]]
    near = get_close_matches(word, COMMANDS, n=1)
    if not Path(word).exists():
        hint = f"Did you mean kbtui {near[0]}?" if near else "See: kbtui --help"
        raise UsageError(f"{word!r} is neither a folder nor a command", hint)
    return [app.APP, *argv]


COMMANDS = (
    app.APP,
    "demo",
    "query",
    "context",
    "compare",
    "log",
    "search",
    "read",
    "neighbours",
    "index",
    "status",
    "config",
)


class UnwritableError(Exception):
    """Standard output does not take what is printed."""


class Console:
    """Standard output and standard error; bytes are UTF-8 whatever the locale says."""

    def __init__(self) -> None:
        self.quiet = False
        self._line: ProgressLine | None = None

    def out(self, text: str) -> None:
        """Write the result."""
        self.settle()
        try:
            _write(sys.stdout, text)
        except BrokenPipeError:
            raise
        except (OSError, AttributeError) as error:  # a closed descriptor leaves None in place of the stream
            raise UnwritableError(f"the result cannot be written: {error}") from error

    def aside(self, text: str) -> None:
        """Write what is said beside the result; where nobody can hear it, the result and the exit code still count."""
        self.settle()
        with suppress(OSError, AttributeError):
            _write(sys.stderr, text)

    def error(self, message: str, hint: str = "") -> None:
        """Write what went wrong, and what to do about it; both may quote foreign text."""
        from kbtui.text import safe

        self.aside(safe(f"error: {message}\n" + (f"hint: {hint}\n" if hint else "")))

    def crash(self, error: BaseException) -> None:
        """Write a defect with its traceback: it is what a report needs."""
        from traceback import format_exception

        from kbtui.text import safe

        self.aside(safe("".join(format_exception(error))))
        self.error(
            f"{type(error).__name__}: {error}", "This is a defect of kbtui; please report it with the lines above."
        )

    def progress(self, progress: Progress) -> None:
        """Show how far a build is, when somebody looks."""
        if self.quiet or sys.stderr is None or not sys.stderr.isatty():
            return
        if self._line is None:
            from kbtui.commands.progress import ProgressLine

            self._line = ProgressLine(lambda text: _write(sys.stderr, text), time.monotonic)
        self._line.show(progress)

    def settle(self) -> None:
        """Take the progress away."""
        if self._line is not None:
            self._line.clear()

    def interactive(self) -> bool:
        """Return whether a person sits at both ends."""
        return sys.stdin.isatty() and sys.stdout.isatty()


def _write(stream: TextIO, text: str) -> None:
    stream.flush()
    stream.buffer.write(text.encode("utf-8", "replace"))
    stream.buffer.flush()
