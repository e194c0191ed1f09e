"""The plan for commands and pages that only look: as the last run left it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.errors import PlanError
from ralph.policy.select import reopened, wished

if TYPE_CHECKING:
    from ralph.domain.plan import Plan
    from ralph.domain.state import RunState
    from ralph.plans import PlanFiles
    from ralph.ui.wire import Project


def read(found: Project, given: str | None, state: RunState) -> Plan:
    """Without a name, the plan of the last run.

    A copy that somebody has half written is passed over, as a run does, and so is one that is not
    there, as while another branch is checked out: then it is the plan as it was committed last.
    """
    form = found.plan(given or state.run.plan or None)
    branch = state.run.branch
    elsewhere = bool(branch) and (state.run.worktree or not found.repo.is_on(branch))
    now: PlanFiles = {state.run.plan: b""}
    held: PlanFiles = {}
    try:
        now = form.files(found.root)
        held = _committed(found, branch, now) if elsewhere else {}
        plan = form.parse(now)
    except PlanError:
        held = held or _committed(found, branch or "HEAD", now)
        if given or not held:
            raise
        plan = form.parse(held)
    plan = plan.joined(form.parse(held), reopened(state)) if held else plan
    plan = found.below_parent(plan)
    return plan.with_statuses(wished(plan, state))


def trouble(found: Project, given: str | None, state: RunState) -> str:
    """Why the plan cannot be read as it is now; nothing if it can."""
    try:
        form = found.plan(given or state.run.plan or None)
        form.parse(form.files(found.root))
    except PlanError as error:
        return error.what
    return ""


def _committed(found: Project, commit: str, names: PlanFiles) -> PlanFiles:
    held = {name: found.repo.show(commit, name) for name in names}
    return {name: data for name, data in held.items() if data is not None}
