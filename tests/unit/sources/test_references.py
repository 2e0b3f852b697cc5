"""Relations as they are written."""

from __future__ import annotations

import pytest

from kbtui.model import Reference, ReferenceForm
from kbtui.sources.reader import understood
from kbtui.sources.references import MOST


def found(text: str, path: str = "docs/a.md") -> list[tuple[str, str, str]]:
    return [(one.kind, one.form, one.target) for one in understood(path, text.encode()).references]


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("related: [adr-1, docs/b.md]", [("related", "id", "adr-1"), ("related", "path", "docs/b.md")]),
        ("related:\n- to: ref-2\n  kind: supersedes", [("supersedes", "id", "ref-2")]),
        ("superseded_by: adr-9", [("superseded_by", "id", "adr-9")]),
        ("dependsOn: '[[Some Note|shown]]'", [("depends_on", "name", "Some Note")]),
        ("parentIssue: 12", [("parent_issue", "number", "12")]),
        ("sub-issues: ['[x] 34 Do it', '#35', 36]", [("sub_issues", "number", n) for n in ("34", "35", "36")]),
        ("blockedBy: []\nparentIssue: null\nrelated: ''", []),
        ("author: adr-1", []),
        ("related: {deep: [1]}", []),
    ],
)
def test_front_matter(block: str, expected: list[tuple[str, str, str]]) -> None:
    assert found(f"---\n{block}\n---\n") == expected


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("[b](../b.md#part) ![i](i%20j.png)", [("link", "path", "../b.md"), ("link", "path", "i j.png")]),
        ("[b](<b.md> 'title') [c](c(1).md)", [("link", "path", "b.md"), ("link", "path", "c(1).md")]),
        ("[x]: other.md 'title'", [("link", "path", "other.md")]),
        ("[[Note]] [[folder/Other#part|shown]]", [("wikilink", "name", "Note"), ("wikilink", "name", "folder/Other")]),
        ("fixes #12, see (#13).", [("mention", "number", "12"), ("mention", "number", "13")]),
        ("see adr-0007 and ref-1509d5dbb4c3", [("mention", "id", "adr-0007"), ("mention", "id", "ref-1509d5dbb4c3")]),
        ("KB-12.", [("mention", "id", "KB-12")]),
        ("adr-0007 and adr-0007", [("mention", "id", "adr-0007")]),
    ],
)
def test_prose(prose: str, expected: list[tuple[str, str, str]]) -> None:
    assert found(prose) == expected


@pytest.mark.parametrize(
    "prose",
    [
        "[a](https://x.org/b.md) [b](mailto:x@y.org) [c](#part) [d](//host/x)",
        "[e](javascript:alert(1)) [f](file:///etc/passwd)",
        "color: &#123; owner/repo#12 a#13 #x12 # 12",
        "```\n[[Note]] #12 adr-0007 [b](b.md)\n```",
        "a - 7 and x-7 and 3-12",
    ],
)
def test_what_is_no_relation(prose: str) -> None:
    assert found(prose) == []


def test_a_document_does_not_refer_to_itself() -> None:
    assert found("---\nid: adr-7\n---\nThis is adr-7, [here](docs/a.md).") == []


PYTHON = "from .b import x\nfrom ..c.d import (y)\nfrom . import e, f as g\n"
SCRIPT = "import x from './x.mjs';\nexport * from '../y';\nconst z = require('./z.js')"


@pytest.mark.parametrize(
    ("path", "code", "targets"),
    [
        ("src/a.py", PYTHON, ["./b.py", "../c/d.py", "./e.py", "./f.py"]),
        ("src/a.py", "import os\nfrom json import loads\n", []),
        ("a.mjs", SCRIPT, ["./x.mjs", "../y.mjs", "./z.js"]),
        ("a.mjs", "import fs from 'node:fs'", []),
    ],
)
def test_relative_imports(path: str, code: str, targets: list[str]) -> None:
    assert [target for kind, _, target in found(code, path) if kind == "import"] == targets


def test_there_are_at_most_so_many_and_it_is_remarked() -> None:
    source = understood("a.md", " ".join(f"#{number}" for number in range(1, MOST + 10)).encode())
    assert len(source.references) == MOST
    assert source.remarks == (f"relations past the first {MOST:,} are left out",)


def test_references_are_safe_and_short() -> None:
    form: ReferenceForm = "path"
    (only,) = understood("a.md", b"[a](b\x1b]0;x\x07.md)").references
    assert only == Reference(target="b␛]0;x␇.md", kind="link", form=form)
    (long,) = understood("a.md", b"[a](" + b"x" * 9000 + b".md)").references
    assert len(long.target) == 500


def test_replaces_is_another_word_for_supersedes() -> None:
    """Both directions, as a field and as the kind of an item."""
    block = b"---\nreplaces: adr-1\nreplaced_by: adr-3\nrelated:\n- kind: replaces\n  to: adr-2\n---\nText.\n"
    kinds = {one.target: one.kind for one in understood("a.md", block).references}
    assert kinds == {"adr-1": "supersedes", "adr-3": "superseded_by", "adr-2": "supersedes"}
