"""Checks on any state of the repository: each in a clean checkout, none of them twice in a run."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from ralph.domain.errors import CheckError
from ralph.domain.task import Command
from ralph.domain.tests import TestReport
from ralph.domain.trial import Trial
from ralph.domain.verdict import CheckResult
from ralph.loop.kept_trials import KeptTrials
from ralph.process.waiting import give_up, in_thread
from ralph.repo import CleanCheckout

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterable, Mapping
    from pathlib import Path

    from ralph.loop.ports import Grounds

T = TypeVar("T")

MOST = 3
"""Trials at the same time, where there are as many cores."""


class Wanted(Struct, frozen=True):
    """One trial that is asked for."""

    commit: str
    commands: tuple[Command, ...]
    name: str
    """What its logs are called."""
    tree: str = ""
    """What the commit holds, if that is known."""
    changed: tuple[str, ...] = ()
    """Files that differ from the base: a changed lock file needs another set-up."""
    fresh: bool = False
    """Whether it is run again although an earlier trial of the same is known."""
    seconds: float = 0
    """How long each check may take, where it may never end; 0 for as long as any."""
    lasting: bool = False
    """Whether what an earlier run found will do: it is no agent's work that is tried."""
    hidden: bool = False
    """Whether its logs are kept where agents do not look."""
    until: Callable[[TestReport], bool] | None = None
    """What to make of a report before it is complete: whether the rest need not be waited for."""


class Place(Struct):
    """A clean checkout, used by one trial at a time."""

    checkout: CleanCheckout
    prepared: bool = False


class Trials:
    """Remembers what it tried, by tree and commands."""

    def __init__(self, grounds: Grounds) -> None:
        self._grounds = grounds
        self._known: dict[tuple[str, tuple[Command, ...]], Trial] = {}
        self._kept = KeptTrials(grounds.checkout.path.with_name("trials"))
        self._trees: dict[str, str] = {}
        """What the commits hold, as far as that was asked."""
        self._idle = [Place(grounds.checkout, prepared=True)]
        self._places = 1
        cores = min(MOST, max(2, os.cpu_count() or 1))
        self._most = cores if grounds.settings.verification.side_by_side else 1
        self._turns = asyncio.Semaphore(self._most)
        self._making = asyncio.Lock()

    def forget(self, commit: str) -> None:
        """Try it anew when it is next asked for, as if it had never been seen."""
        tree = self._grounds.workspace.tree(commit)
        self._known = {key: trial for key, trial in self._known.items() if key[0] != tree}

    def renew(self) -> None:
        """Forget what was tried: from now on the checks have other things beside them."""
        self._known.clear()
        for place in self._idle:
            place.prepared = place.checkout is self._grounds.checkout

    def known(self, wanted: Wanted) -> Trial | None:
        """What came of it earlier in this run."""
        return self._known.get(self._key(wanted))

    async def make_ready(self) -> None:
        """Prepare the places that trials side by side will need, while nobody waits for them."""
        while self._places < self._most:
            place = self._new_place()
            head = self._grounds.workspace.head()
            await self._stand(place, head)
            self._idle.append(place)

    async def of(self, wanted: Wanted) -> Trial:
        key = self._key(wanted)
        if key in self._known and not wanted.fresh:
            return self._known[key]
        if wanted.lasting and (kept := self._kept.load(*key, self._around())) is not None:
            self._known[key] = kept
            return kept
        async with self._turns:
            place = self._place()
            try:
                trial = await self._try(place, wanted)
            finally:
                self._idle.insert(0, place)
        if trial.stopped:
            return trial  # half of the truth is not kept
        self._known.setdefault(key, trial)
        if wanted.lasting or wanted.tree:
            self._kept.save(*key, self._around(), trial)
        return trial

    def _around(self) -> str:
        return self._grounds.checker.fingerprint(self._grounds.checkout.path)

    def _key(self, wanted: Wanted) -> tuple[str, tuple[Command, ...]]:
        tree = wanted.tree or self._trees.get(wanted.commit)
        if not tree:
            tree = self._grounds.workspace.tree(wanted.commit)
        self._trees[wanted.commit] = tree
        return tree, wanted.commands

    async def at(self, commit: str, work: Callable[[Path, Mapping[str, str]], Awaitable[T]]) -> T:
        """Do something in a clean checkout of this commit."""
        async with self._turns:
            place = self._place()
            try:
                root = await self._stand(place, commit)
                return await work(root, self._grounds.checker.environment(root))
            finally:
                self._idle.insert(0, place)

    async def all(
        self,
        *wanted: Wanted,
        then: Callable[[], Iterable[Wanted]] = tuple,
        enough: Callable[[str, Trial], bool] = lambda _, __: False,
    ) -> dict[str, Trial]:
        """Side by side, as far as there are places; what `then` names is made ready meanwhile.

        Once a trial is `enough` by itself, the others are given up.
        """
        tasks = {one.name: asyncio.ensure_future(self.of(one)) for one in wanted}
        more = asyncio.ensure_future(asyncio.to_thread(lambda: list(then())))
        told: set[str] = set()
        try:
            while waiting := {one for one in (more, *tasks.values()) if not one.done()}:
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                if more.done() and "" not in told:
                    told.add("")
                    tasks |= {w.name: asyncio.ensure_future(self.of(w)) for w in more.result()}
                new = {n: t.result() for n, t in tasks.items() if t.done() and n not in told}
                told |= new.keys()
                if found := next((name for name in new if enough(name, new[name])), ""):
                    return {found: new[found]}
            return {name: task.result() for name, task in tasks.items()}
        finally:
            await give_up(more, *tasks.values())

    def _place(self) -> Place:
        return self._idle.pop(0) if self._idle else self._new_place()

    def _new_place(self) -> Place:
        self._places += 1
        grounds = self._grounds
        path = grounds.checkout.path.with_name(f"{grounds.checkout.path.name}-{self._places}")
        return Place(CleanCheckout(grounds.repo, path))

    async def _try(self, place: Place, wanted: Wanted) -> Trial:
        grounds = self._grounds
        root = await self._stand(place, wanted.commit)
        try:
            notes = await grounds.checker.refresh(root, wanted.changed)
        except CheckError as error:
            if not grounds.settings.verification.setup:
                raise  # not the candidate's doing
            return Trial(wanted.commit, (not_set_up(grounds, error),), (None,))
        logs = grounds.hidden_logs() if wanted.hidden else grounds.logs()
        results, reports, stopped = await grounds.checker.trial(
            wanted.commands, root, logs, wanted.name, wanted.seconds, wanted.until
        )
        touched = () if stopped else await in_thread(place.checkout.touched)
        return Trial(wanted.commit, results, reports, notes, stopped, touched)

    async def _stand(self, place: Place, commit: str) -> Path:
        grounds = self._grounds
        # git looks at every worktree when it makes one, also at one that is half made
        async with nullcontext() if place.prepared else self._making:
            root = await in_thread(partial(place.checkout.at, commit, grounds.kept))
        if not place.prepared:
            await grounds.checker.prepare(root, grounds.ignored())
            place.prepared = True
        return root

    def trusted(self) -> bool:
        """Whether the checks are known to see the code that is tried."""
        return self._grounds.checker.trusted(self._grounds.checkout.path)


def not_set_up(grounds: Grounds, error: CheckError) -> CheckResult:
    """The candidate changed a lock file, and the set-up does not work with it."""
    from ralph.policy.signature import signature

    return CheckResult(
        command=grounds.settings.verification.setup[0],
        passed=False,
        exit_code=None,
        seconds=0,
        tail=str(error),
        signature=signature(error.what),
        why="could not set up the checkout",
    )
