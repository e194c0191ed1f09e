"""Run: one fresh agent process, and the next of the chain where it cannot work."""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain.activity import ActivityKind
from ralph.domain.attended import HostRefused
from ralph.domain.budget import Scope
from ralph.domain.errors import RalphError
from ralph.domain.event import AgentFinished, AgentSwitched, PutBack
from ralph.domain.job import Job
from ralph.domain.task import Status, shown
from ralph.domain.trouble import TroubleKind
from ralph.loop import guard
from ralph.loop.accepted import AcceptedWork
from ralph.loop.confine import leave, lodge, reaching
from ralph.loop.handover import HandoverWatcher
from ralph.loop.health import HealthWatcher, pace
from ralph.loop.planning import marked
from ralph.loop.ports import Order
from ralph.loop.prompter import Prompter
from ralph.loop.room import Room
from ralph.loop.watch import Hearing, Watch
from ralph.policy.budget import denied
from ralph.policy.price import priced
from ralph.policy.remedy import STAYS
from ralph.prompts.archive import store
from ralph.prompts.compose import prefix_hash

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ralph.agents import Agent
    from ralph.agents.line import Line
    from ralph.domain.activity import Activity
    from ralph.domain.answer import Answer
    from ralph.domain.usage import Usage
    from ralph.loop.iteration import Iteration
    from ralph.loop.ports import Watcher
    from ralph.loop.run import Run


SECONDS = 1.0
"""How often spending is written down, and the ledger is asked about the others."""


class Purse:
    """A watcher: it writes down what the agent uses and ends it when the money is used up."""

    def __init__(self, run: Run, job: Job, model: str = "") -> None:
        self._run = run
        self._job = job
        self._model = model
        self._usage: Usage | None = None
        self._answering = True
        """Its last figures were told on the way: it has not come to its result."""
        self._context = 0.0
        self._written: Usage | None = None
        self._looked = asyncio.get_running_loop().time()

    def heard(self, activity: Activity, now: float) -> None:  # noqa: ARG002 - a watcher's
        if activity.kind is ActivityKind.SPENT and activity.usage is not None:
            self._usage = priced(activity.usage, {}, self._model)
            self._answering = activity.usage.estimated
            self._context = activity.context

    def look(self, now: float) -> Order | None:
        cost = (self._usage and self._usage.cost_usd) or 0.0
        if self._answering and 0 < self._job.budget_usd < cost:
            return _stop(f"It has spent ${cost:.2f}; ${self._job.budget_usd:.2f} was left for it.")
        if now - self._looked < SECONDS:
            return None
        self._looked = now
        self._write()
        return self._look()

    def _write(self) -> None:
        if self._usage is None or self._usage == self._written:
            return
        # what cannot be written now is written a second later, or with the agent's end
        with contextlib.suppress(RalphError):
            job = self._job
            self._run.economics.record_consumption(
                job.iteration, job.task, self._usage, self._context
            )
            self._written = self._usage

    def _look(self) -> Order | None:
        run = self._run
        results = run.economics.check_each(self._job.task)
        for news in run.economics.news(results):
            run.journal.later(news)
        spent = denied(results, *Scope)
        if spent is None or not self._answering:
            return None
        return _stop(f"{spent.why[0].upper()}{spent.why[1:]}.")


def _stop(why: str) -> Order:
    return Order(stop=True, why=why, trouble=TroubleKind.BUDGET)


COMMITTED = "the agent made commits of its own; Ralph commits after verifying"
PROPOSED = "the agent committed; its message and its name are kept if the work passes"
KEPT_TAIL = 4_000
"""Characters of the agent's output that the ledger keeps."""


async def run_agent(run: Run, iteration: Iteration, prompt: str) -> Answer:
    """A fresh agent process, watched until it and its descendants are gone.

    One that fails for reasons of its own is followed by the next of the chain.
    """
    archived = store(run.prompts(), iteration.number, prompt, retry=iteration.retry)
    job = _job(run, iteration, prompt, archived)
    with guard.kept(run, iteration):
        if iteration.accepted:
            work = AcceptedWork(run.workspace, iteration.accepted)
            return await _work(run, iteration, work, job)
        return await _chain(run, iteration, job)


async def _chain(run: Run, iteration: Iteration, job: Job) -> Answer:
    tried: set[str] = set()
    agent = run.agent()
    while True:
        session = iteration.session if agent.name == iteration.agent else ""
        left = run.economics.left_to_spend(iteration.task.id)
        own = replace(job, session=session, budget_usd=left)
        answer = await _lodged(run, iteration, agent, own)
        tried.add(agent.name)
        successor = _successor(run, answer)
        if successor is None or successor.name in tried:
            return answer
        run.journal.record(
            AgentSwitched(iteration.number, agent.name, successor.name, answer.error)
        )
        agent = successor


async def _lodged(run: Run, iteration: Iteration, agent: Agent, job: Job) -> Answer:
    """Between walls, where there are any; what it committed itself is kept aside."""
    lodged = lodge(run, iteration, agent, job.prompt_file)
    if lodged is None:
        return await _work(run, iteration, agent, job)
    try:
        refused = partial(_refused, run, iteration.number)
        async with reaching(run.settings.safety, lodged.walls, refused) as walls:
            return await _work(run, iteration, agent, replace(job, walls=walls))
    finally:
        for name, kept in leave(run, iteration, lodged):
            own = run.flow.may_commit and name == run.workspace.branch
            why = PROPOSED if own else COMMITTED
            run.journal.record(PutBack(iteration.number, name, why, kept))


def _refused(run: Run, iteration: int, host: str) -> None:
    run.journal.record(HostRefused(iteration, host))


def _job(run: Run, iteration: Iteration, prompt: str, archived: Path) -> Job:
    settings = run.settings
    return Job(
        prompt=prompt,
        prompt_file=str(archived),
        workspace=str(run.workspace.root),
        task=iteration.task.id,
        iteration=iteration.number,
        attempt=iteration.attempt,
        run=run.run_id,
        log=str(run.logs() / f"{archived.stem}.txt"),
        wall_seconds=settings.loop.max_minutes_per_iteration * 60,
        idle_seconds=settings.loop.max_idle_minutes * 60,
        log_cap=int(settings.logs.max_output_mb * (1 << 20)),
    )


async def _work(run: Run, iteration: Iteration, agent: Agent, job: Job) -> Answer:
    hearing = Hearing(run.journal, iteration.number, run.control.acted)
    settings = run.settings
    watch = Watch(hearing, pace(settings.health, settings.handoff.wrap_up_minutes))
    watch.watchers.extend(_watchers(run, iteration, watch.line))
    watch.watchers.append(Purse(run, job, _model(run, agent)))
    try:
        answer = await run.control.watching(
            watch.beside(agent.run(job, watch.line)), partial(_meanwhile, run, iteration)
        )
    finally:
        hearing.close()
    answer = watch.told(answer)
    trouble = answer.trouble
    run.journal.later(
        AgentFinished(
            iteration=iteration.number,
            task=iteration.task.id,
            ended=answer.ended,
            exit_code=answer.exit_code,
            seconds=answer.seconds,
            output_bytes=answer.output_bytes,
            tail=answer.text[-KEPT_TAIL:],
            usage=priced(answer.usage, answer.models, _model(run, agent)),
            error=answer.error,
            log=answer.log,
            prompt=job.prompt_file,
            agent=agent.name,
            trouble=trouble.kind if trouble else None,
            until=trouble.until if trouble else 0,
            session=answer.session,
            command=shown(getattr(agent, "command", None) or ()),
            models=dict(answer.models),
            calls=answer.calls,
            tools=dict(answer.tools),
            prefix_hash=prefix_hash(job.prompt, iteration.task.id),
        )
    )
    return replace(answer, agent=agent.name)


def _watchers(run: Run, iteration: Iteration, line: Line) -> Iterator[Watcher]:
    """Who looks after the agent while it works."""
    if iteration.accepted:
        return
    now = asyncio.get_running_loop().time()
    yield HealthWatcher(run, iteration, line, now)
    yield HandoverWatcher(run, iteration, line, now)
    yield Prompter(run, iteration, line)
    yield Room(run, now)


def _model(run: Run, agent: Agent) -> str:
    """What the agent's model is called, where the settings say it: its tokens have a price."""
    own = run.settings.agents.get(agent.name)
    return own.model if own is not None else run.settings.claude.model


def _successor(run: Run, answer: Answer) -> Agent | None:
    """Who takes over from an agent with trouble of its own, if anyone can."""
    if answer.trouble is None or answer.trouble.kind in STAYS:
        return None
    run.journal.record()  # or the state would not know of the trouble
    return run.agent()


def _meanwhile(run: Run, iteration: Iteration) -> None:
    """What need not be done before the agent starts."""
    run.workspace.foresee(marked(run, {iteration.task.id: Status.COMPLETED})[0])
    run.errands.catch_up()
