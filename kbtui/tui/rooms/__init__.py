"""Rooms: screens beside Explore, entered by a key from anywhere and left by esc."""

from __future__ import annotations

from kbtui.tui.rooms.corpus import CorpusRoom
from kbtui.tui.rooms.log import LogRoom
from kbtui.tui.rooms.room import Room
from kbtui.tui.rooms.search import SearchRoom
from kbtui.tui.rooms.why import WhyRoom

ROOMS: dict[str, type[Room]] = {room.ROOM: room for room in (WhyRoom, SearchRoom, CorpusRoom, LogRoom)}
"""By name."""
