"""What the events mean that tell of an agent at work: its spending, health and handoff."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.checkpoint import ExecutionPhase
from ralph.domain.health import HealthState, InterventionLevel
from ralph.domain.state import Word
from ralph.domain.usage import Usage
from ralph.views.wishes import agent_well, keep

if TYPE_CHECKING:
    from ralph.domain import attended as a
    from ralph.domain import event as e
    from ralph.domain.state import RunState, TaskState

KEPT_TREES = 10


def agent_spent(state: RunState, recorded: e.Recorded, event: a.AgentSpent) -> None:
    task = state.task(event.task)
    if event.ended:
        task.cost += event.usage.cost_usd or 0.0
        state.metrics.usage += event.usage
        if recorded.run == state.run.id:  # a review, or a draft of a plan, is no part of a run
            state.run.usage += event.usage
        return
    task.cost += (event.usage.cost_usd or 0.0) - (state.run.running.cost_usd or 0.0)
    state.run.running = event.usage
    state.run.context = event.context or state.run.context


def health_changed(state: RunState, _: e.Recorded, event: a.HealthChanged) -> None:
    state.run.health = event.now
    if event.now in (HealthState.HEALTHY, HealthState.DEGRADED):
        agent_well(state)
    state.run.terminations += event.now is HealthState.TERMINATED


def intervened(state: RunState, _: e.Recorded, event: a.Intervened) -> None:
    if event.by:
        told = Word(event.text, event.by)
        state.run.words = [word for word in state.run.words if word != told]
    state.run.nudges += event.level is InterventionLevel.NUDGE and not event.by


def handoff_asked(state: RunState, _: e.Recorded, event: a.HandoffAsked) -> None:
    state.run.handoff = event.trigger


def checkpoint_saved(state: RunState, _: e.Recorded, event: a.CheckpointSaved) -> None:
    state.checkpoint = event.checkpoint.metadata.id
    state.metrics.checkpoints += 1
    if event.task in state.tasks:
        done = event.checkpoint.state.phase is ExecutionPhase.COMPLETE
        state.tasks[event.task].checkpoint = "" if done else state.checkpoint


def budget_noticed(state: RunState, _: e.Recorded, event: a.BudgetNoticed) -> None:
    state.run.throttled = state.run.throttled or event.seconds > 0


def handed_over(state: RunState, task: TaskState, event: e.IterationEnded) -> None:
    task.handoff = event.handoff
    if event.handoff is None:
        task.handoffs = 0
        task.handoff_trees.clear()
        return
    task.handoffs += 1
    keep(task.handoff_trees, event.tree, KEPT_TREES)
    state.run.handoffs += 1


def count_lost(state: RunState) -> None:
    """An agent that was killed without a last word has spent what it told before."""
    state.run.usage += state.run.running
    state.metrics.usage += state.run.running
    state.run.running = Usage()
