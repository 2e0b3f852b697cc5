"""Relations resolved: what a document wrote as an id, a path, a number or a name, to the document it means."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote

from kbtui.model import ReferenceForm

NUMBERED_TYPES = ("ticket", "pull", "discussion")
"""What ``#123`` can mean, in order of preference."""

COMPLETIONS = (
    "",
    ".md",
    ".mdx",
    ".markdown",
    ".py",
    ".js",
    ".mjs",
    ".ts",
    ".tsx",
    ".jsx",
    "/index.md",
    "/README.md",
    "/__init__.py",
    "/index.js",
    "/index.mjs",
    "/index.ts",
)
"""What a link or an import leaves out of a path, most likely first."""

STRONGEST_FIRST = ("supersedes", "superseded_by")
WEAKEST_LAST = ("import", "wikilink", "link", "mention")
"""Kinds between the two are from front matter: somebody stated them."""

NUMBER_IN_NAME = re.compile(r"(?:^|\D)0*(\d+)(?=\D|$)")


@dataclass(frozen=True, slots=True)
class Named:
    """What a document can be called."""

    doc: int
    doc_id: str
    title: str
    source_type: str
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """A relation as it stands in the document ``doc``."""

    doc: int
    target: str
    kind: str
    form: ReferenceForm


@dataclass(frozen=True, slots=True)
class Link:
    """A relation between two documents; one whose ``target`` is None dangles."""

    source: int
    target: int | None
    written: str
    kind: str


class Names:
    """Every name of every document. A name that several have means the first of them, by id."""

    def __init__(self, documents: Iterable[Named]) -> None:
        self._paths: dict[str, int] = {}
        self._ids: dict[str, int] = {}
        self._titles: dict[str, int] = {}
        self._numbers: dict[int, tuple[int, int]] = {}
        self.ids_of: dict[int, str] = {}
        for named in sorted(documents, key=lambda named: named.doc_id):
            self.ids_of[named.doc] = named.doc_id
            self._paths[named.doc_id] = named.doc
            for alias in named.aliases:
                self._ids.setdefault(alias.casefold(), named.doc)
            self._titles.setdefault(named.title.casefold(), named.doc)
            self._titles.setdefault(_stem(named.doc_id).casefold(), named.doc)
            self._count(named)

    def find(self, written: Written) -> int | None:
        """Return the document that is meant, None when there is none."""
        target = written.target
        if written.form == "path":
            return self._path(self.ids_of[written.doc], target)
        if written.form == "number":
            return self._number(target)
        if written.form == "id":
            return self._ids.get(target.casefold(), self._paths.get(target)) or self._number(target)
        name = target.partition("|")[0].partition("#")[0].strip()
        return (
            self._titles.get(name.casefold())
            or self._ids.get(name.casefold())
            or self._path(self.ids_of[written.doc], name)
        )

    def _path(self, doc_id: str, target: str) -> int | None:
        path = unquote(target.partition("#")[0].partition("?")[0])
        if not path:
            return None
        beside = posixpath.join(posixpath.dirname(doc_id), path)
        for base in (beside, path):  # relative to the document, else to the root
            whole = posixpath.normpath(base).lstrip("/")
            for completion in COMPLETIONS:
                found = self._paths.get(whole + completion)
                if found is not None:
                    return found
        return None

    def _number(self, target: str) -> int | None:
        if not target.isdecimal() or len(target) > 18:
            return None
        found = self._numbers.get(int(target))
        return found[1] if found else None

    def _count(self, named: Named) -> None:
        if named.source_type not in NUMBERED_TYPES:
            return
        order = NUMBERED_TYPES.index(named.source_type)
        own = [alias for alias in named.aliases if alias.isdecimal()] or NUMBER_IN_NAME.findall(_stem(named.doc_id))
        for digits in own[:1]:
            if len(digits) <= 18:
                number = int(digits)
                self._numbers[number] = min(self._numbers.get(number, (order, named.doc)), (order, named.doc))


def resolve(names: Names, references: Iterable[Written]) -> list[Link]:
    """Return the relations between documents, each once, strongest kinds first for every source.

    Left out: a document's links to itself, a mention of what it also links to in another way, and a
    word that only looked like an id. Whatever else finds no document dangles.
    """
    by_source: defaultdict[int, dict[Link, None]] = defaultdict(dict)
    for written in references:
        target = names.find(written)
        guessed = written.kind == "mention" and written.form == "id"
        if target == written.doc or (target is None and guessed):
            continue
        label = written.target if target is None else names.ids_of[target]
        by_source[written.doc][Link(written.doc, target, label, written.kind)] = None
    links = []
    for source in sorted(by_source):
        stated = {link.target for link in by_source[source] if link.kind != "mention"} - {None}
        kept = [link for link in by_source[source] if link.kind != "mention" or link.target not in stated]
        links.extend(sorted(kept, key=strength))
    return links


def strength(link: Link) -> tuple[bool, int]:
    """Return the order of a relation among a document's: dangling ones last, else by kind."""
    if link.kind in STRONGEST_FIRST:
        return link.target is None, 0
    return link.target is None, 2 + WEAKEST_LAST.index(link.kind) if link.kind in WEAKEST_LAST else 1


def superseded(links: Iterable[Link]) -> set[int]:
    """Return the documents that another one replaces, by the word of either."""
    replaced = set()
    for link in links:
        if link.kind == "superseded_by":
            replaced.add(link.source)
        elif link.kind == "supersedes" and link.target is not None:
            replaced.add(link.target)
    return replaced


def _stem(doc_id: str) -> str:
    return posixpath.basename(doc_id).rpartition(".")[0] or posixpath.basename(doc_id)
