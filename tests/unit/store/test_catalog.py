"""The catalogue: what was written comes back, keys are kept and never reused, caps hold, filters hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from kbtui.errors import StoreError
from kbtui.model import FileStat, Filters, Skipped, SourceFile, TypeCount
from kbtui.store.catalog import Catalog
from kbtui.store.catalog_writer import CatalogWriter, Counted, Written
from kbtui.store.graph import neighbourhood
from kbtui.store.schema import connect_to_write
from tests.unit.store.fakes import FakeSource

Write = Callable[[dict[str, str]], dict[str, Written]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write these files' contents into the catalogue (on top of what it holds) and finish it."""

    def _write(files: dict[str, str]) -> dict[str, Written]:
        source, writer = FakeSource(), CatalogWriter(tmp_path / "catalog.sqlite")
        written = {}
        for name, content in files.items():
            path = tmp_path / "corpus" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
            stat = FileStat(path=name, size_bytes=len(content.encode()), mtime_ns=path.stat().st_mtime_ns)
            read = source.read(tmp_path / "corpus", stat)
            assert isinstance(read, SourceFile)
            tokens = tuple(len(chunk.text.split()) for chunk in read.chunks)
            written[name] = writer.put(Counted(read, stat, sum(tokens), tokens))
        writer.finish()
        return written

    return _write


@pytest.fixture
def catalog(tmp_path: Path, write: Write) -> Iterator[Catalog]:
    """Five documents: two decisions of which one replaces the other, a guide, a ticket, an archived guide."""
    write(
        {
            "decision/adr-1.md": "id: ADR-1\ntitle: Fixed delay\nold text\n\nmore",
            "decision/adr-2.md": "id: ADR-2\ntitle: Backoff\nsupersedes: adr-1\nrelated: #7\nnew text",
            "guide/retry.md": "title: Retry\nlink: ../decision/adr-2.md\nrelated: adr-99\nHow to retry.\n\n \n\nEnd.",
            "guide/old.md": "title: Old\nstatus: archived\nGone.",
            "ticket/issue-7.md": "title: It breaks\nwikilink: Retry\nmention: #8\nHelp.",
        }
    )
    with closing(Catalog(tmp_path / "catalog.sqlite", {"decision": 2})) as opened:
        yield opened


def edge_set(catalog: Catalog, *doc_ids: str, cap: int = 9) -> set[tuple[str, str, str]]:
    return {(edge.source, edge.kind, edge.target) for edge in catalog.edges(doc_ids, cap)}


def test_documents_come_in_the_order_asked_for(catalog: Catalog) -> None:
    """Order is the caller's, an unknown id is left out."""
    found = catalog.documents(("ticket/issue-7.md", "nowhere.md", "decision/adr-1.md"))
    assert [document.doc_id for document in found] == ["ticket/issue-7.md", "decision/adr-1.md"]
    assert found[1].aliases == ("ADR-1",)
    assert found[0].source_type == "ticket"


def test_passages_tile_the_file_and_their_texts_are_the_document(catalog: Catalog, tmp_path: Path) -> None:
    """Spans are consecutive from 0 to the file's size, and the texts joined are the file."""
    entries = catalog.passages("guide/retry.md")
    content = (tmp_path / "corpus/guide/retry.md").read_text()
    assert [entry.span.start for entry in entries] == [0, *(entry.span.end for entry in entries[:-1])]
    assert entries[-1].span.end == len(content.encode())
    assert "".join(catalog.texts(entry.chunk_id for entry in entries)) == content
    assert [entry.searchable for entry in entries] == [False, True, False, True]


def test_an_unknown_passage_is_an_error(catalog: Catalog) -> None:
    """A text that is not there is never an empty text."""
    with pytest.raises(StoreError, match="no passage"):
        catalog.texts(("guide/retry.md#99",))


def test_inventory_and_coverage_count_what_is_there(catalog: Catalog) -> None:
    """Documents by type; searchable passages: 2 + 1 of decisions (2 embedded), 2 + 1 of guides, 1 of tickets."""
    assert catalog.inventory() == (
        TypeCount(source_type="decision", documents=2),
        TypeCount(source_type="guide", documents=2),
        TypeCount(source_type="ticket", documents=1),
    )
    assert catalog.coverage() == (2, (2 + 1) + (2 + 1) + 1)
    assert {one.source_type: one.tier for one in catalog.type_status()} == {
        "decision": "primary",
        "guide": "primary",
        "ticket": "historical",
    }


def test_relations_resolve_by_id_path_number_and_name(catalog: Catalog) -> None:
    """Each form finds its document, whatever the case of the name."""
    assert edge_set(catalog, "decision/adr-2.md") == {
        ("decision/adr-2.md", "supersedes", "decision/adr-1.md"),
        ("decision/adr-2.md", "related", "ticket/issue-7.md"),
        ("guide/retry.md", "link", "decision/adr-2.md"),
    }
    assert ("ticket/issue-7.md", "wikilink", "guide/retry.md") in edge_set(catalog, "guide/retry.md")


def test_dangling_relations_are_kept_and_say_so(catalog: Catalog) -> None:
    """An id and a number that no document has: kept as written, counted."""
    dangling = {edge.target for edge in catalog.edges(("guide/retry.md", "ticket/issue-7.md"), 9) if edge.dangling}
    assert dangling == {"adr-99", "8"}
    assert catalog.relation_counts() == (6, 2)
    assert catalog.degrees("guide/retry.md") == (2, 1)


def test_the_older_one_is_superseded(catalog: Catalog) -> None:
    """`supersedes` in the newer document marks the older one, and only it."""
    flags = {d.doc_id: d.superseded for d in catalog.documents(("decision/adr-1.md", "decision/adr-2.md"))}
    assert flags == {"decision/adr-1.md": True, "decision/adr-2.md": False}


def test_the_cap_bounds_each_direction_and_keeps_the_strongest(tmp_path: Path, write: Write) -> None:
    """A hub with 300 incoming links shows cap of them, the successor first."""
    files = {"guide/hub.md": "title: Hub\nHub."}
    files |= {f"guide/a{n:03}.md": f"title: A {n}\nlink: hub.md\nText." for n in range(300)}
    files["guide/z.md"] = "title: Z\nsupersedes: guide/hub.md\nText."
    write(files)
    with closing(Catalog(tmp_path / "catalog.sqlite", {})) as catalog:
        shown = catalog.edges(("guide/hub.md",), 5)
        assert len(shown) == 5
        assert shown[0].source == "guide/z.md"
        assert catalog.degrees("guide/hub.md") == (0, 301)


def test_only_relations_that_touch_a_seed_when_asked_so(catalog: Catalog) -> None:
    """Of the candidates' relations those that have the seed at an end, whichever; the cap is the candidate's."""
    around = catalog.edges(
        ("decision/adr-2.md", "guide/retry.md", "ticket/issue-7.md"), 9, touching=("guide/retry.md",)
    )
    assert {(edge.source, edge.target) for edge in around} == {
        ("guide/retry.md", "adr-99"),
        ("guide/retry.md", "decision/adr-2.md"),
        ("ticket/issue-7.md", "guide/retry.md"),
    }
    assert catalog.edges(("decision/adr-1.md",), 9, touching=()) == ()


def with_hub(path: Path, write: Write, links: int) -> Catalog:
    """A guide that 40 documents link to, again and again, and that links to them as often."""
    others = [f"guide/a{n:02}.md" for n in range(40)]
    write({"guide/hub.md": "title: Hub\nHub."} | {name: f"title: {name}\nText." for name in others})
    with closing(connect_to_write(path)) as connection:
        docs = dict(connection.execute("SELECT doc_id, doc FROM document"))
        hub = docs.pop("guide/hub.md")
        numbers = list(docs.values())
        for rank in range(links):
            other = numbers[rank % len(numbers)]
            own = rank // len(numbers)  # the other's place for the same relation
            rows = [(hub, other, "hub", "link", rank, own), (other, hub, "other", "link", own, rank)]
            connection.executemany("INSERT INTO edge VALUES (?, ?, ?, ?, ?, ?)", rows)
        connection.execute("COMMIT")
    return Catalog(path, {})


def steps_taken(catalog: Catalog, work: Callable[[], object]) -> int:
    """Count what SQLite's machine does, instruction by instruction."""
    taken = [0]

    def step() -> int:
        taken[0] += 1
        return 0

    with catalog._connection() as connection:
        connection.set_progress_handler(step, 1)
    work()
    with catalog._connection() as connection:
        connection.set_progress_handler(None, 1)
    return taken[0]


def test_a_hub_of_50_000_links_costs_no_more_than_one_of_50(tmp_path: Path, write: Write) -> None:
    """Neither as a seed, nor as one candidate among others, nor when its neighbours are listed and the rest counted."""
    hub, others = "guide/hub.md", tuple(f"guide/a{n:02}.md" for n in range(5))
    taken = {}
    for links in (50, 50_000):
        path = tmp_path / "catalog.sqlite"
        path.unlink(missing_ok=True)
        with closing(with_hub(path, write, links)) as catalog:
            assert catalog.degrees(hub) == (links, links)
            assert len(neighbourhood(catalog, hub, 1, 20).neighbours) == 40
            assert neighbourhood(catalog, hub, 1, 20).hidden == 2 * (links - 20)
            taken[links] = (
                steps_taken(catalog, partial(catalog.edges, (hub,), 20, touching=(hub,))),
                steps_taken(catalog, partial(catalog.edges, (hub, others[0]), 1, touching=others)),
                steps_taken(catalog, partial(catalog.degrees, hub)),
                steps_taken(catalog, partial(neighbourhood, catalog, hub, 1, 20)),
            )
    assert taken[50] == taken[50_000]
    assert min(taken[50]) > 0


def test_filters_exclude(catalog: Catalog) -> None:
    """Archived always; path patterns and statuses only when asked for."""
    numbers = {file.path: file.doc for file in catalog.text_files()}
    retry, old, issue = (numbers[path] for path in ("guide/retry.md", "guide/old.md", "ticket/issue-7.md"))
    everything = (retry, old, issue)
    assert catalog.failing(Filters(), everything) == {old}
    assert catalog.failing(Filters(inactive=True), everything) == {old}
    assert catalog.failing(Filters(paths=("guide/*",)), everything) == {old, issue}
    assert catalog.failing(Filters(statuses=("open",)), everything) == set(everything)


def test_places_say_where_passages_are(catalog: Catalog) -> None:
    """Each one that retrievers can match by its key; a key that was never given has no place and no type."""
    places = catalog.places()
    entries = catalog.entries(places.keys.tolist())
    paths = {file.doc: file.path for file in catalog.text_files()}
    assert entries
    assert all(entry.searchable for entry in entries.values())
    assert [paths[doc] for doc in places.docs] == [entry.doc_id for entry in entries.values()]
    assert places.ordinals.tolist() == [entry.ordinal for entry in entries.values()]
    asked = np.array([places.keys[-1], 999, places.keys[0], 0])
    assert places.rows(asked).tolist() == [len(entries) - 1, -1, 0, -1]
    assert [places.types[kind] for kind in places.kinds_of(places.keys)] == [
        entry.doc_id.partition("/")[0] for entry in entries.values()
    ]
    assert places.kinds_of(asked).tolist()[1::2] == [-1, -1]
    assert [places.types[kind] for kind in places.kinds_named(("guide", "nothing", "decision"))] == [
        "guide",
        "decision",
    ]


def test_an_empty_catalogue_has_no_places(tmp_path: Path, write: Write) -> None:
    write({})
    with closing(Catalog(tmp_path / "catalog.sqlite", {})) as opened:
        assert opened.places().rows(np.array([1, 2])).tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("name", "doc_id"),
    [
        ("decision/adr-1.md", "decision/adr-1.md"),
        ("./decision/adr-1.md", "decision/adr-1.md"),
        ("adr-1", "decision/adr-1.md"),
        ("RETRY", "guide/retry.md"),
        ("nothing", None),
    ],
)
def test_names_resolve(catalog: Catalog, name: str, doc_id: str | None) -> None:
    """By path, by alias in any case, by a title that is its own; else None."""
    assert catalog.resolve(name) == doc_id


def test_a_title_of_two_documents_names_neither(tmp_path: Path, write: Write) -> None:
    """An ambiguous title is refused; an alias of two goes to the first and is reported."""
    write({"guide/a.md": "id: X\ntitle: Same\nA.", "guide/b.md": "id: X\ntitle: Same\nB."})
    with closing(Catalog(tmp_path / "catalog.sqlite", {})) as catalog:
        assert catalog.resolve("same") is None
        assert catalog.resolve("x") == "guide/a.md"
        assert catalog.shared_aliases() == (("x", ("guide/a.md", "guide/b.md")),)


def test_an_unchanged_passage_keeps_its_key(write: Write) -> None:
    """A paragraph added in front leaves the keys of the others; the new one has a key never used."""
    first = write({"guide/a.md": "One.\n\nTwo.\n\nThree."})["guide/a.md"]
    second = write({"guide/a.md": "Zero.\n\nOne.\n\nTwo.\n\nThree."})["guide/a.md"]
    assert second.before == first.keys
    assert second.keys[1:] == first.keys
    assert second.keys[0] > max(first.keys)


def test_keys_are_never_reused(write: Write) -> None:
    """Text that went and came back has a new key: rows of the old one in an index stay dead."""
    first = write({"guide/a.md": "One.\n\nTwo."})["guide/a.md"].keys
    second = write({"guide/a.md": "One.\n\nOther."})["guide/a.md"].keys
    third = write({"guide/a.md": "One.\n\nTwo."})["guide/a.md"].keys
    assert first[0] == second[0] == third[0]
    assert len({first[1], second[1], third[1]}) == 3


def test_stale_keys_match_nothing(tmp_path: Path, write: Write) -> None:
    """Only keys that the catalogue has come back as entries."""
    first = write({"guide/a.md": "One.\n\nTwo."})["guide/a.md"].keys
    write({"guide/a.md": "One."})
    with closing(Catalog(tmp_path / "catalog.sqlite", {})) as catalog:
        found = catalog.entries((*first, 10**6))
    assert [entry.chunk_id for entry in found.values()] == ["guide/a.md#0"]


def test_documents_are_found_by_parts_of_their_names(tmp_path: Path, write: Write) -> None:
    """Every word, whatever its case; an id that holds the whole comes first, short before long."""
    write(
        {
            "guide/retry.md": "# Backoff\n",
            "guide/long/retry.md": "# Other\n",
            "guide/back.md": "# All of retry\n",
            "guide/100%.md": "# Nothing\n",
        }
    )
    with closing(Catalog(tmp_path / "catalog.sqlite", {})) as catalog:
        for words, ids in (
            ("Retry", ["guide/retry.md", "guide/long/retry.md"]),
            ("RETRY long", ["guide/long/retry.md"]),
            ("./guide/back", ["guide/back.md"]),
            ("%", ["guide/100%.md"]),
            ("zebra", []),
        ):
            assert [document.doc_id for document in catalog.named(words, 9)] == ids
        assert len(catalog.named("guide", 2)) == 2


def test_skipped_files_are_kept_with_their_reasons(tmp_path: Path) -> None:
    """The last list replaces the one before; only a file that was opened has a stat."""
    opened = Skipped(path="b", reason="binary"), FileStat(path="b", size_bytes=3, mtime_ns=4)
    unopened = Skipped(path="a", reason="too large", detail="9 MB"), None
    writer = CatalogWriter(tmp_path / "catalog.sqlite")
    writer.replace_skipped([(Skipped(path="c", reason="gone"), None)])
    writer.replace_skipped([opened, unopened])
    writer.finish()
    with closing(Catalog(tmp_path / "catalog.sqlite", {})) as catalog:
        assert catalog.skipped_files() == (unopened, opened)
        assert catalog.skipped() == (unopened[0], opened[0])
        assert catalog.document_files() == {}


def test_threads_read_at_once(catalog: Catalog) -> None:
    """Eight threads get the same rows."""
    with ThreadPoolExecutor(8) as pool:
        results = set(pool.map(lambda _: catalog.passages("guide/retry.md"), range(64)))
    assert len(results) == 1


def test_a_file_that_is_no_catalogue_is_a_store_error(tmp_path: Path) -> None:
    """Damage is named, with the command that repairs it."""
    (tmp_path / "catalog.sqlite").write_bytes(b"nonsense" * 1000)
    with pytest.raises(StoreError, match="cannot be read") as caught:
        Catalog(tmp_path / "catalog.sqlite", {})
    assert "--rebuild" in caught.value.hint
