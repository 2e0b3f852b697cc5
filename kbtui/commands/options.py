"""What commands have in common: the options, where the store lies, and what a command hands back."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from kbtui.config import STORE_FOLDER, STORE_KEY, Config, Flag, load, project_root
from kbtui.errors import UsageError
from kbtui.model import Filters, Query

if TYPE_CHECKING:
    from kbtui.explorer import Explorer
    from kbtui.model import Progress

FACE = "cli"
"""The name of the command line in the query log."""

NO_HITS = 1
"""The exit code of a query that was answered, and that no document answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a command has to say: on standard output the result, on standard error the rest."""

    out: str = ""
    aside: str = ""
    code: int = 0


class Console(Protocol):
    """The part of a command's surroundings that is not its arguments."""

    def out(self, text: str) -> None:
        """Write a part of a result that has several, as soon as it is there."""

    def aside(self, text: str) -> None:
        """Write what is said beside the result."""

    def progress(self, progress: Progress) -> None:
        """Show how far a build is."""

    def settle(self) -> None:
        """Take the progress away before anything else is written."""

    def interactive(self) -> bool:
        """Return whether a person sits at both ends."""


Run = Callable[[argparse.Namespace, Console], Outcome]


class _Help(argparse.RawDescriptionHelpFormatter):
    """Folds a description, and leaves examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" in text:
            return super()._fill_text(text, width, indent)
        return argparse.HelpFormatter._fill_text(self, text, width, indent)


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes are errors like all others, and whose options are written out."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"allow_abbrev": False, "formatter_class": _Help, **settings})

    def error(self, message: str) -> NoReturn:
        """Raise what argparse would print.

        Errors: UsageError, always.
        """
        raise UsageError(message, f"See: {self.prog} --help")


Commands = argparse._SubParsersAction


class _SetFlag(argparse.Action):
    """Append to ``flags``: the order in which settings are typed decides which of two wins."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Take one flag."""
        text, name = str(values), str(option_string)
        key = self.const
        if key is None:
            key, equals, text = text.partition("=")
            if not equals:
                parser.error(f"{name} takes KEY=VALUE, not {values!r}")
        flag = Flag(name=name, key=key.strip(), text=text)
        setattr(namespace, "flags", (*getattr(namespace, "flags", ()), flag))  # noqa: B010 - Namespace is open


def add_common(parser: argparse.ArgumentParser, *, json: bool = True) -> None:
    """Add the options of every command."""
    group = parser.add_argument_group("everywhere")
    group.add_argument(
        "--store",
        action=_SetFlag,
        const=STORE_KEY,
        metavar="DIR",
        help=f"the store (default: {STORE_FOLDER} in this folder or the nearest above that has one)",
    )
    group.add_argument("--config", type=Path, metavar="FILE", help="a kbtui.toml read after the project's own")
    group.add_argument("--quiet", action="store_true", help="results and errors only: no progress, no notices aside")
    if json:
        group.add_argument("--json", action="store_true", help="JSON on standard output")
    parser.set_defaults(flags=(), prog=parser.prog)


def add_profile(parser: argparse._ActionsContainer, said: str) -> None:
    """Add the option that names a profile."""
    parser.add_argument("--profile", default="", metavar="NAME", help=said)


def add_settings(parser: argparse.ArgumentParser, *, limit: bool = True) -> None:
    """Add the options that stand for settings, ``--set`` for all others, and ``--profile``.

    Without ``limit`` the option of that name is free for something else.
    """
    group = parser.add_argument_group("settings (none lifts a bound; see: kbtui config show)")
    for name, key, text in (
        ("--limit", "limit", "most documents in the response"),
        ("--expand", "expand", "most of them that the graph may bring"),
        ("--max-bytes", "budget.bytes", "most bytes of context"),
        ("--max-tokens", "budget.tokens", "most tokens of context"),
        ("--per-document", "budget.document_bytes", "most bytes of one document in the context"),
    ):
        if limit or key != "limit":
            group.add_argument(name, action=_SetFlag, const=key, metavar="N", help=f"{text} ({key})")
    group.add_argument(
        "--set", action=_SetFlag, metavar="KEY=VALUE", help="any setting, for example penalty.pull=-0.4; repeatable"
    )
    add_profile(group, "named settings of a kbtui.toml, below the flags")


def add_question(parser: argparse.ArgumentParser, nargs: str = "+") -> None:
    """Add a question and which documents may answer it."""
    parser.add_argument("text", nargs=nargs, metavar="TEXT", help="the question, in words")
    group = parser.add_argument_group("which documents")
    group.add_argument(
        "--type", action="append", default=[], metavar="T", help="only this source type, without penalties; repeatable"
    )
    group.add_argument("--path", action="append", default=[], metavar="GLOB", help="only these paths; repeatable")
    group.add_argument("--status", action="append", default=[], metavar="S", help="only this status; repeatable")
    group.add_argument(
        "--inactive", action="store_true", help="superseded, deprecated, rejected and withdrawn documents, too"
    )
    group.add_argument(
        "--include",
        action="append",
        default=[],
        metavar="ID",
        help="a what-if: this document has one of the last places of the response; repeatable",
    )


def question(args: argparse.Namespace) -> Query:
    """Return the question that was typed."""
    filters = Filters(paths=tuple(args.path), statuses=tuple(args.status), inactive=args.inactive)
    return Query(text=" ".join(args.text), source_types=tuple(args.type), filters=filters, include=tuple(args.include))


def configured(args: argparse.Namespace, folder: Path | None = None) -> Config:
    """Return the configuration for the knowledge base in ``folder``, or for the one around here.

    Errors: UsageError for any mistake in it.
    """
    return lenient(args, folder).checked()


def lenient(args: argparse.Namespace, folder: Path | None = None) -> Config:
    """Return the configuration with its problems, for a face that can show them."""
    return load(
        folder or home(args),
        config_file=args.config,
        environ=os.environ,
        flags=args.flags,
        profile=getattr(args, "profile", ""),
    )


def home(args: argparse.Namespace) -> Path:
    """Return the folder whose project file counts: a store named as usual belongs to the folder it lies in."""
    store = named_store(args)
    return store.parent if store is not None and store.name == STORE_FOLDER else project_root(Path.cwd())


def named_store(args: argparse.Namespace) -> Path | None:
    """Return the store that the flags name, the last of them, None for none."""
    named = [flag.text for flag in args.flags if flag.key == STORE_KEY]
    return Path(named[-1]).expanduser().absolute() if named else None


@contextmanager
def opened(config: Config) -> Iterator[Explorer]:
    """Open the store for a while.

    Errors: StoreError when there is none, or it cannot be read.
    """
    from kbtui.explorer import Explorer

    explorer = Explorer.open(config.store)
    try:
        yield explorer
    finally:
        explorer.close()


@contextmanager
def asking(config: Config, console: Console, quiet: bool) -> Iterator[Explorer]:
    """Open the store for queries, which are logged; a log that cannot be written is said once, at the end.

    Errors: StoreError when there is none, or it cannot be read.
    """
    from kbtui.explorer import Explorer
    from kbtui.journal import Journal
    from kbtui.text import safe_line

    journal = Journal(config.store, config, FACE)
    explorer = Explorer.open(config.store, journal)
    try:
        yield explorer
    finally:
        explorer.close()
        if journal.trouble and not quiet:
            console.aside(f"notice: {safe_line(journal.trouble)}\n")


def corpus_of(config: Config) -> Path | None:
    """Return the folder that a store was built from; None when there is no store yet.

    Errors: StoreError when there is one that cannot be read.
    """
    if not config.store.is_dir() or not any(config.store.iterdir()):
        return None
    from kbtui.store.generation import Store  # not the explorer: the app's first frame waits for this

    with closing(Store(config.store).open()) as generation:
        return generation.corpus
