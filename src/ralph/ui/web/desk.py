"""One repository as the dashboard reads it: one fold, kept up to date, for all pages."""

from __future__ import annotations

import time
from collections import deque
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ralph.domain.errors import RalphError
from ralph.ledger.journal import Journal
from ralph.ledger.spending import TokenEconomicsService
from ralph.people.wording import plain
from ralph.repo import Repo, lock
from ralph.ui import wire
from ralph.ui.web.feed import console
from ralph.views import status as views

if TYPE_CHECKING:
    from ralph.domain.event import Recorded
    from ralph.domain.plan import Plan
    from ralph.domain.state import RunState
    from ralph.ledger.sqlite import SqliteLedger
    from ralph.repo.lock import Holder
    from ralph.ui.web.feed import FeedLine
    from ralph.ui.web.tree import Clean
    from ralph.ui.wire import Project

FEED = 80
"""Lines that are shown of what happens."""
CHATTER = frozenset({"AgentActed", "AgentSpent", "HealthChanged", "Noted"})
"""Events after which the plan is what it was."""
SETTINGS = ("ralph.yaml", ".env", ".env.local")
"""Files that say how a repository is to be read, and what is secret in it."""
SHORTEST = 8
"""Characters of the shortest secret."""
LONG = 400
"""Texts that are cleaned anew each time, not remembered."""
AGAIN_SECONDS = 5.0
"""After so long a plan is read again: people edit it."""


class ReadingDesk:
    def __init__(self, ledger: SqliteLedger, project: str, home: Path) -> None:
        self.project = project
        self.ledger = ledger
        self.found: Project | None = None
        self.trouble = ""
        """Why there are no controls, if there are none."""
        self.holder: Holder | None = None
        self.version = 0
        """Grows when there is something new to show."""
        self.rows_version = 0
        """Grows when it is about the tasks."""
        self.feed: deque[FeedLine] = deque(maxlen=FEED)
        self._home = home
        self._console, self._lines = console()
        self.journal = Journal(ledger, project, "", time.time)
        self.journal.close()  # a fold of many events is worth keeping, for the next look
        self._is_old, self._read_at = True, 0.0
        # many events have no line of their own
        self._take(reversed(list(ledger.newest_of(project, FEED * 4))))
        self._plan: Plan | None = None
        self._rows: list[dict[str, Any]] = []
        self._looked_at: object = ()
        self._economics: TokenEconomicsService | None = None
        self.clean: Clean = _cleaner(None)
        self.look_around()

    @property
    def state(self) -> RunState:
        return self.journal.state

    @property
    def name(self) -> str:
        return self.found.root.name if self.found else self.state.run.goal or self.project

    def refresh(self) -> None:
        """What was written since the last look. Cheap when there is nothing."""
        fresh = self.journal.refresh()
        if fresh:
            self.version += 1
            self._take(fresh)

    def look_around(self) -> None:
        """What no event tells of: who has the lock, edits of the plan and of ralph.yaml."""
        mark = self._mark()
        if mark != self._looked_at:
            self._looked_at = mark
            self._open()
        before = self.holder
        self.holder = lock.holder(self.found.repo.common_dir) if self.found else None
        if before != self.holder:
            self.version += 1
        if time.monotonic() - self._read_at > AGAIN_SECONDS:
            self._read_plan()

    def economics(self) -> TokenEconomicsService | None:
        """What was spent and may be; kept, since it counts what other projects spend as well."""
        if self._economics is None and self.found is not None:
            self._economics = TokenEconomicsService(self.journal, self.found.settings)
        return self._economics

    def rows(self) -> list[dict[str, Any]]:
        """The tasks as `ralph status` has them."""
        self._read_plan_if_old()
        return self._rows

    def plan(self) -> Plan | None:
        self._read_plan_if_old()
        return self._plan

    def logs(self) -> Path | None:
        """The folder with the logs, if it is one inside of the repository."""
        if self.found is None:
            return None
        root = self.found.root.resolve()
        folder = (root / self.found.settings.logs.dir).resolve()
        return folder if folder.is_relative_to(root) and folder.is_dir() else None

    def _take(self, events: Any) -> None:  # noqa: ANN401 - any iterable of events
        recorded: Recorded
        for recorded in events:
            self._console(recorded)
            self.feed.extend(self._lines.taken())
            if type(recorded.event).__name__ not in CHATTER:
                self._is_old = True

    def _read_plan_if_old(self) -> None:
        if self._is_old:
            self._read_plan()

    def _read_plan(self) -> None:
        before = self._rows
        self._plan, self._rows = None, []
        if self.found is not None:
            with suppress(RalphError):  # a plan that cannot be read is shown as none
                self._plan = self.found.read_plan(None, self.state)
                self._rows = views.task_rows(self.state, self._plan)
        self._is_old, self._read_at = False, time.monotonic()
        if before != self._rows:
            self.version += 1
            self.rows_version += 1

    def _mark(self) -> object:
        root = self.found.root if self.found else place(self._home, self.project, self.state)
        return root and (root, root.is_dir(), *(changed_at(root / name) for name in SETTINGS))

    def _open(self) -> None:
        self.found, self.trouble = None, "its repository is gone, or was moved"
        root = place(self._home, self.project, self.state)
        if root is not None:
            try:
                found = wire.opened({}, to_write=False, at=root)
                if _is(found.repo, self.project):
                    self.found, self.trouble = found, ""
            except RalphError as error:
                self.trouble = error.what
        self.clean, self._economics = _cleaner(self.found), None
        self._is_old = True
        self.version += 1


def place(home: Path, project: str, state: RunState) -> Path | None:
    """Where a repository of the ledger is; None for one that is nowhere any more."""
    from ralph.flows.gc import repository

    common = repository(home / "projects" / project)
    places = [] if common is None else [common.parent if common.name == ".git" else common]
    run = state.run
    places += [Path(run.workspace)] if run.workspace and not run.worktree else []
    for root in places:
        with suppress(RalphError, OSError):
            if root.is_dir() and _is(Repo.open(root, to_write=False), project):
                return root
    return None


def _is(repo: Repo, project: str) -> bool:
    """Not one that was made anew at the same path."""
    return repo.project == project and not repo.is_new


def changed_at(path: Path) -> int:
    """0 if it is not there."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _cleaner(found: Project | None) -> Clean:
    """What every text passes on its way to a browser: this repository's own masker.

    The process's one masker knows the secrets of one repository only.
    """
    from ralph.policy.secrets.masker import Masker

    masker = wire.masker(found) if found is not None else Masker()

    def clean(text: str) -> str:
        bare = text if text.isprintable() else plain(text.replace("\r\n", "\n").replace("\r", "\n"))
        return bare if masker is None or len(bare) < SHORTEST else masker.text(bare)

    known = lru_cache(maxsize=8192)(clean)
    return lambda text: known(text) if len(text) < LONG else clean(text)


BY_LOOKS = _cleaner(None)
"""For pages about several repositories: it knows secrets by their looks alone."""
