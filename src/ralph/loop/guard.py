"""What an agent may not change: taken before it runs, put back after, and said."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph import files
from ralph.domain.claim import Claim, ClaimKind
from ralph.domain.errors import PlanError, RalphError
from ralph.domain.event import Escalated, PutBack, Salvaged
from ralph.domain.question import Question, QuestionKind
from ralph.domain.task import Status
from ralph.loop import edits, told
from ralph.loop.control import Interrupted
from ralph.loop.ports import PlanFiles
from ralph.repo import ConfigSnapshot

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ralph.loop.iteration import Iteration
    from ralph.loop.ports import PlanFormat
    from ralph.loop.run import Run


class Before(Struct, frozen=True):
    """The state of protected things when the agent started."""

    plan: PlanFiles
    protected: Mapping[str, bytes | None]
    config: ConfigSnapshot
    branches: Mapping[str, str] = {}
    """The user's other branches, where the agent works in the user's own checkout."""
    links: frozenset[str] = frozenset()
    """Those of them that the user has as links."""
    told: Mapping[str, bytes] = {}
    """What tells agents what to do and is ignored by git."""


def take(run: Run) -> Before:
    root = run.workspace.root
    plan = _plan_in_workspace(run)
    protected = {name: files.read(root / name) for name in run.settings.repo.protected}
    return Before(
        plan=plan,
        protected=protected,
        config=run.workspace.config_snapshot(),
        # with a worktree for the agent, the user goes on working with them
        branches=run.workspace.other_branches() if run.branch_plan is None else {},
        links=frozenset(name for name in (*plan, *protected) if (root / name).is_symlink()),
        told=told.take(run.workspace),
    )


def put_back(run: Run, iteration: Iteration) -> tuple[Claim, ...]:
    """Undo what was not the agent's to change. Edits of a status come back as claims."""
    before = iteration.before
    put_back_git(run, iteration.number, iteration.base, before)
    for name, data in before.protected.items():
        if files.read(run.workspace.root / name) != data:
            _restore(run, name, data)
            _say(run, iteration.number, name, "protected (repo.protected)")
    for name in run.workspace.bring_back_untracked():
        _say(run, iteration.number, name, "the file is yours, and git does not know it")
    _put_back_told(run, iteration, before)
    return _plan_put_back(run, iteration, before)


def _put_back_told(run: Run, iteration: Iteration, before: Before) -> None:
    changed = told.changed(run.workspace, iteration.task, before.told)
    if not changed:
        return
    whole = {name: data for name, data in changed.items() if data is not None}
    made = {name: data for name, data in whole.items() if not data.startswith(told.ODD)}
    kept = edits.keep(run, iteration, made, f"{iteration.number}-told") if made else ""
    why = "it tells agents or editors what to do, and git ignores it"
    for name in changed:
        was = before.told.get(name)
        if was is not None and was.startswith(told.ODD):
            continue  # what the user has there cannot be put back
        _restore(run, name, was)
        _say(run, iteration.number, name, why, kept)


def put_back_git(run: Run, iteration: int, base: str, before: Before | None = None) -> None:
    """Git's settings, the branch and HEAD as they were: all that an agent did to them is undone."""
    run.workspace.wait_for_foreseen()
    # an agent that was ended in the middle of a git command leaves that command's lock behind
    run.workspace.sweep_locks()
    if before is not None:
        for name in run.workspace.restore_config(before.config):
            _say(run, iteration, name, "git configuration is not the agent's to change")
        moved = run.workspace.put_back_branches(before.branches, f"{run.run_id}/{iteration}")
        for branch, kept in moved:
            _say(run, iteration, branch, "the branch is yours, not the agent's", kept)
    left = not run.workspace.is_at_home()
    foreign = run.workspace.put_back_head(base, f"{run.run_id}/{iteration}")
    if left and foreign is None:
        why = "somebody switched to another branch while the agent worked"
        _say(run, iteration, "HEAD", why)
    if foreign is not None:
        _say(
            run,
            iteration,
            run.workspace.branch,
            "somebody moved the branch while the agent worked; Ralph commits after verifying",
            foreign.ref,
        )


@contextmanager
def kept(run: Run, iteration: Iteration) -> Iterator[None]:
    """Whoever ends the agent's work early finds git as it was before."""
    try:
        yield
    except (Interrupted, RalphError):
        with suppress(RalphError):  # what stopped the work may stop this as well
            put_back_git(run, iteration.number, iteration.base, iteration.before)
        raise


def clear(run: Run, iteration: Iteration) -> None:
    """Take away what is no file where a protected file was; it is kept first."""
    before, root = iteration.before, run.workspace.root
    names = {*before.plan, *before.protected} - before.links
    odd = [root / name for name in sorted(names) if _is_odd(root / name)]
    if not odd:
        return
    name, why = f"{run.run_id}/{iteration.number}-replaced", "a protected file was replaced"
    saved = run.workspace.salvage(name, why, base=iteration.base)
    if saved is not None:
        run.journal.record(Salvaged(saved.ref, saved.commit, why))
    for path in odd:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _is_odd(path: Path) -> bool:
    return path.is_symlink() or (path.exists() and not path.is_file())


def _say(run: Run, iteration: int, path: str, why: str, salvage: str = "") -> None:
    run.journal.record(PutBack(iteration, path, why, salvage))


def _restore(run: Run, name: str, data: bytes | None) -> None:
    path = run.workspace.root / name
    if data is not None:
        files.write(path, data)
    elif path.is_file() or path.is_symlink():
        path.unlink()


def _plan_in_workspace(run: Run) -> PlanFiles:
    try:
        return _format(run).files(run.workspace.root)
    except PlanError:
        return {}


def _format(run: Run) -> PlanFormat:
    return run.branch_plan or run.plan


def _plan_put_back(run: Run, iteration: Iteration, before: Before) -> tuple[Claim, ...]:
    after = _plan_in_workspace(run)
    if after == before.plan or not before.plan:
        return ()
    edit = _read_edit(_format(run), before.plan, after)
    claims, only_statuses = edit or ((), False)
    salvage = ""
    if not only_statuses:
        edited = {name: data for name, data in after.items() if data != before.plan.get(name)}
        salvage = edits.keep(run, iteration, edited)
    if edit is not None and not only_statuses:
        _ask_about_edit(run, iteration, after, salvage)
    for name in {**before.plan, **after}:
        if after.get(name) != before.plan.get(name):
            _restore(run, name, before.plan.get(name))
            _say(run, iteration.number, name, "only a verdict changes the plan", salvage)
    return claims


def _read_edit(
    plan: PlanFormat, before: PlanFiles, after: PlanFiles
) -> tuple[tuple[Claim, ...], bool] | None:
    """The statuses the agent set itself, and whether it changed nothing else.

    None for what is no plan any more: there is nothing in it to claim or to ask about.
    """
    if not after:
        return None
    try:
        old, new = plan.parse(before), plan.parse(after)
    except PlanError:
        return None
    moved = {
        task.id: task.status
        for task in new.tasks
        if task.id in old.by_id and old.by_id[task.id].status is not task.status
    }
    undone = {**after, **plan.mark(after, {name: old.by_id[name].status for name in moved})}
    claims = tuple(
        Claim(ClaimKind.TASK_DONE, name, f"set its status to {status} in {plan.source}")
        for name, status in moved.items()
        if status is Status.COMPLETED
    )
    return claims, undone == before or plan.parse(undone).tasks == old.tasks


def _ask_about_edit(run: Run, iteration: Iteration, after: PlanFiles, ref: str) -> None:
    """Nobody can tell whether the agent or a person made it: a person says whether it counts."""
    open_edits = [
        q for q in run.state.questions.values() if q.question.kind is QuestionKind.PLAN_EDIT
    ]
    if not open_edits:
        names = ", ".join(after) or run.plan.source
        run.journal.record(
            Escalated(
                Question(
                    id=f"Q{run.state.question_count + 1}",
                    task=iteration.task.id,
                    kind=QuestionKind.PLAN_EDIT,
                    summary=f"{names} was edited while an agent worked in the same tree.",
                    context=f"The edit is kept in {ref}.",
                    options=("Apply the edit, with the statuses as they are now", "Drop it"),
                    question="Did you make this edit, and should it count?",
                    iteration=iteration.number,
                    salvage=ref,
                )
            )
        )
