"""Before any money is spent: the agent is there, and the checks can run on a clean checkout."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain.errors import AgentError, CheckError
from ralph.domain.event import BaseChecked, Escalated, IterationStarted
from ralph.domain.question import Question, QuestionKind
from ralph.domain.task import shown
from ralph.loop.confine import confined, find, lend_ignored, said
from ralph.loop.planning import read_plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ralph.agents import Agent
    from ralph.domain.task import Bound, Command, Task
    from ralph.domain.verdict import CheckResult
    from ralph.loop.run import Run

CANNOT_RUN = (126, 127)
"""What a shell says of a program it cannot start."""


def require_one(agents: Sequence[Agent]) -> None:
    """Raise the first agent's AgentError if none of the chain can be started here."""
    missing: list[AgentError] = []
    for agent in agents:
        try:
            agent.check()
        except AgentError as error:
            missing.append(error)
        else:
            return
    raise missing[0]


async def prepare(run: Run) -> Run:
    """The run with walls around its agents and checks, and the base tried."""
    require_one(run.agents)
    found = await run.control.watching(
        find(run.settings.safety, run.root, run.workspace.state_dir / "lent")
    )
    seen = run.root, run.workspace.root
    runner = run.prover.within(
        partial(confined, found, run.settings, run.workspace.common_dir, seen)
    )
    if run.branch_plan is not None:
        await run.control.watching(run.prover.equip(run.workspace.root))
    run = replace(run, confinement=found)
    found = await run.control.watching(lend_ignored(run, run.prover.ignored(), runner))
    await run.control.watching(run.prover.prepare(run.workspace.head()))
    run.prover.mention(*said(found))
    if run.settings.verification.base:
        await _try_base(run)
    return replace(run, confinement=found)


async def _try_base(run: Run) -> None:
    head = run.workspace.head()
    leaves = read_plan(run).leaves()
    await run.control.watching(ask_about_green(run, leaves, head))
    commands = _all_commands(run)
    if not commands:
        return
    trial = await run.control.watching(run.prover.base(head, commands, before=_first_agent(run)))
    for result in trial.results:
        must_be_able_to_run(result)
    run.journal.record(
        BaseChecked(commit=head, passed=trial.passed, results=trial.results, notes=run.prover.notes)
    )


def _first_agent(run: Run) -> float:
    """When an agent first worked in the user's checkout: what is younger may be its own."""
    if run.branch_plan is not None:
        return 0
    journal = run.journal
    started = journal.ledger.of_kinds(journal.project, (IterationStarted.__name__,), 1)
    return next((one.at for one in started), 0)


def _all_commands(run: Run) -> tuple[Command, ...]:
    """The project's own checks; those of single tasks are run when their task is."""
    plan = read_plan(run)
    uses_project = any(task.is_open and not task.verify for task in plan.leaves())
    return run.asked.commands if uses_project else ()


def must_be_able_to_run(result: CheckResult) -> None:
    if result.passed or (result.exit_code not in CANNOT_RUN and not result.why):
        return
    lacks = "name what it lacks in `verification.carry` or `verification.setup` (see ralph.yaml)"
    is_late = result.why.startswith("timed out")
    first = "Raise `verification.timeout_minutes`" if is_late else "Correct the command"
    raise CheckError(
        f"The check `{shown(result.command)}` cannot run on a clean checkout: "
        f"{result.why or f'it exited {result.exit_code}'}.",
        fix=f"{first}, or {lacks}.",
    )


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
    return await run.prover.passes(commit, bound.command, f"base-{task.id}")


def _question(run: Run, task: Task, green: list[Bound]) -> Question:
    listed = "\n".join(f"- {one.criterion} (`{shown(one.command)}`)" for one in green)
    return Question(
        id=f"Q{run.state.question_count + 1}",
        task=task.id,
        kind=QuestionKind.ACCEPT,
        summary=f"{task.id}: {len(green)} of its criteria pass before any work.",
        context=f"Such a check proves nothing about the work, or the work is done:\n{listed}",
        options=("It is done already: mark it as done", "Work on it all the same"),
        question="Is it done?",
        iteration=run.state.iteration,
    )
