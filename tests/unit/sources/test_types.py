"""A document's type: front matter, else the deepest folder that tells, else what it is."""

from __future__ import annotations

import pytest

from kbtui.sources.types import source_type


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("learn/guides/Intro.md", "guide"),
        ("learn/blog/post.md", "blog"),
        ("docs/adr/0001.md", "decision"),
        ("issues/issue-1.md", "ticket"),
        ("issue-archive/v1.0/issue-2.md", "ticket"),
        ("pulls/pr-3.md", "pull"),
        ("discussions/4.md", "discussion"),
        ("release-notes/v1.md", "release"),
        ("CHANGELOG.md", "release"),
        ("docs/CHANGELOG-2.md", "release"),
        ("Docs/Tests/readme.md", "test"),
        ("examples/run.py", "example"),
        ("src/core.py", "src"),
        ("lib/core.mjs", "src"),
        ("notes.md", "raw"),
        ("src/notes.md", "raw"),
    ],
)
def test_the_deepest_folder_that_tells_decides(path: str, expected: str) -> None:
    assert source_type(path) == expected


@pytest.mark.parametrize(
    ("named", "expected"),
    [("adr", "decision"), ("Issue", "ticket"), ("issues", "ticket"), ("Pull Request", "pull"), ("guide", "guide")],
)
def test_front_matter_comes_first_and_through_aliases(named: str, expected: str) -> None:
    assert source_type("issues/issue-1.md", named) == expected


def test_any_name_is_a_type() -> None:
    assert source_type("docs/a.md", "Meeting Notes") == "meeting-notes"
    assert len(source_type("docs/a.md", "x" * 500)) <= 40
    assert source_type("docs/a.md", "\x1b[2J") == "␛[2j"
