"""Where settings come from: defaults < user file < project file < --config file < environment < profile < flags.

A mistake in a file or in the environment is a problem, kept beside settings without it: the app starts
and shows it, the CLI stops (``Config.checked``). A mistake in a flag stops at once.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path

from kbtui.bookmarks import BOOKMARK, Bookmark, bookmark_of
from kbtui.errors import UsageError
from kbtui.model import Notice
from kbtui.settings import KNOBS, Settings, Value, check, parse

FILE_NAME = "kbtui.toml"
STORE_FOLDER = ".kbtui"
STORE_KEY = "store.path"
THEME_KEY = "theme"
KEYS = "keys."
"""What a key of the app begins with: ``keys.app.copy`` is the key for the action ``app.copy``."""
LOG_KEY = "log.bytes"
"""Most bytes that the query log takes on disk; 0 turns it off."""

LOG_BYTES = 10_000_000
LOG_MOST_BYTES = 10**12
BESIDE = (STORE_KEY, LOG_KEY, THEME_KEY)
"""What is configured beside the settings: of the machine, not of an answer."""

PROFILE = "profile"
"""The table of named settings: ``[profile.NAME]``, with the same keys below it."""

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
class Place:
    """Where a file is looked for; ``path`` is None where it is not, and ``note`` says why or how."""

    layer: str
    path: Path | None
    there: bool
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """A setting as it was typed: the flag, the setting it stands for, and the text of its value."""

    name: str
    key: str
    text: str


Values = tuple[tuple[str, Value], ...]
"""Settings by name, each checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Settings that have a name; ``files`` are those that say something of it, the weakest first."""

    name: str
    values: Values
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings in force, the store, and where each value came from.

    ``sources`` holds only what is no default; ``files`` are those that were read, the weakest first.
    ``saved`` is what the files alone say; ``environment`` and ``typed`` are what came on top of them, and
    ``profile`` the name of the profile between those two. ``bookmarks`` are the files',
    by name. ``target`` is the file that settings are saved in: one of those that were read, so that what is saved is
    what the next one gets. ``notices`` is what `status` must tell, which is no reason to stop. ``theme`` ("" for none
    named) and ``keys``, by action, are the app's; it alone knows which there are.
    """

    settings: Settings
    store: Path
    sources: Mapping[str, str]
    target: Path = Path(FILE_NAME)
    files: tuple[Path, ...] = ()
    saved: Settings = field(default_factory=Settings)
    environment: Values = ()
    typed: Values = ()
    profiles: tuple[Profile, ...] = ()
    profile: str = ""
    log_bytes: int = LOG_BYTES
    problems: tuple[str, ...] = ()
    search_limit: int = SEARCH_LIMIT_DEFAULT
    notices: tuple[Notice, ...] = ()
    bookmarks: tuple[Bookmark, ...] = ()
    theme: str = ""
    keys: Mapping[str, str] = field(default_factory=dict)

    def source(self, key: str) -> str:
        """Return where a value came from, in words."""
        return self.sources.get(key, DEFAULT)

    def named(self, name: str) -> Profile:
        """Return a profile.

        Errors: UsageError naming the known ones.
        """
        found = next((profile for profile in self.profiles if profile.name == name), None)
        if found is None:
            known = ", ".join(profile.name for profile in self.profiles)
            hint = f"Known: {known}" if known else "No file has one; make it: kbtui config set --profile NAME KEY=VALUE"
            raise UsageError(f"no profile {name!r}", hint)
        return found

    def under(self, name: str) -> Settings:
        """Return what would be in force under a profile, "" for none: flags and environment stay.

        Errors: UsageError for an unknown profile.
        """
        chosen = self.named(name).values if name else ()
        return self.saved.with_values(dict((*self.environment, *chosen, *self.typed)))

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
    profile: str = "",
) -> Config:
    """Read every layer for the knowledge base in ``folder``.

    Errors: UsageError for a flag that is wrong, a ``--config`` file that is not there, or an unknown profile.
    """
    if config_file is not None and not config_file.is_file():
        raise UsageError(f"no file {str(config_file)!r}", "--config takes the path of a kbtui.toml.")
    target = project_file(folder) if config_file is None else config_file.absolute()
    config = Config(settings=Settings(), store=folder.absolute() / STORE_FOLDER, sources={}, target=target)
    for path in (user_file(environ), _project_file(folder), config_file):
        if path is not None and path.is_file():
            config = _with_file(config, path)
    config = replace(config, saved=config.settings)
    config = _with_search_limit(_with_environment(config, environ), environ)
    if profile:
        config = _with_profile(config, profile)
    for flag in flags:
        config = _with_text(config, flag.key, flag.text, flag.name)
    typed = {flag.key: config.settings.get(flag.key) for flag in flags if flag.key not in BESIDE}
    return replace(config, typed=tuple(typed.items()))


def user_file(environ: Mapping[str, str]) -> Path | None:
    """Return where the user's file is looked for, None where it is left out."""
    if environ.get(NO_USER_CONFIG):
        return None
    from platformdirs import user_config_path

    return user_config_path("kbtui") / FILE_NAME


def project_file(folder: Path) -> Path:
    """Return the nearest project file at or above the folder, else where one would be made."""
    return _project_file(folder) or project_root(folder) / FILE_NAME


def places(folder: Path, *, config_file: Path | None, environ: Mapping[str, str]) -> tuple[Place, ...]:
    """Return where each file is looked for, the weakest first."""
    own, project = user_file(environ), project_file(folder)
    found = [
        ("user", own, f"left out by {NO_USER_CONFIG}" if own is None else "your own, for every knowledge base"),
        ("project", project, f"the nearest at or above {folder.absolute()}"),
        ("config", config_file, "the file of --config, where one is given"),
    ]
    return tuple(
        Place(layer=layer, path=path, there=path is not None and path.is_file(), note=note)
        for layer, path, note in found
    )


def mistakes(path: Path, text: str) -> tuple[str, ...]:
    """Return what is wrong with a file that has this text, as loading it would say."""
    return _with_toml(Config(settings=Settings(), store=path.parent, sources={}), path, text).problems


def _project_file(folder: Path) -> Path | None:
    folder = folder.absolute()
    return next((path for above in (folder, *folder.parents) if (path := above / FILE_NAME).is_file()), None)


def _with_file(config: Config, path: Path) -> Config:
    """Add a file's values; what is wrong in it becomes a problem."""
    config = replace(config, files=(*config.files, path))
    try:
        text = path.read_text(encoding="utf-8")
    except (ValueError, OSError) as error:
        return _with_problem(config, f"{path}: cannot be read: {error}")
    return _with_toml(config, path, text)


def _with_toml(config: Config, path: Path, text: str) -> Config:
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a TOMLDecodeError is a ValueError
        return _with_problem(config, f"{path}: cannot be read as TOML: {error}")
    profiles, bookmarks = table.pop(PROFILE, {}), table.pop(BOOKMARK, {})
    for key, value in _flat(table):
        try:
            config = _with_value(config, key, _from_toml(key, value), str(path), path.parent)
        except UsageError as error:
            config = _with_problem(config, _sentence(str(path), error))
    for name, values in profiles.items() if isinstance(profiles, dict) else [(PROFILE, profiles)]:
        if isinstance(profiles, dict) and isinstance(values, dict):
            config = _with_named(config, name, values, str(path))
        else:
            config = _with_problem(config, f"{path}: {name} is no table of settings. Profiles are: [{PROFILE}.NAME]")
    return _with_bookmarks(config, bookmarks, str(path))


def _with_bookmarks(config: Config, table: object, source: str) -> Config:
    """Add a file's bookmarks; one of the same name in a weaker file gives way."""
    known = {bookmark.name: bookmark for bookmark in config.bookmarks}
    for name, one in table.items() if isinstance(table, dict) else [("NAME", table)]:
        try:
            known[name] = bookmark_of(name, one, _checked, source)
        except UsageError as error:
            config = _with_problem(config, _sentence(source, error))
    return replace(config, bookmarks=tuple(known[name] for name in sorted(known)))


def _checked(table: Mapping[str, object]) -> Values:
    """Return the settings of a table.

    Errors: UsageError for an unknown name or a value that is wrong.
    """
    return tuple((key, check(key, _from_toml(key, value))) for key, value in _flat(table))


def _with_named(config: Config, name: str, table: Mapping[str, object], source: str) -> Config:
    """Add what a file says of a profile to what weaker files say of it."""
    known = {profile.name: profile for profile in config.profiles}
    older = known.get(name, Profile(name=name, values=(), files=()))
    values = dict(older.values)
    for key, value in _flat(table):
        try:
            values[key] = check(key, _from_toml(key, value))
        except UsageError as error:
            config = _with_problem(config, _sentence(f"{source}: {PROFILE} {name}", error))
    known[name] = Profile(name=name, values=tuple(values.items()), files=(*older.files, source))
    return replace(config, profiles=tuple(known[name] for name in sorted(known)))


def _with_profile(config: Config, name: str) -> Config:
    """Lay a profile over what the files and the environment say."""
    values = dict(config.named(name).values)
    sources = {**config.sources, **dict.fromkeys(values, f"{PROFILE} {name}")}
    return replace(config, settings=config.settings.with_values(values), sources=sources, profile=name)


def _with_environment(config: Config, environ: Mapping[str, str]) -> Config:
    for name in sorted(environ):
        ours = name.startswith(_PREFIX) and name not in _NO_SETTINGS and not name.startswith(_FOR_TESTS)
        if not ours or not environ[name].strip():
            continue
        try:
            key = _key_of(name)
            config = _with_text(config, key, environ[name], name)
        except UsageError as error:
            config = _with_problem(config, _sentence("environment", error))
        else:
            if key not in BESIDE:
                config = replace(config, environment=(*config.environment, (key, config.settings.get(key))))
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
    known = {variable(key): key for key in (*(knob.key for knob in KNOBS if not knob.family), *BESIDE)}
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
    return _with_value(config, key, typed(key, text), source, Path())


def typed(key: str, text: str) -> Value | str:
    """Return a value as people type it, of a setting or of what is configured beside them.

    Errors: UsageError for an unknown name or a value that is wrong.
    """
    if key == LOG_KEY:
        word = text.strip().replace("_", "").replace(",", "")
        return log_bytes(int(word) if word.isascii() and word.isdecimal() and len(word) < 20 else text)
    return text if _is_text(key) else parse(key, text)


def log_bytes(value: object) -> int:
    """Return the bound of the query log.

    Errors: UsageError for anything but a whole number in its range.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LOG_MOST_BYTES:
        raise UsageError(f"{LOG_KEY} takes a whole number of bytes, 0 for no log, not {value!r}")
    return value


def _with_value(config: Config, key: str, value: object, source: str, base: Path) -> Config:
    """Set one value; a path is relative to ``base``.

    Errors: UsageError for an unknown name or a value that is wrong.
    """
    sources = {**config.sources, key: source}
    if key.startswith(KEYS):
        return replace(config, keys={**config.keys, key.removeprefix(KEYS): _keys(key, value)}, sources=sources)
    if key == LOG_KEY:
        return replace(config, log_bytes=log_bytes(value), sources=sources)
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
