"""The façade on a small store of its own: reading parts, following the newest generation, and its refusals."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kbtui.config import Config
from kbtui.errors import RetrievalFailed, StoreError, UsageError
from kbtui.explorer import Explorer, index, query_log
from kbtui.journal import Journal
from kbtui.model import Query, Span, TextQuery
from kbtui.settings import Settings
from kbtui.store.graph import MAPPED

GUIDE = """---
id: guide-1
title: Lanes
---
# Lanes

""" + "".join(
    f"## Part {number}\n\n" + f"Sentence {number} about lanes and loads. " * 12 + "\n\n" for number in (1, 2, 3)
)
TINY = "# Terms\n\n## Lane\n\nA queue.\n\n## Load\n\nA job. See [lanes](lanes.md) and [gone](gone.md).\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Two guides, one of which refers to the other and to nothing."""
    folder = tmp_path / "corpus" / "guides"
    folder.mkdir(parents=True)
    (folder / "lanes.md").write_text(GUIDE)
    (folder / "terms.md").write_text(TINY)
    return folder.parent


@pytest.fixture
def explorer(corpus: Path, tmp_path: Path) -> Iterator[Explorer]:
    """The corpus, open."""
    index(corpus, tmp_path / "store")
    opened = Explorer.open(tmp_path / "store")
    yield opened
    opened.close()


def test_a_document_is_read_whole_by_any_of_its_names(explorer: Explorer) -> None:
    for name in ("guides/lanes.md", "guide-1", "Lanes", "lanes.md", "lanes"):
        extract = explorer.read(name)
        assert extract.text == GUIDE
        assert extract.span == Span(start=0, end=len(GUIDE))
        assert extract.lines == (1, GUIDE.rstrip("\n").count("\n") + 1)


def test_a_section_ends_where_the_next_begins(explorer: Explorer) -> None:
    extract = explorer.read("guides/lanes.md", section="part 2")
    start, end = GUIDE.index("## Part 2"), GUIDE.index("## Part 3")
    assert extract.text == GUIDE[start:end]
    assert extract.span == Span(start=start, end=end)
    assert extract.lines[0] == GUIDE[:start].count("\n") + 1


def test_a_section_too_small_for_a_passage_is_found_in_the_shared_one(explorer: Explorer) -> None:
    assert "A job." in explorer.read("guides/terms.md", section="Load").text


def test_a_span_gives_the_passages_it_touches(explorer: Explorer) -> None:
    inside = GUIDE.index("Sentence 3")
    extract = explorer.read("guides/lanes.md", span=Span(start=inside, end=inside + 1))
    assert extract.span.start <= inside < extract.span.end
    assert extract.text == GUIDE[extract.span.start : extract.span.end]


@pytest.mark.parametrize(
    ("name", "section", "span", "said"),
    [
        ("guides/none.md", None, None, "no document"),
        ("guides/lanes.md", "Part 9", None, "no section"),
        ("guides/lanes.md", None, Span(start=10_000, end=10_001), "outside of the document"),
    ],
)
def test_what_is_not_there_is_refused(
    explorer: Explorer, name: str, section: str | None, span: Span | None, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        explorer.read(name, section=section, span=span)


def test_the_documents_of_a_type_are_listed_by_path_up_to_a_bound(explorer: Explorer) -> None:
    for kind in explorer.status().types:
        listed = explorer.of_type(kind.source_type, 100)
        assert len(listed) == kind.documents
        assert {each.source_type for each in listed} == {kind.source_type}
        assert [each.path for each in listed] == sorted(each.path for each in listed)
        assert explorer.of_type(kind.source_type, 1) == listed[:1]
    assert explorer.of_type("zebra", 100) == ()


def test_neighbours_name_dangling_ones(explorer: Explorer) -> None:
    found = {
        (near.doc_id, near.direction, near.document is None)
        for near in explorer.neighbours("guides/terms.md").neighbours
    }
    assert ("guides/lanes.md", "out", False) in found
    assert [doc_id for doc_id, _, dangling in found if dangling] == ["gone.md"]
    with pytest.raises(UsageError, match="depth"):
        explorer.neighbours("guides/terms.md", depth=0)


def test_a_map_holds_what_is_around_a_document_and_is_always_the_same(explorer: Explorer) -> None:
    """The document in the middle of the order, its neighbour one relation away, what dangles not at all."""
    drawn = explorer.ego_map("guides/terms.md")
    assert [(node.document.doc_id, node.depth) for node in drawn.nodes] == [
        ("guides/terms.md", 0),
        ("guides/lanes.md", 1),
    ]
    assert {(edge.source, edge.target) for edge in drawn.edges} == {("guides/terms.md", "guides/lanes.md")}
    assert all(0 <= place <= 1 for node in drawn.nodes for place in (node.x, node.y))
    assert explorer.ego_map("guides/terms.md") == drawn
    with pytest.raises(UsageError, match="no document"):
        explorer.ego_map("gone.md")


def test_a_map_is_bounded_and_counts_the_rest(tmp_path: Path) -> None:
    """A hub with 60 neighbours: 40 documents are on its map, the other 21 counted."""
    corpus = tmp_path / "guides"
    corpus.mkdir()
    (corpus / "hub.md").write_text("# Hub\n\n" + " ".join(f"[{at}](leaf-{at}.md)" for at in range(60)) + "\n")
    for at in range(60):
        (corpus / f"leaf-{at}.md").write_text(f"# Leaf {at}\n\nText.\n")
    index(corpus, tmp_path / "store", lexical_only=True)
    opened = Explorer.open(tmp_path / "store")
    try:
        drawn = opened.ego_map("hub.md")
    finally:
        opened.close()
    assert len(drawn.nodes) == MAPPED
    assert drawn.nodes[0].document.doc_id == "hub.md"
    assert drawn.more == 61 - MAPPED


def test_words_match_in_another_form_and_as_parts(explorer: Explorer) -> None:
    """As the index sees them: lanes finds lane, load finds loads; what is not there is told, stop words are not."""
    held, missing = explorer.matched_words(
        "the lane of a job queueing siding", "guides/terms.md", Span(start=0, end=80)
    )
    assert held == ("lane", "job", "queueing")
    assert missing == ("siding",)


def test_refresh_follows_a_new_generation(explorer: Explorer, corpus: Path, tmp_path: Path) -> None:
    """An open explorer answers from its generation until it is told to look for a newer one."""
    query, settings = Query(text="siding"), Settings().with_values({"expand": 0})
    before = explorer.query(query, settings)
    assert explorer.refresh() is False
    (corpus / "guides" / "siding.md").write_text("# The siding\n\nWhere loads wait that gave up.\n")
    index(corpus, tmp_path / "store")
    assert explorer.query(query, settings) == before
    assert explorer.refresh() is True
    assert explorer.query(query, settings).rows[0].document.doc_id == "guides/siding.md"


def test_a_question_without_tiers_leaves_the_memory_of_those_with_them_alone(explorer: Explorer) -> None:
    """A look aside does not make the next slider ask the stores again."""
    query, settings = Query(text="lanes"), Settings()
    first = explorer.query(query, settings)
    explorer.query(Query(text="lanes", tiered=False), settings)
    again = explorer.query(query, settings.with_values({"budget.tokens": 7_000}))
    assert [step.stage for step in again.trace.steps if not step.reused] == ["pack"]
    assert again.rows == first.rows


def test_a_store_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="nothing is indexed"):
        Explorer.open(tmp_path / "none")


def test_what_was_not_taken_as_it_is_is_told(corpus: Path, tmp_path: Path) -> None:
    """A broken head and bytes that are no text cost only themselves, and the status says so."""
    (corpus / "guides" / "broken.md").write_text("---\ntitle: [a\n---\n# Broken\n\nStill here.\n")
    (corpus / "guides" / "bytes.md").write_bytes(b"# Bytes\n\nOne \xff byte is no character.\n")
    index(corpus, tmp_path / "store", lexical_only=True)
    opened = Explorer.open(tmp_path / "store")
    status = opened.status()
    opened.close()
    assert status.documents == 4
    assert status.skipped == ()
    told = [notice.message for notice in status.notices if notice.code == "remark"]
    assert [message.partition(":")[0] for message in told] == ["guides/broken.md", "guides/bytes.md"]


def test_an_id_can_be_passed_back_as_it_was_shown(corpus: Path, tmp_path: Path) -> None:
    """A name with a line end is shown on one line; what people copy from there finds the document."""
    (corpus / "guides" / "odd\nname.md").write_text("# Odd\n\nA name of two lines.\n")
    index(corpus, tmp_path / "store", lexical_only=True)
    opened = Explorer.open(tmp_path / "store")
    extract = opened.read("guides/odd name.md")
    opened.close()
    assert extract.document.doc_id == "guides/odd\nname.md"


def test_a_log_that_cannot_be_written_is_in_the_status(corpus: Path, tmp_path: Path) -> None:
    """An app that stays open tells it there; the query was answered all the same."""
    store = tmp_path / "store"
    index(corpus, store, lexical_only=True)
    config = Config(settings=Settings(), store=store, sources={})
    explorer = Explorer.open(store, Journal(store, config, "app"))
    before = explorer.status().notices
    explorer.query(Query(text="lanes"), Settings())
    assert explorer.status().notices == before
    (page,) = query_log(store).records
    shutil.rmtree(store / "log")
    (store / "log").write_text("in the way")
    assert explorer.replay(page, Settings()).difference is not None
    assert explorer.query(Query(text="lanes"), Settings()).rows
    (said,) = set(explorer.status().notices) - set(before)
    assert said.code == "log"
    explorer.close()


def test_a_found_line_says_where_in_what_is_shown_of_it_the_pattern_is(corpus: Path, tmp_path: Path) -> None:
    """In characters, also where only a part of a line of millions is shown."""
    (corpus / "guides" / "long.md").write_text(
        "é lane, é Lane\n" + "x" * 3_000 + " lane and lane " + "y" * 3_000 + "\n"
    )
    index(corpus, tmp_path / "store", lexical_only=True)
    with closing(Explorer.open(tmp_path / "store")) as explorer:
        found = explorer.search_text(TextQuery(pattern="lane", ignore_case=True, paths=("guides/long.md",)))
    short, long = found.lines
    assert [short.text[begin:end] for begin, end in short.marks] == ["lane", "Lane"]
    assert [long.text[begin:end] for begin, end in long.marks] == ["lane", "lane"]
    assert not long.text_is_whole


def test_a_search_that_is_cancelled_ends_as_if_its_time_were_over(explorer: Explorer) -> None:
    query = TextQuery(pattern="lanes")
    asked: list[None] = []

    def after_the_first() -> bool:
        asked.append(None)
        return len(asked) > 1

    found = explorer.search_text(query, cancelled=after_the_first)
    assert found.total_relation == "gte"
    assert {line.path for line in found.lines} == {"guides/lanes.md"}
    with pytest.raises(RetrievalFailed):
        explorer.search_text(query, cancelled=lambda: True)


def test_documents_go_by_parts_of_their_names(explorer: Explorer) -> None:
    assert [document.doc_id for document in explorer.named("GUIDE-1", 9)] == ["guides/lanes.md"]
    assert [document.doc_id for document in explorer.named("terms", 9)] == ["guides/terms.md"]
