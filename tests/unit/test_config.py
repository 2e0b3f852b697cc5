"""Where settings come from, and what is said of a mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbtui.config import Config, Flag, load, project_root, variable
from kbtui.errors import UsageError

ALONE = {"KBTUI_NO_USER_CONFIG": "1"}


def project(folder: Path, text: str) -> Path:
    """Write the project file of a folder."""
    file = folder / "kbtui.toml"
    file.write_text(text)
    return file


def loaded(folder: Path, *flags: Flag, **environ: str) -> Config:
    """Load a folder's configuration without the user's file."""
    return load(folder, environ={**ALONE, **environ}, flags=flags)


def test_nothing_configured_gives_the_defaults(tmp_path: Path) -> None:
    """Without any layer every value is the register's, and the store lies in the folder."""
    config = loaded(tmp_path)
    assert config.settings.changed == ()
    assert config.source("limit") == "default"
    assert config.store == tmp_path / ".kbtui"
    assert not config.files
    assert not config.problems


def test_each_layer_overrules_the_one_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """User file < project file < --config < environment < flags, and each value knows its layer."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    import platformdirs

    user = platformdirs.user_config_path("kbtui") / "kbtui.toml"
    user.parent.mkdir(parents=True)
    everything = "expand = {0}\nlimit = {0}\n[budget]\nbytes = {0}\ntokens = {0}\ndocument_bytes = {0}\n"
    user.write_text(everything.format(11))
    kb = tmp_path / "kb"
    kb.mkdir()
    file = project(kb, "expand = 12\nlimit = 12\n[budget]\nbytes = 12\ntokens = 12\n")
    extra = tmp_path / "extra.conf"
    extra.write_text("expand = 13\nlimit = 13\nbudget.bytes = 13\n")
    config = load(
        kb,
        config_file=extra,
        environ={"KBTUI_LIMIT": "14", "KBTUI_EXPAND": "14"},
        flags=[Flag(name="--expand", key="expand", text="15")],
    )
    assert [config.settings.get(key) for key in ("expand", "limit", "budget.bytes", "budget.tokens")] == [
        15,
        14,
        13,
        12,
    ]
    assert config.settings.get("budget.document_bytes") == 11
    assert config.source("expand") == "--expand"
    assert config.source("limit") == "KBTUI_LIMIT"
    assert config.source("budget.bytes") == str(extra)
    assert config.source("budget.tokens") == str(file)
    assert config.source("budget.document_bytes") == str(user)
    assert config.files == (user, file, extra)


def test_the_last_flag_wins(tmp_path: Path) -> None:
    """``--limit 3 --set limit=4`` is 4, and the other way round 3."""
    three, four = Flag(name="--limit", key="limit", text="3"), Flag(name="--set", key="limit", text="4")
    assert loaded(tmp_path, three, four).settings.whole("limit") == 4
    assert loaded(tmp_path, four, three).settings.whole("limit") == 3


def test_a_nested_table_and_a_dotted_name_are_the_same(tmp_path: Path) -> None:
    """Penalties may name any source type."""
    project(tmp_path, "[penalty]\npull = -0.4\nmemo = -0.1\n[prior.tier]\nprimary = 0.2\n")
    nested = loaded(tmp_path).settings
    project(tmp_path, "penalty.pull = -0.4\npenalty.memo = -0.1\nprior.tier.primary = 0.2\n")
    assert nested == loaded(tmp_path).settings
    assert dict(nested.family("penalty."))["memo"] == -0.1


@pytest.mark.parametrize("text", ['budget.bytes = "none"', '[budget]\nbytes = "None"'])
def test_none_lifts_a_bound_in_a_file(tmp_path: Path, text: str) -> None:
    """TOML has no null, so the word does it."""
    project(tmp_path, text)
    assert loaded(tmp_path).settings.bound("budget.bytes") is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[bugdet]\nbytes = 3\n", "Did you mean budget.bytes?"),
        ("limits = 3\n", "Did you mean limit?"),
        ("limit = 0\n", "must lie between 1 and 1000"),
        ('limit = "5"\n', "takes a number, not '5'"),
        ("limit = true\n", "takes a number, not True"),
        ("limit = 2.5\n", "takes a whole number"),
        ("limit = inf\n", "takes a whole number"),
        ("limit = [1]\n", "takes a number, not [1]"),
        ('limit = "none"\n', "takes a number, not none"),
        ("penalty.pull = nan\n", "must lie between -2 and 0"),
        ("store.path = 7\n", "takes the path of a folder"),
        ("limit = \n", "cannot be read as TOML"),
    ],
)
def test_a_mistake_in_a_file_is_named_and_changes_nothing(tmp_path: Path, text: str, said: str) -> None:
    """File, key and what is known: as a problem for the app, as an error for the CLI, with the rest in force."""
    file = project(tmp_path, text)
    config = loaded(tmp_path)
    (problem,) = config.problems
    assert problem.startswith(f"{file}: ")
    assert said in problem
    assert config.settings.changed == ()
    with pytest.raises(UsageError, match=r"kbtui\.toml"):
        config.checked()


def test_the_rest_of_a_file_with_a_mistake_holds(tmp_path: Path) -> None:
    """One bad key costs that key; all of them are listed."""
    project(tmp_path, "lmit = 3\nexpand = 1\nbudgets = 2\n")
    config = loaded(tmp_path)
    assert config.settings.whole("expand") == 1
    assert len(config.problems) == 2


def test_bytes_that_are_no_text_are_a_problem(tmp_path: Path) -> None:
    """A file that is not UTF-8 is named, not raised."""
    (tmp_path / "kbtui.toml").write_bytes(b"\xff\xfe\x00")
    assert "cannot be read" in loaded(tmp_path).problems[0]


@pytest.mark.parametrize(
    ("name", "text", "key", "value"),
    [
        ("KBTUI_BUDGET_BYTES", "6_000", "budget.bytes", 6000),
        ("KBTUI_BUDGET_TOKENS", "none", "budget.tokens", None),
        ("KBTUI_PENALTY_PULL", "-0.4", "penalty.pull", -0.4),
        ("KBTUI_PENALTY_AI_INFRASTRUCTURE", "-0.4", "penalty.ai-infrastructure", -0.4),
        ("KBTUI_PRIOR_TIER_PRIMARY", "0.5", "prior.tier.primary", 0.5),
    ],
)
def test_a_variable_sets_its_setting(tmp_path: Path, name: str, text: str, key: str, value: float | None) -> None:
    """Every setting has a variable, families included."""
    config = loaded(tmp_path, **{name: text})
    assert config.problems == ()
    assert config.settings.get(key) == value
    assert config.source(key) == name


def test_a_misspelt_variable_is_a_problem(tmp_path: Path) -> None:
    """A bound that someone believes to have set is not dropped in silence."""
    (problem,) = loaded(tmp_path, KBTUI_BUGDET_BYTES="6000").problems
    assert "KBTUI_BUGDET_BYTES" in problem
    assert "Did you mean KBTUI_BUDGET_BYTES?" in problem


def test_empty_variables_and_those_of_tests_are_left_alone(tmp_path: Path) -> None:
    """An empty variable is an unset one."""
    assert loaded(tmp_path, KBTUI_LIMIT="", KBTUI_TEST_ANYTHING="x").problems == ()


def test_variables_are_named_after_settings() -> None:
    """The rule the README gives."""
    assert variable("budget.document_bytes") == "KBTUI_BUDGET_DOCUMENT_BYTES"


@pytest.mark.parametrize(
    ("key", "text", "said"),
    [("limit", "0", "between"), ("limit", "many", "whole number"), ("penalty.pul.x", "1", "unknown setting")],
)
def test_a_mistake_in_a_flag_stops_at_once(tmp_path: Path, key: str, text: str, said: str) -> None:
    """Nobody starts an app to read about a typing slip."""
    with pytest.raises(UsageError, match=said):
        loaded(tmp_path, Flag(name="--set", key=key, text=text))


def test_a_missing_config_file_stops_at_once(tmp_path: Path) -> None:
    """--config names a file that must be there."""
    with pytest.raises(UsageError, match=r"no\.toml"):
        load(tmp_path, config_file=tmp_path / "no.toml", environ=ALONE)


def test_the_project_file_is_found_upwards(tmp_path: Path) -> None:
    """From a folder inside the project, the nearest file above counts."""
    project(tmp_path, "limit = 7\n")
    inside = tmp_path / "docs" / "guides"
    inside.mkdir(parents=True)
    assert loaded(inside).settings.whole("limit") == 7


def test_the_root_is_the_nearest_folder_with_a_store_or_a_project_file(tmp_path: Path) -> None:
    """Without either, it is the folder itself."""
    outer, inner = tmp_path / "a", tmp_path / "a" / "b"
    deep = inner / "c"
    deep.mkdir(parents=True)
    (outer / ".kbtui").mkdir()
    assert project_root(deep) == outer
    project(inner, "")
    assert project_root(deep) == inner


def test_a_path_is_relative_to_what_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a file to the file's folder, on the command line to where one stands."""
    project(tmp_path, 'store.path = "stores/kb"\n')
    inside = tmp_path / "docs"
    inside.mkdir()
    assert loaded(inside).store == tmp_path / "stores" / "kb"
    monkeypatch.chdir(inside)
    assert loaded(inside, Flag(name="--store", key="store.path", text="here")).store == inside / "here"


@pytest.mark.parametrize(("text", "limit", "told"), [("", 1000, 0), ("25", 25, 0), ("5000", 5000, 0), ("10k", 1000, 1)])
def test_the_ceiling_of_searches_is_known(tmp_path: Path, text: str, limit: int, told: int) -> None:
    """It is no setting, so no unknown variable either; a mistake in it keeps the default and is told."""
    config = loaded(tmp_path, KBTUI_SEARCH_TEXT_MAX_LIMIT=text)
    assert config.problems == ()
    assert (config.search_limit, len(config.notices)) == (limit, told)


PROFILES = """penalty.pull = -0.4
[profile.history]
limit = 20
penalty.pull = 0
[profile.small]
budget.bytes = 4000
"""


def test_a_profile_lies_between_the_environment_and_the_flags(tmp_path: Path) -> None:
    """It is asked for by name, so it is stronger than what happens to be set, and weaker than what is typed."""
    project(tmp_path, PROFILES)
    config = load(
        tmp_path,
        environ={**ALONE, "KBTUI_LIMIT": "9", "KBTUI_EXPAND": "1"},
        flags=[Flag(name="--set", key="penalty.pull", text="-1")],
        profile="history",
    )
    assert [config.settings.get(key) for key in ("limit", "penalty.pull", "expand")] == [20, -1.0, 1]
    assert [config.source(key) for key in ("limit", "penalty.pull")] == ["profile history", "--set"]
    assert config.under("history") == config.settings
    assert [config.under("").get(key) for key in ("limit", "penalty.pull")] == [9, -1.0]
    assert config.under("small").bound("budget.bytes") == 4000
    assert config.saved.get("limit") == 5


def test_profiles_of_two_files_add_up_key_by_key(tmp_path: Path) -> None:
    """The stronger file wins where both name a key."""
    project(tmp_path, PROFILES)
    extra = tmp_path / "extra.toml"
    extra.write_text("[profile.history]\nlimit = 30\nexpand = 0\n")
    config = load(tmp_path, config_file=extra, environ=ALONE)
    assert dict(config.named("history").values) == {"limit": 30, "penalty.pull": 0.0, "expand": 0}
    assert config.settings.whole("limit") == 5


def test_an_unknown_profile_names_the_known_ones(tmp_path: Path) -> None:
    """Or how to make one."""
    project(tmp_path, PROFILES)
    with pytest.raises(UsageError) as said:
        load(tmp_path, environ=ALONE, profile="histroy")
    assert said.value.hint == "Known: history, small"
    project(tmp_path, "")
    with pytest.raises(UsageError) as said:
        load(tmp_path, environ=ALONE, profile="history")
    assert "kbtui config set --profile" in said.value.hint


@pytest.mark.parametrize(
    "text", ["[profile.a]\nlmit = 3\n", "profile.a = 3\n", "profile = 3\n", '[profile.a]\nstore.path = "x"']
)
def test_a_mistake_in_a_profile_is_one_in_the_file(tmp_path: Path, text: str) -> None:
    """Whether the profile is asked for or not."""
    project(tmp_path, text)
    assert len(loaded(tmp_path).problems) == 1
