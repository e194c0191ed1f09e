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
    from ralph.loop.iteration import Iteration
    from ralph.loop.run import Run

MINUTES = 15


async def ask(run: Run, iteration: Iteration, prompt: str, root: Path) -> str:
    """What the judge says, who works in this folder."""
    if run.judge is None:
        return ""
    log = run.logs() / f"iteration-{iteration.number}-judge.txt"
    job = Job(
        prompt=masking.text(prompt),
        prompt_file="",
        workspace=str(root),
        task=iteration.task.id,
        iteration=iteration.number,
        attempt=iteration.attempt,
        run=run.run_id,
        log=str(log),
        wall_seconds=MINUTES * 60,
        idle_seconds=MINUTES * 60,
        log_cap=1 << 20,
        budget_usd=run.economics.left_to_spend(iteration.task.id),
    )
    async with received(run.confinement, run.settings, run.repo, run.judge, root) as walls:
        answer = await run.judge.run(replace(job, walls=walls), Line())
    _pay(run, iteration, answer, run.judge.name)
    return answer.text


def _pay(run: Run, iteration: Iteration, answer: Answer, judge: str) -> None:
    """A judge's work is paid for as well."""
    usage = priced(answer.usage, answer.models, run.settings.claude.model)
    if usage.tokens or usage.cost_usd:
        run.economics.record_consumption(iteration.number, iteration.task.id, usage, by=judge)
