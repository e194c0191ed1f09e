"""After a crash: compare the journal with git, and go on from what is true."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.decision import Outcome
from ralph.domain.event import IterationEnded, Recovered, Settled
from ralph.domain.task import Status
from ralph.loop.guard import put_back_git
from ralph.loop.keeping import saved_of
from ralph.loop.planning import at_home, marked, read_plan, release, spared, write_outside

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.event import AboutToCommit, IterationStarted
    from ralph.domain.state import RunState
    from ralph.loop.house import House
    from ralph.repo import Workspace


def crashed(state: RunState) -> bool:
    """The last run did not come to its end."""
    return bool(state.run.id) and (not state.run.ended_at or state.open_iteration is not None)


def recover(house: House) -> None:
    """Put right what a killed run left behind; safe to be killed in, and to be called again."""
    if not crashed(house.state):
        return
    house.dirt = frozenset(house.state.run.dirt)
    opened = house.state.open_iteration
    if opened is None:
        _tidy(house)
    else:
        _undo_commits(house, opened)
        how = close(house, "Ralph was killed; the work is kept, and it is no failure")
        house.journal.record(Recovered(opened.iteration, opened.task, how))
    house.repo.check()
    house.workspace = house.lab.workspace = house.open_workspace()


def close(house: House, why: str) -> str:
    """End the iteration under way by what git says: settled if its commit landed; how it ended."""
    opened, committing = house.state.open_iteration, house.state.committing
    if opened is None:
        return ""
    if opened.iteration in house.state.commits:
        house.journal.record(saved_of(house, opened, done=True), _done(opened))
        return "it was settled; only its end was not written"
    if committing is not None and house.workspace.landed(committing.commit):
        _finish(house, committing)
        saved = saved_of(house, opened, done=True)
        house.journal.record(_settled(house, committing), saved, _done(opened))
        return "its commit was found on the branch"
    ref = release(house, why) or house.state.known(opened.task).salvage
    house.journal.record(
        saved_of(house, opened, why=why, salvage=ref),
        IterationEnded(
            iteration=opened.iteration,
            task=opened.task,
            outcome=Outcome.INTERRUPTED,
            why=why,
            seconds=0,
        ),
    )
    return "the workspace is back at the last commit"


def _undo_commits(house: House, opened: IterationStarted) -> None:
    """What the agent put on the branch itself was never verified; Ralph's own commit stays."""
    committing = house.state.committing
    if opened.iteration in house.state.commits or not at_home(house):
        return
    if committing is None or not house.workspace.landed(committing.commit):
        put_back_git(house, opened.iteration, opened.base)


def _tidy(house: House) -> None:
    """Between two iterations: finish taking work away, if Ralph was killed at that."""
    ref = house.state.known(house.state.last_task).salvage
    if house.state.holding or house.state.run.worktree:
        release(house, "Ralph was killed between two iterations")
    elif ref and at_home(house) and _is_kept(house, ref):
        house.workspace.restore(house.workspace.head(), keep=spared(house))


def _is_kept(house: House, ref: str) -> bool:
    """Whether every file here is as the head or the salvage has it: nothing is a person's."""
    workspace = house.workspace
    both = _differing(workspace, workspace.head()) & _differing(workspace, ref)
    return all(_is_void(workspace.root / name) for name in both - spared(house))


def _differing(workspace: Workspace, base: str) -> set[str]:
    changes = workspace.changed_files(base)
    return {name for change in changes for name in (change.path, change.old) if name}


def _is_void(path: Path) -> bool:
    """Git was killed between making a file and filling it."""
    return not path.exists() or (path.is_file() and not path.stat().st_size)


def _finish(house: House, committing: AboutToCommit) -> None:
    """The commit is there: do what landing it had left to do."""
    house.workspace.finish_landing(committing.commit)
    inside, outside = marked(house, {committing.task: Status.COMPLETED})
    write_outside(inside, house.workspace.root)
    write_outside(outside, house.root)


def _settled(house: House, committing: AboutToCommit) -> Settled:
    task = read_plan(house).by_id.get(committing.task)
    known = house.state.known(committing.task)
    return Settled(
        iteration=committing.iteration,
        task=committing.task,
        commit=committing.commit,
        level=committing.level,
        untested=committing.untested,
        accepted_by=known.accepted_by if known.accepted else "",
        area=task.area if task else "",
    )


def _done(opened: IterationStarted) -> IterationEnded:
    return IterationEnded(
        iteration=opened.iteration,
        task=opened.task,
        outcome=Outcome.SUCCESS,
        why=f"{opened.task} was committed before the iteration could end",
        seconds=0,
    )
