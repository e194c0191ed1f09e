"""The loop around the step: start, recover, go round, end."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from ralph import process
from ralph.domain.decision import Action, StopReason, exit_code
from ralph.domain.errors import RalphError
from ralph.domain.event import CheckpointMade
from ralph.loop.control import Interrupted
from ralph.loop.deciding import act, decide
from ralph.loop.guard import put_back_git
from ralph.loop.planning import read_plan, release
from ralph.loop.prepare import prepare
from ralph.loop.recover import close, recover
from ralph.loop.step import step

if TYPE_CHECKING:
    from ralph.domain.decision import Decision
    from ralph.loop.house import House

GO_ON = (Action.CONTINUE, Action.RETRY, Action.HANDOFF)
"""Decisions that are followed by an iteration."""


async def run(house: House) -> int:
    """Work until the goal is reached, a limit stops it or a person must decide; the exit code."""
    with house.control.signals(), process.Guard():
        process.sweep_orphans()
        # an error up to here leaves a killed run as it is, for the next try
        recover(house)
        start(house)
        try:
            decision = await _go_round(house)
            reason = decision.reason or StopReason.ERROR
            return await _end(house, reason, decision.why)
        except Interrupted:
            return await _end(house, StopReason.INTERRUPTED, "A person stopped it at once.")
        except RalphError as error:
            # what stopped the work may stop the end too (a full disk): the next run recovers
            with contextlib.suppress(RalphError):
                await _end(house, StopReason.ERROR, error.what)
            raise


async def _go_round(house: House) -> Decision:
    await prepare(house)
    if not house.asks:
        house.asked_before.update(house.state.questions)
    decision = decide(house, read_plan(house))
    while decision.action is not Action.STOP:
        await act(house, decision)
        if decision.action in GO_ON and not house.state.run.stop:
            decision = await step(house)
            _checkpoint(house)
        else:
            decision = decide(house, read_plan(house))
    return decision


def start(house: House) -> None:
    house.dirt = frozenset(house.workspace.status().changed)
    plan = read_plan(house)
    house.orchestrator.initialize(
        plan.title,
        plan=house.plan.source,
        branch=house.workspace.branch,
        base=house.workspace.head(),
        agent=", ".join(agent.name for agent in house.agents),
        workspace=str(house.workspace.root),
        worktree=house.branch_plan is not None,
        untracked=house.workspace.untracked,
        dirt=tuple(sorted(house.dirt)),
        account=_account(house),
    )


def _account(house: House) -> str:
    from ralph.agents.accounts import of_agent

    found = of_agent(house.agents[0], house.workspace.root)
    return "" if found is None else found.who


async def _end(house: House, reason: StopReason, why: str) -> int:
    """Leave the workspace at the last verified commit and write down why the run ended."""
    await asyncio.gather(*house.work, return_exceptions=True)
    opened = house.state.open_iteration
    if opened is not None:
        if house.before is not None:
            put_back_git(house, opened.iteration, opened.base)
        close(house, why)
    elif house.state.holding:
        release(house, f"the run ended: {why}")
    code = house.control.code if reason is StopReason.INTERRUPTED else exit_code(reason)
    house.orchestrator.complete(reason, why, code)
    return code


def _checkpoint(house: House) -> None:
    """Every N iterations the branch's head gets a ref of its own, beside the loop."""
    every = house.settings.repo.checkpoint_every
    number = house.state.iteration
    if not every or number % every or house.state.open_iteration is not None:
        return
    task = asyncio.ensure_future(_make_checkpoint(house, number, house.workspace.head()))
    house.work.add(task)
    task.add_done_callback(house.work.discard)


async def _make_checkpoint(house: House, number: int, commit: str) -> None:
    # the commits are on the branch anyway: a checkpoint that cannot be made stops nothing
    with contextlib.suppress(RalphError):
        made = await asyncio.to_thread(house.repo.checkpoint, f"{house.run_id}/{number}", commit)
        house.journal.record(CheckpointMade(number, made.ref, made.commit))
