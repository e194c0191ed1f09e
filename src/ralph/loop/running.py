"""Run: one fresh agent process, and the next of the chain where it cannot work."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain.attended import HostRefused
from ralph.domain.event import AgentFinished, AgentSwitched, PutBack
from ralph.domain.job import Job
from ralph.domain.task import Status
from ralph.loop import guard
from ralph.loop.accepted import AcceptedWork
from ralph.loop.confine import leave, lodge, reaching
from ralph.loop.handover import HandoverWatcher
from ralph.loop.health import HealthWatcher, pace
from ralph.loop.hearing import Hearing
from ralph.loop.planning import marked
from ralph.loop.purse import Purse
from ralph.loop.room import Room
from ralph.loop.watch import Watch
from ralph.policy.price import priced
from ralph.policy.remedy import STAYS
from ralph.prompts.archive import store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ralph.agents import Agent
    from ralph.agents.line import Line
    from ralph.domain.answer import Answer
    from ralph.loop.attempt import Attempt
    from ralph.loop.house import House
    from ralph.loop.ports import Watcher

COMMITTED = "the agent made commits of its own; Ralph commits after verifying"
KEPT_TAIL = 4_000
"""Characters of the agent's output that the ledger keeps."""


async def run(house: House, attempt: Attempt, prompt: str) -> Answer:
    """A fresh agent process, watched until it and its descendants are gone.

    One that fails for reasons of its own is followed by the next of the chain.
    """
    archived = store(house.prompts(), attempt.iteration, prompt, retry=attempt.retry)
    job = _job(house, attempt, prompt, archived)
    house.before = guard.take(house)
    if attempt.accepted:
        return await _work(house, attempt, AcceptedWork(house.workspace, attempt.accepted), job)
    tried: set[str] = set()
    agent = house.agent()
    while True:
        session = attempt.session if agent.name == attempt.agent else ""
        left = house.economics.left_to_spend(attempt.task.id)
        own = replace(job, session=session, budget_usd=left)
        answer = await _lodged(house, attempt, agent, own)
        tried.add(agent.name)
        successor = _successor(house, answer)
        if successor is None or successor.name in tried:
            return answer
        house.journal.record(
            AgentSwitched(attempt.iteration, agent.name, successor.name, answer.error)
        )
        agent = successor


async def _lodged(house: House, attempt: Attempt, agent: Agent, job: Job) -> Answer:
    """Between walls, where there are any; what it committed itself is kept aside."""
    lodged = lodge(house, attempt, agent, job.prompt_file)
    if lodged is None:
        return await _work(house, attempt, agent, job)
    try:
        refused = partial(_refused, house, attempt.iteration)
        async with reaching(house.settings.safety, lodged.walls, refused) as walls:
            return await _work(house, attempt, agent, replace(job, walls=walls))
    finally:
        for name, kept in leave(house, attempt, lodged):
            house.journal.record(PutBack(attempt.iteration, name, COMMITTED, kept))


def _refused(house: House, iteration: int, host: str) -> None:
    house.journal.record(HostRefused(iteration, host))


def _job(house: House, attempt: Attempt, prompt: str, archived: Path) -> Job:
    settings = house.settings
    return Job(
        prompt=prompt,
        prompt_file=str(archived),
        workspace=str(house.workspace.root),
        task=attempt.task.id,
        iteration=attempt.iteration,
        attempt=attempt.number,
        run=house.run_id,
        log=str(house.logs() / f"{archived.stem}.txt"),
        wall_seconds=settings.loop.max_minutes_per_iteration * 60,
        idle_seconds=settings.loop.max_idle_minutes * 60,
        log_cap=int(settings.logs.max_output_mb * (1 << 20)),
    )


async def _work(house: House, attempt: Attempt, agent: Agent, job: Job) -> Answer:
    hearing = Hearing(house.journal, attempt.iteration)
    settings = house.settings
    watch = Watch(hearing, pace(settings.health, settings.handoff.wrap_up_minutes))
    watch.watchers.extend(_watchers(house, attempt, watch.line))
    watch.watchers.append(Purse(house, job, _model(house, agent)))
    try:
        answer = await house.control.watching(
            watch.beside(agent.run(job, watch.line)), partial(_meanwhile, house, attempt)
        )
    finally:
        hearing.close()
    answer = watch.told(answer)
    trouble = answer.trouble
    house.journal.later(
        AgentFinished(
            iteration=attempt.iteration,
            task=attempt.task.id,
            ended=answer.ended,
            exit_code=answer.exit_code,
            seconds=answer.seconds,
            output_bytes=answer.output_bytes,
            tail=answer.text[-KEPT_TAIL:],
            usage=priced(answer.usage, answer.models, _model(house, agent)),
            error=answer.error,
            log=answer.log,
            prompt=job.prompt_file,
            agent=agent.name,
            trouble=trouble.kind if trouble else None,
            until=trouble.until if trouble else 0,
            session=answer.session,
            models=dict(answer.models),
            calls=answer.calls,
            tools=dict(answer.tools),
        )
    )
    return replace(answer, agent=agent.name)


def _watchers(house: House, attempt: Attempt, line: Line) -> Iterator[Watcher]:
    """Who looks after the agent while it works."""
    if attempt.accepted:
        return
    now = asyncio.get_running_loop().time()
    yield HealthWatcher(house, attempt, line, now)
    yield HandoverWatcher(house, attempt, now)
    yield Room(house, now)


def _model(house: House, agent: Agent) -> str:
    """What the agent's model is called, where the settings say it: its tokens have a price."""
    own = house.settings.agents.get(agent.name)
    return own.model if own is not None else house.settings.claude.model


def _successor(house: House, answer: Answer) -> Agent | None:
    """Who takes over from an agent with trouble of its own, if anyone can."""
    if answer.trouble is None or answer.trouble.kind in STAYS:
        return None
    house.journal.record()  # or the state would not know of the trouble
    return house.agent()


def _meanwhile(house: House, attempt: Attempt) -> None:
    """What need not be done before the agent starts."""
    house.workspace.foresee(marked(house, {attempt.task.id: Status.COMPLETED})[0])
    house.catch_up()
