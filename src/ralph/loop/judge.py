"""The judge: an agent who looks at a change in a checkout of its base."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph import masking
from ralph.agents.line import Line
from ralph.domain.job import Job
from ralph.loop.guests import received
from ralph.policy.price import priced

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.answer import Answer
    from ralph.loop.attempt import Attempt
    from ralph.loop.house import House

MINUTES = 15


async def ask(house: House, attempt: Attempt, prompt: str, root: Path) -> str:
    """What the judge says, who works in this folder."""
    if house.judge is None:
        return ""
    log = house.logs() / f"iteration-{attempt.iteration}-judge.txt"
    job = Job(
        prompt=masking.text(prompt),
        prompt_file="",
        workspace=str(root),
        task=attempt.task.id,
        iteration=attempt.iteration,
        attempt=attempt.number,
        run=house.run_id,
        log=str(log),
        wall_seconds=MINUTES * 60,
        idle_seconds=MINUTES * 60,
        log_cap=1 << 20,
        budget_usd=house.economics.left_to_spend(attempt.task.id),
    )
    async with received(house.confinement, house.settings, house.repo, house.judge, root) as walls:
        answer = await house.judge.run(replace(job, walls=walls), Line())
    _pay(house, attempt, answer, house.judge.name)
    return answer.text


def _pay(house: House, attempt: Attempt, answer: Answer, judge: str) -> None:
    """A judge's work is paid for as well."""
    usage = priced(answer.usage, answer.models, house.settings.claude.model)
    if usage.tokens or usage.cost_usd:
        house.economics.record_consumption(attempt.iteration, attempt.task.id, usage, by=judge)
