"""All there is to see of one task: read when somebody looks at it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ralph.domain.errors import RalphError
from ralph.domain.event import IterationStarted
from ralph.repo import Repo, diff
from ralph.repo.status import look as look_at
from ralph.ui import words
from ralph.ui.cli.look import found_plan
from ralph.ui.watch.shown import StyledLine, details, difference
from ralph.views.records import collect
from ralph.views.status import task_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.domain.iteration import IterationRecord
    from ralph.domain.state import RunState
    from ralph.ledger.journal import Journal
    from ralph.ui.wire import Project


MOST = 20
"""Iterations of a task that are told."""


def told(found: Project, name: str) -> tuple[StyledLine, ...]:
    """What is known of the task, its evidence, and its difference."""
    journal = found.journal()
    try:
        state = journal.state
        plan = found_plan(found, state, None)
        rows = task_rows(state, plan) if plan is not None else []
        row = next((one for one in rows if one["id"] == name), None)
        if row is None:
            return (StyledLine(f"{words.line(name)} is not in the plan any more."),)
        if state.open_iteration is not None and state.open_iteration.task == name:
            row |= {"status": state.run.phase or row["status"]}
        records = _records(journal, name)
        task = plan.by_id.get(name) if plan is not None else None
        asked = [q.question for q in state.questions.values() if q.question.task == name]
        return (*details(row, task, records, asked), *_difference(found, state, row, records))
    finally:
        journal.ledger.close()


def _records(journal: Journal, task: str) -> list[IterationRecord]:
    """Of its last iterations."""
    project, ledger = journal.project, journal.ledger
    started = (one.event for one in ledger.of_task(project, task))
    numbers = [one.iteration for one in started if isinstance(one, IterationStarted)]
    events = (one for number in numbers[-MOST:] for one in ledger.of_iteration(project, number))
    return [one for one in collect(events).values() if one.task == task]


def _difference(
    found: Project, state: RunState, row: dict[str, Any], records: list[IterationRecord]
) -> Iterator[StyledLine]:
    """Of its commit; of the work at hand; else of the work that was put aside."""
    opened = state.open_iteration
    try:
        if landed := [one for one in records if one.commit and one.commit == row["commit"]]:
            yield from difference(diff.shown(found.repo.git, landed[-1].base, landed[-1].commit))
        elif opened is not None and opened.task == row["id"]:
            git = Repo.open(Path(state.run.workspace), to_write=False).git
            new = [one for one in look_at(git).untracked if one not in state.run.untracked]
            yield from difference(diff.shown(git, opened.base), new)
        elif kept := [one for one in records if one.salvage]:
            git = found.repo.git
            yield from difference(diff.shown(git, kept[-1].base, kept[-1].salvage))
    except RalphError as error:  # what was kept may be gone by now
        yield StyledLine("")
        yield StyledLine(f"No difference can be shown: {words.line(error.what)}", "dim")
