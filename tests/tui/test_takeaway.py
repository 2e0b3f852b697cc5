"""Every room writes what it shows to a file; the log copies a record."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from kbtui.model import LogPage
from tests.tui.drive import Drive, running
from tests.tui.fakes import FakeDoors, asked

ROOMS = {
    "corpus": (("C",), "generation"),
    "log": (("L",), "records"),
    "why": (("w", *"blog/state", "enter"), "stage"),
    "search": (("ctrl+f", *"State", "enter"), "lines"),
}


async def written(drive: Drive, key: str, file: Path) -> str:
    await drive.press("X", key, "ctrl+a", "ctrl+k", *str(file), "enter")
    await drive.until(file.exists)
    return file.read_text()


@pytest.mark.parametrize("name", ROOMS)
async def test_a_room_writes_json_csv_text_and_its_picture(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    keys, field = ROOMS[name]
    async with running() as drive:
        await drive.press("home", *keys)
        assert field in json.loads(await written(drive, "j", Path("a.json")))
        rows = list(csv.reader((await written(drive, "c", Path("a.csv"))).splitlines()))
        assert len(rows) > 1
        assert {len(row) for row in rows} == {len(rows[0])}
        assert await written(drive, "t", Path("a.txt"))
        assert (await written(drive, "s", Path("a.svg"))).startswith("<svg")
        assert len(drive.app.screen_stack) == 2


async def test_no_cell_of_a_table_is_a_formula(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    doors = FakeDoors(logged=LogPage(records=(asked(1, "=cmd()"),)))
    async with running(doors=doors) as drive:
        await drive.press("L")
        assert ",'=cmd()," in await written(drive, "c", Path("a.csv"))


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("y", "state provider"),
        ("i", "0000000002"),
        ("l", "kbtui query 'state provider' --store store --limit 2 --json"),
        ("m", '"limit": 2'),
        ("j", '"id":"0000000002"'),
    ],
)
async def test_y_copies_a_record(key: str, said: str) -> None:
    async with running() as drive:
        await drive.press("L", "down", "down", "y", key)
        await drive.until(drive.told)
        assert said.replace(" ", "") in drive.app.clipboard.replace(" ", "")
