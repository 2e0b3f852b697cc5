"""What leaves the app: copies, files, the editor; each is exactly what it says, and a failure is told in place."""

from __future__ import annotations

import csv
import io
import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kbtui import cli, render
from kbtui.errors import SourceError, UsageError
from kbtui.model import Filters, Query, Span, Status
from kbtui.settings import Settings
from kbtui.tui import clipboard, copies, editor
from kbtui.tui.doors import ExplorerDoors
from tests.tui.drive import APART, Drive, running
from tests.tui.fakes import DOCUMENTS, FakeLibrary, document

ODD = Query(
    text="--json 'quoted' $HOME \"x\" ` * ; \u2028 é",
    source_types=("guide", "--odd", "two words"),
    filters=Filters(paths=("a b/*.md", "-x"), statuses=("open",), inactive=True),
)
TURNED = Settings().with_values({"limit": 7, "budget.tokens": None, "penalty.pull": -0.4, "prior.type.guide": 1e-05})


def asked_by(line: str) -> tuple[Query, Settings, str, bool]:
    """Return what the command line understands of a shell line, as the shell itself splits it."""
    split = subprocess.run(
        ["sh", "-c", f"set -- {line}\nfor word; do printf '%s\\0' \"$word\"; done"],
        capture_output=True,
        check=True,
        text=True,
    ).stdout.split("\0")[:-1]
    assert split[0] == "kbtui"
    args = cli.parsed(split[1:])
    from kbtui.commands.options import configured, question

    config = configured(args, Path("/"))
    return question(args), config.settings, str(config.store), args.json


@pytest.mark.parametrize("query", [Query(text="plain words"), ODD])
@pytest.mark.parametrize("settings", [Settings(), TURNED])
def test_the_command_line_asks_the_same_question_with_the_same_numbers(query: Query, settings: Settings) -> None:
    """Through a real shell and the real parser, whatever stands in the question, the types or the path of the store."""
    line = copies.command_line(query, settings, Settings(), Path("/srv/my kb's/.kbtui"))
    assert asked_by(line) == (query, settings, "/srv/my kb's/.kbtui", True)


def test_a_number_that_a_file_changed_and_the_drawer_changed_back_is_named() -> None:
    loaded = Settings().with_values({"limit": 9, "penalty.pull": -1.0})
    line = copies.command_line(Query(text="x"), Settings(), loaded, Path("s"))
    assert shlex.split(line)[-5:] == ["--limit", "5", "--set", "penalty.pull=-0.25", "--json"]


def test_the_mcp_call_names_the_tool_and_the_same_arguments() -> None:
    call = json.loads(copies.mcp_call(ODD, TURNED, Settings()))
    assert call["name"] == "query_documents"
    assert call["arguments"] == {
        "query": ODD.text,
        "types": list(ODD.source_types),
        "paths": ["a b/*.md", "-x"],
        "statuses": ["open"],
        "inactive": True,
        "limit": 7,
        "max_tokens": None,
        "set": {"penalty.pull": -0.4, "prior.type.guide": 1e-05},
    }


async def copied(drive: Drive, key: str) -> str:
    await drive.press("y", key)
    return drive.app.clipboard


async def test_every_form_is_copied_and_the_toast_says_how() -> None:
    async with running() as drive:
        row = drive.answer.rows[0]
        assert await copied(drive, "y") == drive.answer.context
        assert "through the terminal (OSC 52)" in drive.told()
        assert await copied(drive, "i") == row.document.doc_id
        assert await copied(drive, "p") == row.document.path
        assert await copied(drive, "j") == render.answer_json(drive.answer)
        assert (await copied(drive, "l")).startswith("kbtui query 'state provider' --store ")
        assert json.loads(await copied(drive, "m"))["arguments"] == {"query": "state provider"}


async def test_enter_and_esc_in_the_copy_menu_take_the_first_and_nothing() -> None:
    async with running() as drive:
        await drive.press("y", "escape")
        assert drive.app.clipboard == ""
        await drive.press("y", "down", "enter")
        assert drive.app.clipboard == render.answer_json(drive.answer)


async def test_without_an_answer_there_is_nothing_to_copy_and_it_is_said() -> None:
    async with running(question="") as drive:
        await drive.press("escape", "y")
        assert "no answer yet" in drive.text()


async def test_the_copied_command_prints_the_copied_json(demo_store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On the demo, with a type and turned numbers: the same bytes from the app and from the shell."""
    async with running(doors=ExplorerDoors(), store=demo_store, question="retry backoff") as drive:
        await drive.press("slash", "tab", *"ticket guide", "enter", "t")
        drive.explore.drawer.knobs.choose("weights.dense")
        await drive.press("right", "right", "escape", "u", "U")
        line, shown = await copied(drive, "l"), await copied(drive, "j")
        assert drive.answer.rows
    assert "--type ticket --type guide" in line
    assert "--set weights.dense=" in line
    assert cli.main(shlex.split(line)[1:]) == 0
    assert capsys.readouterr().out == shown


# --- the clipboard ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environ", "there", "program"),
    [
        ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, {"wl-copy", "xclip"}, "wl-copy"),
        ({"DISPLAY": ":0"}, {"wl-copy", "xclip", "xsel"}, "xclip"),
        ({"DISPLAY": ":0"}, {"xsel"}, "xsel"),
        ({}, {"pbcopy"}, "pbcopy"),
        ({"WSL_DISTRO_NAME": "x"}, {"clip.exe"}, "clip.exe"),
        ({"TMUX": "/run/tmux"}, {"tmux", "xclip"}, "tmux"),
        ({"TMUX": "/run/tmux", "SSH_TTY": "/dev/pts/1", "DISPLAY": ":10"}, {"tmux", "xclip", "pbcopy"}, "tmux"),
        ({"SSH_CONNECTION": "1 2 3 4", "DISPLAY": ":10"}, {"xclip", "pbcopy", "tmux"}, ""),
        ({"DISPLAY": ":0", "TMUX": "/run/tmux"}, set(), ""),
        ({}, {"xclip", "wl-copy", "tmux"}, ""),
    ],
)
def test_the_clipboard_is_the_one_of_whoever_sits_here(environ: dict[str, str], there: set[str], program: str) -> None:
    """Over ssh no program of the far machine; none that is not installed; "" is the terminal (OSC 52)."""
    found = clipboard.tool(environ, lambda name: f"/bin/{name}" if name in there else None)
    assert (found.command[0] if found else "") == program


def script(tmp_path: Path, name: str, body: str) -> Path:
    path = tmp_path / name
    path.write_text(f"#!{sys.executable}\nimport sys\n{body}\n")
    path.chmod(0o755)
    return path


async def test_a_program_gets_the_bytes_and_the_toast_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    got = tmp_path / "got"
    script(tmp_path, "wl-copy", f"open({str(got)!r}, 'wb').write(sys.stdin.buffer.read())")
    monkeypatch.setenv("PATH", str(tmp_path))
    async with running(environ=APART | {"WAYLAND_DISPLAY": "x"}) as drive:
        await drive.press("y", "y")
        assert got.read_text() == drive.answer.context
        assert "with wl-copy" in drive.text()
        assert drive.app.clipboard == ""


async def test_a_program_that_fails_leaves_the_terminal_to_copy_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(tmp_path, "wl-copy", "sys.exit(3)")
    monkeypatch.setenv("PATH", str(tmp_path))
    async with running(environ=APART | {"WAYLAND_DISPLAY": "x"}) as drive:
        await drive.press("y", "i")
        assert drive.app.clipboard == drive.answer.rows[0].document.doc_id
        assert "wl-copy ended with 3" in drive.told()


# --- the editor -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "opened"),
    [
        ("vim", ["vim", "+12", "/kb/a b.md"]),
        ("/usr/bin/nvim -u NONE", ["/usr/bin/nvim", "-u", "NONE", "+12", "/kb/a b.md"]),
        ("emacsclient -t", ["emacsclient", "-t", "+12", "/kb/a b.md"]),
        ("nano", ["nano", "+12", "/kb/a b.md"]),
        ("hx", ["hx", "/kb/a b.md:12"]),
        ("subl -w", ["subl", "-w", "/kb/a b.md:12"]),
        ("code --wait", ["code", "--wait", "--goto", "/kb/a b.md:12"]),
        ("'/opt/my editor/ed it' x", ["/opt/my editor/ed it", "x", "/kb/a b.md"]),
    ],
)
def test_editors_are_started_at_the_line_in_their_own_way(written: str, opened: list[str]) -> None:
    assert editor.command(editor.chosen({"EDITOR": written}), Path("/kb/a b.md"), 12) == opened


def test_editor_comes_before_visual_and_without_both_it_is_said() -> None:
    assert editor.chosen({"EDITOR": "ed", "VISUAL": "vi"}) == ["ed"]
    assert editor.chosen({"EDITOR": " ", "VISUAL": "vi"}) == ["vi"]
    with pytest.raises(UsageError, match="no editor is named"):
        editor.chosen({})
    with pytest.raises(UsageError, match="cannot be read"):
        editor.chosen({"EDITOR": "vi 'x"})


def test_a_document_is_a_file_below_the_corpus(tmp_path: Path) -> None:
    corpus = tmp_path / "kb"
    corpus.mkdir()
    (corpus / "a.md").write_text("x")
    (tmp_path / "kb2").mkdir()
    (tmp_path / "kb2" / "b.md").write_text("x")
    (corpus / "link.md").symlink_to(tmp_path / "kb2" / "b.md")
    assert editor.file_of(corpus, "a.md") == corpus / "a.md"
    for path, said in (("gone.md", "not there any more"), ("../kb2/b.md", "leads out"), ("link.md", "leads out")):
        with pytest.raises(SourceError, match=said):
            editor.file_of(corpus, path)


class OnDisk(FakeLibrary):
    """A library whose documents are files of a folder."""

    corpus: Path = Path()

    def status(self) -> Status:
        """Say where they are."""
        return replace(super().status(), corpus=str(self.corpus))


def on_disk(tmp_path: Path) -> OnDisk:
    """Return a library with its files, the best passage of the first in its third line."""
    library = OnDisk()
    library.corpus = tmp_path / "kb"
    for _, row in DOCUMENTS:
        path = library.corpus / row.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(library.body(row))
    return library


@contextmanager
def _given_up() -> Iterator[None]:
    yield


def editing(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let the headless app give the terminal up; return what it has given it up for."""
    calls: list[str] = []

    def suspend() -> Any:
        calls.append("suspended")
        return _given_up()

    monkeypatch.setattr(drive.app, "suspend", suspend)
    return calls


async def test_o_opens_the_file_at_the_line_of_the_best_passage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    got = tmp_path / "got"
    vim = script(tmp_path, "vim", f"open({str(got)!r}, 'w').write('\\n'.join(sys.argv[1:]))")
    library = on_disk(tmp_path)
    async with running(library, environ=APART | {"EDITOR": f"{vim} -n"}) as drive:
        calls = editing(drive, monkeypatch)
        row = drive.answer.rows[0]
        passage = row.passages[0]
        third = 2 * len("State providers: what there is to know.\n")
        better = replace(
            passage, span=Span(start=third, end=third + 9), match=replace(passage.match, score=passage.match.score + 1)
        )
        drive.explore.results._items[0] = replace(row, passages=(passage, better))
        await drive.press("o")
        assert got.read_text().split("\n") == ["-n", "+3", str(library.corpus / row.document.path)]
        assert calls == ["suspended"]


async def test_o_in_read_opens_the_part_that_was_stopped_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    got = tmp_path / "got"
    vim = script(tmp_path, "vim", f"open({str(got)!r}, 'w').write('\\n'.join(sys.argv[1:]))")
    async with running(on_disk(tmp_path), environ=APART | {"EDITOR": str(vim)}) as drive:
        editing(drive, monkeypatch)
        await drive.press("enter")
        reader = drive.explore.reader
        assert reader.reading is not None
        pieces = (("one\ntwo\n", True), ("three\n", False), ("four\n", True))
        reader.reading = replace(reader.reading, pieces=pieces)
        await drive.press("o")
        assert got.read_text().split("\n")[0] == "+1"
        reader.stop = 1
        await drive.press("o")
        assert got.read_text().split("\n")[0] == "+4"


@pytest.mark.parametrize(
    ("environ", "spoil", "said"),
    [
        ({}, lambda file: None, "no editor is named"),
        ({"EDITOR": "no-such-editor-anywhere"}, lambda file: None, "The editor cannot be started"),
        ({"EDITOR": "false"}, lambda file: None, "false ended with 1"),
        ({"EDITOR": "true"}, Path.unlink, "is not there any more"),
    ],
)
async def test_what_keeps_the_editor_shut_is_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    environ: dict[str, str],
    spoil: Callable[[Path], None],
    said: str,
) -> None:
    library = on_disk(tmp_path)
    async with running(library, environ=APART | environ) as drive:
        editing(drive, monkeypatch)
        spoil(library.corpus / drive.answer.rows[0].document.path)
        await drive.press("o")
        assert said in drive.told()
        assert drive.app.is_running


async def test_a_terminal_that_cannot_be_given_up_is_told(tmp_path: Path) -> None:
    async with running(on_disk(tmp_path), environ=APART | {"EDITOR": "true"}) as drive:
        await drive.press("o")
        assert "The editor cannot be started" in drive.told()


# --- exports ----------------------------------------------------------------------------------------


async def exported(drive: Drive, key: str, path: Path) -> str:
    await drive.press("X", key)
    drive.app.screen.query_one("#line").value = str(path)  # type: ignore[attr-defined]
    await drive.press("enter")
    return path.read_text() if path.is_file() else ""


async def test_the_data_and_a_picture_of_the_screen_are_written_where_asked(tmp_path: Path) -> None:
    async with running() as drive:
        written = await exported(drive, "j", tmp_path / "a.json")
        expected = render.answer_json(drive.answer, candidates=True, context=True, explain=True, trace=True)
        assert written == expected
        assert f"{len(expected.encode()):,} bytes" in drive.text()
        assert await exported(drive, "t", tmp_path / "a.txt") == drive.answer.context
        rows = list(csv.DictReader(io.StringIO(await exported(drive, "c", tmp_path / "a.csv"))))
        assert [row["title"] for row in rows] == drive.titles()
        assert [row["fate"] for row in rows][-1] == "outranked"
        picture = await exported(drive, "s", tmp_path / "a.svg")
        assert picture.startswith("<svg")
        assert "State&#160;providers" in picture
        assert "export" not in picture


async def test_a_path_is_suggested_and_a_file_that_is_there_is_replaced_only_when_asked_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    there = tmp_path / "kbtui-state-provider.csv"
    there.write_text("precious")
    async with running() as drive:
        await drive.press("X", "c", "enter")
        assert there.read_text() == "precious"
        assert "is there already" in " ".join(drive.text().split())
        await drive.press("enter")
        assert there.read_text().startswith("rank,fate")
        assert len(drive.app.screen_stack) == 1


@pytest.mark.parametrize(
    ("path", "said"), [("", "Name a file"), (".", "is a folder"), ("no/such/x.csv", "Not written")]
)
async def test_what_cannot_be_written_is_said_in_the_sheet_which_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    async with running() as drive:
        await drive.press("X", "c")
        drive.app.screen.query_one("#line").value = path  # type: ignore[attr-defined]
        await drive.press("enter")
        assert said in drive.text()
        await drive.press("escape")
        assert len(drive.app.screen_stack) == 1
        assert list(tmp_path.iterdir()) == []


async def test_no_cell_of_the_csv_is_a_formula() -> None:
    row = document("=cmd()", "@SUM(A1)", "guide", 400)
    async with running(FakeLibrary(documents=((0.9, row),))) as drive:
        (line,) = csv.DictReader(io.StringIO(copies.as_csv(drive.answer)))
        assert (line["id"], line["title"]) == ("'=cmd()", "'@SUM(A1)")


async def test_without_an_answer_only_the_picture_is_offered() -> None:
    async with running(question="") as drive:
        await drive.press("escape", "X")
        assert "SVG" in drive.text()
        assert "CSV" not in drive.text()
