"""The files of a project as they are good, and what an agent made of them.

An agent's edits are claims: what it may add is taken over when its iteration ends, everything else
is put back from the last good copy and reported. The copies are kept outside the repository, where
the Ralph that comes after a killed one finds them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from ralph import files
from ralph.domain.errors import PlanError
from ralph.domain.task import Status
from ralph.flows.artefacts import history
from ralph.flows.artefacts.folder import OBSTACLES, STATE
from ralph.plans.artefacts import TASKS, Artefacts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ralph.domain.plan import Plan
    from ralph.flows.artefacts.folder import Folder
    from ralph.flows.artefacts.history import Item
    from ralph.plans.cached import PlanFiles

KEPT = ".ralph/artefacts"
"""Where a file goes that was not good, relative to the repository."""
UNDER_WAY = "under-way.json"
"""Beside the copies as long as an agent is at work."""
KILLED = "Ralph was killed while an agent worked on it."
_EMPTY = {STATE: b"[]\n", OBSTACLES: b'{\n  "obstacles": []\n}\n'}
_READ = {STATE: history.read_state, OBSTACLES: history.read_obstacles}


class Repair(Struct, frozen=True):
    """A file that was put right."""

    path: str
    why: str
    kept: str = ""
    """Where the wrong one is kept."""


class _UnderWay(Struct, frozen=True):
    task: str
    iteration: int


class IterationEnd(Struct, frozen=True):
    """How an iteration ended, as far as the files are concerned."""

    task: str
    iteration: int
    settled: bool
    why: str
    counts: bool = True
    files: tuple[str, ...] = ()


class KeptPlan(Artefacts):
    """The plan on a shelf: what git gave back its first bytes is put right before it is read."""

    def __init__(self, shelf: Shelf) -> None:
        super().__init__(shelf.folder.plan, shelf.folder.plan)
        self._shelf = shelf

    def files(self, root: Path) -> PlanFiles:
        self._shelf.mind()
        return super().files(root)


class Shelf:
    """The three files that agents write to. `good` is what counts while an agent works."""

    def __init__(self, folder: Folder, copies: Path) -> None:
        self.folder = folder
        self.plan = KeptPlan(self)
        self.good: dict[str, bytes] = {}
        self._copies = copies
        self._first: dict[str, set[bytes]] = {name: set() for name in _FILES}
        """The bytes a run found. Taking work away brings them back where git does not know the
        file: nobody wrote them, so they are no edit."""
        self._resumed: int | None = None
        """The iteration that was under way when an earlier Ralph was killed."""
        self._forget()

    def _forget(self) -> None:
        self._entries: list[Item] = []
        self._obstacles: list[Item] = []
        self._resolved: list[str] = []
        self._blocked = False

    # Before the first agent

    def open(self, recovers: int = 0) -> list[Repair]:
        """Know what is good; `recovers` is the iteration that the loop has still to close."""
        left = self._copy(UNDER_WAY)
        if left is None:
            repairs = [one for name in _FILES if (one := self._take(name)) is not None]
        else:
            under_way = msgspec.json.decode(left, type=_UnderWay)
            self.good = {name: self._copy(name) or b"" for name in _FILES}
            self._resumed = under_way.iteration
            repairs = self.collect(under_way.task, under_way.iteration)
            if under_way.iteration != recovers:
                self.finish(
                    IterationEnd(under_way.task, under_way.iteration, settled=False, why=KILLED)
                )
        self.start()
        return repairs

    def start(self) -> None:
        """A run begins: what is there now may come back."""
        for name, good in self.good.items():
            self._first[name] |= {good, self._copy(f"first-{name}") or good}
            files.write(self._copies / f"first-{name}", good)

    def mind(self) -> None:
        """Write again what was only brought back."""
        for name, good in self.good.items():
            found = self.folder.read(name)
            if found != good and found in self._first[name]:
                self.folder.write(name, good)

    def _take(self, name: str) -> Repair | None:
        """What is there, if it is good; else the last copy that was."""
        found = self.folder.read(name)
        wrong = self._wrong(name, found)
        if found is not None and not wrong:
            self._keep(name, found)
            return None
        good = self._copy(name) or (_EMPTY.get(name) if found is None else None)
        if good is None or self._wrong(name, good):
            raise PlanError(wrong, fix=self._way_out(name))
        repair = None if found is None else self._repair(name, wrong, found, 0)
        self._write(name, good)
        return repair

    def _wrong(self, name: str, data: bytes | None) -> str:
        where = f"{self.folder.key}/{name}"
        if data is None:
            return f"{where} does not exist."
        if name in _READ:
            return (
                "" if _READ[name](data) is not None else f"{where} does not have the required form."
            )
        try:
            self._parsed(data)
        except PlanError as error:
            return error.what
        return ""

    def _way_out(self, name: str) -> str:
        if name == TASKS:
            return f"Correct it, or rewrite it with `ralph interview {self.folder.name}`."
        return "Correct it, or remove it: Ralph then writes an empty one."

    # Around an agent

    def begin(self, task: str, iteration: int, *, picked_up: bool = True) -> list[Repair]:
        """The task is in progress; one more attempt, if an agent picks it up."""
        self.mind()
        # first: a kill behind it, and what an agent wrote is not taken for a person's edit
        files.write(self._copies / UNDER_WAY, msgspec.json.encode(_UnderWay(task, iteration)))
        data = self.folder.read(TASKS)
        data = data if data is not None and not self._wrong(TASKS, data) else self.good[TASKS]
        attempts = self.plan.efforts(data)[task].attempts + picked_up
        data = self.plan.with_attempts(data, task, attempts)
        self._write(TASKS, self._marked(data, {task: Status.IN_PROGRESS}))
        # a person may have changed the others since the last agent
        return [one for name in _READ if (one := self._take(name)) is not None]

    def start_over(self, task: str) -> None:
        """A person wants it tried again: its attempts are counted from nothing."""
        self.mind()
        data = self.folder.read(TASKS)
        if data is not None and not self._wrong(TASKS, data) and task in self.plan.efforts(data):
            self._write(TASKS, self.plan.with_attempts(data, task, 0))

    def collect(self, task: str, iteration: int) -> list[Repair]:
        """What the agent left: additions are remembered, all else is put back and reported."""
        found = {name: self.folder.read(name) for name in _FILES}
        claimed, wrong = self._claimed(task, found[TASKS])
        repairs = [self._repair(TASKS, wrong, found[TASKS], iteration)] if wrong else []
        if found[TASKS] != claimed:
            self.folder.write(TASKS, claimed)
        entries = history.added_entries(self._list(STATE), found[STATE])
        obstacles = history.added_obstacles(self._list(OBSTACLES), found[OBSTACLES])
        self._entries += entries.items
        self._obstacles += obstacles.items
        self._resolved += obstacles.resolved
        for name, added in ((STATE, entries), (OBSTACLES, obstacles)):
            if added.wrong:
                repairs.append(self._repair(name, added.wrong, found[name], iteration))
            if found[name] != self.good[name]:
                self.folder.write(name, self.good[name])
        return repairs

    def _claimed(self, task: str, data: bytes | None) -> tuple[bytes, str]:
        """tasks.json with nothing changed but what may be a claim, and what else was changed."""
        good = self.good[TASKS]
        if data is None:
            return good, "it was removed"
        try:
            new, old = self._parsed(data), self._parsed(good)
            same = self._limits(data) == self._limits(good)
        except PlanError as error:
            return good, error.what
        moved = {
            one.id: one.status
            for one in new.tasks
            if one.id in old.by_id and old.by_id[one.id].status is not one.status
        }
        self._blocked = self._blocked or moved.get(task) is Status.BLOCKED
        odd = [n for n, s in moved.items() if n != task and s is not Status.COMPLETED]
        if not same or new.tasks != old.with_statuses(moved).tasks:
            wrong = "more than the statuses of tasks was changed"
        else:
            wrong = f"{odd[0]} is another agent's task" if odd else ""
        claims = {n: s for n, s in moved.items() if s is Status.COMPLETED}
        return self._marked(good, claims), wrong

    def _limits(self, data: bytes) -> dict[str, int]:
        return {name: one.max_attempts for name, one in self.plan.efforts(data).items()}

    def finish(self, ended: IterationEnd) -> None:
        """The iteration is over: its entry is written, and the task is what became of it."""
        self._write(TASKS, self._after(ended))
        done = frozenset(task.id for task in self._parsed(self.good[TASKS]).tasks if task.is_done)
        done = done if ended.settled else done - {ended.task}
        own = [history.entry(one, ended.iteration, ended.task, done) for one in self._entries]
        own = own or [_entry_of(ended, done)]
        for one in own:
            said = [name for name in one["files_modified"] if name in ended.files]
            one["files_modified"] = said or list(ended.files)  # what git knows of
        last = self._list(STATE)[-1:]
        if last and last[0].get("iteration") == ended.iteration == self._resumed:
            own = []  # a Ralph that was killed right here has written them
        obstacles = [
            one | {"resolved": True} if one["id"] in self._resolved else one
            for one in self._list(OBSTACLES)
        ]
        for new in self._obstacles:
            taken = frozenset(one["id"] for one in obstacles)
            obstacles.append(history.obstacle(new, ended.iteration, ended.task, taken))
        self._write(STATE, history.written([*self._list(STATE), *own]))
        if obstacles != self._list(OBSTACLES):
            self._write(OBSTACLES, history.written({"obstacles": obstacles}))
        (self._copies / UNDER_WAY).unlink(missing_ok=True)
        self._forget()

    def _after(self, ended: IterationEnd) -> bytes:
        data = self.folder.read(TASKS) if ended.settled else None
        if data is None or self._wrong(TASKS, data):
            data = self.good[TASKS]
        if ended.task not in self._parsed(data).by_id:
            return data
        if ended.settled:
            return self._marked(data, {ended.task: Status.COMPLETED})
        if not ended.counts:
            attempts = self.plan.efforts(data)[ended.task].attempts
            data = self.plan.with_attempts(data, ended.task, max(attempts - 1, 0))
        status = Status.BLOCKED if self._blocked else Status.OPEN
        return self._marked(data, {ended.task: status})

    # Files

    def _parsed(self, data: bytes) -> Plan:
        return self.plan.parse({self.plan.key: data})

    def _marked(self, data: bytes, statuses: Mapping[str, Status]) -> bytes:
        return self.plan.mark({self.plan.key: data}, statuses).get(self.plan.key, data)

    def _list(self, name: str) -> list[Item]:
        return _READ[name](self.good[name]) or []

    def _write(self, name: str, data: bytes) -> None:
        self._keep(name, data)
        if self.folder.read(name) != data:
            self.folder.write(name, data)

    def _keep(self, name: str, data: bytes) -> None:
        """The copy comes first: a kill between the two leaves a good one."""
        self.good[name] = data
        if self._copy(name) != data:
            files.write(self._copies / name, data)

    def _copy(self, name: str) -> bytes | None:
        return files.read(self._copies / name)

    def _repair(self, name: str, why: str, found: bytes | None, iteration: int) -> Repair:
        kept = ""
        if found is not None:
            kept = f"{KEPT}/{self.folder.name}/iteration-{iteration}-{name}"
            files.write(self.folder.root / kept, found)
        return Repair(f"{self.folder.key}/{name}", why, kept)


_FILES = (TASKS, STATE, OBSTACLES)


def _entry_of(ended: IterationEnd, done: frozenset[str]) -> Item:
    """For an agent that left none."""
    return history.entry({"summary": ended.why}, ended.iteration, ended.task, done)
