"""A seeded knowledge base for speed: files on disk, the vector of each passage, and questions with theirs.

Vectors lie around topics in a subspace, as those of real texts do: on noise in all directions every passage is about as
far as any other, and recall would mean nothing. Words are drawn from a Zipf vocabulary, half of them from the topic's.
A passage starts with its marker, which names the row of its vector.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from kbtui.store.embed import DIMENSIONS, MiniLM

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kbtui.store.embed import Vector, Vectors

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

TYPES = {
    "src": 0.08,
    "guide": 0.05,
    "concept": 0.02,
    "decision": 0.01,
    "runbook": 0.01,
    "reference": 0.03,
    "test": 0.06,
    "example": 0.03,
    "blog": 0.02,
    "ticket": 0.30,
    "pull": 0.27,
    "commit": 0.10,
    "meeting-notes": 0.02,
}
"""Source types by their share of the passages: two thirds are history, as in the knowledge bases we know."""

TOPICS = 200
SUBSPACE = 40
VOCABULARY = 30_000
TOPIC_WORDS = 400
ZIPF = 1.05
SECTIONS = 4
"""Passages of a document on average."""

FOLDER = 500
"""Documents in one folder."""

WORDS = (36, 110)
LINE = 12
MARKER = re.compile(r"\bp(\d{7})\b")


@dataclass(frozen=True)
class Synthetic:
    """A corpus that was written: its folder, its passages' vectors, its questions."""

    folder: Path

    @property
    def corpus(self) -> Path:
        """The folder of documents."""
        return self.folder / "corpus"

    @cached_property
    def vectors(self) -> Vectors:
        """A unit vector for each passage, by the number in its marker."""
        rows: Vectors = np.load(self.folder / "vectors.npy", mmap_mode="r")
        return rows

    @cached_property
    def questions(self) -> Mapping[str, Vector]:
        """Each question and its vector."""
        texts = json.loads((self.folder / "questions.json").read_text())
        return dict(zip(texts, np.load(self.folder / "questions.npy"), strict=True))


class SyntheticEmbedder:
    """Gives passages and questions the vectors that were drawn for them.

    With a model beside it, each question is embedded for real, and the result thrown away: the time is a query's.
    """

    name = "synthetic/1"
    dimensions = DIMENSIONS

    def __init__(self, data: Synthetic, model: MiniLM | None = None) -> None:
        self._data, self._model = data, model
        self.noted: Callable[[float], None] = lambda _: None

    def embed_query(self, text: str) -> Vector:
        """Return the question's vector."""
        started = perf_counter()
        if self._model is not None:
            self._model.embed_query(text)
        self.noted((perf_counter() - started) * 1000)
        return self._data.questions[text]

    def embed_passages(self, texts: Sequence[str]) -> list[Vectors]:
        """Return for each text the one vector of its marker."""
        return [np.array(self._data.vectors[row : row + 1]) for row in map(number, texts)]


def number(text: str) -> int:
    """Return the number in a passage's marker."""
    found = MARKER.search(text)
    assert found, f"no marker in {text[:200]!r}"
    return int(found.group(1))


def written(folder: Path, passages: int, questions: int, seed: int) -> Synthetic:
    """Write a corpus of so many passages; the same numbers give the same bytes."""
    data = Synthetic(folder)
    folder.mkdir(parents=True)
    rng = np.random.default_rng(seed)
    sections = _sections(rng, passages)
    topics = rng.integers(0, TOPICS, len(sections))
    space = _Space(rng)
    np.save(folder / "vectors.npy", space.passages(rng, topics, sections))
    words = _Words(rng)
    _write_documents(data.corpus, rng, words, topics, sections)
    texts, asked = [], []
    for topic in rng.integers(0, TOPICS, questions):
        texts.append(" ".join(dict.fromkeys((*words.of_topic(rng, topic, 3), *words.common(rng, 2)))))
        asked.append(topic)
    unique = dict(zip(texts, asked, strict=True))
    (folder / "questions.json").write_text(json.dumps(list(unique)))
    np.save(folder / "questions.npy", space.near(rng, np.array(list(unique.values()))))
    return data


class _Space:
    """Where vectors lie: topics in a subspace, documents around topics, passages around documents."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._basis = rng.standard_normal((SUBSPACE, DIMENSIONS)) / np.sqrt(DIMENSIONS)
        self._centres = rng.standard_normal((TOPICS, SUBSPACE))

    def passages(self, rng: np.random.Generator, topics: Whole, sections: Whole) -> Vectors:
        """Return the vectors of all passages, document by document."""
        documents = self._centres[topics] + 0.5 * rng.standard_normal((len(topics), SUBSPACE))
        owners = np.repeat(np.arange(len(topics)), sections)
        rows: Vectors = np.empty((len(owners), DIMENSIONS), np.float32)
        for start in range(0, len(owners), 10_000):
            place = documents[owners[start : start + 10_000]]
            rows[start : start + 10_000] = self._lifted(rng, place + 0.4 * rng.standard_normal(place.shape))
        return rows

    def near(self, rng: np.random.Generator, topics: Whole) -> Vectors:
        """Return for each topic a vector as that of a passage on it."""
        return self._lifted(rng, self._centres[topics] + 0.6 * rng.standard_normal((len(topics), SUBSPACE)))

    def _lifted(self, rng: np.random.Generator, place: Floats) -> Vectors:
        vectors = place @ self._basis + 0.05 * rng.standard_normal((len(place), DIMENSIONS))
        unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        return unit


class _Words:
    """A vocabulary in which the n-th word is drawn about n times less often than the first."""

    def __init__(self, rng: np.random.Generator) -> None:
        syllables = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
        picked = rng.integers(0, len(syllables), (VOCABULARY * 2, 4))
        lengths = rng.integers(2, 5, VOCABULARY * 2)
        spelled = ("".join(syllables[i] for i in row[:n]) for row, n in zip(picked, lengths, strict=True))
        self._vocabulary = np.array(list(dict.fromkeys(spelled))[:VOCABULARY])
        self._odds = _zipf(len(self._vocabulary))
        self._topic_odds = _zipf(TOPIC_WORDS)
        self._topics = np.array([rng.choice(len(self._vocabulary), TOPIC_WORDS) for _ in range(TOPICS)])

    def common(self, rng: np.random.Generator, count: int) -> list[str]:
        """Draw words that any text may hold."""
        return list(self._vocabulary[np.searchsorted(self._odds, rng.random(count))])

    def of_topic(self, rng: np.random.Generator, topic: int, count: int) -> list[str]:
        """Draw words of a topic."""
        return list(self._vocabulary[self._topics[topic][np.searchsorted(self._topic_odds, rng.random(count))]])

    def text(self, rng: np.random.Generator, topic: int, count: int) -> str:
        """Return sentences, half of whose words are the topic's, in lines."""
        drawn = [*self.common(rng, count // 2), *self.of_topic(rng, topic, count - count // 2)]
        mixed = [drawn[place] for place in rng.permutation(count)]
        return "\n".join(" ".join(mixed[start : start + LINE]) + "." for start in range(0, count, LINE))


def _zipf(count: int) -> Floats:
    weights = 1.0 / np.arange(1, count + 1) ** ZIPF
    odds: Floats = np.cumsum(weights) / weights.sum()
    odds[-1] = 1.0
    return odds


def _sections(rng: np.random.Generator, passages: int) -> Whole:
    """Return the number of passages of each document, which add up."""
    counts: Whole = 1 + rng.poisson(SECTIONS - 1, passages)
    whole = int(np.searchsorted(np.cumsum(counts), passages))
    counts = counts[: whole + 1]
    counts[-1] -= int(counts.sum()) - passages
    return counts


def _write_documents(corpus: Path, rng: np.random.Generator, words: _Words, topics: Whole, sections: Whole) -> None:
    names, shares = list(TYPES), np.cumsum(list(TYPES.values()))
    kinds = [names[place] for place in np.searchsorted(shares / shares[-1], rng.random(len(topics)))]
    paths = [f"{kind}/{doc // FOLDER:04d}/doc-{doc:07d}.md" for doc, kind in enumerate(kinds)]
    row = 0
    for doc, (topic, count) in enumerate(zip(topics, sections, strict=True)):
        blocks = []
        for place in range(count):
            heading = " ".join(words.of_topic(rng, topic, 3))
            body = words.text(rng, topic, int(rng.integers(*WORDS)))
            blocks.append(f"{'##' if place else '#'} {heading}\n\np{row:07d} {body}\n")
            row += 1
        links = " ".join(f"[more](/{paths[other]})" for other in rng.integers(0, len(paths), 2))
        path = corpus / paths[doc]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\ntype: {kinds[doc]}\n---\n" + "\n".join(blocks) + f"\n{links}\n")
