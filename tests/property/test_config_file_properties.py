"""Writing settings: comments and order stay, and what is read again is what was asked for."""

from __future__ import annotations

import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from kbtui.config import load
from kbtui.config_file import edited, write
from kbtui.settings import KNOBS, Value

ALONE = {"KBTUI_NO_USER_CONFIG": "1"}
PHASES = [Phase.explicit, Phase.reuse, Phase.generate]  # shrinking such a file takes minutes
KEYS = (*(knob.key for knob in KNOBS if not knob.family), "penalty.memo", "prior.tier.primary", "prior.type.guide")
COMMENTS = st.sampled_from(["", "  # kept", "\t# über", " #"])
BETWEEN = st.sampled_from(["", "\n", "# a note\n", "\n# penalty.pull = -9\n\n"])


def _value(key: str) -> st.SearchStrategy[Value]:
    knob = next(knob for knob in KNOBS if key == knob.key or (knob.family and key.startswith(knob.key)))
    low, high = knob.low, min(knob.high, 1e6)
    if knob.kind == "number":
        return st.floats(low, high, allow_nan=False).map(lambda value: round(value, 3))
    whole = st.integers(int(low), int(high))
    return whole | st.none() if knob.kind == "bound" else whole


VALUES = st.fixed_dictionaries({}, optional={key: _value(key) for key in KEYS})


def _written(value: Value) -> str:
    return '"none"' if value is None else repr(value)


@st.composite
def files(draw: st.DrawFn) -> str:
    """A file as people write them: dotted keys, tables, inline tables and profiles, with comments everywhere."""
    values = draw(VALUES)
    lines = [draw(BETWEEN)]
    groups: dict[str, list[str]] = {}
    for key, value in values.items():
        above, _, name = key.rpartition(".")
        groups.setdefault(above, []).append(f"{name} = {_written(value)}")
    top = groups.pop("", [])
    styles = {above: draw(st.sampled_from(["dotted", "inline", "table"])) for above in groups}
    for line in top:
        lines.append(f"{line}{draw(COMMENTS)}\n{draw(BETWEEN)}")
    for above, members in groups.items():
        if styles[above] == "dotted":
            lines += [f"{above}.{line}{draw(COMMENTS)}\n{draw(BETWEEN)}" for line in members]
        if styles[above] == "inline":
            lines.append(f"{above} = {{ {', '.join(members)} }}{draw(COMMENTS)}\n{draw(BETWEEN)}")
    tables = [(above, members) for above, members in groups.items() if styles[above] == "table"]
    if draw(st.booleans()):
        tables.insert(draw(st.integers(0, len(tables))), ("profile.wide", ["limit = 9"]))
    for above, members in tables:
        lines.append(f"[{above}]{draw(COMMENTS)}\n{draw(BETWEEN)}")
        lines += [f"{line}{draw(COMMENTS)}\n{draw(BETWEEN)}" for line in members]
    text = "".join(lines)
    if draw(st.booleans()):
        text = text.removesuffix("\n")
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


def _comments(text: str) -> list[str]:
    return [line.partition("#")[2].strip() for line in text.splitlines() if "#" in line]


@settings(max_examples=60, deadline=None, phases=PHASES)
@given(text=files(), asked=VALUES, profile=st.sampled_from(["", "wide", "my own"]))
def test_what_is_read_again_is_what_was_asked_for(text: str, asked: dict[str, Value], profile: str) -> None:
    """Every value asked for, every other value as before, each comment in its order, and the same line ends."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "kbtui.toml"
        file.write_bytes(text.encode())
        before = load(folder, environ=ALONE)
        assert before.problems == ()
        edit = edited(file, asked, profile=profile)
        assert file.read_bytes() == text.encode()
        write(edit)
        after = load(folder, environ=ALONE)
        written = file.read_bytes().decode()
    assert after.problems == ()
    if profile:
        assert after.saved == before.saved
        assert not asked or after.under(profile) == before.saved.with_values(
            ({"limit": 9} if "profile.wide" in text and profile == "wide" else {}) | asked
        )
    else:
        assert after.saved == before.saved.with_values(asked)
        assert after.profiles == before.profiles
    assert _comments(written) == _comments(text)
    if "\r\n" in text:
        assert "\n" not in written.replace("\r\n", "")
    else:
        assert "\r" not in written


@settings(max_examples=40, deadline=None, phases=PHASES)
@given(text=files(), data=st.data())
def test_what_is_taken_out_is_gone_and_the_rest_stays(text: str, data: st.DataObject) -> None:
    """One key less, and nothing else."""
    with TemporaryDirectory() as name:
        file = Path(name) / "kbtui.toml"
        file.write_bytes(text.encode())
        before = load(file.parent, environ=ALONE)
        if not before.sources:
            return
        key = data.draw(st.sampled_from(sorted(before.sources)))
        write(edited(file, unset=[key]))
        after = load(file.parent, environ=ALONE)
        tomllib.loads(file.read_text())
    assert after.sources == {other: source for other, source in before.sources.items() if other != key}
    assert after.profiles == before.profiles
    kept = {other: before.settings.get(other) for other in after.sources}
    assert after.saved == type(after.saved)().with_values(kept)
