"""Every key of the app: which action each stands for, and what the configuration makes of it.

The bindings of the widgets are the register. Each has an id, a name and a line of help; the palette, the help and
`kbtui config keys` read them from there, so that an action cannot be missing from one of them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import Keys, _character_to_key, format_key
from textual.screen import ModalScreen, Screen

from kbtui.render.json_parts import dump

OURS = "kbtui.tui."
TWINS = {"ctrl+h": "backspace", "ctrl+i": "tab", "ctrl+j": "newline", "ctrl+m": "enter"}
"""Keys that a terminal sends as other ones."""
GROUPS = {
    "app": "everywhere",
    "explore": "question, panes and numbers",
    "query": "in the question",
    "results": "in the results",
    "filter": "in the filter",
    "graph": "in the graph",
    "tune": "in the tune drawer",
    "corpus": "in the corpus",
    "log": "in the log",
    "why": "in why not",
    "search": "in the search of texts",
    "list": "in every list",
    "page": "in every text",
    "sheet": "in a sheet",
}
"""What an id begins with, in words, in the order in which the palette has them."""
TYPED = {_character_to_key(chr(code)): chr(code) for code in range(32, 127)}
"""The keys that stand for a character, each with it: those that are typed where text is."""
_MODIFIERS = {"ctrl", "shift", "alt", "super", "hyper", "meta"}
_NAMES = {key.value for key in Keys}
_ALONE = _MODIFIERS | {"control", "option", "escape", ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """An action of the app: its id, what the footer and the help call it, its keys, and the class it belongs to."""

    command_id: str
    name: str
    help: str
    keys: tuple[str, ...]
    action: str
    owner: type[DOMNode]

    @property
    def group(self) -> str:
        """The part of the app that it belongs to, in words."""
        part = self.command_id.partition(".")[0]
        return GROUPS.get(part, f"in {part}")

    @property
    def room(self) -> str:
        """The name of the room that it works in, "" for Explore and for what all rooms have."""
        return room_of(self.owner)

    @property
    def is_of_a_sheet(self) -> bool:
        """Whether it works only while a sheet lies over the screen."""
        return self.command_id.startswith("sheet.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Keymap:
    """What differs from the default keys, and what of the configuration could not be followed, in words."""

    keys: Mapping[str, str]
    problems: tuple[str, ...] = ()


def room_of(cls: type[DOMNode]) -> str:
    """Return the name of the room that a class belongs to, "" for none."""
    return str(getattr(cls, "ROOM", ""))


def _subclasses(of: type[DOMNode]) -> Iterator[type[DOMNode]]:
    for each in of.__subclasses__():
        yield each
        yield from _subclasses(each)


@cache
def owners() -> tuple[type[DOMNode], ...]:
    """Return every class of the app's own that can have keys."""
    import kbtui.tui.app
    import kbtui.tui.rooms  # noqa: F401 - with these two, every widget is defined

    found = {cls for cls in _subclasses(DOMNode) if cls.__module__.startswith(OURS)}
    return tuple(sorted(found, key=lambda cls: (cls.__module__, cls.__qualname__)))


def bindings_of(cls: type[DOMNode]) -> list[Binding]:
    """Return the bindings that a class itself declares."""
    declared = cls.__dict__.get("BINDINGS", [])
    return [Binding(*each) if isinstance(each, tuple) else each for each in declared]


@cache
def commands() -> tuple[Command, ...]:
    """Return every action of the app, by id."""
    found: dict[str, Command] = {}
    for owner in owners():
        for binding in bindings_of(owner):
            if binding.id is not None:
                found[binding.id] = Command(
                    command_id=binding.id,
                    name=binding.description,
                    help=binding.tooltip,
                    keys=spelled(binding.key),
                    action=binding.action,
                    owner=owner,
                )
    return tuple(found[name] for name in sorted(found))


def spelled(keys: str) -> tuple[str, ...]:
    """Return the keys of a list with commas, by the names that Textual gives them; a comma itself is ``comma``."""
    each = [key.strip() for key in keys.split(",")]
    return tuple(_character_to_key(key) if len(key) == 1 else key for key in each if key)


def shown(keys: tuple[str, ...]) -> str:
    """Return keys as the footer shows them."""
    return " ".join(format_key(key) for key in keys)


def fitted(wanted: Mapping[str, str]) -> Keymap:
    """Return the part of a configuration's keys that can be had; whatever cannot is named, and keeps its default."""
    if not wanted:
        return Keymap(keys={})  # what there is need not be looked through, and the rooms need not be there yet
    known = {command.command_id: command for command in commands()}
    problems: list[str] = []
    asked: dict[str, tuple[str, ...]] = {}
    for name, text in wanted.items():
        mistake = _mistake(name, text, known)
        if mistake:
            problems.append(mistake)
        else:
            asked[name] = spelled(text)
    while clashes := list(_clashes(asked, known)):
        for name, key, other in clashes:
            problems.append(f"key {name}: {format_key(key)} is {other}; it keeps {shown(known[name].keys)}")
            asked.pop(name, None)
    return Keymap(keys={name: ",".join(keys) for name, keys in asked.items()}, problems=tuple(dict.fromkeys(problems)))


def _mistake(name: str, text: str, known: Mapping[str, Command]) -> str:
    """Return what is wrong with one line of the configuration, "" for nothing."""
    if name not in known:
        near = get_close_matches(name, known, n=1)
        return f"key {name}: no such action. " + (f"Did you mean {near[0]}?" if near else "See: kbtui config keys")
    kept = f"it keeps {shown(known[name].keys)}"
    if not spelled(text):
        return f"key {name}: names no key; {kept}"
    for key in spelled(text):
        if key in TWINS:
            return f"key {name}: terminals send {TWINS[key]} for {key}; {kept}"
        if not _is_key(key):
            return f"key {name}: no key is called {key!r}; {kept}"
    return ""


def _is_key(key: str) -> bool:
    *modifiers, last = key.split("+")
    if not set(modifiers) <= _MODIFIERS or (last in _ALONE and last != "escape"):
        return False
    if last in _NAMES or (len(last) == 1 and last.isprintable()):
        return True
    try:
        unicodedata.lookup(last.replace("_", " ").upper())
    except KeyError:
        return last in TYPED
    return True


def _clashes(asked: Mapping[str, tuple[str, ...]], known: Mapping[str, Command]) -> Iterator[tuple[str, str, str]]:
    """Yield each wanted key that something else has where it would work: the action, the key, and whose it is."""
    for chain in _chains():
        taken: dict[str, dict[str, str]] = {}
        for binding in chain:
            keys = asked.get(binding.id, spelled(binding.key)) if binding.id else spelled(binding.key)
            words = f"{known[binding.id].name} ({binding.id})" if binding.id else _foreign(binding)
            for key in keys:
                taken.setdefault(key, {})[binding.id or binding.action] = words
        for key, users in taken.items():
            for name in users:
                if name in asked and key not in known[name].keys:
                    for other, words in users.items():
                        if other != name:
                            yield name, key, words


def _foreign(binding: Binding) -> str:
    return f"a key for {(binding.description or binding.action).lower()!r}"


@cache
def _chains() -> tuple[tuple[Binding, ...], ...]:
    """Return the bindings that work at the same time, for each place where the focus can be."""
    ours = owners()
    everywhere = [cls for cls in ours if issubclass(cls, App)]
    screens = [cls for cls in ours if issubclass(cls, Screen) and not issubclass(cls, ModalScreen)]
    chains = []
    for cls in ours:
        alone = issubclass(cls, ModalScreen)
        here = [screen for screen in screens if room_of(screen) == room_of(cls)]
        around = [] if alone else everywhere if cls in everywhere + screens else [*here, *everywhere]
        chains.append(tuple(each for place in dict.fromkeys([cls, *around]) for each in _inherited(place)))
    return tuple(chains)


def _inherited(cls: type[DOMNode]) -> Iterator[Binding]:
    """Yield a class's bindings with those of the classes it inherits keys from; a nearer one hides a farther."""
    hidden: set[str] = set()
    for each in cls.__mro__:
        if issubclass(each, DOMNode):
            declared = bindings_of(each)
            for binding in declared:
                free = [key for key in spelled(binding.key) if key not in hidden]
                if free:
                    yield binding.with_key(",".join(free))
            hidden.update(key for binding in declared for key in spelled(binding.key))
            if not each._inherit_bindings:
                return


def in_force(keymap: Keymap) -> Iterator[tuple[Command, tuple[str, ...]]]:
    """Yield every action with the keys that it has under a keymap."""
    for command in commands():
        yield command, spelled(keymap.keys[command.command_id]) if command.command_id in keymap.keys else command.keys


def remapped(app: App[None], command_id: str, keys: str) -> tuple[str, ...]:
    """Return the keys that an action has in a running app, where it is known which it has by default."""
    return spelled(app._keymap.get(command_id, keys))


def keys_of(app: App[None], command_id: str) -> tuple[str, ...]:
    """Return the keys that an action has in a running app."""
    for command, keys in in_force(Keymap(keys=app._keymap)):
        if command.command_id == command_id:
            return keys
    return ()


def as_text(keymap: Keymap) -> str:
    """Return a line an action: id, keys and what it does."""
    return "".join(f"{command.command_id:<20} {shown(keys):<12} {command.help}\n" for command, keys in in_force(keymap))


def as_json(keymap: Keymap) -> str:
    """Return every action with its keys in force and by default, as they are written in a configuration."""
    return dump(
        {
            "keys": [
                {
                    "id": command.command_id,
                    "keys": list(keys),
                    "default": list(command.keys),
                    "name": command.name,
                    "help": command.help,
                }
                for command, keys in in_force(keymap)
            ]
        }
    )
