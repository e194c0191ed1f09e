"""results.md: what was done, what remains and why it stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from ralph.domain.moment import iso
from ralph.domain.task import Status
from ralph.domain.verdict import Level
from ralph.flows.artefacts import history
from ralph.flows.artefacts.folder import OBSTACLES, STATE
from ralph.flows.artefacts.shelf import Repair
from ralph.plans.artefacts import TASKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ralph.domain.event import Recorded
    from ralph.domain.state import RunState
    from ralph.domain.task import Task
    from ralph.flows.artefacts.history import Item
    from ralph.flows.artefacts.shelf import Shelf

UNVERIFIED = "**not verified**: there is no check, only the agent's word"
LINE = 300


class Results(Struct):
    """What a run has to tell besides the ledger and the files."""

    name: str
    repairs: list[Repair] = field(default_factory=list)
    unsigned: list[int] = field(default_factory=list)
    """Iterations whose agent left without done.md."""
    failures: dict[str, str] = field(default_factory=dict)
    """How the last attempt at each task failed."""


def render(
    found: Results, state: RunState, shelf: Shelf, why: str, recorded: Recorded | None
) -> str:
    tasks = shelf.plan.parse({shelf.plan.key: shelf.good[TASKS]}).tasks
    entries = history.read_state(shelf.good[STATE]) or []
    done = [task for task in tasks if task.is_done]
    parts = [
        f"# Results: {found.name}",
        _head(state, why, recorded, f"{len(done)} of {len(tasks)} tasks are completed."),
        "## Done",
        "\n".join(_done(done, state, entries)) or "Nothing yet.",
        "## What remains",
        "\n".join(_remaining(shelf, tasks, found.failures, state)) or "Nothing.",
        *_files(entries),
        *_obstacles(shelf),
        *_put_right(found),
    ]
    return "\n\n".join(parts) + "\n"


def without_run(name: str, why: str) -> str:
    """For a run that could not begin."""
    return f"# Results: {name}\n\nStopped: {_line(why)}\n\nNo agent was started.\n"


def _head(state: RunState, why: str, recorded: Recorded | None, done: str) -> str:
    stop = _line(why).rstrip(".")
    lines = [f"Stopped: {stop}.", done]
    if recorded is not None:
        count = f"{state.run.iterations} iteration{'s' * (state.run.iterations != 1)}"
        where = f"Run {recorded.run} on the branch `{state.run.branch}`"
        lines.append(f"{where} ended {iso(recorded.at)} after {count}.")
    return "\n".join(lines)


def _done(tasks: list[Task], state: RunState, entries: list[Item]) -> Iterator[str]:
    for task in tasks:
        known = state.known(task.id)
        yield f"- **{task.id}** {_line(task.title)}: {_proof(known.level, known.commit)}"
        own = [one for one in entries if one.get("task_id") == task.id]
        completed = [one for one in own if one.get("status") == "completed"]
        if completed:
            yield f"  - {_line(completed[-1].get('summary', ''))}"


def _proof(level: Level, commit: str) -> str:
    where = f", commit {commit[:10]}" if commit else ""
    if level is Level.NONE:
        return "completed before; not in this ledger"
    return f"{UNVERIFIED if level is Level.CLAIMED else f'verified ({level})'}{where}"


def _remaining(
    shelf: Shelf, tasks: tuple[Task, ...], failures: Mapping[str, str], state: RunState
) -> Iterator[str]:
    efforts = shelf.plan.efforts(shelf.good[TASKS])
    done = {task.id for task in tasks if task.is_done}
    for task in tasks:
        if task.is_done:
            continue
        effort = efforts[task.id]
        notes = [f"{effort.attempts} of {effort.max_attempts} attempts"]
        notes += [f"waits for {name}" for name in task.depends_on if name not in done]
        word = {Status.OPEN: "pending"}.get(task.status, task.status.value)
        yield f"- **{task.id}** {_line(task.title)}: {word}, {', '.join(notes)}"
        known = state.known(task.id)
        if task.id in failures:
            yield f"  - last attempt: {_line(failures[task.id])}"
        if kept := known.salvage or known.abandoned:
            yield f"  - its work is kept: `ralph salvage show {kept}`"


def _files(entries: list[Item]) -> Iterator[str]:
    names = {
        name
        for one in entries
        if one.get("status") == "completed"
        for name in one.get("files_modified") or ()
        if isinstance(name, str)
    }
    if names:
        yield "## Files modified"
        yield "\n".join(f"- `{_line(name)}`" for name in sorted(names))


def _obstacles(shelf: Shelf) -> Iterator[str]:
    found = history.read_obstacles(shelf.good[OBSTACLES]) or []
    if found:
        yield "## Obstacles"
        yield "\n".join(
            f"- {_line(one['id'])} ({_line(one.get('task_id', ''))}, "
            f"{'resolved' if one.get('resolved') is True else 'open'}): "
            f"{_line(one.get('message', ''))}"
            for one in found
        )


def _put_right(found: Results) -> Iterator[str]:
    lines = [
        f"- `{one.path}`: {_line(one.why)}" + (f" (kept as `{one.kept}`)" if one.kept else "")
        for one in found.repairs
    ]
    lines += [
        f"- iteration {number}: the agent exited without done.md" for number in found.unsigned
    ]
    if lines:
        yield "## Repaired"
        yield "\n".join(lines)


def _line(value: object) -> str:
    return " ".join(str(value).split())[:LINE]
