"""What an agent may not change: taken before it runs, put back after, and said."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph import files
from ralph.domain.claim import Claim, ClaimKind
from ralph.domain.errors import PlanError
from ralph.domain.event import Escalated, PutBack, Salvaged
from ralph.domain.question import Question, QuestionKind
from ralph.domain.task import Status
from ralph.loop import edits, told
from ralph.loop.ports import PlanFiles
from ralph.repo import ConfigSnapshot, sweep_locks

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.loop.attempt import Attempt
    from ralph.loop.house import House
    from ralph.loop.ports import PlanFormat


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


def take(house: House) -> Before:
    root = house.workspace.root
    plan = _plan_in_workspace(house)
    protected = {name: files.read(root / name) for name in house.settings.repo.protected}
    return Before(
        plan=plan,
        protected=protected,
        config=house.workspace.config_snapshot(),
        # with a worktree for the agent, the user goes on working with them
        branches=house.workspace.other_branches() if house.branch_plan is None else {},
        links=frozenset(name for name in (*plan, *protected) if (root / name).is_symlink()),
        told=told.take(house.workspace),
    )


def put_back(house: House, attempt: Attempt) -> tuple[Claim, ...]:
    """Undo what was not the agent's to change. Edits of a status come back as claims."""
    before = house.before
    if before is None:
        return ()
    put_back_git(house, attempt.iteration, attempt.base)
    for name, data in before.protected.items():
        if files.read(house.workspace.root / name) != data:
            _restore(house, name, data)
            _say(house, attempt.iteration, name, "protected (repo.protected)")
    for name in house.workspace.bring_back_untracked():
        _say(house, attempt.iteration, name, "the file is yours, and git does not know it")
    _put_back_told(house, attempt, before)
    claims = _plan_put_back(house, attempt, before)
    house.before = None
    return claims


def _put_back_told(house: House, attempt: Attempt, before: Before) -> None:
    changed = told.changed(house.workspace, attempt.task, before.told)
    if not changed:
        return
    whole = {name: data for name, data in changed.items() if data is not None}
    made = {name: data for name, data in whole.items() if not data.startswith(told.ODD)}
    kept = edits.keep(house, attempt, made, f"{attempt.iteration}-told") if made else ""
    why = "it tells agents or editors what to do, and git ignores it"
    for name in changed:
        was = before.told.get(name)
        if was is not None and was.startswith(told.ODD):
            continue  # what the user has there cannot be put back
        _restore(house, name, was)
        _say(house, attempt.iteration, name, why, kept)


def put_back_git(house: House, iteration: int, base: str) -> None:
    """Git's settings, the branch and HEAD as they were: all that an agent did to them is undone."""
    house.workspace.wait_for_foreseen()
    # an agent that was ended in the middle of a git command leaves that command's lock behind
    sweep_locks(house.repo, house.workspace.state_dir, branch=house.workspace.branch)
    if house.before is not None:
        for name in house.workspace.restore_config(house.before.config):
            _say(house, iteration, name, "git configuration is not the agent's to change")
        moved = house.workspace.put_back_branches(
            house.before.branches, f"{house.run_id}/{iteration}"
        )
        for branch, kept in moved:
            _say(house, iteration, branch, "the branch is yours, not the agent's", kept)
    foreign = house.workspace.put_back_head(base, f"{house.run_id}/{iteration}")
    if foreign is not None:
        _say(
            house,
            iteration,
            house.workspace.branch,
            "the agent committed or moved the branch itself; Ralph commits after verifying",
            foreign.ref,
        )


def clear(house: House, attempt: Attempt) -> None:
    """Take away what is no file where a protected file was; it is kept first."""
    before, root = house.before, house.workspace.root
    if before is None:
        return
    names = {*before.plan, *before.protected} - before.links
    odd = [root / name for name in sorted(names) if _is_odd(root / name)]
    if not odd:
        return
    name, why = f"{house.run_id}/{attempt.iteration}-replaced", "a protected file was replaced"
    saved = house.workspace.salvage(name, why, base=attempt.base)
    if saved is not None:
        house.journal.record(Salvaged(saved.ref, saved.commit, why))
    for path in odd:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _is_odd(path: Path) -> bool:
    return path.is_symlink() or (path.exists() and not path.is_file())


def _say(house: House, iteration: int, path: str, why: str, salvage: str = "") -> None:
    house.journal.record(PutBack(iteration, path, why, salvage))


def _restore(house: House, name: str, data: bytes | None) -> None:
    path = house.workspace.root / name
    if data is not None:
        files.write(path, data)
    elif path.is_file() or path.is_symlink():
        path.unlink()


def _plan_in_workspace(house: House) -> PlanFiles:
    try:
        return _format(house).files(house.workspace.root)
    except PlanError:
        return {}


def _format(house: House) -> PlanFormat:
    return house.branch_plan or house.plan


def _plan_put_back(house: House, attempt: Attempt, before: Before) -> tuple[Claim, ...]:
    after = _plan_in_workspace(house)
    if after == before.plan or not before.plan:
        return ()
    edit = _read_edit(_format(house), before.plan, after)
    claims, only_statuses = edit or ((), False)
    salvage = ""
    if not only_statuses:
        edited = {name: data for name, data in after.items() if data != before.plan.get(name)}
        salvage = edits.keep(house, attempt, edited)
    if edit is not None and not only_statuses:
        _ask_about_edit(house, attempt, after, salvage)
    for name in {**before.plan, **after}:
        if after.get(name) != before.plan.get(name):
            _restore(house, name, before.plan.get(name))
            _say(house, attempt.iteration, name, "only a verdict changes the plan", salvage)
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


def _ask_about_edit(house: House, attempt: Attempt, after: PlanFiles, ref: str) -> None:
    """Nobody can tell whether the agent or a person made it: a person says whether it counts."""
    open_edits = [
        q for q in house.state.questions.values() if q.question.kind is QuestionKind.PLAN_EDIT
    ]
    if not open_edits:
        names = ", ".join(after) or house.plan.source
        house.journal.record(
            Escalated(
                Question(
                    id=f"Q{house.state.question_count + 1}",
                    task=attempt.task.id,
                    kind=QuestionKind.PLAN_EDIT,
                    summary=f"{names} was edited while an agent worked in the same tree.",
                    context=f"The edit is kept in {ref}.",
                    options=("Apply the edit, with the statuses as they are now", "Drop it"),
                    question="Was that you, and does it count?",
                    iteration=attempt.iteration,
                    salvage=ref,
                )
            )
        )
