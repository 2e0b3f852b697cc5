"""A survey: counts are of all, lists are bounded, sizes are measured against the budget given."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbtui.explorer import Explorer, index
from kbtui.model import Budget
from kbtui.store import survey as module

UNBOUNDED = Budget(size_bytes=None, tokens=None, document_bytes=None, document_tokens=None)


@pytest.fixture
def explorer(tmp_path: Path) -> Explorer:
    corpus = tmp_path / "kb"
    corpus.mkdir()
    for name, text in {
        "a.md": "# A\n\nTo [nowhere](gone.md), [twice](gone.md), and [b](b.md).\n",
        "b.md": "# B\n\nTo [nowhere](gone.md) and [elsewhere](lost.md).\n",
        "same.md": "# Same\n\nThe same words.\n",
        "copy.md": "# Same\n\nThe same words.\n",
        "empty.md": "",
        "void.md": "",
        "large.md": "# Large\n\n" + "many words here " * 100,
        "larger.md": "# Larger\n\n" + "many words here " * 300,
    }.items():
        (corpus / name).write_text(text)
    index(corpus, tmp_path / "store", lexical_only=True)
    return Explorer.open(tmp_path / "store")


def test_dangling_relations_are_listed_by_how_many_have_the_target(explorer: Explorer) -> None:
    found = explorer.survey(UNBOUNDED)
    assert [(each.target, each.source, each.times) for each in found.dangling] == [
        ("gone.md", "a.md", 2),
        ("gone.md", "b.md", 2),
        ("lost.md", "b.md", 1),
    ]
    assert found.dangling_total == explorer.status().dangling == 3


def test_documents_of_the_same_bytes_are_found_and_empty_ones_are_none(explorer: Explorer) -> None:
    found = explorer.survey(UNBOUNDED)
    assert [each.doc_ids for each in found.duplicates] == [("copy.md", "same.md")]
    assert (found.duplicate_groups, found.duplicate_documents) == (1, 2)


def test_oversized_is_what_is_larger_than_the_budget_or_than_a_documents_part(explorer: Explorer) -> None:
    budget = Budget(size_bytes=4_000, tokens=None, document_bytes=1_000, document_tokens=None)
    found = explorer.survey(budget)
    assert [(each.document.doc_id, each.bound) for each in found.oversized] == [
        ("larger.md", "budget"),
        ("large.md", "document"),
    ]
    assert found.oversized[0].share == (10 + 300 * 16) / 4_000
    assert (found.over_budget, found.over_document) == (1, 1)


def test_tokens_bind_as_bytes_do_and_no_bound_makes_nothing_oversized(explorer: Explorer) -> None:
    tokens = Budget(size_bytes=None, tokens=400, document_bytes=None, document_tokens=None)
    assert [each.document.doc_id for each in explorer.survey(tokens).oversized] == ["larger.md"]
    assert explorer.survey(UNBOUNDED).oversized == ()


def test_a_bounded_list_leaves_the_counts_whole(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LISTED", 1)
    found = explorer.survey(Budget(size_bytes=None, tokens=None, document_bytes=1_000, document_tokens=None))
    assert (len(found.dangling), found.dangling_total) == (1, 3)
    assert (len(found.oversized), found.over_document) == (1, 2)


def test_status_knows_its_generation(explorer: Explorer) -> None:
    status = explorer.status()
    assert status.built[:4].isdecimal()
    assert status.built.endswith("+00:00")
    assert status.day == status.built[:10] or status.day
    assert status.parts == 2
    assert status.stored_bytes > 0
