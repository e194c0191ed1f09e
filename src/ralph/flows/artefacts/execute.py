"""`ralph execute`: the loop over `.artefacts/NAME/tasks.json`, with the files that agents share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain.decision import Action, Decision, Outcome, StopReason
from ralph.domain.event import (
    IterationEnded,
    IterationStarted,
    PlanMarked,
    PutBack,
    RunEnded,
    RunStarted,
)
from ralph.domain.settings import Workspaces
from ralph.flows.artefacts.agent import SigningAgent
from ralph.flows.artefacts.folder import DONE, RESULTS
from ralph.flows.artefacts.parse import parse_execute
from ralph.flows.artefacts.results import Results, render
from ralph.flows.artefacts.shelf import IterationEnd
from ralph.loop.accepted import AcceptedWork
from ralph.loop.run import FlowHooks
from ralph.plans.artefacts import TASKS
from ralph.prompts import template
from ralph.prompts.template import Templates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ralph.domain.event import Recorded
    from ralph.domain.job import Job
    from ralph.domain.plan import Plan
    from ralph.domain.settings import Settings
    from ralph.flows.artefacts.shelf import Repair, Shelf
    from ralph.loop.iteration import Iteration
    from ralph.loop.run import Run

ENDLESS = 1_000_000
LOOKED_BACK = 1000
"""Iterations, for the last failure of a task."""


def fitted(settings: Settings, shelf: Shelf) -> Settings:
    """The settings under which a task's own `max_attempts` ends the run, and nothing sooner.

    The agent works where the command is run: that is where it finds the files.
    """
    efforts = shelf.plan.efforts(shelf.good[TASKS]).values()
    most = max((one.max_attempts for one in efforts), default=0)
    loop = settings.loop
    gutter = replace(loop.gutter, max_same_failure=ENDLESS, max_churn_commits=ENDLESS)
    loop = replace(
        loop,
        max_attempts=ENDLESS,
        no_progress_iterations=0,
        max_failures=loop.max_failures and max(loop.max_failures, most),
        gutter=gutter,
    )
    repo = replace(settings.repo, workspace=Workspaces.IN_PLACE)
    return replace(settings, loop=loop, repo=repo)


class Execution:
    """Watches one run of the loop, and keeps the project's files true."""

    def __init__(
        self, run: Run, shelf: Shelf, repairs: Iterable[Repair], linger: float | None
    ) -> None:
        self._run = run
        self._shelf = shelf
        self._results = Results(shelf.folder.name, list(repairs))
        self.written = False
        """Whether results.md tells of this run."""
        self._linger = linger

    def changed(self) -> Run:
        """The run as this flow needs it; its journal is watched from now on."""
        run, folder = self._run, self._shelf.folder
        run.journal.watch(self)
        return replace(
            run,
            templates=Templates({**run.templates.texts, template.PROMPT: ""}),
            plan=self._shelf.plan,
            flow=FlowHooks(self._brief, self._halt, may_commit=True),
            agents=tuple(SigningAgent(a, folder, self._after, self._linger) for a in run.agents),
        )

    def __call__(self, recorded: Recorded) -> None:
        if self._run.state.run.plan != self._shelf.folder.plan:
            return  # what a killed run of another plan left to be recovered
        match recorded.event:
            case RunStarted():
                self._shelf.start()
            case IterationStarted() as event:
                picked_up = event.agent != AcceptedWork.name
                repairs = self._shelf.begin(event.task, event.iteration, picked_up=picked_up)
                self._report(event.iteration, repairs)
            case PlanMarked() as event:
                for task in event.tasks:
                    if task not in event.skipped:
                        self._shelf.start_over(task)
            case IterationEnded() as event:
                self._ended(event)
            case RunEnded() as event:
                self._shelf.mind()
                self.write(event.why, recorded)
            case _:
                pass

    def _ended(self, event: IterationEnded) -> None:
        settled = event.outcome is Outcome.SUCCESS
        files = tuple(name for name in event.files if not name.startswith(self._own))
        ended = IterationEnd(event.task, event.iteration, settled, event.why, event.counts, files)
        self._shelf.finish(ended)

    @property
    def _own(self) -> str:
        return f"{self._shelf.folder.key}/"

    def write(self, why: str, recorded: Recorded | None = None) -> None:
        """results.md: what was done, what remains and why it stopped."""
        self._results.failures = dict(self._failures())
        results = render(self._results, self._run.state, self._shelf, why, recorded)
        self._shelf.folder.write(RESULTS, results)
        self.written = True

    def _failures(self) -> Iterator[tuple[str, str]]:
        """How attempts at this plan's tasks ended, oldest first."""
        ours = False
        for one in self._run.journal.newest(("RunStarted", "IterationEnded"), LOOKED_BACK):
            match one.event:
                case RunStarted() as event:
                    ours = event.plan == self._shelf.folder.plan
                case IterationEnded() as event if ours:
                    yield event.task, event.why
                case _:
                    pass

    def _brief(self, iteration: Iteration) -> str:
        settings, folder = self._run.settings, self._shelf.folder
        most = settings.loop.max_iterations
        return parse_execute(
            folder.name,
            iteration.number,
            most,
            root=folder.root,
            templates=settings.prompts.templates,
        )

    def _halt(self, plan: Plan) -> Decision | None:
        """A task that has used up its attempts ends the run."""
        efforts = self._shelf.plan.efforts(self._shelf.good[TASKS])
        for task in plan.tasks:
            effort = efforts.get(task.id)
            waits = task.is_open and not self._run.state.known(task.id).accepted
            if effort and waits and effort.attempts >= effort.max_attempts:
                why = f"{task.id} has used up its {effort.max_attempts} attempts (max_attempts)."
                return Decision(Action.STOP, why, reason=StopReason.MAX_ATTEMPTS)
        return None

    def _after(self, job: Job, signed: bool) -> None:
        self._report(job.iteration, self._shelf.collect(job.task, job.iteration))
        if not signed:
            self._results.unsigned.append(job.iteration)

    def _report(self, iteration: int, repairs: Iterable[Repair]) -> None:
        for one in repairs:
            self._results.repairs.append(one)
            self._run.journal.later(PutBack(iteration, one.path, one.why, one.kept))


def clear(shelf: Shelf) -> None:
    """What an earlier agent left to be seen is no sign of the next one."""
    shelf.folder.remove(DONE)
    shelf.folder.keep_out_of_git()
