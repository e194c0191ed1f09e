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
from ralph.loop.deciding import act, decide, written
from ralph.loop.planning import heed, read_plan, release
from ralph.loop.prepare import prepare
from ralph.loop.recover import close, recover, undo_commits
from ralph.loop.step import step

if TYPE_CHECKING:
    from ralph.domain.decision import Decision
    from ralph.loop.run import Run

_IDLE = (StopReason.ERROR, StopReason.AGENT_UNAVAILABLE)
"""Ends of runs that may not have begun to work."""
GO_ON = (Action.CONTINUE, Action.RETRY, Action.HANDOFF)
"""Decisions that are followed by an iteration."""


async def drive(run: Run) -> int:
    """Work until the goal is reached, a limit stops it or a person must decide; the exit code."""
    with run.control.signals(), process.Guard():
        process.sweep_orphans()
        # an error up to here leaves a killed run as it is, for the next try
        run = recover(run)
        start(run)
        try:
            decision = await _go_round(run)
            reason = decision.reason or StopReason.ERROR
            return await _end(run, reason, decision.why)
        except Interrupted:
            return await _end(run, StopReason.INTERRUPTED, run.control.why)
        except RalphError as error:
            # what stopped the work may stop the end too (a full disk): the next run recovers
            with contextlib.suppress(RalphError):
                await _end(run, StopReason.ERROR, error.what)
            raise


async def _go_round(run: Run) -> Decision:
    run = await prepare(run)
    if not run.asks:
        run.times_asked.update(run.state.questions)
    decision = written(run, decide(run, heed(run, read_plan(run))))
    while decision.action is not Action.STOP:
        await act(run, decision)
        if decision.action in GO_ON and not run.state.run.stop:
            decision = written(run, await step(run))
            _checkpoint(run)
        else:
            decision = written(run, decide(run, heed(run, read_plan(run))))
    return decision


def start(run: Run) -> None:
    dirt, plan = run.workspace.status().changed, read_plan(run)
    run.life.begin(
        plan.title,
        plan=run.plan.source,
        branch=run.workspace.branch,
        base=run.workspace.head(),
        agent=", ".join(agent.name for agent in run.agents),
        workspace=str(run.workspace.root),
        worktree=run.branch_plan is not None,
        untracked=run.workspace.untracked,
        dirt=tuple(sorted(dirt)),
        account=_account(run),
        came_from=run.workspace.came_from.removeprefix("refs/heads/"),
        lacks=run.workspace.lacks,
        max_cost=run.settings.loop.max_cost,
    )


def _account(run: Run) -> str:
    from ralph.agents.accounts import of_agent

    found = of_agent(run.agents[0], run.workspace.root)
    return "" if found is None else found.who


async def _end(run: Run, reason: StopReason, why: str) -> int:
    """Leave the workspace at the last verified commit and write down why the run ended."""
    await run.errands.finish()
    opened = run.state.open_iteration
    if opened is not None:
        undo_commits(run, opened)
        close(run, why)
    elif run.state.holding:
        release(run, f"the run ended: {why}")
    if reason in _IDLE and not (run.state.run.iterations or run.state.run.completed):
        run.workspace.leave()
    code = run.control.code if reason is StopReason.INTERRUPTED else exit_code(reason)
    run.life.complete(reason, why, code)
    return code


def _checkpoint(run: Run) -> None:
    """Every N iterations the branch's head gets a ref of its own, beside the loop."""
    every = run.settings.repo.checkpoint_every
    number = run.state.iteration
    if not every or number % every or run.state.open_iteration is not None:
        return
    run.errands.begin(_make_checkpoint(run, number, run.workspace.head()))


async def _make_checkpoint(run: Run, number: int, commit: str) -> None:
    # the commits are on the branch anyway: a checkpoint that cannot be made stops nothing
    with contextlib.suppress(RalphError):
        made = await asyncio.to_thread(run.workspace.checkpoint, f"{run.run_id}/{number}", commit)
        run.journal.record(CheckpointMade(number, made.ref, made.commit))
