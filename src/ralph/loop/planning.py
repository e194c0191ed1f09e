"""Plan and select: the plan as it is now, with what people wanted written into it first."""

from __future__ import annotations

from contextlib import suppress
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from ralph import files
from ralph.domain.errors import DirtyTree, PlanError
from ralph.domain.event import PlanEditApplied, PlanMarked, Salvaged
from ralph.domain.plan import FINAL
from ralph.domain.task import Status
from ralph.loop import edits
from ralph.plans.parent import below_parent
from ralph.policy.select import parked, reopened, wished
from ralph.policy.select import select as choose
from ralph.repo.commit import message

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from ralph.domain.plan import Plan
    from ralph.domain.task import Task
    from ralph.loop.ports import PlanFiles
    from ralph.loop.run import Run
    from ralph.repo import Salvage


def current(run: Run) -> PlanFiles:
    """The user's plan as it is now; while it cannot be read, as it was committed last.

    People edit it while Ralph runs, and may have saved half of it, or look at a branch that has no
    plan while Ralph works in a worktree: no reason to end a night.
    """
    names: Iterable[str] = ()
    try:
        names = now = run.plan.files(run.root)
        run.plan.parse(now)
    except PlanError as error:
        last = _committed(run, tuple(names))
        if last is None:
            raise
        run.control.mention(f"Going on with the plan as it was committed last: {error.what}")
        return last
    return now


def to_write(run: Run, inside: PlanFiles) -> PlanFiles:
    """What landing writes into the workspace: never over a plan that a person has half written."""
    if run.branch_plan is None:
        try:
            run.plan.parse(run.plan.files(run.root))
        except PlanError:
            return {}
    return inside


def _committed(run: Run, names: tuple[str, ...]) -> PlanFiles | None:
    """These files on the branch, if they are all there and make a plan; without names, its own."""
    if not names and run.branch_plan is not None:
        with suppress(PlanError):
            names = tuple(run.branch_plan.files(run.workspace.root))
    held = {name: run.workspace.show(run.workspace.head(), name) for name in names}
    last = {name: data for name, data in held.items() if data is not None}
    with suppress(PlanError):
        run.plan.parse(last)
        return last if last and len(last) == len(names) else None
    return None


def read_plan(run: Run) -> Plan:
    """The user's plan, with the statuses that stand on the branch, below the parent task."""
    return below_parent(run.root, run.settings.tasks.parent_id_file, _whole_plan(run))


def heed(run: Run, plan: Plan) -> Plan:
    """The plan with the skips, retries and plan edits that people asked for written into it."""
    if run.state.plan_edit:
        _apply_plan_edit(run)
        plan = read_plan(run)
    wanted = wished(plan, run.state)
    differing = {name: s for name, s in wanted.items() if plan.by_id[name].status is not s}
    if differing:
        _write_down(run, plan, differing)
        plan = read_plan(run)
    if met := tuple(name for name in wanted if name not in differing):
        # or a later edit of the plan by a person would be undone
        run.journal.record(PlanMarked(met, skipped=_skipped(wanted, met)))
    return plan


def select(run: Run, plan: Plan) -> Task | None:
    return choose(plan, parked=parked(run.state), area=run.state.area, only=run.asked.only or None)


def marked(run: Run, statuses: Mapping[str, Status]) -> tuple[PlanFiles, PlanFiles]:
    """The plan's files with these statuses: those below the root, and those elsewhere."""
    now = current(run)
    if run.branch_plan is None:
        changed = dict(run.plan.mark(now, statuses))
    else:
        # the branch carries what the user's copy says now, plus every status reached so far
        again = reopened(run.state)
        every = _whole_plan(run).tasks
        settled = {t.id: t.status for t in every if t.status in FINAL or t.id in again}
        changed = {**now, **run.plan.mark(now, {**settled, **statuses})}
    outside = {name: data for name, data in changed.items() if PurePosixPath(name).is_absolute()}
    return {n: d for n, d in changed.items() if n not in outside}, outside


def own_edits(run: Run, done: PlanFiles) -> str:
    """A commit of what the user edited and did not commit, for when no task's work is here.

    It is plan and settings, all that may differ; it lands with the next commit, which leaves the
    plan as `done` has it.
    """
    workspace, untracked = run.workspace, run.workspace.untracked
    if run.branch_plan is None:
        now = run.plan.files(run.root)
        inside = {name: now[name] for name in done if name in now}
        edited = {*workspace.status().changed, *(name for name in inside if name in untracked)}
    else:
        now, _ = marked(run, {})
        inside = {name: now[name] for name in done if name in now}
        edited = {n for n, data in inside.items() if files.read(workspace.root / n) != data}
    if not edited:
        return ""
    text = message(
        "chore",
        f"commit {', '.join(sorted(edited))} as it is",
        "",
        {"Ralph-Run": run.run_id, "Ralph-Ledger": run.state.head},
    )
    made = workspace.candidate(workspace.head(), text, inside)
    made.safe.result()
    return made.commit if made.files else ""


def plan_paths(run: Run) -> frozenset[str]:
    """The plan's files in the repository; git knows nothing of others."""
    names = current(run)
    return frozenset(name for name in names if not PurePosixPath(name).is_absolute())


def spared(run: Run) -> frozenset[str]:
    """Files that taking work away leaves alone: the plan, and what was the user's own edit."""
    settings = run.settings
    named = {*settings.repo.protected, settings.tasks.parent_id_file}
    return plan_paths(run) | named.union(run.state.run.dirt)


def set_aside(run: Run, why: str, base: str, *, task: str, iteration: int) -> Salvage | None:
    """Keep what is in the workspace under refs/ralph/; None if there is nothing to keep."""
    return run.workspace.salvage(
        f"{run.run_id}/{iteration}" + (f"-{task}" if task else ""),
        why,
        base=base,
        task=task,
        iteration=iteration,
        leave_out=spared(run),
    )


def make_room(run: Run, why: str) -> None:
    """A task's unfinished work leaves the workspace; a person's stays, and stops the run."""
    if run.state.holding:
        release(run, why)
    elif changed := run.workspace.foreign_changes():
        raise DirtyTree(
            f"Someone changed {', '.join(changed[:3])} in {run.workspace.root}.",
            fix="Commit or stash it, then start Ralph again.",
        )


def release(run: Run, why: str) -> str:
    """Take unfinished work out of the workspace; it is kept under refs/ralph/ first."""
    if not run.workspace.is_at_home():
        return ""
    task, iteration = run.state.holding, run.state.iteration
    head = run.workspace.head()
    saved = set_aside(run, why, head, task=task, iteration=iteration)
    if saved is None:
        return ""
    run.journal.record(Salvaged(saved.ref, saved.commit, why, task=task, iteration=iteration))
    run.workspace.restore(head, keep=spared(run))
    return saved.ref


def write_outside(outside: PlanFiles, root: Path) -> None:
    for name, data in outside.items():
        files.write(root / name, data)


def _whole_plan(run: Run) -> Plan:
    plan = run.plan.parse(current(run))
    if run.branch_plan is None:
        return plan
    try:
        branch = run.branch_plan.parse(run.branch_plan.files(run.workspace.root))
    except PlanError:
        return plan  # not on the branch yet: the first commit brings it
    return plan.joined(branch, reopened(run.state))


def _write_down(run: Run, plan: Plan, wanted: Mapping[str, Status]) -> None:
    make_room(run, "the plan changed")
    head = run.workspace.head()
    inside, outside = marked(run, wanted)
    edits = own_edits(run, inside)
    verb = "skip" if Status.SKIPPED in wanted.values() else "reopen"
    text = message(
        "chore",
        f"{verb} {', '.join(wanted)}",
        "\n".join(f"{name}: {plan.by_id[name].title}" for name in wanted),
        {"Ralph-Run": run.run_id, "Ralph-Ledger": run.state.head},
    )
    candidate = run.workspace.candidate(edits or head, text, inside)
    if candidate.files:
        run.workspace.land(candidate, to_write(run, inside), expected=head)
    write_outside(inside if not candidate.files else {}, run.workspace.root)
    write_outside(outside, run.root)
    names = tuple(wanted)
    run.journal.record(PlanMarked(names, candidate.commit, _skipped(wanted, names)))


def _skipped(wanted: Mapping[str, Status], names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name for name in names if wanted[name] is Status.SKIPPED)


def _apply_plan_edit(run: Run) -> None:
    """A person said that an edit made while an agent worked counts: bring it back."""
    ref = run.state.plan_edit
    edited = edits.read(run, ref)
    if edited:
        edited = {**current(run), **edited}
        statuses = {t.id: t.status for t in _whole_plan(run).tasks}
        known = {t.id for t in run.plan.parse(edited).tasks}
        kept = {name: status for name, status in statuses.items() if name in known}
        edited.update(run.plan.mark(edited, kept))
        write_outside(edited, run.root)
    run.journal.record(PlanEditApplied(ref))
