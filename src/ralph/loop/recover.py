"""After a crash: compare the journal with git, and go on from what is true."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain.decision import Outcome
from ralph.domain.event import IterationEnded, Recovered, Settled
from ralph.domain.task import Status
from ralph.loop.guard import put_back_git
from ralph.loop.keeping import saved_of
from ralph.loop.planning import marked, read_plan, release, spared, write_outside

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.event import AboutToCommit, IterationStarted
    from ralph.domain.state import RunState
    from ralph.loop.ports import Workspace
    from ralph.loop.run import Run


def crashed(state: RunState) -> bool:
    """The last run did not come to its end."""
    return bool(state.run.id) and (not state.run.ended_at or state.open_iteration is not None)


def recover(run: Run) -> Run:
    """Put right what a killed run left behind; safe to be killed in, and to be called again.

    The run that continues has a workspace of its own.
    """
    if not crashed(run.state):
        return run
    opened = run.state.open_iteration
    if opened is None:
        _tidy(run)
    else:
        undo_commits(run, opened)
        how = close(run, "Ralph was killed; the work is kept, and it does not count as a failure")
        run.journal.record(Recovered(opened.iteration, opened.task, how))
    run.workspace.check()
    workspace, prover = run.reopen()
    return replace(run, workspace=workspace, prover=prover)


def close(run: Run, why: str) -> str:
    """End the iteration under way by what git says: settled if its commit landed; how it ended."""
    opened, committing = run.state.open_iteration, run.state.committing
    if opened is None:
        return ""
    if opened.iteration in run.state.commits:
        run.journal.record(saved_of(run, opened, done=True), _done(opened))
        return "it was settled; only the record of its end is missing"
    if committing is not None and run.workspace.landed(committing.commit):
        _finish(run, committing)
        saved = saved_of(run, opened, done=True)
        run.journal.record(_settled(run, committing), saved, _done(opened))
        return "its commit was found on the branch"
    ref = release(run, why) or run.state.known(opened.task).salvage
    run.journal.record(
        saved_of(run, opened, why=why, salvage=ref),
        IterationEnded(
            iteration=opened.iteration,
            task=opened.task,
            outcome=Outcome.INTERRUPTED,
            why=why,
            seconds=0,
        ),
    )
    return "its unfinished work goes to the next agent" if ref else "it had left no work"


def undo_commits(run: Run, opened: IterationStarted) -> None:
    """What the agent put on the branch itself was never verified; Ralph's own commit stays."""
    committing = run.state.committing
    if opened.iteration in run.state.commits or not run.workspace.is_at_home():
        return
    if committing is None or not run.workspace.landed(committing.commit):
        put_back_git(run, opened.iteration, opened.base)


def _tidy(run: Run) -> None:
    """Between two iterations: finish taking work away, if Ralph was killed at that."""
    ref = run.state.known(run.state.last_task).salvage
    if run.state.holding or run.state.run.worktree:
        release(run, "Ralph was killed between two iterations")
    elif ref and run.workspace.is_at_home() and _is_kept(run, ref):
        run.workspace.restore(run.workspace.head(), keep=spared(run))


def _is_kept(run: Run, ref: str) -> bool:
    """Whether every file here is as the head or the salvage has it: nothing is a person's."""
    workspace = run.workspace
    both = _differing(workspace, workspace.head()) & _differing(workspace, ref)
    return all(_is_void(workspace.root / name) for name in both - spared(run))


def _differing(workspace: Workspace, base: str) -> set[str]:
    changes = workspace.changed_files(base)
    return {name for change in changes for name in (change.path, change.old) if name}


def _is_void(path: Path) -> bool:
    """Git was killed between making a file and filling it."""
    return not path.exists() or (path.is_file() and not path.stat().st_size)


def _finish(run: Run, committing: AboutToCommit) -> None:
    """The commit is there: do what landing it had left to do."""
    run.workspace.finish_landing(committing.commit)
    inside, outside = marked(run, {committing.task: Status.COMPLETED})
    write_outside(inside, run.workspace.root)
    write_outside(outside, run.root)


def _settled(run: Run, committing: AboutToCommit) -> Settled:
    task = read_plan(run).by_id.get(committing.task)
    known = run.state.known(committing.task)
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
