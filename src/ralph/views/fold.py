"""The state is the fold of the events: `apply` says what each one means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ralph.domain import attended as a
from ralph.domain import event as e
from ralph.domain.decision import Action, Outcome
from ralph.domain.health import HealthState
from ralph.domain.state import AgentState, Feature, RunInfo, RunState, TaskState
from ralph.domain.trouble import TroubleKind
from ralph.domain.usage import Usage
from ralph.policy import breaker
from ralph.views.attending import (
    agent_spent,
    budget_noticed,
    checkpoint_saved,
    count_lost,
    handed_over,
    handoff_asked,
    health_changed,
    intervened,
)
from ralph.views.collected import collect
from ralph.views.phase import follow
from ralph.views.wishes import (
    agent_gone,
    answered,
    close_questions,
    escalated,
    handoff_requested,
    keep,
    nudge_requested,
    plan_marked,
    set_aside,
    task_retried,
    task_skipped,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FOLD_VERSION = 11
"""Raised when `apply` or RunState changes meaning: stored folds of other versions are ignored."""

KEPT_OUTPUTS = 5
KEPT_ERRORS = 5
KEPT_SUCCESSES = 3
KEPT_SIGNATURES = 10
KEPT_PATTERNS = 100


def fold(events: Iterable[e.Recorded], state: RunState | None = None) -> RunState:
    state = state if state is not None else RunState()
    for recorded in events:
        apply(state, recorded)
    return state


def apply(state: RunState, recorded: e.Recorded) -> None:
    state.seq = recorded.seq
    state.head = recorded.hash
    meaning = _MEANING.get(type(recorded.event))
    if meaning is not None:
        meaning(state, recorded, recorded.event)
    follow(state, recorded)


def _run_started(state: RunState, recorded: e.Recorded, event: e.RunStarted) -> None:
    count_lost(state)
    if state.run.branch and state.run.branch != event.branch:
        _change_feature(state, event.branch)
    state.origin = state.origin or event.base
    state.run = RunInfo(
        id=recorded.run,
        plan=event.plan,
        goal=event.goal,
        branch=event.branch,
        base=event.base,
        agent=event.agent,
        workspace=event.workspace,
        worktree=event.worktree,
        pid=event.pid,
        host=event.host,
        started_at=recorded.at,
        after=state.run.reason,
        untracked=event.untracked,
        dirt=event.dirt,
        max_cost=event.max_cost,
    )
    # what a person had to fix may be fixed by now; a limit's time stands
    state.agents = {
        name: known for name, known in state.agents.items() if known.kind is TroubleKind.USAGE_LIMIT
    }
    state.looping = False
    state.holding = ""
    if state.last_outcome != Outcome.INTERRUPTED:
        state.last_outcome = ""


def _change_feature(state: RunState, branch: str) -> None:
    """Another branch is another feature: what is known of the tasks of this one stays with it."""
    names = Feature.__struct_fields__
    state.features[state.run.branch] = Feature(**{name: getattr(state, name) for name in names})
    feature = state.features.pop(branch, None) or Feature()
    for name in names:
        setattr(state, name, getattr(feature, name))
    state.last_task = state.last_outcome = state.last_why = ""
    for entries in (state.outputs, state.errors, state.successes):
        entries.clear()


def _run_ended(state: RunState, recorded: e.Recorded, event: e.RunEnded) -> None:
    state.run.ended_at = recorded.at
    state.run.reason = event.reason
    state.run.why = event.why
    state.run.paused = False


def _pause(state: RunState, recorded: e.Recorded, _: e.PauseRequested) -> None:
    if not state.run.paused:
        state.run.paused = True
        state.run.paused_at = recorded.at


def _resume(state: RunState, _: e.Recorded, __: e.ResumeRequested) -> None:
    state.run.paused = False
    state.agents.clear()  # a person knows better than a limit that was told hours ago


def _stop(state: RunState, _: e.Recorded, event: e.StopRequested) -> None:
    state.run.stop = event.by
    state.run.stop_now = state.run.stop_now or event.now


def _iteration_started(state: RunState, _: e.Recorded, event: e.IterationStarted) -> None:
    count_lost(state)
    agent_gone(state, state.last_task)
    state.iteration = event.iteration
    state.open_iteration, state.edits = event, event.edits
    state.run.throttled = state.run.scarce = False
    state.run.iterations += 1
    state.run.backed_off = False
    state.run.health, state.run.nudges = HealthState.HEALTHY, 0
    state.run.handoff, state.run.context = None, 0.0
    state.metrics.iterations += 1
    task = state.task(event.task)
    task.attempts += 1
    if task.fresh:
        set_aside(task)  # what was in the workspace has left it since
    task.reopen = task.fresh = False
    state.last_task = event.task
    state.holding = event.task


def _agent_finished(state: RunState, recorded: e.Recorded, event: e.AgentFinished) -> None:
    state.run.usage += event.usage
    state.metrics.usage += event.usage
    task = state.task(event.task)
    task.cost += (event.usage.cost_usd or 0.0) - (state.run.running.cost_usd or 0.0)
    state.run.running = Usage()
    keep(state.outputs, event.tail, KEPT_OUTPUTS)
    before = state.agents.pop(event.agent, None) or AgentState()
    if event.agent and event.trouble is not None:
        state.agents[event.agent] = AgentState(
            event.trouble, event.error, recorded.at, event.until, before.failures + 1
        )


def _about_to_commit(state: RunState, _: e.Recorded, event: e.AboutToCommit) -> None:
    state.committing = event


def _settled(state: RunState, recorded: e.Recorded, event: e.Settled) -> None:
    state.commits[event.iteration] = event.commit
    state.settled[event.iteration] = event.task
    state.verified = event.commit
    state.area = event.area
    state.committing = None
    task = state.task(event.task)
    close_questions(state, event.task)
    state.tasks[event.task] = TaskState(
        attempts=task.attempts,
        interrupted=task.interrupted,
        commit=event.commit,
        level=event.level,
        untested=event.untested,
        accepted_by=event.accepted_by,
        cost=task.cost,
        guidance=task.guidance,  # what people decided holds, should it be opened again
    )
    state.run.completed += 1
    state.metrics.successes += 1
    failing_since = state.failing_since.pop(event.task, None)
    if failing_since is not None:
        state.metrics.recoveries += 1
        state.metrics.recovery_seconds += recorded.at - failing_since


def _iteration_ended(state: RunState, recorded: e.Recorded, event: e.IterationEnded) -> None:
    count_lost(state)
    state.open_iteration = None
    state.committing = None
    state.last_outcome = event.outcome
    state.last_why = event.why
    state.looping = event.looping
    state.run.working += event.seconds
    state.metrics.working += event.seconds
    agent_gone(state, event.task)
    task = state.task(event.task)
    handed_over(state, task, event)
    if event.agent_failed:
        breaker.failed(state.breaker, recorded.at)
    elif event.outcome is not Outcome.INTERRUPTED:
        breaker.succeeded(state.breaker)
    if event.outcome is not Outcome.INTERRUPTED and state.run.health is not HealthState.TERMINATED:
        state.run.terminations = 0
    if not event.counts:
        _uncounted(state, event)
        return
    state.run.since_completed += event.handoff is None
    match event.outcome:
        case Outcome.SUCCESS:
            state.holding = ""
            state.metrics.successes += event.iteration not in state.settled
            state.run.since_completed = 0
            state.run.failures = 0
            state.run.agent_failures = 0
            keep(state.successes, event.summary, KEPT_SUCCESSES)
        case Outcome.FAILED | Outcome.BUDGET_EXCEEDED:
            _failed(state, recorded, event)
        case Outcome.INTERRUPTED:
            task.interrupted += 1
        case Outcome.BLOCKED:
            state.run.agent_failures = 0
            task.feedback, task.fix_only = "", False  # the question says how it stands now


def _uncounted(state: RunState, event: e.IterationEnded) -> None:
    """The agent could not work: neither an attempt at the task nor one of the run's iterations."""
    task = state.task(event.task)
    task.attempts = max(task.attempts - 1, 0)
    state.run.iterations = max(state.run.iterations - 1, 0)
    if not event.held and state.holding == event.task:
        state.holding = ""
    if task.accepted and event.feedback:
        _give_to_an_agent(task, event)
        return
    keep(state.errors, event.why, KEPT_ERRORS)
    if event.agent_failed:
        state.run.failures += 1
        state.run.agent_failures += 1
        state.metrics.errors += 1


def _give_to_an_agent(task: TaskState, event: e.IterationEnded) -> None:
    """Accepted work did not fit or did not pass: the next attempt is an agent's again."""
    task.abandoned, task.accepted = task.accepted.removeprefix("HEAD"), ""
    task.feedback = event.feedback


def _failed(state: RunState, recorded: e.Recorded, event: e.IterationEnded) -> None:
    task = state.task(event.task)
    task.failures += 1
    task.feedback = event.feedback
    task.fix_only = event.fix_only
    task.salvage = ""
    if task.accepted:
        _give_to_an_agent(task, event)
    if not event.held and state.holding == event.task:
        state.holding = ""
    keep(task.signatures, event.signature, KEPT_SIGNATURES)
    keep(task.trees, event.tree, KEPT_SIGNATURES)
    keep(state.errors, event.why, KEPT_ERRORS)
    state.run.failures += 1
    state.run.agent_failures = state.run.agent_failures + 1 if event.agent_failed else 0
    state.metrics.failures += 1
    state.metrics.errors += event.agent_failed
    state.failing_since.setdefault(event.task, recorded.at)


def _salvaged(state: RunState, _: e.Recorded, event: e.Salvaged) -> None:
    if event.task:
        state.task(event.task).salvage = event.ref
        if state.holding == event.task:
            state.holding = ""


def _rolled_back(state: RunState, _: e.Recorded, event: e.RolledBack) -> None:
    state.metrics.rollbacks += 1
    task = state.task(event.task)
    task.abandoned = event.salvage
    task.salvage = ""
    task.checkpoint = ""
    task.fix_only = False
    # during an iteration the workspace is the agent's, whatever became of earlier work
    if state.holding == event.task and state.open_iteration is None:
        state.holding = ""


def _reverted(state: RunState, _: e.Recorded, event: e.Reverted) -> None:
    state.commits = {n: c for n, c in state.commits.items() if n <= event.iteration}
    state.settled = {n: t for n, t in state.settled.items() if n <= event.iteration}
    state.verified = event.to
    _moved(state)
    for name in event.reopened:
        close_questions(state, name)
        known = state.known(name)
        state.tasks[name] = TaskState(attempts=known.attempts, guidance=known.guidance, reopen=True)


def _squashed(state: RunState, _: e.Recorded, event: e.Squashed) -> None:
    """The one commit stands for all iterations that settled: going back to before it is left."""
    state.commits = {max(state.settled, default=state.iteration): event.commit}
    state.verified = event.commit
    _moved(state)


def _moved(state: RunState) -> None:
    """A person moved the branch: what an unfinished iteration started from is no longer there."""
    state.open_iteration = None
    state.committing = None


def _recovered(state: RunState, _: e.Recorded, __: e.Recovered) -> None:
    count_lost(state)
    state.open_iteration = None
    state.committing = None


def _noted(state: RunState, _: e.Recorded, event: e.Noted) -> None:
    for pattern in event.patterns:
        if pattern not in state.patterns:
            keep(state.patterns, pattern, KEPT_PATTERNS)


def _checkpoint(state: RunState, _: e.Recorded, __: e.CheckpointMade) -> None:
    state.metrics.git_checkpoints += 1


def _decided(state: RunState, _: e.Recorded, event: e.Decided) -> None:
    state.run.waits = event.why if event.action is Action.WAIT else ""


def _waited(state: RunState, _: e.Recorded, event: e.Waited) -> None:
    state.run.waits = ""
    state.run.waited += event.seconds
    state.run.backed_off = True
    state.run.scarce = state.run.scarce or event.room


def _plan_edit_applied(state: RunState, _: e.Recorded, __: e.PlanEditApplied) -> None:
    state.plan_edit = ""


_MEANING: dict[type[e.Event], Callable[[RunState, e.Recorded, Any], None]] = {
    e.RunStarted: _run_started,
    e.RunEnded: _run_ended,
    e.PauseRequested: _pause,
    e.ResumeRequested: _resume,
    e.StopRequested: _stop,
    e.IterationStarted: _iteration_started,
    e.AgentFinished: _agent_finished,
    e.Claimed: collect,
    e.AboutToCommit: _about_to_commit,
    e.Settled: _settled,
    e.IterationEnded: _iteration_ended,
    e.Escalated: escalated,
    e.Answered: answered,
    e.TaskSkipped: task_skipped,
    e.TaskRetried: task_retried,
    e.PlanMarked: plan_marked,
    e.Salvaged: _salvaged,
    e.RolledBack: _rolled_back,
    e.Reverted: _reverted,
    e.Squashed: _squashed,
    e.Recovered: _recovered,
    e.Noted: _noted,
    e.CheckpointMade: _checkpoint,
    a.CheckpointSaved: checkpoint_saved,
    a.AgentSpent: agent_spent,
    a.BudgetNoticed: budget_noticed,
    a.HealthChanged: health_changed,
    a.Intervened: intervened,
    a.HandoffAsked: handoff_asked,
    a.HandoffRequested: handoff_requested,
    a.NudgeRequested: nudge_requested,
    e.Decided: _decided,
    e.Waited: _waited,
    e.PlanEditApplied: _plan_edit_applied,
}
"""Events that are not here are for people only: reports show them, no decision rests on them."""
