"""The life of a loop in the ledger: its start, its iterations, its end.

`ralph run` goes through this class, and so can a program that drives agents of its own.
"""

from __future__ import annotations

import os
import socket
import time
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from msgspec.structs import replace

import ralph
from ralph import files
from ralph.domain.checkpoint import CheckpointMetrics, Contribution, ExecutionPhase
from ralph.domain.decision import Outcome, StopReason, Trigger, exit_code
from ralph.domain.errors import LedgerError
from ralph.domain.event import IterationStarted, RunEnded, RunStarted
from ralph.domain.settings import Settings
from ralph.domain.status import LoopConfig
from ralph.domain.usage import Usage
from ralph.ledger.checkpoints import CheckpointService
from ralph.ledger.ids import new_id
from ralph.ledger.journal import Journal
from ralph.ledger.spending import TokenEconomicsService
from ralph.loop import own_loop
from ralph.policy.checkpoint import Work
from ralph.policy.handoff import HandoffFacts, HandoffProtocol
from ralph.policy.standing import standing
from ralph.policy.terminate import TerminationCriteria
from ralph.views import records as recording
from ralph.views.status import loop_status, report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ralph.domain.checkpoint import Checkpoint, HandoffTrigger
    from ralph.domain.event import Event, IterationEnded
    from ralph.domain.state import RunState
    from ralph.domain.status import IterationResult, LoopStatus
    from ralph.policy.terminate import TerminationResult

GOAL = "goal"
"""The one task of a loop that has no plan."""


class IterationPlan(Struct, frozen=True):
    """What the next agent is to do."""

    iteration: int
    attempt: int
    task: str
    agent_type: str
    prompt: str
    """What the agents before it left: empty for the first one."""
    phase: ExecutionPhase
    budget_remaining: float
    """US dollars; 0 for no limit."""


class LoopOrchestrator:
    """Begins a loop, plans and records its iterations, says when it ends, and completes it."""

    def __init__(
        self,
        journal: Journal,
        settings: Settings | None = None,
        clock: Callable[[], float] = time.time,
        folder: Path | None = None,
    ) -> None:
        self.journal = journal
        self.settings = settings or Settings()
        self._clock = clock
        self._folder = folder
        """Where status.json and report.json go; None where someone else writes them."""

    @classmethod
    def open(
        cls,
        project: str,
        config: LoopConfig | None = None,
        *,
        home: Path | None = None,
        clock: Callable[[], float] = time.time,
    ) -> LoopOrchestrator:
        """A loop of its own in the ledger below `home`; its files are in `home/loops/ID/`."""
        from ralph import config as configuration
        from ralph.ledger.sqlite import SqliteLedger

        place = home or configuration.home(os.environ)
        loop = new_id()
        journal = Journal(SqliteLedger(place / "ledger.db"), project, loop, clock)
        return cls(
            journal, own_loop.settings_of(config or LoopConfig()), clock, place / "loops" / loop
        )

    @property
    def state(self) -> RunState:
        return self.journal.state

    @cached_property
    def checkpoints(self) -> CheckpointService:
        return CheckpointService(self.journal, self._clock)

    @cached_property
    def economics(self) -> TokenEconomicsService:
        return TokenEconomicsService(self.journal, self.settings, self._clock)

    @cached_property
    def handoff(self) -> HandoffProtocol:
        return HandoffProtocol(self.settings.handoff)

    @property
    def status(self) -> LoopStatus:
        """How it stands, as status.json shows it."""
        run = self.journal.run
        records = recording.collect(self.journal.newest(recording.KINDS, None)).values()
        mine = [record for record in records if record.run == run]
        return loop_status(self.state, self.journal.project, mine, self.settings)

    def initialize(
        self,
        goal: str,
        *,
        plan: str = "",
        branch: str = "",
        base: str = "",
        agent: str = "",
        workspace: str = "",
        worktree: bool = False,
        untracked: tuple[str, ...] = (),
        dirt: tuple[str, ...] = (),
        account: str = "",
    ) -> None:
        """Write down that the loop begins."""
        self.journal.record(
            RunStarted(
                plan=plan,
                goal=goal,
                branch=branch,
                base=base,
                agent=agent or self.settings.agent,
                workspace=workspace,
                worktree=worktree,
                pid=os.getpid(),
                host=socket.gethostname(),
                version=ralph.__version__,
                untracked=untracked,
                dirt=dirt,
                account=account,
            )
        )
        self._write()

    def plan_iteration(self, task: str = GOAL, *, agent: str = "") -> IterationPlan:
        """The next iteration: its number, what came before, and what it may spend."""
        last = self.checkpoints.get_latest_checkpoint(task)
        known = last if self.state.known(task).attempts else None
        started = self.begin_iteration(task, self.state.run.goal, agent=agent)
        return IterationPlan(
            iteration=started.iteration,
            attempt=started.attempt,
            task=task,
            agent_type=started.agent,
            prompt=self.handoff.generate_continuation_prompt(known) if known else "",
            phase=known.state.phase if known else ExecutionPhase.PLANNING,
            budget_remaining=self.economics.left_to_spend(task),
        )

    def begin_iteration(
        self,
        task: str,
        title: str,
        *,
        base: str = "",
        agent: str = "",
        guided: bool = False,
        fix_only: bool = False,
    ) -> IterationStarted:
        """Write down that an agent starts on this task."""
        started = IterationStarted(
            iteration=self.state.iteration + 1,
            task=task,
            title=title,
            attempt=self.state.known(task).attempts + 1,
            base=base,
            trigger=trigger(self.state),
            agent=agent or self.settings.agent,
            guided=guided,
            fix_only=fix_only,
        )
        self.journal.record(started)
        return started

    def record_iteration(
        self, result: IterationResult, contribution: Contribution | None = None
    ) -> Checkpoint:
        """Write down what came of the iteration under way; its checkpoint, for the next one."""
        started = self.state.open_iteration
        if started is None:
            raise LedgerError("No iteration is under way.", fix="Call plan_iteration() first.")
        usage = Usage(result.input_tokens, result.output_tokens, cost_usd=result.cost)
        self.journal.later(own_loop.finished(started, usage, result))
        said = contribution or Contribution()
        work = Work(
            task=started.task,
            iteration=started.iteration,
            attempt=started.attempt,
            agent=result.agent_id or started.agent,
            why=own_loop.why(result),
            done=result.phase == ExecutionPhase.COMPLETE,
            failing="; ".join(result.errors),
            metrics=CheckpointMetrics(usage=usage),
            said=replace(
                said,
                phase=ExecutionPhase(result.phase),
                completed=(*said.completed, *result.completed_items),
                pending=said.pending or result.pending_items,
            ),
        )
        last = self.checkpoints.get_latest_checkpoint(started.task)
        return self.end_iteration(own_loop.ended(started, result), work, last)

    def end_iteration(
        self,
        ended: IterationEnded,
        work: Work,
        last: Checkpoint | None,
        *before: Event,
    ) -> Checkpoint:
        """Write down the end of an iteration with its checkpoint, and what led to it, at once.

        `last` is the checkpoint that the agent began with.
        """
        saved = self.checkpoints.prepare(work, last)
        self.journal.record(*before, saved, ended)
        self._write()
        return saved.checkpoint

    def check_handoff(self, facts: HandoffFacts | None = None) -> HandoffTrigger | None:
        """Why a fresh agent is to take over; without facts, by what the ledger knows."""
        run = self.state.run
        limit = self.settings.loop.max_cost
        spent = (run.usage + run.running).cost_usd or 0.0
        known = HandoffFacts(
            context=run.context, errors=run.failures, budget=spent / limit if limit else 0.0
        )
        return self.handoff.should_handoff(facts or known)

    def check_termination(self, *, goal: bool = False) -> TerminationResult:
        """Whether the loop ends here. `goal`: the caller has seen that it is reached."""
        facts = standing(
            self.state,
            self._clock(),
            self.settings.health,
            self.economics.check_each(),
            goal=goal,
            anything_ready=False,
        )
        return TerminationCriteria.of(self.settings.loop).evaluate(facts)

    def complete(self, reason: StopReason, why: str = "", code: int | None = None) -> None:
        """Write down why the loop ended."""
        self.journal.record(RunEnded(reason, why, exit_code(reason) if code is None else code))
        self._write(at_end=True)

    def close(self) -> None:
        """Let go of the ledger."""
        self.journal.close()
        self.journal.ledger.close()

    def _write(self, *, at_end: bool = False) -> None:
        if self._folder is None:
            return
        files.write(self._folder / "status.json", _json(self.status))
        if at_end:
            records = recording.collect(self.journal.newest(recording.KINDS, None)).values()
            contents = report(self.state, self.journal.project, None, records)
            files.write(self._folder / "report.json", _json(contents))


def run_loop(
    goal: str,
    work: Callable[[IterationPlan], IterationResult],
    config: LoopConfig | None = None,
    *,
    project: str = "",
    home: Path | None = None,
) -> LoopStatus:
    """Have `work` done again and again until it returns the phase `complete`, or a limit.

    `work` drives whatever does the work, and checks it: what it returns is believed.
    """
    orchestrator = LoopOrchestrator.open(project or goal, config, home=home)
    orchestrator.initialize(goal)
    reason, why, reached = StopReason.ERROR, "the work raised an error", False
    try:
        while not (ending := orchestrator.check_termination(goal=reached)).should_terminate:
            result = work(orchestrator.plan_iteration())
            orchestrator.record_iteration(result)
            reached = result.phase == ExecutionPhase.COMPLETE
        reason, why = ending.reason or reason, ending.details
    finally:
        orchestrator.complete(reason, why)
        status = orchestrator.status
        orchestrator.close()
    return status


def trigger(state: RunState) -> Trigger:
    """Why the next iteration is started."""
    if state.looping:
        return Trigger.LOOP_DETECTED
    if not state.run.iterations:
        return _first(state)
    if state.last_outcome == Outcome.SUCCESS:
        return Trigger.PREVIOUS_SUCCESS
    return Trigger.TASK_INCOMPLETE


def _first(state: RunState) -> Trigger:
    """Why a run begins: the one before it may have left something to go on with."""
    before = state.run.after
    if before in (StopReason.EXPLICIT_STOP, StopReason.INTERRUPTED):
        return Trigger.USER_STOP
    if state.last_outcome == Outcome.INTERRUPTED:
        return Trigger.RECOVERY
    limited = before is not None and exit_code(before) == exit_code(StopReason.MAX_ITERATIONS)
    return Trigger.SAFETY_LIMIT if limited else Trigger.INITIAL


def _json(contents: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(contents)) + b"\n"
