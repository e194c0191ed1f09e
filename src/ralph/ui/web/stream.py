"""What is new goes to all open pages from one place: fifty pages cost one look."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Protocol, TypeAlias

from ralph.domain.errors import RalphError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ralph.ui.web.house import House

    Key: TypeAlias = tuple[str, ...]

LOOK_SECONDS = 0.1
"""How often the ledger is asked whether it grew, while somebody watches."""
AROUND = 10
"""Of so many looks one is also at what the ledger does not tell."""
STILL_SECONDS = 15.0
MOST = 100


class Shows(Protocol):
    """What live pages show; a key is the name of a page and what it is about."""

    def version(self, house: House, key: Key) -> object:
        """Another one whenever there may be something new; None for a page that is not there."""

    def regions(self, house: House, key: Key) -> dict[str, object]:
        """The parts of the page that change, as the script reads them."""


class Page:
    """One open page. What it has not got yet is kept once per region, however slow it is."""

    def __init__(self) -> None:
        self.waiting: dict[str, str] = {}
        self.news = asyncio.Event()

    def tell(self, regions: dict[str, str]) -> None:
        if regions:
            self.waiting |= regions
            self.news.set()


class Audience:
    """All open pages that show the same."""

    def __init__(self) -> None:
        self.pages: set[Page] = set()
        self.version: object = None
        self.shown: dict[str, str] = {}


class Hub:
    def __init__(self, house: House, shows: Shows) -> None:
        self._house = house
        self._shows = shows
        self._rooms: dict[Key, Audience] = {}
        self._at_work: asyncio.Task[None] | None = None
        self.leaving = asyncio.Event()

    @property
    def count(self) -> int:
        return sum(len(room.pages) for room in self._rooms.values())

    @property
    def is_full(self) -> bool:
        return self.count >= MOST

    async def watch(self, key: Key) -> AsyncIterator[str]:
        """Server-sent events, as long as the page is open."""
        page, room = Page(), self._rooms.setdefault(key, Audience())
        room.pages.add(page)
        page.tell(room.shown)
        if self._at_work is None or self._at_work.done():
            self._at_work = asyncio.create_task(self._work())
        try:
            yield "retry: 1000\n\n"
            while not self.leaving.is_set():
                yield await self._next(page)
        finally:
            room.pages.discard(page)
            if not room.pages:
                self._rooms.pop(key, None)

    async def _next(self, page: Page) -> str:
        try:
            await asyncio.wait_for(page.news.wait(), STILL_SECONDS)
        except TimeoutError:
            return ": still here\n\n"
        news, page.waiting = page.waiting, {}
        page.news.clear()
        body = ",".join(f"{json.dumps(name)}:{tree}" for name, tree in news.items())
        return f"data: {{{body}}}\n\n" if body else ": going\n\n"

    def leave(self) -> None:
        """Have all streams end now."""
        self.leaving.set()
        for room in self._rooms.values():
            for page in room.pages:
                page.news.set()

    async def _work(self) -> None:
        turn = 0
        while self._rooms and not self.leaving.is_set():
            known = {key: room.version for key, room in self._rooms.items()}
            for key, (version, regions) in (await self._look(known, turn)).items():
                self._tell(key, version, regions)
            turn = (turn + 1) % AROUND
            await asyncio.sleep(LOOK_SECONDS)

    async def _look(
        self, known: dict[Key, object], turn: int
    ) -> dict[Key, tuple[object, dict[str, str]]]:
        try:
            return await self._house.ask(_news, known, self._shows, around=not turn)
        except RalphError:
            return {}  # a ledger that is busy or a full disk: the next look is soon

    def _tell(self, key: Key, version: object, regions: dict[str, str]) -> None:
        room = self._rooms.get(key)
        if room is None:
            return
        room.version = version
        new = {name: tree for name, tree in regions.items() if room.shown.get(name) != tree}
        room.shown = regions
        for page in room.pages:
            page.tell(new)


def _news(
    house: House, known: dict[Key, object], shows: Shows, *, around: bool
) -> dict[Key, tuple[object, dict[str, str]]]:
    """The regions of those pages that show something old."""
    house.look(around=around)
    found = {}
    for key, before in known.items():
        version = shows.version(house, key)
        if version is not None and version != before:
            regions = shows.regions(house, key)
            found[key] = version, {name: json.dumps(tree) for name, tree in regions.items()}
    return found
