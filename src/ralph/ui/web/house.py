"""All repositories of this home. One thread reads the ledger, whoever asks."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from ralph.ledger.choose import FILE
from ralph.ledger.sqlite import SqliteLedger
from ralph.ledger.sync_mirror import FILE as MIRROR
from ralph.ledger.sync_mirror import look
from ralph.ui.web.desk import ReadingDesk, changed_at

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ralph.ledger.sync_mirror import Team

P = ParamSpec("P")
R = TypeVar("R")


class House:
    """Its methods are called by its own thread alone: see `ask`."""

    def __init__(self, home: Path, organisation: str = "team") -> None:
        self.home = home
        self.organisation = organisation
        self._thread = ThreadPoolExecutor(1, "ledger")
        self._desks: dict[str, ReadingDesk] = {}
        self._ledger: SqliteLedger | None = None
        self._team: Team | None = None
        self._team_read = 0, 0

    async def ask(
        self, what: Callable[Concatenate[House, P], R], *args: P.args, **kwargs: P.kwargs
    ) -> R:
        """Call `what(house, …)` in the thread that has the ledger."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, lambda: what(self, *args, **kwargs))

    @property
    def ledger(self) -> SqliteLedger:
        if self._ledger is None:
            self._ledger = SqliteLedger(self.home / FILE)
        return self._ledger

    def projects(self) -> list[str]:
        return self.ledger.projects()

    def desk(self, project: str) -> ReadingDesk | None:
        """As it is now; None for a repository that this home has never worked on."""
        desk = self._desks.get(project)
        if desk is None:
            if project not in self.projects():
                return None
            desk = self._desks[project] = ReadingDesk(self.ledger, project, self.home)
        desk.refresh()
        return desk

    def desks(self) -> list[ReadingDesk]:
        """The ones that need somebody or are at work first, then the newest."""
        found = [desk for name in self.projects() if (desk := self.desk(name)) is not None]
        return sorted(
            found,
            key=lambda one: (
                not one.state.questions,
                one.holder is None,
                -max(one.state.run.started_at, one.state.run.ended_at),
            ),
        )

    def team(self) -> Team | None:
        """What other machines did, as the last `ralph sync` has brought it."""
        path = self.home / MIRROR
        changed = changed_at(path), changed_at(path.with_name(f"{MIRROR}-wal"))
        if changed != self._team_read:
            self._team, self._team_read = look(path, self.organisation), changed
        return self._team

    def look(self, *, around: bool) -> None:
        """Take in what is new. `around` also looks at what the ledger does not tell."""
        if self.ledger.changed():
            for desk in self._desks.values():
                desk.refresh()
        if around:
            for desk in self._desks.values():
                desk.look_around()

    def close(self) -> None:
        def close() -> None:
            if self._ledger is not None:
                self._ledger.close()

        self._thread.submit(close)
        self._thread.shutdown(wait=True)
