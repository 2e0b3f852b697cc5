"""The command line without a store: arguments, errors, exit codes, and who writes where."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from kbtui import cli
from kbtui.commands.app import demo_store
from kbtui.commands.options import NO_HITS, configured
from kbtui.commands.progress import ProgressLine, progress_text
from kbtui.config import Config
from kbtui.errors import KbtuiError
from kbtui.model import Progress
from tests.answers import HOSTILE

README = (Path(__file__).parents[2] / "README.md").read_text()


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run in a folder that holds nothing."""
    monkeypatch.chdir(tmp_path)


def parsers(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield every command with its parser, groups of commands excepted."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, sub in action.choices.items():
                deeper = list(parsers(sub))
                yield from ([(f"{name} {below}", one) for below, one in deeper] or [(name, sub)])


ALL = dict(parsers(cli.parser()))


def commands_in(text: str) -> Iterator[str]:
    """Yield the kbtui command lines of shell text, without comments, what they are joined to, and substitutions."""
    text = re.sub(r"\$\(kbtui [^)]*\)", "FOLDER", text)
    for line in text.splitlines():
        for command in re.split(r"&&|\|", line.partition("  #")[0]):
            words = command.strip().removeprefix("$ ")
            if re.match(r"kbtui(\s|$)", words):
                yield words


def readme_commands() -> list[str]:
    """Return the command lines of the README's shell blocks."""
    return [line for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) for line in commands_in(block)]


def test_the_commands_are_those_that_the_app_gives_way_to() -> None:
    """A new command that is missing from the list would be taken for a folder."""
    assert {name.partition(" ")[0] for name in ALL} == set(cli.COMMANDS)


def test_the_options_with_a_value_are_those_of_the_app() -> None:
    """Else the value of one would be taken for the folder."""
    takes = {option for action in ALL["app"]._actions if action.nargs is None for option in action.option_strings}
    assert takes == set(cli.WITH_VALUE)


@pytest.mark.parametrize("name", ALL)
def test_every_help_has_examples_that_parse(name: str) -> None:
    """An example that is wrong is worse than none."""
    epilog = ALL[name].epilog or ""
    assert epilog.startswith("examples:\n")
    examples = list(commands_in(re.sub(r" {3,}\S.*", "", epilog.replace("\n  ", "\n"))))
    assert examples
    for example in examples:
        assert parses(example)


def test_every_readme_command_parses() -> None:
    """What the README says to type is accepted."""
    commands = readme_commands()
    assert len(commands) >= 15
    for command in commands:
        assert parses(command)


def test_the_readme_names_every_command() -> None:
    """No command is left undocumented."""
    said = " ".join(readme_commands())
    for name in ALL.keys() - {"app"}:
        assert f"kbtui {name}" in said


def parses(command: str) -> bool:
    """Return whether the command line is accepted; --help and --version count."""
    words = shlex.split(command)[1:]
    for word in words:
        if "/" not in word and word in ("docs",):
            Path(word).mkdir(exist_ok=True)
    try:
        cli.parsed(words)
    except SystemExit as stop:
        return stop.code == 0
    except KbtuiError as error:
        pytest.fail(f"{command}: {error.message}")
    return True


def test_the_readme_has_the_exit_codes_of_the_errors() -> None:
    """The table of exit codes is the code's."""
    said = {int(code) for code in re.findall(r"^\| `(\d+)` \|", README, re.MULTILINE)}
    raised = {error.exit_code for error in KbtuiError.__subclasses__()}
    assert said == {0, NO_HITS, cli.CRASHED, cli.UNWRITABLE, cli.INTERRUPTED} | raised


def test_the_readme_has_every_setting() -> None:
    """The configuration table is the register."""
    from kbtui.settings import KNOBS

    for knob in KNOBS:
        assert f"| `{knob.key}" in README, knob.key


def run(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    """Run a command line in this process; return exit code, standard output and standard error."""
    code = cli.main(args)
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("qurey", "x"), "Did you mean kbtui query?"),
        (("nowhere",), "neither a folder nor a command"),
        (("query",), "required: TEXT"),
        (("query", "x", "--lim", "3"), "unknown argument '--lim'\nhint: See: kbtui query --help"),
        (("query", "x", "--limit", "3", "y"), "unknown argument 'y'"),
        (("query", "x", "--limit", "0"), "limit must lie between 1 and 1000"),
        (("query", "x", "--limit", "-3"), "limit must lie between 1 and 1000"),
        (("query", "x", "--max-bytes", "0"), "or none for no bound"),
        (("query", "x", "--set", "penalty.pull"), "--set takes KEY=VALUE"),
        (("query", "x", "--set", "penatly.pull=-1"), "Did you mean penalty.pull?"),
        (("query", "x", "--config", "no.toml"), "no file 'no.toml'"),
        (("read", "x", "--span", "9:3"), "two byte offsets"),
        (("read", "x", "--span", "0:3", "--section", "y"), "not allowed with argument"),
        (("neighbours", "x", "--depth", "deep"), "invalid int value"),
        (("index", "nowhere"), "no folder 'nowhere'"),
        ((), "the app needs a terminal"),
        (("demo",), "the app needs a terminal"),
        (("config",), "required: COMMAND"),
    ],
)
def test_a_mistake_is_named_on_standard_error_and_exits_2(
    capsys: pytest.CaptureFixture[str], args: tuple[str, ...], said: str
) -> None:
    """Message and hint; standard output stays empty."""
    code, out, err = run(capsys, *args)
    assert code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert said in err


def test_a_mistake_in_the_project_file_exits_2_with_file_key_and_nearest_name(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """For every command, the one that shows settings included."""
    (tmp_path / "kbtui.toml").write_text("[bugdet]\nbytes = 3\n")
    for args in (("query", "x"), ("config", "show"), ("index",)):
        code, out, err = run(capsys, *args)
        assert (code, out) == (2, "")
        assert str(tmp_path / "kbtui.toml") in err
        assert "'bugdet.bytes'" in err
        assert "Did you mean budget.bytes?" in err


def test_foreign_text_in_an_error_is_made_safe(capsys: pytest.CaptureFixture[str]) -> None:
    """What was typed or read is quoted, never sent to the terminal raw."""
    _, _, err = run(capsys, "query", "x", "--set", f"{HOSTILE}=1")
    assert "evil" in err
    assert "\x1b" not in err
    assert "\u202e" not in err


def test_an_interrupt_exits_130(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """And says so."""
    monkeypatch.setattr(cli, "parser", _raiser(KeyboardInterrupt()))
    assert run(capsys, "status") == (130, "", "error: interrupted\n")


class _Panic(BaseException):
    """As a Rust library raises it: no Exception."""


@pytest.mark.parametrize("error", [ZeroDivisionError("x"), _Panic("y")])
def test_a_defect_exits_70_with_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    """Never 1, which says that a question was answered and that nothing matched."""
    monkeypatch.setattr(cli, "parser", _raiser(error))
    code, out, err = run(capsys, "status")
    assert (code, out) == (70, "")
    assert "Traceback" in err
    assert "please report it" in err


def _raiser(error: BaseException) -> object:
    def raised() -> None:
        raise error

    return raised


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        ([], ["app"]),
        (["docs"], ["app", "docs"]),
        (["--store", "query"], ["app", "--store", "query"]),
        (["--store", "s", "query", "x"], ["query", "--store", "s", "x"]),
        (["--store=s", "--quiet", "status"], ["status", "--store=s", "--quiet"]),
        (["--limit", "3", "docs"], ["app", "--limit", "3", "docs"]),
        (["query", "status"], ["query", "status"]),
        (["./query"], ["app", "./query"]),
        (["--help"], ["--help"]),
        (["--version"], ["--version"]),
    ],
)
def test_the_command_is_found_wherever_it_stands(argv: list[str], expected: list[str], tmp_path: Path) -> None:
    """Options may come first, and no command means the app."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "query").mkdir()
    assert cli.with_command(argv) == expected


def test_two_installations_do_not_share_a_demo_store() -> None:
    """A store is of one corpus, and a second virtual environment has its own."""
    one, other = demo_store(Path("/a/kb")), demo_store(Path("/b/kb"))
    assert one == demo_store(Path("/a/kb"))
    assert one != other
    assert one.parent.parent == other.parent.parent


def test_what_the_demo_saves_is_what_the_next_demo_gets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It saves beside its own store, not into the installed package, and reads it there again."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("kbtui.cli.Console.interactive", lambda _: True)
    opened: list[tuple[Path, Path | None, Config]] = []

    def run(store: Path, corpus: Path | None, config: Config) -> int:
        opened.append((store, corpus, config))
        return 0

    monkeypatch.setattr("kbtui.tui.app.run", run)
    assert cli.main(["demo"]) == 0
    store, corpus, config = opened[0]
    assert corpus is not None
    assert config.target == store.parent / "kbtui.toml"
    assert not config.target.is_relative_to(corpus.parent)
    config.target.parent.mkdir(parents=True)
    config.target.write_text("[penalty]\npull = -0.4\n")
    assert cli.main(["demo"]) == 0
    assert opened[1][2].settings.get("penalty.pull") == -0.4
    store.mkdir()
    args = cli.parser().parse_args(["query", "x", "--store", str(store)])
    assert configured(args).target == config.target


def test_progress_says_stage_share_rate_and_time_left() -> None:
    """100 of 400 in two seconds are 50/s, and leave 300 / 50 s."""
    progress = Progress(stage="embed", done=100, total=400)
    assert progress_text(progress, 100, 2.0) == "embed  100 of 400 (25%)  50/s  6 s left"
    assert progress_text(Progress(stage="scan", done=7, total=0), 7, 0.5) == "scan  7"


def test_progress_is_one_safe_line_that_goes_away() -> None:
    """At most ten a second within a stage, of one width, and blanks at the end."""
    written: list[str] = []
    times = iter([0.0, 0.01, 0.2])
    line = ProgressLine(written.append, lambda: next(times))
    for done in (1, 2, 3):
        line.show(Progress(stage="read", done=done, total=10, detail=HOSTILE))
    line.clear()
    line.clear()
    assert len(written) == 3
    assert all(text.startswith("\r") and "\x1b" not in text and "\n" not in text for text in written)
    assert written[-1].strip() == ""


def test_a_stage_that_others_interrupt_keeps_its_rate() -> None:
    """Embedding and writing take turns: 40 in four seconds are 10/s, whatever came between."""
    written: list[str] = []
    times = iter([0.0, 2.0, 4.0])
    line = ProgressLine(written.append, lambda: next(times))
    for stage, done in (("embed", 0), ("write", 0), ("embed", 40)):
        line.show(Progress(stage=stage, done=done, total=80 if stage == "embed" else 0))
    assert written[-1].strip() == "embed  40 of 80 (50%)  10/s  4 s left"


def test_no_progress_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    """Standard error is no terminal here."""
    console = cli.Console()
    console.progress(Progress(stage="read", done=1, total=2))
    console.settle()
    assert capsys.readouterr() == ("", "")
