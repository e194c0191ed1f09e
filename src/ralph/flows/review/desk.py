"""Asking agents: fresh ones, side by side, each in its own copy; answers are written down."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from ralph import masking
from ralph.agents.line import Line
from ralph.domain.errors import AgentError
from ralph.domain.job import Job
from ralph.domain.trouble import TroubleKind
from ralph.flows.review import state
from ralph.loop.guests import received
from ralph.policy.backoff import backoff
from ralph.policy.price import priced
from ralph.policy.review import answered, failed, limit
from ralph.process.waiting import in_thread
from ralph.repo import CleanCheckout, status, worktrees
from ralph.repo.git import Git

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable
    from pathlib import Path

    from ralph.domain.answer import Answer
    from ralph.domain.review import Review, ReviewEnd
    from ralph.flows.review.bench import ReviewBench

T = TypeVar("T")

TRIES = 2
"""How often a question is put, each time to a fresh agent."""
LEAST_SECONDS = 5.0
HOPELESS = frozenset(
    (
        *(TroubleKind.NOT_STARTED, TroubleKind.AUTHENTICATION, TroubleKind.BILLING),
        *(TroubleKind.PERMISSION, TroubleKind.MODEL_NOT_FOUND, TroubleKind.USAGE_LIMIT),
    )
)
"""Troubles that a second try a moment later does not help against."""


class Desk:
    """Holds the review while it runs; every change is written down at once."""

    def __init__(self, bench: ReviewBench, review: Review) -> None:
        self.bench = bench
        self.review = review
        self._turns = asyncio.Semaphore(bench.side_by_side)
        self._idle: list[CleanCheckout] = []
        self._made = 0
        self._making = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._since = self._loop.time()

    def keep(self, review: Review) -> None:
        """Write it down, with the time that has passed."""
        now = self._loop.time()
        passed, self._since = now - self._since, now
        self.review = replace(
            review, seconds=review.seconds + passed, last_updated=self.bench.clock()
        )
        state.save(self.bench.folder, self.bench.root, self.review)

    def note(self, text: str) -> None:
        """For the person who is watching, and for the report; once."""
        if text not in self.review.notes:
            self.keep(replace(self.review, notes=(*self.review.notes, text)))
            self.bench.tell(f"  ! {text}")

    def limit(self) -> ReviewEnd | None:
        """The limit that is reached by now."""
        passed = self._loop.time() - self._since
        return limit(replace(self.review, seconds=self.review.seconds + passed))

    async def question(
        self, name: str, prompt: str, read: Callable[[str], T | None]
    ) -> tuple[T | None, str]:
        """An answer that can be read, or why there is none. Unreadable ones are asked for again."""
        error = ""
        async with self._turns:
            for number in range(TRIES):
                if self.limit():
                    return None, "a limit was reached first"
                answer = await self._in_a_copy(name, prompt, number)
                found = read(answer.text) if answer.trouble is None else None
                if found is not None:
                    self.keep(replace(self.review, consecutive_failures=0))
                    return found, ""
                error = answer.error or "its answer contains no JSON of the requested form"
                if answer.trouble is not None:
                    await self._pause(number)
        self.keep(failed(self.review, f"{name}: {error}"))
        return None, error

    async def _in_a_copy(self, name: str, prompt: str, number: int) -> Answer:
        copy = await self._copy()
        try:
            answer = await self.work(name, prompt, copy.path, number)
            await asyncio.to_thread(self._look_for_changes, name, copy)
        finally:
            self._idle.append(copy)
        return replace(answer, text=_without(answer.text, copy.path))

    async def work(self, name: str, prompt: str, workspace: Path, number: int) -> Answer:
        """One fresh agent, within the time that is left; an AgentError if none can ever work."""
        review, bench = self.review, self.bench
        left = review.limits.minutes * 60 - review.seconds - (self._loop.time() - self._since)
        seconds = max(left, LEAST_SECONDS)
        agent = bench.agents[min(number, len(bench.agents) - 1)]
        log = bench.logs() / f"review-{review.id}-{review.round}-{name}-{number + 1}.txt"
        job = Job(
            prompt=masking.text(prompt),
            prompt_file="",
            workspace=str(workspace),
            task=name,
            iteration=review.round,
            attempt=number + 1,
            run=review.id,
            log=str(log),
            wall_seconds=seconds,
            idle_seconds=seconds,
            log_cap=int(bench.settings.logs.max_output_mb * (1 << 20)),
        )
        bench.outlay.allow()
        found = bench.confinement
        async with received(
            found, bench.settings, bench.repo.common_dir, agent, workspace
        ) as walls:
            answer = await agent.run(replace(job, walls=walls), Line())
        own = bench.settings.agents.get(agent.name)
        model = own.model if own is not None else bench.settings.claude.model
        used = priced(answer.usage, answer.models, model)
        bench.outlay.spent(agent.name, used)
        self.keep(answered(self.review, used))
        if answer.trouble and answer.trouble.kind in HOPELESS and agent is bench.agents[-1]:
            fix = "Fix that, then continue with `ralph review --resume`."
            raise AgentError(answer.error.splitlines()[0], fix=fix)
        return answer

    async def _pause(self, number: int) -> None:
        """After trouble of the agent's own, before the next one is started."""
        cap = self.bench.settings.loop.backoff_cap_seconds
        failures = self.review.consecutive_failures + number + 1
        seconds = backoff(failures, cap=cap, jitter=self.bench.jitter())
        if not seconds or number + 1 >= TRIES:
            return
        total = self.review.metrics.backoff_delays_total + seconds
        metrics = replace(self.review.metrics, backoff_delays_total=total)
        self.keep(replace(self.review, metrics=metrics))
        await asyncio.sleep(seconds)

    async def _copy(self) -> CleanCheckout:
        """A folder with exactly what is reviewed; what an earlier agent did to it is gone."""
        if self._idle:
            copy = self._idle.pop()
        else:
            self._made += 1
            copy = CleanCheckout(self.bench.repo, self.bench.folder / f"copy-{self._made}")
        # git looks at every worktree when it makes one, also at one that is half made
        async with self._making:
            await in_thread(partial(copy.at, self.review.commit))
        return copy

    def _look_for_changes(self, name: str, copy: CleanCheckout) -> None:
        folder = worktrees.admin(self.bench.repo.common_dir, copy.path)
        seen = status.look(Git(folder, copy.path)) if folder else None
        changed = (*seen.tracked, *seen.untracked) if seen else (".git",)
        if changed:
            self._loop.call_soon_threadsafe(
                self.note,
                f"{name} changed {changed[0]}"
                + (f" and {len(changed) - 1} more" if len(changed) > 1 else "")
                + " in its copy; that was thrown away",
            )


def _without(text: str, folder: Path) -> str:
    """Paths in the copy are paths in the repository."""
    for place in {str(folder), str(folder.resolve())}:
        text = text.replace(f"{place}/", "")
    return text


async def together(work: Iterable[Awaitable[T]]) -> list[T]:
    """All at once; if one fails, the others are ended before the failure is raised."""
    tasks = [asyncio.ensure_future(one) for one in work]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
