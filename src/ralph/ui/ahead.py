"""What a run would do, without starting anything."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.ui.wire import branch_of, project_commands, refuse_examples

if TYPE_CHECKING:
    from ralph.domain.budget import Forecast
    from ralph.domain.task import Task
    from ralph.loop.run import Asked
    from ralph.ui.wire import Project


def preview(found: Project, plan_given: str | None, asked: Asked) -> tuple[Task | None, str]:
    """The task that would be selected and its prompt; nothing is started or written."""
    from ralph.ledger.checkpoints import CheckpointService
    from ralph.loop.keeping import checkpoint_of, continuation
    from ralph.loop.working import bundle_for
    from ralph.policy.select import parked, select
    from ralph.prompts.compose import compose
    from ralph.prompts.template import load

    journal = found.journal()
    state = journal.state
    plan = found.read_plan(found.plan_name(plan_given), state)
    refuse_examples(plan)
    held = parked(state) | {name for name, known in state.tasks.items() if known.skipped}
    task = select(plan, parked=held, area=state.area, only=asked.only or None)
    if task is None:
        journal.ledger.close()
        return None, ""
    left = checkpoint_of(CheckpointService(journal, time.time), state.known(task.id), task.id)
    journal.ledger.close()
    commands = task.verify or project_commands(found) or ()
    branch = branch_of(found, plan)
    bundle = bundle_for(found.root, found.root, found.settings, state, plan, task)
    told = continuation(left, task, bundle.guidance, bundle.feedback)
    bundle = replace(bundle, checks=commands, branch=branch, continuation=told)
    return task, compose(bundle, found.settings.prompts, load(found.root, found.settings.prompts))


def forecast(found: Project, plan_given: str | None) -> Forecast | None:
    """What the rest of the plan will likely take; None if nothing is left to do."""
    from ralph.ledger.spending import TokenEconomicsService
    from ralph.policy.forecast import left_to_do

    journal = found.journal()
    try:
        tasks = left_to_do(
            found.read_plan(found.plan_name(plan_given), journal.state), journal.state
        )
        service = TokenEconomicsService(journal, found.settings)
        return service.forecast_cost(tasks) if tasks else None
    finally:
        journal.ledger.close()
