"""The configuration as text and JSON: what is in force, where it is looked for, what is wrong, what a change makes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from kbtui.bookmarks import BOOKMARK, LISTS
from kbtui.config import (
    KEYS,
    LOG_BYTES,
    LOG_KEY,
    LOG_MOST_BYTES,
    PROFILE,
    STORE_KEY,
    THEME_KEY,
    Config,
    Place,
)
from kbtui.config_file import Edit
from kbtui.render.json_parts import Json, dump
from kbtui.render.layout import one_line, plural, table
from kbtui.settings import KNOBS, Knob, Value, knob_for
from kbtui.text import safe, safe_line


def config_text(config: Config) -> str:
    """Return every setting, its value and where it came from."""
    keys = config.settings.keys()
    rows = [(one_line(key), _written(config.settings.get(key)), safe_line(config.source(key))) for key in keys]
    return _text(
        [
            f"store.path  {safe_line(str(config.store))}  {safe_line(config.source(STORE_KEY))}",
            f"log.bytes   {config.log_bytes:,}  {safe_line(config.source(LOG_KEY))}",
            *(f"file        {safe_line(str(path))}" for path in config.files),
            *_profile_lines(config),
            *(
                f"{safe_line(key):<11} {safe_line(value)}  {safe_line(config.source(key))}"
                for key, value in _of_the_app(config)
            ),
            "",
            *table(rows, "<><"),
        ]
    )


def _of_the_app(config: Config) -> list[tuple[str, str]]:
    """Return the theme and the keys that some layer names."""
    named = [(KEYS + name, keys) for name, keys in config.keys.items()]
    return ([(THEME_KEY, config.theme)] if config.theme else []) + named


def _profile_lines(config: Config) -> list[str]:
    if not config.profiles:
        return []
    names = ", ".join(safe_line(profile.name) for profile in config.profiles)
    return [f"profiles    {names}" + (f" (in force: {safe_line(config.profile)})" if config.profile else "")]


def config_json(config: Config) -> str:
    """Return every setting with its value, its default and where the value came from."""
    settings = config.settings
    keys = settings.keys()
    return dump(
        {
            "store": {"value": str(config.store), "from": config.source(STORE_KEY)},
            "log_bytes": {"value": config.log_bytes, "from": config.source(LOG_KEY)},
            "files": [str(path) for path in config.files],
            **({"profile": config.profile} if config.profile else {}),
            "profiles": {profile.name: dict(profile.values) for profile in config.profiles},
            "app": [{"key": key, "value": value, "from": config.source(key)} for key, value in _of_the_app(config)],
            "settings": [
                {
                    "key": key,
                    "value": settings.get(key),
                    "default": knob_for(key).default,
                    "from": config.source(key),
                }
                for key in keys
            ],
        }
    )


def edit_text(edit: Edit, *, written: bool) -> str:
    """Return the lines that a change of a file changes, as ``-`` before and ``+`` after."""
    path = safe_line(str(edit.path))
    if not edit.lines:
        return f"{path}: nothing to change\n"
    what = "new file" if edit.before is None else plural(len(edit.lines), "line")
    lines = [f"{path}: {what}" + ("" if written else ", not written (--dry-run)")]
    for changed in edit.lines:
        lines += [f"- {safe(changed.old)}"] if changed.old is not None else []
        lines += [f"+ {safe(changed.new)}"] if changed.new is not None else []
    return _text(lines)


def edit_json(edit: Edit, *, written: bool) -> str:
    """Return what a change of a file changes, and whether it was written."""
    return dump(
        {
            "path": str(edit.path),
            "written": written and bool(edit.lines),
            "created": edit.before is None and written,
            "lines": [{"number": line.number, "old": line.old, "new": line.new} for line in edit.lines],
            "problems": list(edit.problems),
        }
    )


def problems_text(config: Config) -> str:
    """Return every mistake, or that there is none."""
    read = plural(len(config.files), "file") + " read"
    if not config.problems:
        return f"no mistakes; {read}\n"
    return _text([*map(safe_line, config.problems), f"{plural(len(config.problems), 'mistake')}; {read}"])


def problems_json(config: Config) -> str:
    """Return every mistake and the files that were read."""
    files = [str(path) for path in config.files]
    return dump({"valid": not config.problems, "problems": list(config.problems), "files": files})


def places_text(places: Sequence[Place], store: Path) -> str:
    """Return where each file is looked for, the weakest first."""
    rows = [
        (place.layer, "there" if place.there else "-", safe_line(str(place.path or "-")), safe_line(place.note))
        for place in places
    ]
    rows.append(("store", "there" if store.is_dir() else "-", safe_line(str(store)), "what `kbtui index` builds"))
    return _text(table(rows, "<<<<"))


def places_json(places: Sequence[Place], store: Path) -> str:
    """Return where each file is looked for, the weakest first, and the store."""
    return dump(
        {
            "files": [
                {
                    "layer": place.layer,
                    "path": None if place.path is None else str(place.path),
                    "there": place.there,
                    "note": place.note,
                }
                for place in places
            ],
            "store": {"path": str(store), "there": store.is_dir()},
        }
    )


def schema_json() -> str:
    """Return the JSON schema of a ``kbtui.toml``."""
    settings, whole = _settings_schema(), _settings_schema()
    whole["properties"]["store"] = {"type": "object", "properties": {"path": {"type": "string"}}}
    size: Json = {"type": "integer", "minimum": 0, "maximum": LOG_MOST_BYTES, "default": LOG_BYTES}
    whole["properties"]["log"] = {"type": "object", "properties": {"bytes": size}}
    whole["properties"][PROFILE] = {"type": "object", "additionalProperties": settings}
    bookmark = _table_schema() | {"required": ["question"]}
    bookmark["properties"] = {
        "question": {"type": "string"},
        **{name: {"type": "array", "items": {"type": "string"}} for name, _ in LISTS},
        "inactive": {"type": "boolean"},
        "settings": settings,
    }
    whole["properties"][BOOKMARK] = {"type": "object", "additionalProperties": bookmark}
    return dump({"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "kbtui.toml", **whole})


def _settings_schema() -> dict[str, Any]:
    """Return the schema of a table of settings: what a dot separates is a table of its own."""
    out = _table_schema()
    for knob in KNOBS:
        *above, last = knob.key.split(".")
        table = out
        for part in above:
            table = table["properties"].setdefault(part, _table_schema())
        if last:
            table["properties"][last] = _knob_schema(knob)
        else:
            table["additionalProperties"] = _knob_schema(knob)
    return out


def _table_schema() -> dict[str, Any]:
    return {"type": "object", "properties": {}, "additionalProperties": False}


def _knob_schema(knob: Knob) -> Json:
    kind = "number" if knob.kind == "number" else "integer"
    bounds: Json = {"type": kind, "minimum": knob.low, "maximum": knob.high}
    value: Json = {"anyOf": [bounds, {"const": "none"}]} if knob.kind == "bound" else bounds
    return {"description": knob.summary, "default": "none" if knob.default is None else knob.default, **value}


def problems_aside(problems: Sequence[str]) -> str:
    """Return what a change of a file leaves wrong, for beside the result."""
    return "".join(f"warning: still wrong: {safe_line(problem)}\n" for problem in problems)


def _written(value: Value) -> str:
    return "none" if value is None else f"{value:,}"


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
