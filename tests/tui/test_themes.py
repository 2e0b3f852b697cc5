"""Themes: what is shipped is complete and legible; what cannot be read is told and harms nothing."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from textual.color import Color
from textual.theme import Theme

from kbtui.tui import themes
from kbtui.tui.themes import KB_COLOURS, load, parse
from kbtui.tui.wardrobe import Wardrobe
from tests.tui.drive import Drive, running

SHIPPED = {theme.name: theme for theme in load(themes.folder()).themes}
TEXT = ("primary", "secondary", "historical", "custom", "penalty", "boost", "budget", "cut", "moves", "match", "dim")
TIERS = ("primary", "secondary", "historical", "custom")
GROUNDS = ("cursor", "resting")


def test_six_themes_are_shipped_and_all_can_be_read() -> None:
    assert load(themes.folder()).problems == ()
    assert set(SHIPPED) == {"dark", "light", "high-contrast-dark", "high-contrast-light", "ansi", "mono"}


def contrast(one: Color, other: Color) -> float:
    """Return the contrast ratio of WCAG 2."""

    def luminance(colour: Color) -> float:
        parts = [part / 255 for part in colour.rgb]
        red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("name", sorted(set(SHIPPED) - {"ansi"}))
def test_every_text_colour_stands_out_from_every_ground(name: str) -> None:
    theme = SHIPPED[name]
    least = 7.0 if "contrast" in name else 4.5
    assert theme.background is not None
    assert theme.foreground is not None
    assert theme.error is not None
    inks = {key: theme.variables[f"kb-{key}"] for key in TEXT} | {"foreground": theme.foreground, "error": theme.error}
    grounds = {key: theme.variables[f"kb-{key}"] for key in GROUNDS} | {"background": theme.background}
    for ink, colour in inks.items():
        for ground, under in grounds.items():
            wanted = least if ground == "background" else 4.5
            assert contrast(Color.parse(colour), Color.parse(under)) >= wanted, (ink, ground)


_SEES = {
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
}
"""Simulation matrices for full protanopia and deuteranopia on linear RGB.

Source: Machado, Oliveira, Fernandes, "A physiologically-based model for simulation of color vision deficiency", 2009.
"""


def _seen(colour: Color, kind: str) -> tuple[float, float, float]:
    """Return a colour in linear RGB as it is seen; "all" leaves it alone."""
    linear = [((part / 255 + 0.055) / 1.055) ** 2.4 if part > 10 else part / 255 / 12.92 for part in colour.rgb]
    if kind == "all":
        return linear[0], linear[1], linear[2]
    red, green, blue = (sum(weight * part for weight, part in zip(row, linear, strict=True)) for row in _SEES[kind])
    return red, green, blue


def _oklab(linear: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return a linear RGB colour in OKLab, in which a distance is about as large as it looks.

    Source: Björn Ottosson, "A perceptual color space for image processing", 2020.
    """
    red, green, blue = (max(0.0, part) for part in linear)
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


@pytest.mark.parametrize("kind", ["all", "protan", "deutan"])
@pytest.mark.parametrize("name", sorted(set(SHIPPED) - {"ansi", "mono"}))
def test_tiers_differ_for_every_common_kind_of_colour_vision(name: str, kind: str) -> None:
    for one, other in combinations(TIERS, 2):
        first, second = (
            _oklab(_seen(Color.parse(SHIPPED[name].variables[f"kb-{tier}"]), kind)) for tier in (one, other)
        )
        assert sum((a - b) ** 2 for a, b in zip(first, second, strict=True)) ** 0.5 >= 0.08, (one, other)


def test_problems_are_collected_and_the_good_ones_load(tmp_path: Path) -> None:
    good = (themes.folder() / "dark.toml").read_text()
    (tmp_path / "good.toml").write_text(good)
    (tmp_path / "torn.toml").write_text("dark = ")
    (tmp_path / "poor.toml").write_text(good.replace("cursor = ", "courser = "))
    (tmp_path / "odd.toml").write_text(good.replace('background = "#12161c"', 'background = "[/] no colour"'))
    (tmp_path / "typed.toml").write_text(good.replace('background = "#12161c"', "background = 7"))
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    loaded = load(tmp_path)
    assert [theme.name for theme in loaded.themes] == ["good"]
    assert len(loaded.problems) == 5
    assert any("poor.toml: 'cursor' is missing" in problem for problem in loaded.problems)
    assert any("'[/] no colour'" in problem for problem in loaded.problems)


def test_a_folder_without_themes_is_told(tmp_path: Path) -> None:
    assert load(tmp_path).problems == (f"no themes in {tmp_path}",)


def test_a_theme_names_every_colour_of_the_app() -> None:
    theme = parse("x", (themes.folder() / "light.toml").read_text())
    assert isinstance(theme, Theme)
    assert {f"kb-{key}" for key in KB_COLOURS} <= set(theme.variables)


@pytest.mark.parametrize("keys", [(), ("colon",), ("g", "g"), ("t",), ("question_mark",)])
async def test_no_color_means_no_colour_at_all(monkeypatch: pytest.MonkeyPatch, keys: tuple[str, ...]) -> None:
    """Not even a grey; and the cursor still shows, by its weight."""
    monkeypatch.setenv("NO_COLOR", "1")
    async with running(theme="light") as drive:
        assert drive.app.theme == "mono"
        await drive.press(*keys)
        styles = [segment.style for segment in drive.segments() if segment.style is not None]
        colours = {colour for style in styles for colour in (style.color, style.bgcolor) if colour is not None}
        assert all(colour.is_default for colour in colours)
        assert any(style.reverse or style.bold for style in styles)


async def test_without_any_theme_the_app_starts_and_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(themes, "folder", lambda: tmp_path)
    async with running() as drive:
        assert "no themes in" in drive.text()
        assert drive.titles()


def test_no_colour_is_written_out_in_code_or_style_sheet() -> None:
    import re

    import kbtui.tui

    literal = re.compile(r"""#[0-9a-fA-F]{6}\b|#[0-9a-fA-F]{3}\b|\brgb\(""")
    package = Path(kbtui.tui.__file__).parent
    sources = [*package.rglob("*.py"), *package.rglob("*.tcss")]
    assert sources
    assert [path.name for path in sources if literal.search(path.read_text())] == []


# --- the user's own -----------------------------------------------------------------------------------

DARK = (themes.folder() / "dark.toml").read_text()
OWN_GROUND = "#010203"


def own(text: str = DARK) -> str:
    """Return a theme that can be told from the shipped ones by its ground."""
    return text.replace('background = "#12161c"', f'background = "{OWN_GROUND}"')


@pytest.fixture
def closet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wardrobe:
    """A user's folder of themes and memory, for an app whose environment knows of a user."""
    closet = Wardrobe(folder=tmp_path / "themes", memory=tmp_path / "state" / "theme")
    (tmp_path / "themes").mkdir()
    monkeypatch.setattr(Wardrobe, "of", lambda environ: closet)
    return closet


def put(closet: Wardrobe, name: str, text: str) -> None:
    assert closet.folder is not None
    (closet.folder / f"{name}.toml").write_text(text)


async def look(drive: Drive) -> None:
    """Let the app look at the themes now, as its timer does."""
    drive.app.look_at_themes()
    await drive.rest()


async def test_a_theme_of_the_users_is_offered_and_worn(closet: Wardrobe) -> None:
    put(closet, "mine", own())
    async with running(theme="mine") as drive:
        assert drive.app.theme == "mine"
        assert drive.app.theme_variables["background"].lower() == OWN_GROUND
        await drive.press("ctrl+t")
        assert "mine" in drive.text()


async def test_a_changed_theme_is_worn_without_a_restart(closet: Wardrobe) -> None:
    put(closet, "mine", DARK)
    async with running(theme="mine") as drive:
        before = drive.app.theme_variables["background"]
        put(closet, "mine", own() + "\n")
        await look(drive)
        assert drive.app.theme_variables["background"].lower() == OWN_GROUND != before.lower()
        grounds = {
            s.style.bgcolor.triplet.hex
            for s in drive.segments()
            if s.style and s.style.bgcolor and s.style.bgcolor.triplet
        }
        assert OWN_GROUND in grounds


async def test_broken_themes_are_one_message_and_mending_them_takes_it_back(closet: Wardrobe) -> None:
    async with running() as drive:
        put(closet, "one", "dark = ")
        put(closet, "two", DARK.replace("cursor = ", "courser = "))
        await look(drive)
        (problem,) = drive.app.problems
        assert "one.toml" in problem
        assert "two.toml: 'cursor' is missing" in problem
        assert "one.toml" in drive.text()
        assert drive.app.theme == "dark"
        put(closet, "one", DARK)
        put(closet, "two", DARK)
        await look(drive)
        assert drive.app.problems == ()
        assert "one.toml" not in drive.text()
        assert {"one", "two"} <= set(drive.app.available_themes)


async def test_a_theme_that_goes_while_it_is_worn_leaves_the_default(closet: Wardrobe) -> None:
    put(closet, "mine", own())
    async with running() as drive:
        drive.app.theme = "mine"
        assert closet.folder is not None
        (closet.folder / "mine.toml").unlink()
        await look(drive)
        assert drive.app.theme == "dark"
        assert "mine" not in drive.app.available_themes


async def test_looking_at_themes_that_did_not_change_changes_nothing(closet: Wardrobe) -> None:
    put(closet, "mine", own())
    async with running() as drive:
        known = dict(drive.app.available_themes)
        await look(drive)
        assert drive.app.available_themes == known


async def test_a_choice_is_seen_on_the_way_remembered_and_taken_back_by_esc(closet: Wardrobe) -> None:
    async with running() as drive:
        await drive.press("ctrl+t", *"ansi")
        assert drive.app.theme == "ansi"
        await drive.press("escape")
        assert drive.app.theme == "dark"
        assert closet.remembered() == ""
        await drive.press("ctrl+t", *"ansi", "enter")
        assert closet.remembered() == "ansi"
    async with running() as drive:
        assert drive.app.theme == "ansi"


async def test_a_theme_that_a_file_names_stays_the_one_to_begin_with(closet: Wardrobe) -> None:
    closet.remember("ansi")
    async with running(theme="light") as drive:
        assert drive.app.theme == "light"
        await drive.press("ctrl+t", *"ansi", "enter")
        assert drive.app.theme == "ansi"
        assert "Until kbtui ends" in drive.told()
    async with running(theme="light") as drive:
        assert drive.app.theme == "light"


async def test_a_theme_that_is_none_is_named_with_the_nearest() -> None:
    async with running(theme="lihgt") as drive:
        assert drive.app.theme == "dark"
        assert "no such theme. Did you mean light?" in " ".join(drive.text().split())


async def test_words_sift_the_themes_and_what_is_left_is_seen_at_once() -> None:
    async with running() as drive:
        drive.app.action_theme()
        await drive.press(*"high")
        assert drive.app.theme.startswith("high")
        assert "mono" not in drive.text()
        await drive.press("enter")
        assert drive.app.theme.startswith("high")
