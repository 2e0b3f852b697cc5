"""Builds: only what changed is done, and every generation is whole in itself."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from kbtui.errors import SourceError, StoreError
from kbtui.model import FileStat, Skipped, SourceFile
from kbtui.store.generation import OpenGeneration, Store
from kbtui.store.manifest import Manifest
from kbtui.store.writing import StoreWriter
from tests.unit.store.conftest import Workshop

FILES = {
    "guide/retry.md": "title: Retry\nlink: lease.md\nRetry doubles.\n\nIt has jitter.\n\nIt gives up.",
    "guide/lease.md": "title: Lease\nA lease is renewed.\n\nA lease ends.",
    "ticket/issue-1.md": "title: It breaks\nRetry never stops.\n\nReally never.",
    "ticket/odd.bin": "binary \x00",
    "ticket/logo.skip": "",
}
PASSAGES = {"guide": 3 + 2, "ticket": 2}


@pytest.fixture
def built(workshop: Workshop) -> Workshop:
    """The corpus above, indexed."""
    workshop.write(FILES)
    workshop.build()
    return workshop


def words_found(opened: OpenGeneration, text: str) -> set[str]:
    keys = [key for key, _ in opened.lexical.search(text, None, 100)]
    return {entry.chunk_id for entry in opened.catalog.entries(keys).values()}


def nearest(workshop: Workshop, opened: OpenGeneration, heading: str, text: str) -> str:
    """Return the passage whose vector is the one of this text."""
    found = opened.vectors.search(workshop.embedder.embed_query(f"{heading}\n\n{text}"), 20)
    hits = sorted(((score, key) for hits in found.values() for key, score in hits), reverse=True)
    entries = opened.catalog.entries([key for _, key in hits])
    score, key = next(hit for hit in hits if hit[1] in entries)
    assert score == pytest.approx(1.0, abs=1e-5)
    return entries[key].chunk_id


def test_a_first_index_holds_everything(built: Workshop) -> None:
    """Catalogue, words and vectors agree; skipped files are counted with their reasons."""
    with closing(built.store.open()) as opened:
        status = opened.status()
        assert (status.documents, status.chunks, status.embedded) == (3, sum(PASSAGES.values()), sum(PASSAGES.values()))
        assert {one.source_type: one.chunks for one in status.types} == PASSAGES
        assert [(one.path, one.reason) for one in status.skipped] == [
            ("ticket/logo.skip", "unknown extension"),
            ("ticket/odd.bin", "binary"),
        ]
        assert words_found(opened, "jitter") == {"guide/retry.md#2"}
        assert nearest(built, opened, "Retry", "It has jitter.") == "guide/retry.md#2"
        assert status.corpus == str(built.corpus)


def test_a_first_index_is_published_thrice(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    """By words first, then with the primary tier (guides) embedded, then whole."""
    seen: list[dict[str, int]] = []
    publish = StoreWriter.publish

    def watched(self: StoreWriter, manifest: Manifest) -> None:
        publish(self, manifest)
        with closing(workshop.store.open()) as opened:
            seen.append({one.source_type: one.embedded for one in opened.catalog.type_status()})

    monkeypatch.setattr(StoreWriter, "publish", watched)
    workshop.write(FILES)
    report = workshop.build()
    assert seen == [{"guide": 0, "ticket": 0}, {"guide": 5, "ticket": 0}, {"guide": 5, "ticket": 2}]
    assert report.generation == "000003"
    workshop.write({"guide/lease.md": "title: Lease\nAll new.", "ticket/issue-2.md": "title: New\nNew."})
    workshop.build()
    assert len(seen) == 4  # a later one only once


def test_a_second_run_does_nothing(built: Workshop) -> None:
    """No file is opened, nothing embedded, nothing published."""
    generation = built.store.current()
    report = built.build()
    assert built.source.opened == []
    assert built.embedder.embedded == []
    assert (report.added, report.changed, report.removed, report.embedded, report.pending) == (0, 0, 0, 0, 0)
    assert report.generation == built.store.current() == generation
    assert report.documents == 3
    assert len(report.skipped) == 2


def test_only_a_changed_file_is_read_and_only_its_new_passage_embedded(built: Workshop) -> None:
    """One paragraph changed of three: one file opened, one text embedded, and the old text is not found any more."""
    built.write({"guide/retry.md": FILES["guide/retry.md"].replace("It has jitter.", "It has none.")})
    report = built.build()
    assert built.source.opened == ["guide/retry.md"]
    assert built.embedder.embedded == ["Retry\n\nIt has none."]
    assert (report.changed, report.embedded, report.from_cache, report.pending) == (1, 1, 0, 0)
    with closing(built.store.open()) as opened:
        assert words_found(opened, "jitter") == set()
        assert nearest(built, opened, "Retry", "It has none.") == "guide/retry.md#2"
        assert nearest(built, opened, "Retry", "It gives up.") == "guide/retry.md#3"


def test_a_changed_passage_of_a_large_type_goes_to_a_delta(workshop: Workshop) -> None:
    """One new passage among 40 leaves the base as it is; eight pass a tenth of it and make a new base."""
    workshop.write({f"guide/{n:02}.md": f"title: G{n}\nText {n}." for n in range(40)})
    workshop.build()
    bases, deltas = [], []
    for changed in (range(1), range(1, 3), range(3, 8)):
        workshop.write({f"guide/{n:02}.md": f"title: G{n}\nOther {n}." for n in changed})
        workshop.build()
        assert len(workshop.embedder.embedded) == len(changed)
        with closing(workshop.store.open()) as opened:
            (vectors,) = opened.manifest.vectors
            bases.append(vectors.base.name)
            deltas.append(vectors.delta.rows if vectors.delta else 0)
            assert opened.catalog.coverage() == (40, 40)
            for n in changed:
                assert nearest(workshop, opened, f"G{n}", f"Other {n}.") == f"guide/{n:02}.md#1"
    assert bases[0] == bases[1] != bases[2]
    assert deltas == [1, 1 + 2, 0]


def test_a_removed_file_is_gone(built: Workshop) -> None:
    """No words, no vectors, no row; relations to it dangle."""
    (built.corpus / "guide/lease.md").unlink()
    report = built.build()
    assert report.removed == 1
    with closing(built.store.open()) as opened:
        assert opened.catalog.documents(("guide/lease.md",)) == ()
        assert words_found(opened, "lease") == set()
        assert opened.catalog.coverage() == (5, 5)
        assert [edge.dangling for edge in opened.catalog.edges(("guide/retry.md",), 9)] == [True]


def test_a_moved_file_is_embedded_from_the_cache(built: Workshop) -> None:
    """The same passages under another path and type: nothing is computed."""
    (built.corpus / "blog").mkdir()
    (built.corpus / "guide/lease.md").rename(built.corpus / "blog/lease.md")
    report = built.build()
    assert built.embedder.embedded == []
    assert (report.added, report.removed, report.embedded, report.from_cache) == (1, 1, 0, 2)
    with closing(built.store.open()) as opened:
        assert nearest(built, opened, "Lease", "A lease ends.") == "blog/lease.md#2"


def test_a_file_that_turns_binary_is_skipped(built: Workshop) -> None:
    """A document that cannot be read any more leaves, with a reason; it comes back when it is text again."""
    built.write({"guide/lease.md": "binary now"})
    built.build()
    with closing(built.store.open()) as opened:
        assert words_found(opened, "lease") == set()
        assert "guide/lease.md" in {one.path for one in opened.catalog.skipped()}
    built.write({"guide/lease.md": FILES["guide/lease.md"]})
    built.build()
    with closing(built.store.open()) as opened:
        assert words_found(opened, "lease") == {"guide/lease.md#1", "guide/lease.md#2"}
        assert len(opened.catalog.skipped()) == 2


def test_a_skipped_file_is_not_opened_again(built: Workshop) -> None:
    """Neither when nothing changed nor when another file did."""
    built.write({"guide/new.md": "New."})
    built.build()
    assert built.source.opened == ["guide/new.md"]


def test_a_reader_that_fails_costs_one_file(built: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its exception is the reason; the others are indexed."""

    def read(root: Path, stat: FileStat) -> SourceFile | Skipped:
        raise RecursionError("too deep")

    built.write({"guide/new.md": "New."})
    monkeypatch.setattr(built.source, "read", read)
    built.build()
    with closing(built.store.open()) as opened:
        reasons = {one.path: f"{one.reason}: {one.detail}" for one in opened.catalog.skipped()}
        assert reasons["guide/new.md"] == "cannot be read: RecursionError: too deep"
        assert opened.status().documents == 3


def test_a_file_name_that_is_not_text_is_skipped(built: Workshop) -> None:
    """A name with bytes that are no UTF-8 is counted, not fatal."""
    (Path(os.fsdecode(os.fsencode(built.corpus) + b"/guide/bad\xff.md"))).write_text("Text.")
    built.build()
    with closing(built.store.open()) as opened:
        assert ("guide/bad\\udcff.md", "the file name is not UTF-8") in {
            (one.path, one.reason) for one in opened.catalog.skipped()
        }


def test_words_only_then_meaning(workshop: Workshop) -> None:
    """`lexical_only` embeds nothing and says what is pending; the next build embeds it without reading anything."""
    workshop.write(FILES)
    report = workshop.build(lexical_only=True)
    assert (report.pending, report.generation, workshop.embedder.embedded) == (7, "000001", [])
    with closing(workshop.store.open()) as opened:
        assert [notice.code for notice in opened.status().notices] == ["partial_index"]
    report = workshop.build()
    assert workshop.source.opened == []
    assert (report.embedded, report.pending) == (7, 0)


def test_words_only_after_a_change_keeps_the_vectors_there_are(built: Workshop) -> None:
    """One changed passage is pending; the six others still have their vectors."""
    built.write({"guide/retry.md": FILES["guide/retry.md"].replace("It has jitter.", "It has none.")})
    assert built.build(lexical_only=True).pending == 1
    with closing(built.store.open()) as opened:
        assert opened.catalog.coverage() == (6, 7)
        assert nearest(built, opened, "Retry", "It gives up.") == "guide/retry.md#3"


def test_a_rebuild_reads_everything_and_embeds_nothing(built: Workshop) -> None:
    """What is known by text is not computed again, and one publication ends it."""
    report = built.build(rebuild=True)
    assert len(built.source.opened) == 4
    assert built.embedder.embedded == []
    assert (report.generation, report.pending) == ("000004", 0)


def test_another_model_embeds_everything_again(built: Workshop) -> None:
    """Vectors of another model do not compare; the texts are not read again."""
    built.embedder.name = "other/8"
    report = built.build()
    assert built.source.opened == []
    assert (report.embedded, report.pending) == (7, 0)
    with closing(built.store.open()) as opened:
        assert opened.manifest.embedder == "other/8"


def test_equal_passages_are_embedded_once(workshop: Workshop) -> None:
    """Three documents with the same heading and text: one computation, three vectors."""
    workshop.write({f"guide/{n}.md": "title: Same\nThe same words." for n in range(3)})
    report = workshop.build()
    assert len(workshop.embedder.embedded) == 1
    assert (report.embedded, report.from_cache, report.pending) == (1, 2, 0)


def test_an_empty_corpus_is_a_store_with_nothing_in_it(workshop: Workshop) -> None:
    """It can be opened and asked."""
    report = workshop.build()
    assert (report.documents, report.chunks, report.pending) == (0, 0, 0)
    with closing(workshop.store.open()) as opened:
        assert opened.lexical.search("anything", None, 5).keys.tolist() == []
        assert opened.vectors.search(workshop.embedder.embed_query("x"), 5) == {}
    assert workshop.build().generation == report.generation


def test_a_store_inside_its_corpus_is_not_indexed_and_moves_with_it(
    workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own files are no documents, and after a move of both nothing is read again."""
    workshop.store = Store(workshop.corpus / "my-store")
    workshop.write(FILES)
    workshop.build()
    report = workshop.build()
    assert (report.documents, workshop.source.opened) == (3, [])
    workshop.corpus = workshop.corpus.rename(tmp_path / "moved")
    workshop.store = Store(workshop.corpus / "my-store")
    workshop.build()
    assert workshop.source.opened == []
    with closing(workshop.store.open()) as opened:
        assert opened.corpus == workshop.corpus


def test_a_corpus_that_moved_is_followed(built: Workshop, tmp_path: Path) -> None:
    """Nothing is read again; the store knows the new place."""
    built.corpus = built.corpus.rename(tmp_path / "moved")
    report = built.build()
    assert (built.source.opened, report.documents, report.pending) == ([], 3, 0)
    with closing(built.store.open()) as opened:
        assert opened.corpus == built.corpus
    assert built.build().generation == report.generation


def test_another_corpus_is_refused(built: Workshop, tmp_path: Path) -> None:
    """Indexing another folder into the same store would replace all of it; only a rebuild does that."""
    built.corpus = tmp_path / "other"
    built.write({"guide/x.md": "X."})
    with pytest.raises(StoreError, match="holds the documents of") as caught:
        built.build()
    assert "--rebuild" in caught.value.hint
    assert built.build(rebuild=True).documents == 1


def test_a_corpus_that_is_not_there_is_a_source_error(workshop: Workshop, tmp_path: Path) -> None:
    """And no store is made for it."""
    workshop.corpus = tmp_path / "nowhere"
    with pytest.raises(SourceError):
        workshop.build()
    assert not workshop.store.path.exists()


@pytest.mark.parametrize("stage", ["scan", "read", "relate", "embed", "publish"])
def test_cancelling_keeps_the_last_generation_and_what_was_embedded(built: Workshop, stage: str) -> None:
    """Cancelled in any stage: the same generation as before; afterwards the build ends as if nothing had been."""
    before = built.store.current()
    built.write({"guide/lease.md": "title: Lease\nAll new."})

    def cancelled() -> bool:
        return any(step.stage == stage for step in built.progress)

    report = built.build(cancelled=cancelled)
    if stage != "publish":  # the last step: there is nothing left to cancel
        assert report.generation == built.store.current() == before
        assert (report.added, report.changed) == (0, 0)
    assert built.build().pending == 0
    with closing(built.store.open()) as opened:
        assert words_found(opened, "new") == {"guide/lease.md#1"}


def test_progress_has_an_end(built: Workshop) -> None:
    """Each stage reports, and reading and embedding end at their totals."""
    built.write({"guide/lease.md": "title: Lease\nAll new.\n\nAnd more."})
    built.build()
    last = {step.stage: (step.done, step.total) for step in built.progress}
    assert set(last) == {"scan", "read", "relate", "embed", "write", "publish"}
    assert (last["read"], last["embed"]) == ((1, 1), (2, 2))


def test_a_later_day_is_a_new_generation_of_the_same_parts(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ages are those of the day of the build: with no file changed, nothing is read, embedded or written anew."""
    workshop.write({"guide/a.md": "title: A\nreview_by: 1970-01-03\nText."})
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(86_400))
    first = workshop.build().generation
    assert workshop.build().generation == first
    with closing(workshop.store.open()) as opened:
        parts, day = tuple(opened.manifest.parts), opened.manifest.day
        (document,) = opened.catalog.documents(("guide/a.md",))
    assert (day, document.age.overdue) == ("1970-01-02", -1)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(3 * 86_400))
    report = workshop.build()
    assert (report.generation != first, report.changed, report.embedded, workshop.source.opened) == (True, 0, 0, [])
    with closing(workshop.store.open()) as opened:
        assert tuple(opened.manifest.parts) == parts
        (document,) = opened.catalog.documents(("guide/a.md",))
    assert document.age.overdue == 1
