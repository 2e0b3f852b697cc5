"""The demo knowledge base ships whole, and everything its documents point at exists."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from kbtui.demo import corpus

ROOT = corpus()
FILES = tuple(sorted(path for path in ROOT.rglob("*") if path.is_file()))
MARKDOWN = tuple(path for path in FILES if path.suffix == ".md")

# folder, and how many documents of that kind a newcomer finds at least
LEAST = {
    "guides": 12,
    "tutorials": 1,
    "concepts": 2,
    "architecture": 1,
    "decisions": 15,
    "runbooks": 2,
    "src": 8,
    "tests": 4,
    "examples": 2,
    "tickets": 20,
    "pulls": 12,
    "discussions": 2,
    "releases": 5,
    "blog": 1,
}

LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)(?:#([^)\s]+))?\)")
NUMBER = re.compile(r"(?<![\w/&])#(\d+)\b")
DECISION = re.compile(r"\badr-\d{4}\b", re.IGNORECASE)
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def front_matter(path: Path) -> dict[str, Any]:
    text = path.read_text(encoding="utf-8")
    assert text.startswith("---\n"), f"{path.name} has no front matter"
    loaded = yaml.safe_load(text[4 : text.index("\n---\n", 4)])
    assert isinstance(loaded, dict)
    return loaded


FRONT = {path: front_matter(path) for path in MARKDOWN}
IDS = {str(front["id"]): path for path, front in FRONT.items() if "id" in front}
NUMBERED = ("tickets", "pulls", "discussions")
NUMBERS = [
    int(front.get("number", front.get("id", 0)))
    for path, front in FRONT.items()
    if path.relative_to(ROOT).parts[0] in NUMBERED
]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [] if value is None else [value]


def test_the_corpus_lies_inside_the_package() -> None:
    import kbtui

    assert Path(kbtui.__file__).parent in ROOT.parents
    assert 75 <= len(FILES) <= 95


def test_the_whole_is_large_enough_to_be_believed() -> None:
    assert 300_000 <= sum(path.stat().st_size for path in FILES) <= 600_000


@pytest.mark.parametrize(("folder", "least"), LEAST.items())
def test_every_kind_of_document_is_there(folder: str, least: int) -> None:
    assert len([path for path in FILES if path.relative_to(ROOT).parts[0] == folder]) >= least


def test_no_folder_is_left_over() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in FILES} == set(LEAST)


def test_exactly_one_guide_is_oversized_and_no_file_is_huge() -> None:
    sizes = {name(path): path.stat().st_size for path in FILES}
    assert [path for path, size in sizes.items() if size > 60_000] == ["guides/configuration-and-operations.md"]
    assert max(sizes.values()) < 100_000


def test_five_other_guides_are_larger_than_one_document_may_cost() -> None:
    large = [path for path in FILES if 8_000 < path.stat().st_size < 60_000 and path.parent.name == "guides"]
    assert len(large) >= 5


@pytest.mark.parametrize("path", MARKDOWN, ids=name)
def test_every_relative_link_leads_to_a_file_and_a_heading(path: Path) -> None:
    for target, anchor in LINK.findall(path.read_text(encoding="utf-8")):
        found = (path.parent / target).resolve()
        assert found.is_file(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", found.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {slug(heading) for heading in headings}, f"{target}#{anchor}"


@pytest.mark.parametrize("path", FILES, ids=name)
def test_every_number_and_decision_that_is_mentioned_exists(path: Path) -> None:
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    assert {int(number) for number in NUMBER.findall(text)} <= set(NUMBERS)
    assert {found.lower() for found in DECISION.findall(text)} <= IDS.keys()


def test_numbers_and_ids_are_given_once() -> None:
    assert len(NUMBERS) == len(set(NUMBERS))
    assert len(IDS) == len([front for front in FRONT.values() if "id" in front])


@pytest.mark.parametrize("path", MARKDOWN, ids=name)
def test_every_relation_in_front_matter_resolves(path: Path) -> None:
    front = FRONT[path]
    for key in ("related", "supersedes", "superseded_by"):
        assert {str(target) for target in listed(front.get(key))} <= IDS.keys()
    for key in ("parentIssue", "blockedBy", "blocking", "subIssues"):
        for target in listed(front.get(key)):
            assert target in NUMBERS


def test_superseded_decisions_name_their_successor_and_the_other_way_round() -> None:
    decisions = {str(front["id"]): front for path, front in FRONT.items() if path.parent.name == "decisions"}
    pairs = {(key, front["supersedes"]) for key, front in decisions.items() if "supersedes" in front}
    assert pairs == {(front["superseded_by"], key) for key, front in decisions.items() if "superseded_by" in front}
    assert len(pairs) >= 3
    assert {key for key, front in decisions.items() if front["status"] == "superseded"} == {old for _, old in pairs}


@pytest.mark.parametrize("path", FILES, ids=name)
def test_documents_are_plain_readable_text(path: Path) -> None:
    text = path.read_bytes().decode("utf-8")
    assert "\r" not in text
    assert "\x1b" not in text
    assert text.endswith("\n")
    assert not re.search(r"lorem ipsum|TODO|FIXME", text, re.IGNORECASE)


@pytest.mark.parametrize("path", [path for path in FILES if path.suffix == ".py"], ids=name)
def test_python_files_compile(path: Path) -> None:
    compile(path.read_text(encoding="utf-8"), name(path), "exec")
