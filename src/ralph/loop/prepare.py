"""Before any money is spent: the agent is there, and the checks can run on a clean checkout."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.errors import AgentError, CheckError
from ralph.domain.event import BaseChecked, IterationStarted
from ralph.domain.task import shown
from ralph.loop.confine import confined, find, lend_ignored, said
from ralph.loop.forehand import ask_about_green
from ralph.loop.planning import read_plan
from ralph.proof.experiment import Variant
from ralph.proof.lacking import supply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph.agents import Agent
    from ralph.domain.task import Command
    from ralph.domain.verdict import CheckResult
    from ralph.loop.house import House

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


async def prepare(house: House) -> None:
    require_one(house.agents)
    await _confine(house)
    head = house.workspace.head()
    ignored = house.lab.ignored()
    if house.branch_plan is not None:
        await house.control.watching(
            house.lab.checker.prepare(house.workspace.root, ignored, pristine=False)
        )
    house.confinement = await house.control.watching(lend_ignored(house, ignored))
    await house.control.watching(house.lab.prepare(head))
    house.lab.notes += said(house.confinement)
    if not house.settings.verification.base:
        return
    leaves = read_plan(house).leaves()
    await house.control.watching(ask_about_green(house, leaves, head))
    commands = _all_commands(house)
    if not commands:
        return
    trial = await house.control.watching(
        house.lab.of(Variant("base", head, commands, lasting=True))
    )
    supplied = await house.control.watching(
        supply(house.lab, head, commands, trial, before=_first_agent(house))
    )
    trial = supplied.trial
    if trial.report is not None:
        # before any agent works: what is copied later may be what an agent made of it
        await house.control.watching(house.lab.make_ready())
    for result in trial.results:
        must_be_able_to_run(result)
    house.journal.record(
        BaseChecked(commit=head, passed=trial.passed, results=trial.results, notes=house.lab.notes)
    )


async def _confine(house: House) -> None:
    folder = house.workspace.state_dir / "lent"
    house.confinement = await house.control.watching(
        find(house.settings.safety, house.root, folder)
    )
    seen = (house.root, house.workspace.root)
    checker = house.lab.checker
    runner = confined(house.confinement, house.settings, house.repo, seen, checker.runner)
    house.lab.checker = checker.within(runner)


def _first_agent(house: House) -> float:
    """When an agent first worked in the user's checkout: what is younger may be its own."""
    if house.branch_plan is not None:
        return 0
    journal = house.journal
    started = journal.ledger.of_kinds(journal.project, (IterationStarted.__name__,), 1)
    return next((one.at for one in started), 0)


def _all_commands(house: House) -> tuple[Command, ...]:
    """The project's own checks; those of single tasks are run when their task is."""
    plan = read_plan(house)
    uses_project = any(task.is_open and not task.verify for task in plan.leaves())
    return house.asked.commands if uses_project else ()


def must_be_able_to_run(result: CheckResult) -> None:
    if result.passed or (result.exit_code not in CANNOT_RUN and not result.why):
        return
    raise CheckError(
        f"The check `{shown(result.command)}` cannot run on a clean checkout: "
        f"{result.why or f'it exited {result.exit_code}'}.",
        fix="Correct `verification.commands`, raise `verification.timeout_minutes`, or name what "
        "the checkout lacks in `verification.carry` or `verification.setup` (see ralph.yaml).",
    )
