"""Plan and select: the plan as it is now, with what people wanted written into it first."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from ralph import files
from ralph.domain.errors import PlanError
from ralph.domain.event import PlanEditApplied, PlanMarked, Salvaged
from ralph.domain.plan import FINAL
from ralph.domain.task import Status
from ralph.loop import edits
from ralph.plans.parent import below_parent
from ralph.policy.select import select as choose
from ralph.repo import refs
from ralph.repo.commit import message

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ralph.domain.plan import Plan
    from ralph.domain.task import Task
    from ralph.loop.house import House
    from ralph.loop.ports import PlanFiles
    from ralph.repo import Salvage


def read_plan(house: House) -> Plan:
    """The user's plan, with the statuses that stand on the branch, below the parent task."""
    return below_parent(house.root, house.settings.tasks.parent_id_file, _whole_plan(house))


def heed(house: House, plan: Plan) -> Plan:
    """The plan with the skips, retries and plan edits that people asked for written into it."""
    if house.state.plan_edit:
        _apply_plan_edit(house)
        plan = read_plan(house)
    wanted = _wanted(house, plan)
    differing = {name: s for name, s in wanted.items() if plan.by_id[name].status is not s}
    if differing:
        _write_down(house, plan, differing)
        plan = read_plan(house)
    if met := tuple(name for name in wanted if name not in differing):
        # or a later edit of the plan by a person would be undone
        house.journal.record(PlanMarked(met))
    return plan


def select(house: House, plan: Plan) -> Task | None:
    return choose(plan, parked=house.parked(), area=house.state.area, only=house.asked.only or None)


def marked(house: House, statuses: Mapping[str, Status]) -> tuple[PlanFiles, PlanFiles]:
    """The plan's files with these statuses: those below the root, and those elsewhere."""
    current = house.plan.files(house.root)
    if house.branch_plan is None:
        changed = dict(house.plan.mark(current, statuses))
    else:
        # the branch carries what the user's copy says now, plus every status reached so far
        settled = {t.id: t.status for t in _whole_plan(house).tasks if t.status in FINAL}
        changed = {**current, **house.plan.mark(current, {**settled, **statuses})}
    outside = {name: data for name, data in changed.items() if PurePosixPath(name).is_absolute()}
    return {n: d for n, d in changed.items() if n not in outside}, outside


def plan_paths(house: House) -> frozenset[str]:
    """The plan's files in the repository; git knows nothing of others."""
    names = house.plan.files(house.root)
    return frozenset(name for name in names if not PurePosixPath(name).is_absolute())


def spared(house: House) -> frozenset[str]:
    """Files that taking work away leaves alone: the plan, and what was the user's own edit."""
    settings = house.settings
    named = {*settings.repo.protected, settings.tasks.parent_id_file}
    return plan_paths(house) | house.dirt | named


def set_aside(house: House, why: str, base: str, *, task: str, iteration: int) -> Salvage | None:
    """Keep what is in the workspace under refs/ralph/; None if there is nothing to keep."""
    return house.workspace.salvage(
        f"{house.run_id}/{iteration}" + (f"-{task}" if task else ""),
        why,
        base=base,
        task=task,
        iteration=iteration,
        leave_out=spared(house),
    )


def at_home(house: House) -> bool:
    """Whether the workspace is on Ralph's branch; elsewhere its files are the user's business."""
    return refs.symbolic(house.workspace.git_dir) == house.workspace.ref


def release(house: House, why: str) -> str:
    """Take unfinished work out of the workspace; it is kept under refs/ralph/ first."""
    if not at_home(house):
        return ""
    task, iteration = house.state.holding, house.state.iteration
    head = house.workspace.head()
    saved = set_aside(house, why, head, task=task, iteration=iteration)
    if saved is None:
        return ""
    house.journal.record(Salvaged(saved.ref, saved.commit, why, task=task, iteration=iteration))
    house.workspace.restore(head, keep=spared(house))
    return saved.ref


def write_outside(outside: PlanFiles, root: Path) -> None:
    for name, data in outside.items():
        files.write(root / name, data)


def _whole_plan(house: House) -> Plan:
    plan = house.plan.parse(house.plan.files(house.root))
    if house.branch_plan is None:
        return plan
    try:
        branch = house.branch_plan.parse(house.branch_plan.files(house.workspace.root))
    except PlanError:
        return plan  # not on the branch yet: the first commit brings it
    return plan.joined(branch)


def _wanted(house: House, plan: Plan) -> dict[str, Status]:
    """What people asked for and the ledger has not seen in the plan yet."""
    wanted: dict[str, Status] = {}
    for name, known in house.state.tasks.items():
        if not (known.skipped or known.reopen) or name not in plan.by_id:
            continue
        wanted[name] = Status.SKIPPED if known.skipped else Status.OPEN
    return wanted


def _write_down(house: House, plan: Plan, wanted: Mapping[str, Status]) -> None:
    release(house, "the plan changed")
    head = house.workspace.head()
    inside, outside = marked(house, wanted)
    verb = "skip" if Status.SKIPPED in wanted.values() else "reopen"
    names = ", ".join(wanted)
    text = message(
        "chore",
        f"{verb} {names}",
        "\n".join(f"{name}: {plan.by_id[name].title}" for name in wanted),
        {"Ralph-Run": house.run_id, "Ralph-Ledger": house.state.head},
    )
    candidate = house.workspace.candidate(head, text, inside)
    if candidate.files:
        house.workspace.land(candidate, inside)
    write_outside(inside if not candidate.files else {}, house.workspace.root)
    write_outside(outside, house.root)
    house.journal.record(PlanMarked(tuple(wanted), commit=candidate.commit))


def _apply_plan_edit(house: House) -> None:
    """A person said that an edit made while an agent worked counts: bring it back."""
    ref = house.state.plan_edit
    edited = edits.read(house, ref)
    if edited:
        edited = {**house.plan.files(house.root), **edited}
        statuses = {t.id: t.status for t in _whole_plan(house).tasks}
        known = {t.id for t in house.plan.parse(edited).tasks}
        kept = {name: status for name, status in statuses.items() if name in known}
        edited.update(house.plan.mark(edited, kept))
        write_outside(edited, house.root)
    house.journal.record(PlanEditApplied(ref))
