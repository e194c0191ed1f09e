"""Run: one fresh agent process, and the next of the chain where it cannot work."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.agents.line import Line
from ralph.domain.event import AgentFinished, AgentSwitched
from ralph.domain.job import Job
from ralph.domain.task import Status
from ralph.loop import guard
from ralph.loop.accepted import AcceptedWork
from ralph.loop.hearing import Hearing
from ralph.loop.planning import marked
from ralph.policy.remedy import STAYS
from ralph.policy.terminate import left_to_spend
from ralph.prompts.archive import store

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.answer import Answer
    from ralph.loop.attempt import Attempt
    from ralph.loop.house import House
    from ralph.loop.ports import Agent

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
        answer = await _work(house, attempt, agent, replace(job, session=session))
        tried.add(agent.name)
        successor = _successor(house, answer)
        if successor is None or successor.name in tried:
            return answer
        house.journal.record(
            AgentSwitched(attempt.iteration, agent.name, successor.name, answer.error)
        )
        agent = successor


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
        budget_usd=left_to_spend(house.state, settings.loop),
    )


async def _work(house: House, attempt: Attempt, agent: Agent, job: Job) -> Answer:
    hearing = Hearing(house.journal, attempt.iteration)
    try:
        answer = await house.control.watching(
            agent.run(job, Line(hearing)), partial(_meanwhile, house, attempt)
        )
    finally:
        hearing.close()
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
            usage=answer.usage,
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
