"""Driving the app in tests: run it on fakes, wait for what is awaited, read what is on the screen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.segment import Segment
from textual.pilot import Pilot

from kbtui.config import LOG_BYTES, NO_USER_CONFIG, Config, project_file
from kbtui.model import Answer
from kbtui.settings import Settings
from kbtui.tui.app import KbtuiApp
from kbtui.tui.doors import Doors
from kbtui.tui.rooms.corpus import CorpusRoom
from kbtui.tui.rooms.log import LogRoom
from kbtui.tui.screens.explore import ExploreScreen
from tests.tui.fakes import FakeDoors, FakeLibrary

STORE = Path("store")
APART = {NO_USER_CONFIG: "1"}
"""The environment of an app that has nothing to do with whoever runs the tests: no editor, clipboard or themes."""


@dataclass
class Drive:
    """The running app and its pilot."""

    app: KbtuiApp
    pilot: Pilot[None]

    @property
    def explore(self) -> ExploreScreen:
        """The Explore screen, whatever lies over it."""
        screen = self.app.screen_stack[0]
        assert isinstance(screen, ExploreScreen)
        return screen

    @property
    def answer(self) -> Answer:
        """The answer that is shown."""
        assert self.explore.session.answer is not None
        return self.explore.session.answer

    @property
    def corpus(self) -> CorpusRoom:
        """The corpus room, which is open."""
        screen = self.app.screen_stack[1]
        assert isinstance(screen, CorpusRoom)
        return screen

    @property
    def log(self) -> LogRoom:
        """The log room, which is open."""
        screen = self.app.screen_stack[1]
        assert isinstance(screen, LogRoom)
        return screen

    async def until(self, met: Callable[[], object]) -> None:
        """Let the app run until something holds; fail when it never does."""
        for _ in range(200):
            if met():
                await self.pilot.pause()
                return
            await self.pilot.pause(0.01)
        raise AssertionError(f"never came true; the screen shows:\n{self.text()}")

    async def press(self, *keys: str) -> None:
        """Press keys and let every worker finish."""
        await self.pilot.press(*keys)
        await self.rest()

    async def rest(self) -> None:
        """Wait until nothing is under way but a build."""
        await self.pilot.pause()
        await self.until(lambda: not self.explore.session.waiting)
        others = [worker for worker in self.app.workers if worker.group != "index"]
        if others:
            await self.app.workers.wait_for_complete(others)
        await self.pilot.pause()

    async def ask(self, question: str) -> None:
        """Ask a question as a person does, confirmed."""
        self.explore.query_bar.query_field.value = question
        self.explore.query_bar.query_field.focus()
        await self.press("enter")

    def segments(self) -> list[Segment]:
        """Return everything on the screen as it goes to the terminal."""
        strips = self.app.screen._compositor.render_strips()
        return [segment for strip in strips for segment in strip]

    def text(self) -> str:
        """Return the characters on the screen."""
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())

    def told(self) -> str:
        """Return what the toasts say."""
        return "\n".join(each.message for each in self.app._notifications)

    def titles(self) -> list[str]:
        """Return the titles in the list, in order."""
        return [row.document.title for row in (*self.answer.rows, *self.answer.behind)]


@asynccontextmanager
async def running(
    library: FakeLibrary | None = None,
    *,
    size: tuple[int, int] = (120, 40),
    question: str = "state provider",
    doors: Doors | None = None,
    corpus: Path | None = None,
    settings: Settings | None = None,
    problems: tuple[str, ...] = (),
    store: Path = STORE,
    keys: Mapping[str, str] | None = None,
    theme: str = "",
    environ: Mapping[str, str] | None = None,
    log_bytes: int = LOG_BYTES,
) -> AsyncIterator[Drive]:
    """Run the app; with a question, it is answered before the test begins."""
    config = Config(
        settings=settings or Settings(),
        store=store,
        sources={},
        target=project_file(store.absolute().parent),
        problems=problems,
        theme=theme,
        keys=keys or {},
        log_bytes=log_bytes,
    )
    chosen = doors or FakeDoors(library=library or FakeLibrary())
    app = KbtuiApp(store, corpus, config, doors=chosen, environ=APART if environ is None else environ)
    async with app.run_test(size=size, notifications=True) as pilot:
        drive = Drive(app, pilot)
        await pilot.pause()
        if question:
            await drive.until(lambda: drive.explore.errands.is_open)
            await drive.ask(question)
            await drive.until(
                lambda: drive.explore.session.answer is not None or drive.explore.session.error is not None
            )
        yield drive
