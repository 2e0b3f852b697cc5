"""Relations resolved: every form finds what a person would mean, and nothing that was not written."""

from __future__ import annotations

import pytest

from kbtui.model import ReferenceForm
from kbtui.store.relations import Link, Named, Names, Written, resolve, strength, superseded

DOCUMENTS = (
    Named(1, "docs/guide/index.md", "The Guide", "guide", ()),
    Named(2, "docs/guide/retry policy.md", "Retry", "guide", ("KB-12",)),
    Named(3, "issues/issue-0042.md", "It breaks", "ticket", ("42",)),
    Named(4, "pulls/pr-42.md", "Fix it", "pull", ()),
    Named(5, "pulls/pr-43-second-try.md", "Fix it again", "pull", ()),
    Named(6, "src/app/main.py", "main", "src", ()),
    Named(7, "src/app/lib/__init__.py", "lib", "src", ()),
    Named(8, "src/view.mjs", "view", "src", ()),
    Named(9, "docs/notes-2024.md", "Notes", "guide", ("2024",)),
)
NAMES = Names(DOCUMENTS)


def found(doc: int, target: str, form: ReferenceForm) -> int | None:
    return NAMES.find(Written(doc, target, "link", form))


@pytest.mark.parametrize(
    ("doc", "target", "meant"),
    [
        (1, "retry policy.md", 2),
        (1, "./retry%20policy.md#how", 2),
        (1, "retry policy", 2),
        (2, ".", 1),
        (2, "../guide", 1),
        (2, "/docs/guide/index.md", 1),
        (3, "docs/guide/index.md?plain=1", 1),
        (6, "lib", 7),
        (6, "../view", 8),
        (6, "../../../../view", None),
        (1, "nowhere.md", None),
        (1, "#here", None),
        (1, "", None),
    ],
)
def test_paths(doc: int, target: str, meant: int | None) -> None:
    """Beside the document, else from the root; decoded, without query and fragment, endings completed."""
    assert found(doc, target, "path") == meant


@pytest.mark.parametrize(
    ("target", "meant"),
    [("42", 3), ("0042", 3), ("43", 5), ("2024", None), ("99", None), ("9" * 40, None), ("²", None)],
)
def test_numbers_mean_tickets_then_pulls(target: str, meant: int | None) -> None:
    """The ticket before the pull request of the same number; a guide's number is none of them."""
    assert found(1, target, "number") == meant


@pytest.mark.parametrize(
    ("target", "meant"), [("kb-12", 2), ("KB-12", 2), ("src/view.mjs", 8), ("43", 5), ("2024", 9), ("kb-13", None)]
)
def test_ids(target: str, meant: int | None) -> None:
    """An alias in any case, a path, and where no alias fits a number."""
    assert found(1, target, "id") == meant


@pytest.mark.parametrize(
    ("target", "meant"),
    [("the guide", 1), ("Retry|shown as", 2), ("retry policy#How", 2), ("KB-12", 2), ("Unwritten", None), ("", None)],
)
def test_wikilink_names(target: str, meant: int | None) -> None:
    """A title, a file's stem or an alias, in any case, without label and section."""
    assert found(3, target, "name") == meant


def test_a_name_of_several_means_the_first_by_id() -> None:
    """Whatever order they come in."""
    twins = [Named(2, "b.md", "Same", "guide", ()), Named(1, "a.md", "Same", "guide", ())]
    assert Names(twins).find(Written(2, "same", "link", "name")) == 1


def test_relations_are_told_once_strongest_first() -> None:
    """Duplicates, mentions of what is also linked and links to itself go; dangling ones come last."""
    links = resolve(
        NAMES,
        [
            Written(1, "#gone", "mention", "number"),
            Written(1, "42", "mention", "number"),
            Written(1, "43", "mention", "number"),
            Written(1, "retry policy.md", "link", "path"),
            Written(1, "./retry policy.md", "link", "path"),
            Written(1, "KB-12", "mention", "id"),
            Written(1, "utf-8", "mention", "id"),
            Written(1, "index.md", "link", "path"),
            Written(1, "42", "related", "number"),
            Written(1, "src/view.mjs", "supersedes", "id"),
            Written(1, "nobody", "supersedes", "id"),
        ],
    )
    assert [(link.kind, link.target, link.written) for link in links] == [
        ("supersedes", 8, "src/view.mjs"),
        ("related", 3, "issues/issue-0042.md"),
        ("link", 2, "docs/guide/retry policy.md"),
        ("mention", 5, "pulls/pr-43-second-try.md"),
        ("supersedes", None, "nobody"),
        ("mention", None, "#gone"),
    ]
    assert links == sorted(links, key=strength)


def test_either_end_can_say_superseded() -> None:
    """`superseded_by` marks its own document, even when the successor is missing; `supersedes` marks the other."""
    links = [Link(1, None, "gone", "superseded_by"), Link(2, 3, "x", "supersedes"), Link(4, None, "y", "supersedes")]
    assert superseded(links) == {1, 3}
