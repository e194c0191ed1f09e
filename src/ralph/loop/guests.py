"""Agents that land nothing themselves: judges, reviewers, those that draft or fix; their walls."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph import masking
from ralph.agents.home import HomeNeeds, furnish
from ralph.agents.line import Line
from ralph.domain.job import Job
from ralph.domain.settings import Network
from ralph.loop.confine import git_places, named, reaching, seen_by, texts
from ralph.policy.price import priced

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ralph.agents import Agent
    from ralph.domain.answer import Answer
    from ralph.domain.settings import Settings
    from ralph.domain.walls import Walls
    from ralph.loop.confine import Confinement
    from ralph.loop.iteration import Iteration
    from ralph.loop.run import Run


@contextlib.asynccontextmanager
async def received(
    found: Confinement,
    settings: Settings,
    common_dir: Path,
    agent: Agent,
    place: Path,
    seen: tuple[Path, ...] = (),
) -> AsyncIterator[Walls | None]:
    """Walls for an agent that writes to `place` and only reads the repository; None without any.

    It also sees the files and folders in `seen`.

    Its home is its own; what is said in its sessions and a renewed login are kept.
    """
    if found.walls is None:
        yield None
        return
    found.folder.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="guest-", dir=found.folder))
    users, needs = Path(found.walls.home), getattr(agent, "needs", HomeNeeds())
    home = furnish(folder / "home", users, os.environ, needs, fresh=True)
    walls = replace(
        found.walls,
        write=(str(place), *named(settings.safety.write, users)),
        read=(
            *seen_by(found.walls, settings, agent, place),
            *git_places(common_dir),
            *map(str, seen),
        ),
        hide=found.hidden,
        over=texts(home.over),
        shown=(*found.walls.shown, *texts(home.shown)),
        network=settings.safety.network is Network.FULL,
    )
    try:
        async with reaching(settings.safety, walls, lambda _: None) as reached:
            yield reached
    finally:
        home.give_back()
        shutil.rmtree(folder, ignore_errors=True)


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
    async with received(
        run.confinement, run.settings, run.workspace.common_dir, run.judge, root
    ) as walls:
        answer = await run.judge.run(replace(job, walls=walls), Line())
    _pay(run, iteration, answer, run.judge.name)
    return answer.text


def _pay(run: Run, iteration: Iteration, answer: Answer, judge: str) -> None:
    """A judge's work is paid for as well."""
    usage = priced(answer.usage, answer.models, run.settings.claude.model)
    if usage.tokens or usage.cost_usd:
        run.economics.record_consumption(iteration.number, iteration.task.id, usage, by=judge)
