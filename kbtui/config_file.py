"""Writing a ``kbtui.toml``: what a change would make of it is shown first, comments and order are kept.

Nothing is written before ``write``; what it writes is what ``edited`` returned, or nothing at all.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from kbtui.bookmarks import BOOKMARK, Bookmark
from kbtui.config import BESIDE, LOG_KEY, PROFILE, log_bytes, mistakes
from kbtui.errors import UsageError
from kbtui.settings import Value, check

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A line before and after; None where there is none. ``number`` is 1-based, in the text that has the line."""

    number: int
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A file as it is (``before`` is None where there is none) and as it would be.

    ``problems`` are mistakes that were in it before, and that the change leaves.
    """

    path: Path
    before: str | None
    after: str
    problems: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[Changed, ...]:
        """The lines that differ, to be shown before anything is written."""
        old, new = _lines(self.before or ""), _lines(self.after)
        found = []
        for tag, low, high, new_low, new_high in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if tag != "equal":
                pairs = enumerate(zip_longest(old[low:high], new[new_low:new_high]))
                found += [
                    Changed(number=1 + at + (low if b is None else new_low), old=a, new=b) for at, (a, b) in pairs
                ]
        return tuple(found)


def edited(
    path: Path, values: Mapping[str, Value | str] | None = None, *, unset: Sequence[str] = (), profile: str = ""
) -> Edit:
    """Return what setting these values, and taking these keys out, would make of a file; it need not exist yet.

    With a ``profile`` the keys are those of its table.

    Errors: UsageError for a key or value that is wrong, a file that cannot be read, a key that is not there to take
    out, and a file that is left with mistakes it had before (unless the change takes one away).
    """

    def change(text: str, path: Path) -> str:
        for key in unset:
            text = _without(text, _name(profile, key), path)
        for key, value in (values or {}).items():
            text = _with(text, _name(profile, key), _checked(key, value), path)
        return text

    return _edit(path, change)


def bookmarked(path: Path, bookmark: Bookmark | None, *, instead_of: str = "") -> Edit:
    """Return what a bookmark would make of a file: added, put in the place of another, or (None) that one taken out.

    One of the same name gives way.

    Errors: as for ``edited``.
    """

    def change(text: str, path: Path) -> str:
        names = dict.fromkeys((instead_of, bookmark.name if bookmark is not None else ""))
        _parsed(text, path)
        known = tomllib.loads(text).get(BOOKMARK, {})
        for name in names:
            if name and (name in known or bookmark is None):
                text = _without(text, (BOOKMARK, name), path)
        if bookmark is None:
            return text
        above = (BOOKMARK, bookmark.name)
        query = bookmark.query
        text = _with(text, (*above, "question"), query.text, path)
        for limit, listed in (
            ("types", query.source_types),
            ("paths", query.filters.paths),
            ("statuses", query.filters.statuses),
        ):
            text = _with(text, (*above, limit), list(listed), path) if listed else text
        if query.filters.inactive:
            text = _with(text, (*above, "inactive"), True, path)
        for key, value in bookmark.values:
            text = _with(text, (*above, "settings", *key.split(".")), _checked(key, value), path)
        return text

    return _edit(path, change)


def _edit(path: Path, change: Callable[[str, Path], str]) -> Edit:
    path = path.resolve()  # a file kept elsewhere and linked to stays linked
    before = _read(path)
    text = (before or "").replace("\r\n", "\n") if _ends_in_crlf(before) else before or ""
    had = mistakes(path, text)
    text = change(text, path)
    left = mistakes(path, text)
    if left and len(left) >= len(had):
        hint = "Mend it, or take the key out: kbtui config unset KEY"
        raise UsageError("\n".join(("the file has mistakes, and is left as it is", *left)), hint)
    after = text.replace("\n", "\r\n") if _ends_in_crlf(before) else text
    return Edit(path=path, before=before, after=after, problems=left)


def write(edit: Edit) -> None:
    """Write an edit, all of it or nothing; permissions stay.

    Errors: UsageError when the file has changed since the edit was made, or cannot be written.
    """
    if _read(edit.path) != edit.before:
        raise UsageError(f"{edit.path} has changed meanwhile", "Look at the change again, then save it.")
    try:
        edit.path.parent.mkdir(parents=True, exist_ok=True)
        fresh = edit.path.with_name(f".{edit.path.name}-{uuid4().hex[:12]}")
        try:
            with fresh.open("xb") as file:
                if edit.before is not None:
                    os.fchmod(file.fileno(), edit.path.stat().st_mode & 0o7777)
                file.write(edit.after.encode())
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(edit.path)
        except BaseException:
            with suppress(OSError):
                fresh.unlink()
            raise
        _sync(edit.path.parent)
    except OSError as error:
        raise UsageError(f"{edit.path} cannot be written: {error.strerror or error}") from error


def _lines(text: str) -> list[str]:
    """Return lines as an editor counts them: other separators are part of a comment."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []


def _name(profile: str, key: str) -> tuple[str, ...]:
    above = (PROFILE, profile) if profile else ()
    return (*above, *key.split(".")) if key else above


def _checked(key: str, value: Value | str) -> int | float | str:
    """Return a value as TOML has it: ``none``, for there is no null."""
    if key in BESIDE:
        return log_bytes(value) if key == LOG_KEY else str(value)
    known = check(key, value)
    return "none" if known is None else known


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error


def _ends_in_crlf(text: str | None) -> bool:
    return bool(text) and "\r\n" in str(text) and "\n" not in str(text).replace("\r\n", "")


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _flat(table: Mapping[str, object], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, (*above, name))
        else:
            yield (*above, name), value


def _values(text: str) -> dict[tuple[str, ...], object]:
    return dict(_flat(tomllib.loads(text)))


def _parsed(text: str, path: Path) -> TOMLDocument:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        tomllib.loads(text)  # what it refuses is never loaded again, whatever the writing library thinks of it
        return tomlkit.parse(text)
    except (TOMLKitError, ValueError, RecursionError) as error:
        raise UsageError(
            f"{path} cannot be read as TOML, and is left as it is: {error}", "Mend it by hand, then try again."
        ) from error


def _with(text: str, name: tuple[str, ...], value: int | float | str | list[str], path: Path) -> str:
    """Return a file's text with one value set; a value that is there already keeps the way it is written."""
    if text and not text.endswith("\n"):
        text += "\n"
    document = _parsed(text, path)
    *above, last = name
    tables: list[Any] = [document]
    for depth, part in enumerate(above, start=1):
        tables.append(tables[-1].get(part, {}))
        if not isinstance(tables[-1], Mapping):
            raise UsageError(f"{'.'.join(above[:depth])} is no table in {path}", "Mend it by hand, then try again.")
    if last in tables[-1] and not isinstance(tables[-1][last], bool) and tables[-1][last] == value:
        return text
    return _verified(_ways(document, text, name, value), _values(text) | {name: value}, path)


def _ways(
    document: TOMLDocument, text: str, name: tuple[str, ...], value: int | float | str | list[str]
) -> Iterator[str]:
    """Yield the text with a value set, the best way first: in its table, else as a dotted key above all tables."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    *above, last = name
    table: Any = document
    with suppress(TOMLKitError):
        for depth, part in enumerate(above, start=1):
            if part not in table:
                table[part] = tomlkit.table(is_super_table=depth < len(above))
            table = table[part]
        table[last] = value
        after = tomlkit.dumps(document)
        yield _drawn_up(text, after)
        yield after
    lines = text.splitlines(keepends=True)
    first = next((at for at, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines))
    dotted = f"{'.'.join(tomlkit.key(part).as_string() for part in name)} = {tomlkit.item(value).as_string()}\n"
    yield _drawn_up(text, "".join([*lines[:first], dotted, *lines[first:]]))


def _without(text: str, name: tuple[str, ...], path: Path) -> str:
    """Return a file's text without a key or a table, and without a table that nothing is left of."""
    import tomlkit

    document = _parsed(text, path)
    *above, last = name
    tables: list[Any] = [document]
    for part in above:
        inner = tables[-1].get(part)
        tables.append(inner if isinstance(inner, Mapping) else {})
    if last not in tables[-1]:
        known = [".".join(key) for key in _values(text)]
        near = get_close_matches(".".join(name), known, n=1)
        hint = f"Did you mean {near[0]}?" if near else ("It sets " + ", ".join(known) if known else "It sets nothing.")
        raise UsageError(f"{'.'.join(name)} is not set in {path}", hint)
    del tables[-1][last]
    for part, table, outer in zip(reversed(above), reversed(tables), reversed(tables[:-1]), strict=False):
        if table or "#" in str(getattr(table, "as_string", str)()):
            break
        del outer[part]
    wanted = {key: value for key, value in _values(text).items() if key[: len(name)] != name}
    return _verified([tomlkit.dumps(document)], wanted, path)


def _verified(ways: Iterable[str], wanted: Mapping[tuple[str, ...], object], path: Path) -> str:
    """Return the first of the texts that reads as it should.

    Errors: UsageError when none does: then the file is for a person to change.
    """
    for text in ways:
        with suppress(ValueError):
            if _values(text) == wanted:
                return text
    raise UsageError(f"{path} is written in a way that cannot be changed safely", "Change it by hand.")


def _drawn_up(before: str, after: str) -> str:
    """Return the text with its one added line moved up to the key or table it follows.

    A library that appends to a table puts the line behind comments, which belong to the table below them.
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    at = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), len(old))
    end = at + len(new) - len(old)
    added = [line for line in new[at:end] if line.strip()]
    if len(added) != 1 or added[0].startswith("[") or old != new[:at] + new[end:]:
        return after
    target = at
    while target and (not old[target - 1].strip() or _is_comment(old[target - 1])):
        target -= 1
    if target:
        return "".join([*old[:target], *added, *old[target:]])
    if at == len(old):
        return after
    target = at  # nothing above but comments: only what touches the table below belongs to it
    while target and _is_comment(old[target - 1]):
        target -= 1
    return "".join([*old[:target], *added, "\n", *old[target:]])


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")
