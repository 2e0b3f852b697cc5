"""Where settings come from: defaults < user file < project file < --config file < environment < flags.

A mistake in a file or in the environment is a problem, kept beside settings without it: the app starts
and shows it, the CLI stops (``Config.checked``). A mistake in a flag stops at once.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

from kbtui.errors import UsageError
from kbtui.model import Notice
from kbtui.settings import KNOBS, Settings, check, parse

FILE_NAME = "kbtui.toml"
STORE_FOLDER = ".kbtui"
STORE_KEY = "store.path"
THEME_KEY = "theme"
KEYS = "keys."
"""What a key of the app begins with: ``keys.explore.copy`` is the key for the action ``explore.copy``."""
DEFAULT = "default"
NO_USER_CONFIG = "KBTUI_NO_USER_CONFIG"
"""Set to anything, it leaves the user's file out (for tests and for runs that must not depend on who runs them)."""

SEARCH_LIMIT = "KBTUI_SEARCH_TEXT_MAX_LIMIT"
"""The most lines that ``search`` returns at once, whatever it is asked for."""

SEARCH_LIMIT_DEFAULT = 1000

_PREFIX = "KBTUI_"
_FOR_TESTS = "KBTUI_TEST_"
_NO_SETTINGS = (NO_USER_CONFIG, SEARCH_LIMIT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """A setting as it was typed: the flag, the setting it stands for, and the text of its value."""

    name: str
    key: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings in force, the store, and where each value came from.

    ``sources`` holds only what is no default; ``files`` are those that were read, the weakest first.
    ``notices`` is what `status` must tell, which is no reason to stop. ``theme`` ("" for none named) and ``keys``, by
    action, are the app's; it alone knows which there are.
    """

    settings: Settings
    store: Path
    sources: Mapping[str, str]
    files: tuple[Path, ...] = ()
    problems: tuple[str, ...] = ()
    search_limit: int = SEARCH_LIMIT_DEFAULT
    notices: tuple[Notice, ...] = ()
    theme: str = ""
    keys: Mapping[str, str] = field(default_factory=dict)

    def source(self, key: str) -> str:
        """Return where a value came from, in words."""
        return self.sources.get(key, DEFAULT)

    def checked(self) -> Config:
        """Return the configuration itself.

        Errors: UsageError listing every problem there is.
        """
        if self.problems:
            raise UsageError("\n".join(self.problems))
        return self


def project_root(start: Path) -> Path:
    """Return the nearest folder at or above ``start`` that holds a store or a project file, else ``start``."""
    start = start.absolute()
    for folder in (start, *start.parents):
        if (folder / STORE_FOLDER).is_dir() or (folder / FILE_NAME).is_file():
            return folder
    return start


def load(
    folder: Path,
    *,
    config_file: Path | None = None,
    environ: Mapping[str, str],
    flags: Sequence[Flag] = (),
) -> Config:
    """Read every layer for the knowledge base in ``folder``.

    Errors: UsageError for a flag that is wrong, or a ``--config`` file that is not there.
    """
    if config_file is not None and not config_file.is_file():
        raise UsageError(f"no file {str(config_file)!r}", "--config takes the path of a kbtui.toml.")
    config = Config(settings=Settings(), store=folder.absolute() / STORE_FOLDER, sources={})
    for path in (_user_file(environ), _project_file(folder), config_file):
        if path is not None and path.is_file():
            config = _with_file(config, path)
    config = _with_search_limit(_with_environment(config, environ), environ)
    for flag in flags:
        config = _with_text(config, flag.key, flag.text, flag.name)
    return config


def _user_file(environ: Mapping[str, str]) -> Path | None:
    if environ.get(NO_USER_CONFIG):
        return None
    from platformdirs import user_config_path

    return user_config_path("kbtui") / FILE_NAME


def _project_file(folder: Path) -> Path | None:
    folder = folder.absolute()
    return next((path for above in (folder, *folder.parents) if (path := above / FILE_NAME).is_file()), None)


def _with_file(config: Config, path: Path) -> Config:
    """Add a file's values; what is wrong in it becomes a problem."""
    config = replace(config, files=(*config.files, path))
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError, RecursionError) as error:  # a TOMLDecodeError is a ValueError
        return _with_problem(config, f"{path}: cannot be read as TOML: {error}")
    for key, value in _flat(table):
        try:
            config = _with_value(config, key, _from_toml(key, value), str(path), path.parent)
        except UsageError as error:
            config = _with_problem(config, _sentence(str(path), error))
    return config


def _with_environment(config: Config, environ: Mapping[str, str]) -> Config:
    for name in sorted(environ):
        ours = name.startswith(_PREFIX) and name not in _NO_SETTINGS and not name.startswith(_FOR_TESTS)
        if not ours or not environ[name].strip():
            continue
        try:
            config = _with_text(config, _key_of(name), environ[name], name)
        except UsageError as error:
            config = _with_problem(config, _sentence("environment", error))
    return config


def _with_search_limit(config: Config, environ: Mapping[str, str]) -> Config:
    """Take the ceiling of searches; a mistake keeps the default and is told, since it must never lift the bound."""
    text = environ.get(SEARCH_LIMIT, "").strip()
    if not text:
        return config
    if text.isascii() and text.isdecimal() and len(text) < 10 and int(text) > 0:
        return replace(config, search_limit=int(text))
    notice = Notice(
        severity="warning",
        code="search_limit",
        message=f"{SEARCH_LIMIT} is {text!r}, no positive whole number; search keeps its ceiling of "
        f"{config.search_limit:,} lines",
        remedy=f"Set {SEARCH_LIMIT} to a whole number, or unset it.",
    )
    return replace(config, notices=(*config.notices, notice))


def variable(key: str) -> str:
    """Return the environment variable of a setting: ``budget.bytes`` gives ``KBTUI_BUDGET_BYTES``."""
    return _PREFIX + key.upper().replace(".", "_").replace("-", "_")


def _key_of(name: str) -> str:
    """Return the setting an environment variable stands for.

    Errors: UsageError naming the nearest known variable.
    """
    known = {variable(knob.key): knob.key for knob in KNOBS if not knob.family}
    known |= {variable(key): key for key in (STORE_KEY, THEME_KEY)}
    if name in known:
        return known[name]
    for knob in KNOBS:
        rest = name.removeprefix(variable(knob.key))
        if knob.family and rest and rest != name:
            return knob.key + rest.lower().replace("_", "-")
    near = get_close_matches(name, known, n=1)
    raise UsageError(f"unknown variable {name}", f"Did you mean {near[0]}?" if near else "See: kbtui config show")


def _with_text(config: Config, key: str, text: str, source: str) -> Config:
    """Set one value from the text of a flag or of a variable."""
    return _with_value(config, key, text if _is_text(key) else parse(key, text), source, Path())


def _with_value(config: Config, key: str, value: object, source: str, base: Path) -> Config:
    """Set one value; a path is relative to ``base``.

    Errors: UsageError for an unknown name or a value that is wrong.
    """
    sources = {**config.sources, key: source}
    if key.startswith(KEYS):
        return replace(config, keys={**config.keys, key.removeprefix(KEYS): _keys(key, value)}, sources=sources)
    if not _is_text(key):
        return replace(config, settings=config.settings.with_values({key: check(key, value)}), sources=sources)
    if not isinstance(value, str) or not value.strip():
        raise UsageError(
            f"{key} takes {'the name of a theme' if key == THEME_KEY else 'the path of a folder'}, not {value!r}"
        )
    if key == THEME_KEY:
        return replace(config, theme=value.strip(), sources=sources)
    return replace(config, store=(base / Path(value).expanduser()).absolute(), sources=sources)


def _is_text(key: str) -> bool:
    return key in (STORE_KEY, THEME_KEY) or key.startswith(KEYS)


def _keys(key: str, value: object) -> str:
    """Return keys, written as one text or as a list of texts, with commas between them.

    Errors: UsageError for anything else.
    """
    each = value if isinstance(value, list) else [value]
    named = [one for one in each if isinstance(one, str) and one.strip()]
    if not named or named != each:
        raise UsageError(f'{key} takes a key, such as "Y" or ["Y", "ctrl+y"], not {value!r}')
    return ",".join("comma" if one == "," else one for one in named)


def _from_toml(key: str, value: object) -> object:
    """Return a file's value; TOML has no null, so the text ``none`` lifts a bound."""
    none = isinstance(value, str) and value.strip().lower() == "none" and not _is_text(key)
    return None if none else value


def _flat(table: Mapping[str, object], above: str = "") -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{name}.")
        else:
            yield above + name, value


def _with_problem(config: Config, problem: str) -> Config:
    return replace(config, problems=(*config.problems, problem))


def _sentence(where: str, error: UsageError) -> str:
    return f"{where}: {error.message}" + (f". {error.hint}" if error.hint else "")
