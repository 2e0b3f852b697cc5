"""The tantivy door: passages by their words (BM25).

A query is taken literally: its words are looked up, nothing in it is syntax. Words are stemmed; parts
of camelCase names and single CJK characters are found through a field of their own.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from kbtui.store.faults import mapped
from kbtui.store.ranking import Ranking, ranked
from kbtui.text import QUERY_WORDS, words

if TYPE_CHECKING:
    import tantivy

WEIGHTS = (("body", 1.0), ("parts", 0.5), ("title", 0.1), ("heading", 0.5), ("path", 0.1))
"""Field by field what a match counts. Title, heading and path repeat in every passage, so they weigh less."""

PARTS = r"[A-Z]*[a-z]+|[A-Z]+|[0-9]+|[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]"
LONGEST_WORD = 64
DELETED_AT_ONCE = 1000
HEAP_BYTES = 100_000_000
LOCKS = (".tantivy-meta.lock", ".tantivy-writer.lock")
"""Files that readers and the writer make; they are no part of the index."""


@dataclass(frozen=True, slots=True)
class LexicalRow:
    """A passage as the index takes it."""

    key: int
    source_type: str
    title: str
    heading: tuple[str, ...]
    path: str
    text: str


class Lexical:
    """A finished index, open for reading. Safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        import tantivy

        self._name = folder.name
        with mapped(f"the lexical index {self._name} cannot be opened"):
            self._index = _with_analyzers(tantivy.Index.open(str(folder)))
            self._index.config_reader("manual")
            self._searcher = self._index.searcher()

    @property
    def rows(self) -> int:
        """How many passages the index holds."""
        return int(self._searcher.num_docs)

    def search(self, text: str, source_types: tuple[str, ...] | None, n: int) -> Ranking:
        """Return the best ``n`` passages of these types (None: all).

        Errors: StoreError when the index cannot be read.
        """
        import numpy as np

        with mapped(f"the lexical index {self._name} cannot be searched"):
            query = self._query(text, source_types)
            hits = self._searcher.search(query, limit=max(1, n), count=False).hits if query and n > 0 else []
            keys = self._searcher.fast_field_values("key", [address for _, address in hits])
            return ranked(np.array(keys, np.int64), np.array([score for score, _ in hits], np.float64))

    def _query(self, text: str, source_types: tuple[str, ...] | None) -> tantivy.Query | None:
        """Return any-of over all words and fields, or None when the text has no word."""
        from tantivy import Occur, Query

        schema = self._index.schema
        terms = _terms(text)
        matches = [
            (Occur.Should, Query.boost_query(Query.term_query(schema, field, term, "freq"), weight))
            for field, weight in WEIGHTS
            for term in terms.get(field, terms["body"])
        ]
        if not matches:
            return None
        anything = Query.boolean_query(matches)
        if source_types is None:
            return anything
        of_types = Query.const_score_query(Query.term_set_query(schema, "type", list(source_types)), 0.0)
        return Query.boolean_query([(Occur.Must, anything), (Occur.Must, of_types)])


class LexicalWriter:
    """Writes a new index, or the changes into a copy of one. Nothing is readable before `commit`."""

    def __init__(self, folder: Path, copy_of: Path | None = None) -> None:
        import tantivy

        with mapped("the lexical index cannot be written"):
            if copy_of is None:
                folder.mkdir(parents=True)
                index = tantivy.Index(_schema(), path=str(folder))
            else:
                _link(copy_of, folder)
                index = tantivy.Index.open(str(folder))
            self._schema = index.schema
            # One thread keeps passages in the order they were added, which settles ties at a cut.
            self._writer = _with_analyzers(index).writer(heap_size=HEAP_BYTES, num_threads=1)

    def add(self, rows: Iterable[LexicalRow]) -> None:
        """Take these passages in."""
        from tantivy import Document

        with mapped("the lexical index cannot be written"):
            for row in rows:
                document = Document()
                document.add_unsigned("key", row.key)
                document.add_text("type", row.source_type)
                document.add_text("title", row.title)
                document.add_text("heading", "\n".join(row.heading))
                document.add_text("path", row.path)
                document.add_text("body", row.text)
                document.add_text("parts", row.text)
                self._writer.add_document(document)

    def delete(self, keys: Iterable[int]) -> None:
        """Take these passages out; only those added before this call are meant."""
        from tantivy import Query

        with mapped("the lexical index cannot be written"):
            given = sorted(keys)
            for start in range(0, len(given), DELETED_AT_ONCE):
                some = Query.term_set_query(self._schema, "key", given[start : start + DELETED_AT_ONCE])
                self._writer.delete_documents_by_query(some)  # by term, tantivy 0.27 misses whole numbers

    def commit(self) -> None:
        """Write everything down and let the folder go."""
        with mapped("the lexical index cannot be written"):
            self._writer.commit()
            self._writer.wait_merging_threads()


def _link(source: Path, target: Path) -> None:
    """Copy an index: its segments never change, so they are linked; only the lists of them are copied."""
    target.mkdir(parents=True)
    for path in source.iterdir():
        if path.name in LOCKS:
            continue
        if path.suffix == ".json":
            shutil.copyfile(path, target / path.name)
        else:
            os.link(path, target / path.name)


def _schema() -> tantivy.Schema:
    import tantivy

    builder = tantivy.SchemaBuilder().add_unsigned_field("key", fast=True, indexed=True)
    builder = builder.add_text_field("type", tokenizer_name="raw", index_option="basic")
    for field, _ in WEIGHTS:
        name = "parts" if field == "parts" else "words"
        builder = builder.add_text_field(field, tokenizer_name=name, index_option="freq")
    return builder.build()


def _with_analyzers(index: tantivy.Index) -> tantivy.Index:
    index.register_tokenizer("words", _words())
    index.register_tokenizer("parts", _parts())
    return index


def holds(passage: str, asked: tuple[str, ...]) -> frozenset[str]:
    """Return those of the words that a passage holds, by the analyzers of the index: in another form, or as a part."""
    analyzers = (_words(), _parts())
    stems = {stem for analyzer in analyzers for stem in analyzer.analyze(passage)}
    return frozenset(word for word in asked if any(stems.intersection(one.analyze(word)) for one in analyzers))


def _words() -> tantivy.TextAnalyzer:
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    builder = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.remove_long(LONGEST_WORD))
    return builder.filter(Filter.lowercase()).filter(Filter.ascii_fold()).filter(Filter.stemmer("english")).build()


def _parts() -> tantivy.TextAnalyzer:
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    builder = TextAnalyzerBuilder(Tokenizer.regex(PARTS)).filter(Filter.remove_long(LONGEST_WORD))
    return builder.filter(Filter.lowercase()).filter(Filter.stemmer("english")).build()


@lru_cache(maxsize=64)
def _terms(text: str) -> dict[str, tuple[str, ...]]:
    """Return what is looked up in bodies and in parts; remembered, since every tier is asked the same."""
    said = " ".join(words(text)[:QUERY_WORDS])
    return {"body": _distinct(_words(), said), "parts": _distinct(_parts(), said)}


def _distinct(analyzer: tantivy.TextAnalyzer, text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(analyzer.analyze(text)))
