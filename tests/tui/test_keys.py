"""Keys: every action is named, remappable and told; what the configuration asks in vain is named, and harms nothing."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections import Counter
from pathlib import Path

import pytest
from textual.binding import Binding
from textual.screen import ModalScreen, Screen

from kbtui import cli
from kbtui.config import load
from kbtui.tui import keymap
from kbtui.tui.app import KbtuiApp
from kbtui.tui.pane_help import PANE_HELP
from kbtui.tui.screens.desk import PANE_OF
from kbtui.tui.screens.explore import ExploreScreen
from kbtui.tui.widgets.pane_tabs import PANES
from tests.tui.drive import APART, running

OURS = [(owner, binding) for owner in keymap.owners() for binding in keymap.bindings_of(owner)]
DEFAULTS = {command.command_id: command for command in keymap.commands()}


@pytest.mark.parametrize("binding", [each for _, each in OURS], ids=lambda binding: f"{binding.id}")
def test_every_binding_has_an_id_a_name_and_a_line_of_help(binding: Binding) -> None:
    """The palette, the help and `config keys` are made of them."""
    assert binding.id is not None
    assert re.fullmatch(r"[a-z]+\.[a-z_]+", binding.id)
    assert binding.tooltip
    assert len(binding.tooltip) <= 60
    assert binding.description or binding.id == "sheet.stay"


def test_no_id_is_given_twice() -> None:
    counted = Counter(binding.id for _, binding in OURS)
    assert [name for name, times in counted.items() if times > 1] == []


def test_no_default_key_is_one_that_terminals_or_multiplexers_take() -> None:
    """No F-keys, none of ctrl+h/i/j/m/s/q, no alt alone: over ssh and in tmux they are lost, or mean something else."""
    keys = {key for _, binding in OURS for key in keymap.spelled(binding.key)}
    assert len(keys) > 20
    assert [key for key in keys if re.fullmatch(r"(.*\+)?f\d+|ctrl\+[hijmsq]|alt", key)] == []


def test_no_two_actions_of_a_screen_have_the_same_key() -> None:
    for owner in keymap.owners():
        if issubclass(owner, Screen) and not issubclass(owner, ModalScreen):
            keys = Counter(
                key
                for cls in owner.__mro__
                if cls in keymap.owners()
                for binding in keymap.bindings_of(cls)
                for key in keymap.spelled(binding.key)
            )
            assert [key for key, times in keys.items() if times > 1] == [], owner


def test_the_defaults_are_no_clash() -> None:
    """Asking for what is there already changes nothing and is no mistake."""
    asked = {name: ",".join(command.keys) for name, command in DEFAULTS.items()}
    assert keymap.fitted(asked).problems == ()


def test_no_screen_takes_a_key_of_the_app() -> None:
    """A key of the app that the screen has, too, would never reach the app."""

    def keys(*classes: type) -> set[str]:
        owners = [cls for owner in classes for cls in owner.__mro__ if cls in keymap.owners()]
        return {key for cls in owners for binding in keymap.bindings_of(cls) for key in keymap.spelled(binding.key)}

    assert not keys(KbtuiApp) & keys(ExploreScreen)


async def test_a_key_of_the_configuration_works_and_is_told_in_footer_help_and_tabs() -> None:
    async with running(keys={"explore.tune": "K", "explore.context": "D"}, size=(150, 90)) as drive:
        await drive.press("t", "c")
        assert not drive.explore.has_class("-tuning")
        assert drive.explore.pane == "explain"
        await drive.press("D")
        assert drive.explore.pane == "context"
        assert re.search(r"\bK Tune", drive.text())
        await drive.press("K")
        assert drive.explore.has_class("-tuning")
        await drive.press("question_mark")
        assert re.search(r"\bK +Turn the numbers", drive.text())


async def test_two_actions_can_change_places() -> None:
    async with running(keys={"explore.tune": "y", "app.copy": "t"}) as drive:
        assert drive.app.problems == ()
        await drive.press("y")
        assert drive.explore.has_class("-tuning")


async def test_several_keys_and_keys_by_their_character_can_be_given() -> None:
    async with running(keys={"app.help": "K,!"}) as drive:
        for key in ("K", "exclamation_mark"):
            await drive.press(key)
            assert "keys everywhere" in drive.text()
            await drive.press("escape")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"app.copy": "t"}, "key app.copy: t is Tune (explore.tune); it keeps y"),
        ({"app.coppy": "Y"}, "key app.coppy: no such action. Did you mean app.copy?"),
        ({"app.copy": "ctrl+i"}, "key app.copy: terminals send tab for ctrl+i; it keeps y"),
        ({"app.copy": "hyperspace"}, "key app.copy: no key is called 'hyperspace'; it keeps y"),
        ({"app.copy": "alt"}, "key app.copy: no key is called 'alt'; it keeps y"),
        ({"app.copy": "tab"}, "key app.copy: tab is a key for 'focus next'; it keeps y"),
        ({"app.copy": "enter"}, "key app.copy: ⏎ is Read (results.read); it keeps y"),
        ({"graph.root": "g"}, "key graph.root: g is Graph (explore.graph); it keeps ."),
    ],
)
async def test_what_cannot_be_had_is_named_and_the_default_kept(asked: dict[str, str], said: str) -> None:
    async with running(keys=asked) as drive:
        assert said in drive.app.problems
        assert said.partition(":")[0] in drive.text()
        await drive.press("y")
        assert len(drive.app.screen_stack) == 2
        await drive.press("escape", "t")
        assert drive.explore.has_class("-tuning")


def test_two_that_want_one_key_both_keep_theirs() -> None:
    fitted = keymap.fitted({"app.copy": "K", "explore.tune": "K"})
    assert fitted.keys == {}
    assert len(fitted.problems) == 2


def test_every_pane_has_a_help_and_no_help_is_without_its_pane() -> None:
    assert set(PANE_OF.values()) == set(PANE_HELP)
    assert {pane.name for pane in PANES} <= set(PANE_HELP)


@pytest.mark.parametrize("name", sorted(PANE_HELP))
async def test_help_tells_what_the_pane_shows_and_its_own_keys_first(name: str) -> None:
    async with running(size=(160, 60)) as drive:
        await drive.press("z", "z")
        if name == "query":
            await drive.press("slash", "ctrl+p", *"help", "enter")
        elif name == "tune":
            await drive.press("t", "question_mark")
        elif name == "results":
            await drive.press("question_mark")
        else:
            letter = next(pane.letter for pane in PANES if pane.name == name)
            await drive.press(letter, letter, "question_mark")
        shown = drive.text()
        assert f"keys in {name}" in shown
        assert shown.index(f"keys in {name}") < shown.index("keys everywhere")
        assert PANE_HELP[name][:40] in " ".join(shown.split())


def test_config_keys_lists_every_action_with_the_keys_in_force(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kbtui.toml").write_text('[keys]\nexplore.tune = "K"\n')
    assert cli.main(["config", "keys"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == sorted(DEFAULTS)
    assert next(line for line in lines if line.startswith("explore.tune")).split()[1] == "K"


def test_the_examples_of_the_documentation_can_be_had(tmp_path: Path) -> None:
    from kbtui.commands.config import _KEYS

    readme = (Path(__file__).parents[2] / "README.md").read_text()
    blocks = [block for block in re.findall(r"```toml\n(.*?)```", readme, re.DOTALL) if "[keys]" in block]
    examples = [*blocks, textwrap.dedent(_KEYS.partition("in kbtui.toml:\n")[2])]
    assert len(examples) == 2
    for example in examples:
        (tmp_path / "kbtui.toml").write_text(example)
        config = load(tmp_path, environ=APART)
        assert config.problems == ()
        assert config.keys
        assert keymap.fitted(config.keys).problems == ()


def test_config_keys_names_what_cannot_be_had(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kbtui.toml").write_text('[keys]\nexplore.tune = "y"\nexplore.tuna = "Y"\n')
    assert cli.main(["config", "keys"]) == 2
    said = capsys.readouterr().err
    assert "explore.tune: y is Copy" in said
    assert "explore.tuna: no such action. Did you mean explore.tune?" in said


def test_a_widget_of_a_test_is_no_part_of_the_app() -> None:
    """The register is the package's: what tests define beside it does not leak into it."""
    assert all(inspect.getmodule(owner).__name__.startswith("kbtui.tui") for owner in keymap.owners())  # type: ignore[union-attr]
