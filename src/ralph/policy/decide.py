"""What happens next, from the state and the plan alone: the same before and after a crash."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from msgspec import Struct, field

from ralph.domain.budget import BudgetCheckResult
from ralph.domain.decision import Action, Decision, Outcome, StopReason
from ralph.domain.plan import Plan
from ralph.domain.question import Question, QuestionKind
from ralph.domain.settings import HealthSettings
from ralph.domain.task import Status
from ralph.policy.backoff import backoff
from ralph.policy.budget import overspent, slowest
from ralph.policy.remedy import LONGEST_COOL_DOWN, Hopeless, Pause, held_up
from ralph.policy.select import parked, startable, waiting
from ralph.policy.standing import standing
from ralph.policy.stuck import symptom
from ralph.policy.terminate import TerminationCriteria

if TYPE_CHECKING:
    from ralph.domain.settings import LoopSettings
    from ralph.domain.state import RunState
    from ralph.domain.task import Task
    from ralph.policy.terminate import Facts

NO_CHANGE = "claimed, but nothing was changed"
"""The failure of an agent that says it is done and did nothing."""


UNCHANGED = "nothing was changed"

SHOWN = 3
"""Tasks that wait and are named with their reasons."""


class Scene(Struct, frozen=True):
    """What a decision needs besides the state: the plan, the clock, what was asked for."""

    plan: Plan
    now: float
    jitter: float
    asks: bool
    """A person can be asked at the terminal."""
    only: str = ""
    """The one task that `--task` names."""
    once: bool = False
    unasked: frozenset[str] = frozenset()
    """Open questions that this run has not put to anyone yet."""
    parked: frozenset[str] = frozenset()
    """Open questions that it has put to someone once, without an answer."""
    aborts: bool = False
    """A question ends the run."""
    agents: tuple[str, ...] = ()
    """The chain, the preferred one first."""
    budgets: tuple[BudgetCheckResult, ...] = ()
    """What each budget says."""
    task_budget: float = 0
    """US dollars after which a task is parked; 0 for no limit."""
    health: HealthSettings = field(default_factory=HealthSettings)
    scarce: str = ""
    """Which disk has too little room."""


def decide(state: RunState, scene: Scene, settings: LoopSettings) -> Decision:
    return (
        _ask(state, scene, settings)
        or _stop(state, scene, settings)
        or _without_room(state, scene, settings)
        or _without_agent(state, scene, settings)
        or _wait(state, scene, settings)
        or _throttle(state, scene)
        or Decision(_go_on(state), state.last_why or "a new run")
    )


def _go_on(state: RunState) -> Action:
    if state.last_outcome in ("", Outcome.SUCCESS):
        return Action.CONTINUE
    return Action.HANDOFF if state.known(state.last_task).handoff else Action.RETRY


def _ask(state: RunState, scene: Scene, settings: LoopSettings) -> Decision | None:
    """A question comes first: nothing else may happen to its task meanwhile."""
    if state.run.stop:
        return None
    question = _stuck(state, scene.plan, settings)
    if question is None and scene.task_budget:
        wanted = _below(scene.plan, scene.only) if scene.only else scene.plan.leaves()
        question = overspent(state, wanted, scene.task_budget)
    if question is not None:
        action = Action.ESCALATE if scene.asks else Action.PARK
        return Decision(action, question.summary, question=question)
    if scene.unasked and (scene.asks or scene.aborts):
        return _new_question(state, scene)
    return None


def _stop(state: RunState, scene: Scene, settings: LoopSettings) -> Decision | None:
    found = _ready(state, scene)
    ending = TerminationCriteria.of(settings).evaluate(_facts(state, scene, found))
    if ending.should_terminate:
        alone = bool(scene.only) and ending.reason is StopReason.GOAL_ACHIEVED
        why = f"{scene.only} is finished" if alone else ending.details
        return Decision(Action.STOP, why, reason=ending.reason)
    if scene.once and (state.run.iterations or state.run.failures):
        return _after_one(state)
    if not found and scene.asks and scene.parked:
        return Decision(Action.ESCALATE, "Nothing else is left to do.")
    if not found:
        return Decision(
            Action.STOP, _what_waits(state, scene), reason=StopReason.WAITING_FOR_PERSON
        )
    return None


def _ready(state: RunState, scene: Scene) -> tuple[Task, ...]:
    """Two tasks that could be started, or one, or none: more would change no decision."""
    found = startable(scene.plan, parked(state))
    if scene.only:
        wanted = {task.id for task in _below(scene.plan, scene.only)}
        found = (task for task in found if task.id in wanted)
    return tuple(islice(found, 2))


def _below(plan: Plan, name: str) -> tuple[Task, ...]:
    """The task itself, or the tasks below it; a PlanError if the plan has no such task."""
    if name in plan.by_id and all(task.parent != name for task in plan.tasks):
        return (plan.by_id[name],)
    return plan.under(name).leaves()


def _what_waits(state: RunState, scene: Scene) -> str:
    wanted = {task.id for task in _below(scene.plan, scene.only)} if scene.only else None
    reasons = [
        f"{entry.task.id} {entry.why}"
        for entry in waiting(scene.plan, parked(state))
        if wanted is None or entry.task.id in wanted
    ]
    more = f"; and {len(reasons) - SHOWN} more" if len(reasons) > SHOWN else ""
    listed = f": {'; '.join(reasons[:SHOWN])}{more}" if reasons else ""
    if scene.only:
        return f"{scene.only} waits for a person{listed}."
    return f"Only tasks that wait for a person are left{listed}."


def _without_room(state: RunState, scene: Scene, settings: LoopSettings) -> Decision | None:
    """A full disk is waited for, within bounds; the run notices by itself when there is room."""
    if not scene.scarce:
        return None
    what = f"{scene.scarce[:1].upper()}{scene.scarce[1:]}"
    if state.run.scarce:
        longer = (
            f"{what}. Free some space: the run has waited {settings.max_wait_minutes:g} minutes."
        )
        return Decision(Action.STOP, longer, reason=StopReason.DISK_FULL)
    seconds = settings.max_wait_minutes * 60
    why = f"{what}. Free some space; the run then continues by itself."
    return Decision(Action.WAIT, why, seconds=seconds, until=scene.now + seconds, room=True)


def _without_agent(state: RunState, scene: Scene, settings: LoopSettings) -> Decision | None:
    """A used-up limit is waited for, within bounds; what only a person can mend ends the run."""
    match held_up(scene.agents, state.agents, scene.now):
        case Hopeless(_, why):
            return Decision(Action.STOP, why, reason=StopReason.AGENT_UNAVAILABLE)
        case Pause(until, _, why) if until - scene.now > settings.max_wait_minutes * 60:
            longer = f"{why} That is longer than loop.max_wait_minutes allows."
            return Decision(Action.STOP, longer, reason=StopReason.USAGE_LIMIT)
        case Pause(until, _, why):
            return Decision(Action.WAIT, why, seconds=until - scene.now, until=until)
    return None


def _wait(state: RunState, scene: Scene, settings: LoopSettings) -> Decision | None:
    """After a failure of the agent itself, once: waiting is not a failure and not run time."""
    if not state.run.agent_failures or state.run.backed_off:
        return None
    cap = settings.backoff_cap_seconds
    seconds = backoff(state.run.agent_failures, cap=cap, jitter=scene.jitter)
    # a service that says when to come back knows better, within reason
    told = max((known.until for known in state.agents.values()), default=0.0) - scene.now
    seconds = max(seconds, min(told, LONGEST_COOL_DOWN))
    if cap <= 0 or seconds <= 0:
        return None
    return Decision(Action.WAIT, "The agent itself failed.", seconds=seconds)


def _throttle(state: RunState, scene: Scene) -> Decision | None:
    """A budget near its end slows the run down, once per iteration."""
    found = None if state.run.throttled else slowest(scene.budgets)
    if found is None or found.seconds <= 0:
        return None
    return Decision(Action.WAIT, f"Throttled: {found.why}.", seconds=found.seconds, budget=found)


def _new_question(state: RunState, scene: Scene) -> Decision:
    first = state.questions[min(scene.unasked)].question
    if scene.aborts:
        why = f"{first.id} needs a person, and --on-escalation says abort."
        return Decision(Action.STOP, why, reason=StopReason.WAITING_FOR_PERSON)
    return Decision(Action.ESCALATE, first.summary or f"{first.id} is open")


def goal_reached(plan: Plan, only: str = "") -> bool:
    if only in plan.by_id and _below(plan, only) == (plan.by_id[only],):
        return plan.by_id[only].status in (Status.COMPLETED, Status.SKIPPED)
    plan = plan.under(only) if only else plan
    return all(task.status in (Status.COMPLETED, Status.SKIPPED) for task in plan.leaves())


def _after_one(state: RunState) -> Decision:
    if state.last_outcome == Outcome.SUCCESS:
        reason = StopReason.ONCE
    elif state.known(state.last_task).question in state.questions:
        reason = StopReason.WAITING_FOR_PERSON
    else:
        reason = StopReason.MAX_ITERATIONS
    return Decision(Action.STOP, "One iteration was asked for (--once).", reason=reason)


def _stuck(state: RunState, plan: Plan, settings: LoopSettings) -> Question | None:
    name = state.last_task
    task = state.known(name)
    if not task.failures or task.question or not (name in plan.by_id and plan.by_id[name].is_open):
        return None
    sign = symptom(
        task,
        same_failure=settings.gutter.max_same_failure,
        churn=settings.gutter.max_churn_commits,
        base_tree="",
    )
    if sign is not None:
        why = sign.why
    elif task.failures >= settings.max_attempts:
        why = f"{task.failures} failed attempts, the limit (loop.max_attempts)"
    else:
        return None
    done_already = bool(task.signatures) and set(task.signatures) == {NO_CHANGE}
    return Question(
        id=f"Q{state.question_count + 1}",
        task=name,
        kind=QuestionKind.ACCEPT if done_already else QuestionKind.FAILED,
        summary=f"{name} is stuck: {why}.",
        context=task.feedback or state.last_why,
        options=_DONE_ALREADY if done_already else _START_AFRESH,
        question="Is it done?" if done_already else HOW,
        iteration=state.iteration,
    )


HOW = (
    "How should the next agent proceed? Start over if the approach was wrong; continue if only "
    "little is missing. Words of your own are passed on to it."
)
_DONE_ALREADY = (
    "It is done already: mark it as done without a change",
    "It is not done: try again",
)
_START_AFRESH = (
    "Start over from the last verified commit, with a different approach",
    "Continue from the salvaged work and repair it",
)


def _facts(state: RunState, scene: Scene, found: tuple[Task, ...]) -> Facts:
    return standing(
        state,
        scene.now,
        scene.health,
        scene.budgets,
        goal=goal_reached(scene.plan, scene.only),
        # with nothing ready at all the run waits for a person, which is no lack of progress
        anything_ready=not found or any(task.id != state.last_task for task in found),
    )
