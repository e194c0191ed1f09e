"""Before any money is spent on a task: can its own checks still turn green?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.event import Escalated
from ralph.domain.question import Question, QuestionKind
from ralph.domain.task import shown
from ralph.proof.experiment import Variant

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph.domain.task import Bound, Task
    from ralph.loop.run import Run


async def ask_about_green(run: Run, tasks: Iterable[Task], commit: str) -> None:
    """A check of one criterion that is green already proves nothing, or the work is done."""
    for task in tasks:
        known = run.state.known(task.id)
        settled = known.attempts or known.question or known.guidance or known.accepted
        if settled or not task.is_open or run.asked.only == task.id:
            continue
        green = [one for one in task.bound if await _is_green(run, one, task, commit)]
        if green:
            run.journal.record(Escalated(_question(run, task, green)))


async def _is_green(run: Run, bound: Bound, task: Task, commit: str) -> bool:
    if not bound.command:
        return False
    wanted = Variant(f"base-{task.id}", commit, (bound.command,))
    return (await run.lab.of(wanted)).passed


def _question(run: Run, task: Task, green: list[Bound]) -> Question:
    listed = "\n".join(f"- {one.criterion} (`{shown(one.command)}`)" for one in green)
    return Question(
        id=f"Q{run.state.question_count + 1}",
        task=task.id,
        kind=QuestionKind.ACCEPT,
        summary=f"{task.id}: {len(green)} of its criteria are green before any work.",
        context=f"Such a check proves nothing about the work, or the work is done:\n{listed}",
        options=("It is done already: mark it as done", "Work on it all the same"),
        question="Is it done?",
        iteration=run.state.iteration,
    )
