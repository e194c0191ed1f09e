"""The life of a loop in the ledger: its start, its iterations, its end.

`ralph run` goes through it, and so does a program that drives agents of its own (`ralph.api`).
"""

from __future__ import annotations

import os
import socket
from functools import cached_property
from typing import TYPE_CHECKING

import ralph
from ralph.domain.decision import Outcome, StopReason, Trigger, exit_code
from ralph.domain.event import IterationStarted, RunEnded, RunStarted
from ralph.ledger.checkpoints import CheckpointService
from ralph.ledger.spending import TokenEconomicsService

if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph.domain.checkpoint import Checkpoint
    from ralph.domain.event import Event, IterationEnded
    from ralph.domain.settings import Settings
    from ralph.domain.state import RunState
    from ralph.ledger.journal import Journal
    from ralph.policy.checkpoint import Work


class Life:
    def __init__(self, journal: Journal, settings: Settings, clock: Callable[[], float]) -> None:
        self.journal = journal
        self.settings = settings
        self.clock = clock

    @property
    def state(self) -> RunState:
        return self.journal.state

    @cached_property
    def checkpoints(self) -> CheckpointService:
        return CheckpointService(self.journal, self.clock)

    @cached_property
    def economics(self) -> TokenEconomicsService:
        return TokenEconomicsService(self.journal, self.settings, self.clock)

    def begin(
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
        came_from: str = "",
        lacks: int = 0,
        max_cost: float | None = None,
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
                came_from=came_from,
                lacks=lacks,
                max_cost=max_cost,
            )
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
        edits: str = "",
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
            edits=edits,
        )
        self.journal.record(started)
        return started

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
        return saved.checkpoint

    def complete(self, reason: StopReason, why: str = "", code: int | None = None) -> None:
        """Write down why the loop ended."""
        self.journal.record(RunEnded(reason, why, exit_code(reason) if code is None else code))


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
