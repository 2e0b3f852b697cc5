"""Relations as they are written: in front matter, links, wikilinks, imports, ids and numbers in prose.

What a target means is decided by the catalogue, which knows all documents; here it is only found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import PurePosixPath
from urllib.parse import unquote

from kbtui.model import Reference, ReferenceForm
from kbtui.sources.frontmatter import FrontMatter, Value
from kbtui.text import safe_line

MOST = 5_000
"""Relations of one document that are kept."""

TARGET_CHARS = 500

_FIELD_NAMES = (
    "related relates_to see_also supersedes superseded_by replaces replaced_by depends_on requires implements"
    " implemented_by refines refined_by contradicts extends parent parent_issue children sub_issues blocked_by"
    " blocking blocks duplicate_of duplicates fixes closes"
)
FIELDS = frozenset(_FIELD_NAMES.split())
"""The fields of front matter that name other documents, in snake case; each is a kind of relation."""

_MEANT = {"replaces": "supersedes", "replaced_by": "superseded_by"}
"""Other words for a kind of relation that ranking knows."""

_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")
_LISTED_NUMBER = re.compile(r"(?:\[[ xX]?\]\s*)?#?(\d{1,9})(?:\s|$)")
_LINK = re.compile(r"\]\(\s*<?([^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)?)")
_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]{1,200}\]:[ \t]*<?([^\s<>]+)", re.MULTILINE)
_WIKILINK = re.compile(r"\[\[([^\[\]|#\n]{1,300})(?:[#|][^\[\]\n]{0,300})?\]\]")
_NUMBER = re.compile(r"#(\d{1,9})\b")
_ID_TAIL = re.compile(r"-(?:[0-9a-f]{8,16}|\d{1,8}(?:[-.]\d{1,8}){0,3})\b(?!\.\w)")
_ID_HEAD = re.compile(r"(?<![\w-])[A-Za-z][A-Za-z]{1,15}(?:-[A-Za-z]{2,16})?$")
_ID_HEAD_CHARS = 34
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PYTHON_IMPORT = re.compile(r"^[ \t]*from[ \t]+(\.+)([\w.]*)[ \t]+import[ \t]+\(?([\w, \t]*)", re.MULTILINE)
_SCRIPT_IMPORT = re.compile(r"""(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["'](\.{1,2}/[^"'\n]{1,300})["']""")

Found = Iterator[Reference]


def declared(head: FrontMatter) -> Found:
    """Yield the relations that front matter declares; the field's name is their kind, unless an item has its own."""
    for name in head.fields:
        field = snake_case(name)
        if field not in FIELDS:
            continue
        for item in head.list(name):
            reference = _item(item, field)
            if reference:
                yield reference


def written(prose: str) -> Found:
    """Yield the relations in Markdown or plain text: links, wikilinks, ``#123`` and what looks like an id."""
    if "](" in prose or "]:" in prose:
        for pattern in (_LINK, _DEFINITION):
            for found in pattern.finditer(prose):
                path = _relative(found.group(1))
                if path:
                    yield Reference(target=path, kind="link", form="path")
    if "[[" in prose:
        for found in _WIKILINK.finditer(prose):
            yield from _of(found.group(1), "wikilink", "name")
    for found in _NUMBER.finditer(prose):
        before = prose[found.start() - 1 : found.start()]
        if not before or not (before.isalnum() or before in "_&/#"):
            yield Reference(target=found.group(1), kind="mention", form="number")
    for found in _ID_TAIL.finditer(prose):
        head = _ID_HEAD.search(prose[max(0, found.start() - _ID_HEAD_CHARS) : found.start()])
        if head:
            yield Reference(target=head.group() + found.group(), kind="mention", form="id")


def imported(code: str, path: str) -> Found:
    """Yield the relative imports of Python and JavaScript, as paths."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in (".py", ".pyi"):
        for found in _PYTHON_IMPORT.finditer(code):
            yield from _python_import(found.group(1), found.group(2), found.group(3), suffix)
    elif suffix in (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte"):
        for found in _SCRIPT_IMPORT.finditer(code):
            target = found.group(1)
            yield Reference(
                target=target if PurePosixPath(target).suffix else target + suffix, kind="import", form="path"
            )


def distinct(references: Iterable[Reference], own: frozenset[str]) -> tuple[tuple[Reference, ...], bool]:
    """Return each relation once, without those to the document itself, and whether there were too many."""
    seen = dict.fromkeys(reference for reference in references if reference.target not in own)
    return tuple(islice(seen, MOST)), len(seen) > MOST


@lru_cache(maxsize=1024)
def snake_case(name: str) -> str:
    """Return a field's name in snake case: parentIssue and parent-issue are parent_issue."""
    return _CAPITAL.sub(r"_\1", name.strip()).lower().replace("-", "_").replace(" ", "_")


def _item(item: Value, kind: str) -> Reference | None:
    """Return the relation that an item of a field names: a target, or a mapping with one and its kind."""
    if isinstance(item, list):
        return None
    kind = _MEANT.get(kind, kind)
    if isinstance(item, dict):
        own = next((item[key] for key in ("kind", "type", "relation") if isinstance(item.get(key), str)), "")
        target = next((item[key] for key in ("to", "id", "target", "path") if isinstance(item.get(key), str)), "")
        kind = snake_case(safe_line(own))[:40] if isinstance(own, str) and own.strip() else kind
        return _item(target, kind) if isinstance(target, str) and target.strip() else None
    target = safe_line(item)[:TARGET_CHARS]
    number = _LISTED_NUMBER.match(target)
    if number:
        return Reference(target=number.group(1), kind=kind, form="number")
    name = _WIKILINK.fullmatch(target)
    if name:
        return Reference(target=name.group(1).strip(), kind=kind, form="name")
    form: ReferenceForm = "path" if "/" in target or target.lower().endswith(".md") else "id"
    return Reference(target=target, kind=kind, form=form) if target else None


def _relative(written_target: str) -> str:
    """Return the path of a link to another file, "" for one to elsewhere or within the document."""
    if written_target.startswith(("#", "//", "?")) or _SCHEME.match(written_target):
        return ""
    path = unquote(written_target.partition("#")[0].partition("?")[0])
    return safe_line(path)[:TARGET_CHARS]


def _python_import(dots: str, module: str, names: str, suffix: str) -> Found:
    """Yield the modules that a relative import names, as paths from the folder of the file."""
    folder = "../" * (len(dots) - 1) or "./"
    if module:
        yield Reference(target=folder + module.replace(".", "/") + suffix, kind="import", form="path")
        return
    for name in names.split(","):
        if name.split():
            yield Reference(target=folder + name.split()[0] + suffix, kind="import", form="path")


def _of(target: str, kind: str, form: ReferenceForm) -> Found:
    name = safe_line(target)[:TARGET_CHARS]
    if name:
        yield Reference(target=name, kind=kind, form=form)
