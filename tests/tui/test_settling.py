"""What is typed is logged when it is meant: confirmed, left, rested on, or posed from elsewhere."""

from __future__ import annotations

import pytest

from kbtui.model import Filters, Query
from kbtui.tui.screens import asking
from tests.tui.drive import running
from tests.tui.fakes import FakeLibrary


async def test_typing_settles_nothing_and_confirming_or_leaving_does_once() -> None:
    library = FakeLibrary()
    async with running(library, question="") as drive:
        await drive.until(lambda: drive.explore.errands.is_open)
        drive.explore.query_bar.query_field.focus()
        await drive.pilot.press(*"state")
        await drive.until(lambda: library.asked)
        assert library.settled == []
        drive.explore.query_bar.types_field.focus()
        await drive.rest()
        assert library.settled == []  # from one field to the other nothing is left
        await drive.press("escape")
        assert library.settled == [Query(text="state")]
        drive.explore.resettle()
        await drive.ask("state")
        assert library.settled == [Query(text="state")]
        await drive.ask("blog")
        await drive.press("A")
        assert library.settled[1:] == [Query(text="blog"), Query(text="blog", filters=Filters(inactive=True))]


async def test_what_typing_rests_on_is_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "REST_S", 0.01)
    library = FakeLibrary()
    async with running(library, question="") as drive:
        await drive.until(lambda: drive.explore.errands.is_open)
        drive.explore.query_bar.query_field.focus()
        await drive.pilot.press("a")
        await drive.until(lambda: library.settled == [Query(text="a")])
