"""Changing a kbtui.toml: what is shown before it is written, and what must not be lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kbtui.config import load, places
from kbtui.config_file import edited, write
from kbtui.errors import UsageError
from kbtui.settings import Settings

ALONE = {"KBTUI_NO_USER_CONFIG": "1"}
FILE = """# ours
limit = 8  # enough

[penalty]
# people asked for it
pull = -0.3

# what it may cost
[budget]
bytes = 48_000
"""


def project(folder: Path, text: str = FILE) -> Path:
    """Write the project file of a folder."""
    file = folder / "kbtui.toml"
    file.write_text(text)
    return file


def test_an_edit_shows_its_lines_and_writes_nothing(tmp_path: Path) -> None:
    """Old and new line in pairs; the file is as it was until it is written."""
    file = project(tmp_path)
    edit = edited(file, {"penalty.pull": -0.4, "penalty.blog": -0.1})
    assert [(line.number, line.old, line.new) for line in edit.lines] == [
        (6, "pull = -0.3", "pull = -0.4"),
        (7, None, "blog = -0.1"),
    ]
    assert file.read_text() == FILE
    write(edit)
    assert file.read_text() == FILE.replace("pull = -0.3\n", "pull = -0.4\nblog = -0.1\n")


def test_a_value_that_is_there_keeps_the_way_it_is_written(tmp_path: Path) -> None:
    """48_000 stays 48_000, and there is nothing to change."""
    edit = edited(project(tmp_path), {"budget.bytes": 48000, "limit": 8})
    assert edit.lines == ()


def test_a_first_key_stays_below_what_stands_at_the_top(tmp_path: Path) -> None:
    """A comment that touches a table is the table's; one with a gap below it is the file's."""
    file = project(tmp_path, "# the file's\n\n# the table's\n[penalty]\npull = -0.3\n")
    assert edited(file, {"limit": 3}).after == ("# the file's\n\nlimit = 3\n\n# the table's\n[penalty]\npull = -0.3\n")
    assert edited(project(tmp_path, "# ours\n"), {"limit": 3}).after == "# ours\nlimit = 3\n"


def test_a_file_that_is_not_there_is_made(tmp_path: Path) -> None:
    """With its folder, and with the permissions that new files have."""
    file = tmp_path / "deep" / "kbtui.toml"
    edit = edited(file, {"limit": 3, "budget.tokens": None})
    assert edit.before is None
    write(edit)
    (tmp_path / "other").write_text("")
    assert file.read_text() == 'limit = 3\n\n[budget]\ntokens = "none"\n'
    assert file.stat().st_mode == (tmp_path / "other").stat().st_mode
    assert load(file.parent, environ=ALONE).settings.bound("budget.tokens") is None


def test_permissions_and_links_stay(tmp_path: Path) -> None:
    """A file kept elsewhere is changed where it is."""
    kept = tmp_path / "dotfiles.toml"
    kept.write_text("limit = 1\n")
    kept.chmod(0o640)
    link = tmp_path / "kbtui.toml"
    link.symlink_to(kept)
    write(edited(link, {"limit": 2}))
    assert link.is_symlink()
    assert kept.read_text() == "limit = 2\n"
    assert kept.stat().st_mode & 0o777 == 0o640


def test_line_ends_stay(tmp_path: Path) -> None:
    """A file of CRLF lines gets CRLF lines."""
    file = tmp_path / "kbtui.toml"
    file.write_bytes(b"# a\r\nlimit = 1\r\n")
    write(edited(file, {"expand": 1}))
    assert file.read_bytes() == b"# a\r\nlimit = 1\r\nexpand = 1\r\n"


@pytest.mark.parametrize("text", ["limit = \n", "penalty = 3\n", "limit = 1\nlimit = 2\n", "[bugdet]\nbytes = 1\n"])
def test_a_file_with_mistakes_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    """Nothing is written over what somebody meant, and the mistake is named."""
    file = project(tmp_path, text)
    with pytest.raises(UsageError, match=r"left as it is|is no table|mistakes"):
        edited(file, {"penalty.pull": -0.4})
    assert file.read_text() == text


def test_a_change_that_takes_a_mistake_away_is_made(tmp_path: Path) -> None:
    """Also when another one stays, which is said."""
    file = project(tmp_path, "limit = 0\nlmit = 3\n")
    assert edited(file, {"limit": 3}).problems == (f"{file}: unknown setting 'lmit'. Did you mean limit?",)
    edit = edited(file, {"limit": 3}, unset=["lmit"])
    assert (edit.after, edit.problems) == ("limit = 3\n", ())


def test_bytes_that_are_no_text_are_left_as_they_are(tmp_path: Path) -> None:
    """A file in another encoding is named, not written over."""
    file = tmp_path / "kbtui.toml"
    file.write_bytes(b"# caf\xe9\nlimit = 1\n")
    with pytest.raises(UsageError, match="cannot be read"):
        edited(file, {"limit": 2})


@pytest.mark.parametrize(("key", "value"), [("limit", 0), ("lmit", 3), ("penalty.pull", None), ("penalty.pull", 1)])
def test_a_mistake_in_what_is_asked_for_changes_nothing(tmp_path: Path, key: str, value: float | None) -> None:
    """The register decides, as for every other way to set a value."""
    with pytest.raises(UsageError):
        edited(project(tmp_path), {key: value})


def test_what_is_not_there_cannot_be_taken_out(tmp_path: Path) -> None:
    """The nearest name that the file has is offered."""
    with pytest.raises(UsageError) as said:
        edited(project(tmp_path), unset=["penalty.pul"])
    assert said.value.hint == "Did you mean penalty.pull?"


def test_a_table_goes_with_its_last_key_but_not_with_its_comments(tmp_path: Path) -> None:
    """What somebody wrote about it stays."""
    assert edited(project(tmp_path), unset=["budget.bytes"]).after.rstrip().endswith("# what it may cost")
    assert "[penalty]\n# people asked for it\n" in edited(project(tmp_path), unset=["penalty.pull"]).after


def test_a_file_that_has_changed_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    """What was shown is what is written, or nothing."""
    file = project(tmp_path)
    edit = edited(file, {"limit": 9})
    file.write_text("limit = 2\n")
    with pytest.raises(UsageError, match="changed meanwhile"):
        write(edit)
    assert file.read_text() == "limit = 2\n"


def test_a_write_that_fails_leaves_the_file_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk may be full at any moment."""

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    file = project(tmp_path)
    edit = edited(file, {"limit": 9})
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match="No space left"):
        write(edit)
    assert file.read_text() == FILE
    assert os.listdir(tmp_path) == ["kbtui.toml"]  # noqa: PTH208 - hidden files count


def test_a_profile_is_a_table_of_its_own(tmp_path: Path) -> None:
    """Its keys are those of settings; what is below it only, and all of it can be taken out again."""
    file = project(tmp_path)
    write(edited(file, {"penalty.pull": 0.0, "limit": 20}, profile="his.tory"))
    config = load(tmp_path, environ=ALONE)
    assert dict(config.named("his.tory").values) == {"penalty.pull": 0.0, "limit": 20}
    assert config.settings.whole("limit") == 8
    write(edited(file, unset=[""], profile="his.tory"))
    assert file.read_text().strip() == FILE.strip()


def test_changes_are_what_makes_one_of_the_other(tmp_path: Path) -> None:
    """Values that go back to their default are written, too: the file says otherwise."""
    saved = load(project(tmp_path).parent, environ=ALONE).saved
    wanted = saved.with_values({"limit": 5, "penalty.memo": -0.5})
    assert wanted.differing(saved) == {"limit": 5, "penalty.memo": -0.5}
    write(edited(tmp_path / "kbtui.toml", wanted.differing(saved)))
    assert load(tmp_path, environ=ALONE).saved == wanted
    assert Settings().differing(Settings()) == {}


def test_places_name_every_file_and_whether_it_is_there(tmp_path: Path) -> None:
    """The weakest first."""
    file = project(tmp_path)
    found = places(tmp_path / "docs", config_file=None, environ=ALONE)
    assert [(place.layer, place.path, place.there) for place in found] == [
        ("user", None, False),
        ("project", file, True),
        ("config", None, False),
    ]
