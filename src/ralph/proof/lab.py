"""Where candidates are tried: clean checkouts, the checks, and what came of every trial."""

from __future__ import annotations

import asyncio
import os
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ralph.checks.caches import Caches
from ralph.domain.errors import CheckError
from ralph.domain.trial import Trial
from ralph.domain.verdict import CheckResult
from ralph.process.waiting import give_up, in_thread
from ralph.proof.experiment import BASE, HEAD, Site, Variant
from ralph.proof.kept import KeptTrials
from ralph.proof.runners.reporting import tried
from ralph.repo import CleanCheckout, queries

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from ralph.checks.carry import Runner
    from ralph.checks.commands import Checker
    from ralph.domain.settings import VerificationSettings
    from ralph.domain.task import Command
    from ralph.domain.verdict import Verdict
    from ralph.proof.subject import Subject
    from ralph.repo import GitWorkspace, Repo

T = TypeVar("T")

MOST = 3
"""Trials at the same time, where there are as many cores."""


class Bench(Struct):
    """A clean checkout, used by one trial at a time."""

    checkout: CleanCheckout
    caches: Caches
    """What programs keep outside of it."""
    prepared: bool = False

    @classmethod
    def at(cls, checkout: CleanCheckout, *, prepared: bool = False) -> Bench:
        return cls(checkout, Caches(checkout.path), prepared)


class Lab:
    """Tries variants, none of them twice in a run, as many side by side as there are cores."""

    def __init__(
        self,
        settings: VerificationSettings,
        users: Repo,
        workspace: GitWorkspace,
        checkout: CleanCheckout,
        checker: Checker,
        logs: Path,
    ) -> None:
        self.settings = settings
        self.workspace = workspace
        """Where variants are made."""
        self.checkout = checkout
        self.checker = checker
        self.logs = logs
        self.hidden_logs = checkout.path.with_name("held-out")
        """What held-out checks print may show what they look for."""
        self.notes: tuple[str, ...] = ()
        """What every verdict must mention."""
        self._users = users
        self._keep: tuple[str, ...] = ()
        """What stays in a clean checkout from one candidate to the next."""
        self._known: dict[tuple[str, tuple[Command, ...]], Trial] = {}
        self._kept = KeptTrials(checkout.path.with_name("trials"))
        self._trees: dict[str, str] = {}
        """What the commits hold, as far as that was asked."""
        self._idle = [Bench.at(checkout, prepared=True)]
        self._benches = 1
        cores = min(MOST, max(2, os.cpu_count() or 1))
        self._most = cores if settings.side_by_side else 1
        self._turns = asyncio.Semaphore(self._most)
        self._making = asyncio.Lock()

    @property
    def root(self) -> Path:
        """The user's checkout."""
        return self._users.root

    def ignored(self) -> tuple[str, ...]:
        """What git ignores there."""
        return queries.ignored(self._users)

    def clean(self) -> None:
        self.checkout.clean(self._keep)

    async def prepare(self, commit: str, checker: Checker | None = None) -> Path:
        """Bring the dependencies of the user's checkout beside this commit."""
        if checker is not None:
            self.checker = checker
        ignored = self.ignored()
        self._keep = self.checker.kept(ignored)
        root = self.checkout.at(commit, self._keep)
        self.notes = (await self.checker.prepare(root, ignored)).notes
        return root

    def within(self, wrap: Callable[[Runner], Runner]) -> Runner:
        """From now on every check is run by this, around what ran it before."""
        self.checker = self.checker.within(wrap(self.checker.runner))
        return self.checker.runner

    async def equip(self, root: Path) -> None:
        """Bring dependencies to an agent's own worktree; what it installed there stays."""
        await self.checker.prepare(root, self.ignored(), pristine=False)

    async def base(self, commit: str, commands: tuple[Command, ...], *, before: float = 0) -> Trial:
        """The checks on the commit that the work begins with, and ready for what follows.

        What they lack there is brought, unless it was made after `before`.
        """
        from ralph.proof.lacking import supply

        trial = await self.of(Variant(BASE, commit, commands, lasting=True))
        trial = (await supply(self, commit, commands, trial, before=before)).trial
        if trial.report is not None:
            # before any agent works: what is copied later may be what an agent made of it
            await self.make_ready(commit, commands)
        return trial

    async def passes(self, commit: str, command: Command, name: str) -> bool:
        """Whether one check passes on a commit; `name` is for its log."""
        return (await self.of(Variant(name, commit, (command,)))).passed

    async def prove(self, subject: Subject) -> Verdict:
        """Try a candidate and its variants, and say what that proves."""
        from ralph.proof.examine import examine  # not needed before the first agent has worked

        known = self.known(subject.base_variant)
        return await examine(replace(subject, known_base=known), self)

    async def renew(self, commit: str, checker: Checker) -> None:
        """Forget what was tried: from now on the checks have other things beside them."""
        others = self.notes
        await self.prepare(commit, checker)
        self.notes = tuple(dict.fromkeys((*self.notes, *others)))
        self._known.clear()
        for bench in self._idle:
            bench.prepared = bench.checkout is self.checkout

    def trusted(self) -> bool:
        """Whether the checks are known to see the code that is tried."""
        return self.checker.trusted(self.checkout.path)

    def mention(self, *notes: str) -> None:
        """From now on every verdict says this, too."""
        self.notes = tuple(dict.fromkeys((*self.notes, *notes)))

    def forget(self, commit: str) -> None:
        """Try it anew when it is next asked for, as if it had never been seen."""
        tree = self.workspace.tree(commit)
        self._known = {key: trial for key, trial in self._known.items() if key[0] != tree}

    def known(self, variant: Variant) -> Trial | None:
        """What came of it earlier in this run."""
        return self._known.get(self._key(self._made(variant)))

    async def make_ready(self, commit: str, commands: tuple[Command, ...]) -> None:
        """Prepare what trials of this base side by side will need, while nobody waits for it."""
        while self._benches < self._most:
            bench = self._new_bench()
            await self._stand(bench, commit)
            if bench.caches.is_empty and not self._idle[0].caches.is_empty:
                await self._try(bench, Variant("warm", commit, commands, lasting=True), "")
            self._idle.append(bench)

    async def of(self, variant: Variant, log: str = "") -> Trial:
        return await self._of(self._made(variant), log)

    async def all(
        self,
        variants: Iterable[Variant],
        log: str,
        enough: Callable[[dict[str, Variant], dict[str, Trial]], bool] = lambda _, __: False,
    ) -> tuple[dict[str, Variant], dict[str, Trial]]:
        """Side by side, as far as there is room: each begins as soon as it is named.

        Once what was asked and what came of it is `enough`, the others are given up. `log` is what
        the names of their logs begin with.
        """
        names = iter(variants)
        naming: asyncio.Future[Variant | None] | None = self._beside(names)
        tasks: dict[asyncio.Future[Trial], str] = {}
        asked: dict[str, Variant] = {}
        trials: dict[str, Trial] = {}
        try:
            while waiting := {one for one in (naming, *tasks) if one is not None}:
                done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                if naming in done:
                    begun = {one.name: one for one in (await naming,) if one is not None}
                    asked |= begun
                    tasks |= {asyncio.ensure_future(self._of(v, log)): n for n, v in begun.items()}
                    naming = self._beside(names) if begun else None
                new = {tasks.pop(task): task.result() for task in [*tasks] if task in done}
                trials |= new
                if new and enough(asked, trials):
                    break
            return {name: one for name, one in asked.items() if name in trials}, trials
        finally:
            try:
                await give_up(*tasks)
            finally:
                if naming is not None:  # what writes a variant has to be done with it
                    await asyncio.wait((naming,))

    def _beside(self, variants: Iterator[Variant]) -> asyncio.Future[Variant | None]:
        """The next of them, made in a thread of its own: it takes a while to write one."""

        def following() -> Variant | None:
            one = next(variants, None)
            return None if one is None else self._made(one)

        return asyncio.ensure_future(asyncio.to_thread(following))

    def _made(self, variant: Variant) -> Variant:
        """The same as a commit."""
        if not variant.paths and not variant.write:
            return variant
        commit = self.workspace.variant(
            variant.onto, variant.source, variant.paths, variant.write or None
        )
        return replace(variant, onto=commit, source="", paths=(), write={})

    async def _of(self, variant: Variant, log: str) -> Trial:
        if variant.visit is not None:
            visit = variant.visit
            return await self.at(variant.onto, lambda root, env: visit(self._site(root, env)))
        key = self._key(variant)
        if key in self._known and not variant.fresh:
            return self._known[key].from_before()
        if variant.lasting and (kept := self._kept.load(*key, self._around())) is not None:
            self._known[key] = kept
            return kept.from_before()
        async with self._turns:
            bench = self._bench()
            try:
                trial = await self._try(bench, variant, log)
            finally:
                self._idle.insert(0, bench)
        if trial.stopped:
            return trial  # half of the truth is not kept
        self._known.setdefault(key, trial)
        if variant.lasting or variant.tree:
            self._kept.save(*key, self._around(), trial)
        return trial

    async def at(self, commit: str, work: Callable[[Path, Mapping[str, str]], Awaitable[T]]) -> T:
        """Do something in a clean checkout of this commit."""
        async with self._turns:
            bench = self._bench()
            try:
                root = await self._stand(bench, commit)
                return await work(root, self.checker.environment(root))
            finally:
                self._idle.insert(0, bench)

    def _site(self, root: Path, env: Mapping[str, str]) -> Site:
        return Site(root, env, self.logs, self.checker.runner)

    def _around(self) -> str:
        return self.checker.fingerprint(self.checkout.path)

    def _key(self, variant: Variant) -> tuple[str, tuple[Command, ...]]:
        tree = variant.tree or self._trees.get(variant.onto) or self.workspace.tree(variant.onto)
        self._trees[variant.onto] = tree
        return tree, variant.commands

    def _bench(self) -> Bench:
        return self._idle.pop(0) if self._idle else self._new_bench()

    def _new_bench(self) -> Bench:
        self._benches += 1
        path = self.checkout.path.with_name(f"{self.checkout.path.name}-{self._benches}")
        return Bench.at(CleanCheckout(self.workspace.repo, path))

    async def _try(self, bench: Bench, variant: Variant, log: str) -> Trial:
        root = await self._stand(bench, variant.onto)
        try:
            notes = await self.checker.refresh(root, variant.changed)
        except CheckError as error:
            if not self.settings.setup:
                raise  # not the candidate's doing
            return Trial(variant.onto, (self._not_set_up(error),), (None,))
        name = log if variant.name == HEAD and log else "-".join(filter(None, (log, variant.name)))
        checked = await tried(
            self.checker,
            variant.commands,
            root,
            self.hidden_logs if variant.hidden else self.logs,
            name,
            seconds=variant.seconds,
            until=variant.until,
            grace=variant.grace,
        )
        if variant.name == HEAD:
            await in_thread(partial(_bring_pictures, root, self.root))
        if variant.lasting and not checked.stopped:
            await in_thread(bench.caches.keep)
        touched = () if checked.stopped else await in_thread(bench.checkout.touched)
        return Trial(variant.onto, *checked[:2], notes, checked.stopped, touched)

    async def _stand(self, bench: Bench, commit: str) -> Path:
        # git looks at every worktree when it makes one, also at one that is half made
        async with nullcontext() if bench.prepared else self._making:
            root = await in_thread(partial(bench.checkout.at, commit, self._keep))
        await in_thread(bench.caches.restore)
        if not bench.prepared:
            await self.checker.prepare(root, self.ignored())
            bench.prepared = True
        return root

    def _not_set_up(self, error: CheckError) -> CheckResult:
        """The candidate changed a lock file, and the set-up does not work with it."""
        from ralph.reading.signature import signature  # many patterns

        return CheckResult(
            command=self.settings.setup[0],
            passed=False,
            exit_code=None,
            seconds=0,
            tail=str(error),
            signature=signature(error.what),
            why="could not set up the checkout",
        )


def _bring_pictures(checkout: Path, root: Path) -> None:
    if (checkout / ".ralph").is_dir():  # rarely so, and browsers are heavy to import
        from ralph.checks.browser.baselines import bring

        bring(checkout, root)
