"""A loop that a program drives with agents of its own, in Ralph's ledger."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ralph import files
from ralph.domain.answer import Ended
from ralph.domain.attended import HandoffAsked, HealthChanged
from ralph.domain.checkpoint import (
    CheckpointMetrics,
    Contribution,
    ExecutionPhase,
    HandoffTrigger,
)
from ralph.domain.decision import Outcome, StopReason
from ralph.domain.errors import LedgerError, UsageError
from ralph.domain.event import AgentFinished, IterationEnded
from ralph.domain.health import HealthState
from ralph.domain.settings import Settings
from ralph.domain.status import LoopConfig
from ralph.domain.usage import Usage
from ralph.ledger.ids import new_id
from ralph.ledger.journal import Journal
from ralph.loop.life import Life
from ralph.policy.checkpoint import Work
from ralph.policy.handoff import HandoffFacts, HandoffProtocol
from ralph.policy.standing import standing
from ralph.policy.terminate import TerminationCriteria
from ralph.views import records as recording
from ralph.views import runs
from ralph.views.status import loop_status, report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ralph.domain.checkpoint import Checkpoint
    from ralph.domain.event import IterationStarted
    from ralph.domain.status import IterationResult, LoopStatus
    from ralph.policy.terminate import TerminationResult

GOAL = "goal"
"""The one task of a loop that has no plan."""
AGENT = "own"
"""An agent that nobody gave a name."""


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
    handoff: HandoffTrigger | None = None
    """Why a fresh agent takes over, if the last one had reached such a point."""


class LoopOrchestrator(Life):
    """Begins a loop, plans and records its iterations, says when it ends, and completes it."""

    def __init__(
        self,
        journal: Journal,
        settings: Settings | None = None,
        clock: Callable[[], float] = time.time,
        folder: Path | None = None,
    ) -> None:
        super().__init__(journal, settings or Settings(), clock)
        self._folder = folder
        """Where status.json and report.json go; None where someone else writes them."""
        self._planned = clock()
        """When the iteration under way began."""
        self._handed_over: frozenset[HandoffTrigger] = frozenset()
        """Triggers that were told of already and still hold."""

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
        return cls(journal, _settings_of(config or LoopConfig()), clock, place / "loops" / loop)

    @property
    def handoff(self) -> HandoffProtocol:
        return HandoffProtocol(self.settings.handoff)

    @property
    def status(self) -> LoopStatus:
        """How it stands, as status.json shows it."""
        run = self.journal.run
        records = recording.collect(self.journal.newest(recording.KINDS, None)).values()
        mine = [record for record in records if record.run == run]
        return loop_status(self.state, self.journal.project, mine, self.settings)

    def initialize(self, goal: str, config: LoopConfig | None = None) -> None:
        """Write down that the loop begins; with other limits than it was opened with, if given."""
        if config is not None:
            self.settings = _settings_of(config)
        self.begin(goal)
        self._write()

    def plan_iteration(
        self, iteration: int | None = None, *, task: str = GOAL, agent: str = ""
    ) -> IterationPlan:
        """The next iteration: its number, what came before, and what it may spend.

        `iteration` is for callers that count themselves: another number than the next is refused.
        """
        following = self.state.iteration + 1
        if iteration not in (None, following):
            raise UsageError(f"Iteration {iteration} cannot be planned: {following} is the next.")
        trigger, self._planned = self.state.run.handoff, self.clock()
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
            handoff=trigger,
        )

    def record_iteration(
        self, result: IterationResult, contribution: Contribution | None = None
    ) -> Checkpoint:
        """Write down what came of the iteration under way; its checkpoint, for the next one."""
        started = self.state.open_iteration
        if started is None:
            raise LedgerError("No iteration is under way.", fix="Call plan_iteration() first.")
        usage = Usage(result.input_tokens, result.output_tokens, cost_usd=result.cost)
        seconds = self.clock() - self._planned
        self.journal.later(_finished(started, usage, result, seconds))
        if result.health_state != self.state.run.health:
            self.journal.later(_changed(started, self.state.run.health, result))
        said = contribution or Contribution()
        work = Work(
            task=started.task,
            iteration=started.iteration,
            attempt=started.attempt,
            agent=result.agent_id or started.agent,
            why=_why(result),
            done=result.phase == ExecutionPhase.COMPLETE,
            failing="; ".join(result.errors),
            metrics=CheckpointMetrics(usage=usage, seconds=seconds),
            said=replace(
                said,
                phase=ExecutionPhase(result.phase),
                completed=(*said.completed, *result.completed_items),
                pending=said.pending or result.pending_items,
            ),
        )
        last = self.checkpoints.get_latest_checkpoint(started.task)
        checkpoint = self.end_iteration(_ended(started, result, seconds), work, last)
        self._write()
        return checkpoint

    def check_handoff(self, facts: HandoffFacts | None = None) -> HandoffTrigger | None:
        """Why a fresh agent is to take over; without facts, by what the ledger knows.

        It is told once each time that a threshold is passed, and the next plan says it as well.
        """
        run = self.state.run
        limit = self.settings.loop.max_cost
        spent = (run.usage + run.running).cost_usd or 0.0
        known = HandoffFacts(
            context=run.context,
            errors=run.failures,
            budget=spent / limit if limit else 0.0,
            fired=self._handed_over,
        )
        told = facts or known
        found = self.handoff.crossing(told)
        self._handed_over = self.handoff.fired(told, None if found is None else found.trigger)
        if found is None:
            return None
        if self.state.last_task:
            seen = found.trigger, found.value, found.threshold, found.why
            self.journal.record(HandoffAsked(self.state.iteration, self.state.last_task, *seen))
            self._write()
        return found.trigger

    def check_termination(self, *, goal: bool = False) -> TerminationResult:
        """Whether the loop ends here. `goal`: the caller has seen that it is reached."""
        facts = standing(
            self.state,
            self.clock(),
            self.settings.health,
            self.economics.check_each(),
            goal=goal,
            anything_ready=False,
        )
        return TerminationCriteria.of(self.settings.loop).evaluate(facts)

    def complete(self, reason: StopReason, why: str = "", code: int | None = None) -> None:
        super().complete(reason, why, code)
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
            events = self.journal.newest(runs.KINDS)
            records, mine = recording.collect(events).values(), runs.alone(events, self.journal.run)
            contents = report(self.state, self.journal.project, None, records, mine)
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
            orchestrator.check_handoff()
            result = work(orchestrator.plan_iteration())
            orchestrator.record_iteration(result)
            reached = result.phase == ExecutionPhase.COMPLETE
        reason, why = ending.reason or reason, ending.details
    finally:
        orchestrator.complete(reason, why)
        status = orchestrator.status
        orchestrator.close()
    return status


def _settings_of(config: LoopConfig) -> Settings:
    """The limits of a loop as settings; what it does not name has its default."""
    usual = Settings()
    return replace(
        usual,
        agent=config.agent_type or AGENT,
        claude=replace(usual.claude, model=config.model),
        loop=replace(
            usual.loop,
            max_iterations=config.max_iterations,
            max_cost=config.max_cost,
            max_minutes=config.max_duration_minutes,
            max_failures=config.max_consecutive_errors,
        ),
        handoff=replace(usual.handoff, context=config.context_threshold),
    )


def _finished(
    started: IterationStarted, usage: Usage, result: IterationResult, seconds: float
) -> AgentFinished:
    return AgentFinished(
        iteration=started.iteration,
        task=started.task,
        ended=Ended.EXITED,
        exit_code=1 if result.errors else 0,
        seconds=seconds,
        output_bytes=0,
        tail="",
        usage=usage,
        agent=result.agent_id or started.agent,
    )


def _changed(
    started: IterationStarted, before: HealthState, result: IterationResult
) -> HealthChanged:
    now = HealthState(result.health_state)
    return HealthChanged(started.iteration, started.task, before, now, why="the program says so")


def _ended(started: IterationStarted, result: IterationResult, seconds: float) -> IterationEnded:
    if result.errors:
        outcome = Outcome.FAILED
    elif result.completed_items or result.phase == ExecutionPhase.COMPLETE:
        outcome = Outcome.SUCCESS
    else:
        outcome = Outcome.INTERRUPTED
    from ralph.reading.signature import signature

    words = _why(result)
    return IterationEnded(
        iteration=started.iteration,
        task=started.task,
        outcome=outcome,
        why=words,
        seconds=seconds,
        signature=signature(words) if result.errors else "",
        agent_failed=bool(result.errors),
        handoff=HandoffTrigger(result.handoff_trigger) if result.handoff_trigger else None,
    )


def _why(result: IterationResult) -> str:
    if result.errors:
        return "; ".join(result.errors)
    if result.completed_items:
        return f"completed: {', '.join(result.completed_items)}"
    return "the goal is reached" if result.phase == ExecutionPhase.COMPLETE else "nothing completed"


def _json(contents: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(contents)) + b"\n"
