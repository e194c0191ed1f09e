"""Decide: ask the policy, and act on what it says."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain.decision import Action, Outcome
from ralph.domain.event import Answered, Decided, Escalated, RolledBack, Waited
from ralph.domain.question import Choice, QuestionKind
from ralph.domain.settings import OnEscalation
from ralph.ledger.spending import noticed
from ralph.loop.planning import release
from ralph.loop.room import scarce
from ralph.policy.decide import Scene
from ralph.policy.decide import decide as policy

if TYPE_CHECKING:
    from ralph.domain.decision import Decision
    from ralph.domain.plan import Plan
    from ralph.domain.question import Question
    from ralph.loop.run import Run


def decide(run: Run, plan: Plan) -> Decision:
    """What happens next. Nothing is written or done: that is for `written` and `act`."""
    decision = run.flow.halt(plan) if run.flow.halt is not None else None
    return decision or policy(run.state, scene(run, plan), run.settings.loop)


def scene(run: Run, plan: Plan) -> Scene:
    """What a decision needs besides the state."""
    return Scene(
        plan,
        now=run.clock(),
        jitter=run.jitter(),
        asks=run.asks,
        only=run.asked.only,
        once=run.asked.once,
        unasked=frozenset(run.questions(0)),
        parked=frozenset(run.questions(1)),
        aborts=run.settings.loop.on_escalation is OnEscalation.ABORT,
        agents=tuple(agent.name for agent in run.agents),
        budgets=run.economics.check_each(_task_at_hand(run)),
        task_budget=run.economics.task_budget,
        health=run.settings.health,
        scarce=scarce(run),
    )


def _task_at_hand(run: Run) -> str:
    """The last task, as long as it is open: it will most likely be the next one."""
    last = run.state.last_task
    done = run.state.last_outcome == Outcome.SUCCESS or run.state.known(last).skipped
    return "" if done else last


def written(run: Run, decision: Decision) -> Decision:
    """The decision, once it is in the ledger with what the budgets have to say."""
    for news in run.economics.news(run.economics.check_each(_task_at_hand(run))):
        run.journal.later(news)
    run.journal.later(Decided(run.state.iteration, decision.action, decision.why, decision.until))
    if decision.action is not Action.CONTINUE:
        run.journal.record()
    return decision


async def act(run: Run, decision: Decision) -> None:
    """Carry out everything but STOP, which ends the loop."""
    if decision.action is not Action.CONTINUE or run.state.run.paused:
        run.errands.catch_up()
        run.workspace.look_again()
    match decision.action:
        case Action.WAIT:
            if decision.budget is not None:
                run.journal.record(noticed(decision.budget, run.state.iteration))
            began = run.clock()
            await run.control.sleep(decision.seconds, over=partial(_may_go_on, run, decision))
            over = decision.room and not scarce(run)
            waited = run.clock() - began
            run.journal.record(Waited(waited, decision.why, room=decision.room and not over))
        case Action.ESCALATE | Action.PARK if decision.question is not None:
            _give_up(run, decision.question)
        case _:
            pass
    await _ask(run, decision)
    if run.state.run.paused:
        run.journal.record(Waited(await run.control.pause(), "paused"))


def _may_go_on(run: Run, decision: Decision) -> bool:
    """Whether what is waited for is there, or a person ended the wait (`ralph resume`)."""
    if decision.room:
        return not scarce(run)
    return bool(decision.until) and not run.state.agents


def _give_up(run: Run, question: Question) -> None:
    """Back to the last verified commit; the failed work is kept, and a person is asked."""
    # a kill after the release and before these lines has left the ref with the task
    ref = release(run, question.summary) or run.state.known(question.task).salvage
    head = run.workspace.head()
    run.journal.record(
        RolledBack(question.task, head, question.summary, ref),
        Escalated(replace(_possible(question, ref), salvage=ref)),
    )


def _possible(question: Question, kept: str) -> Question:
    """The same without going on from failed work where there is none."""
    if question.kind is not QuestionKind.FAILED or kept:
        return question
    how = "How should the next agent proceed? Words of your own are passed on to it."
    return replace(question, options=question.options[:1], question=how)


async def _ask(run: Run, decision: Decision) -> None:
    """Put the questions nobody has seen yet to the person at the terminal.

    Those that were parked come back when there is nothing else to do.
    """
    if not run.asks or run.state.run.stop:
        return
    back = run.questions(1) if decision.action is Action.ESCALATE else ()
    for name in run.questions(0) or back:
        if name not in run.state.questions:
            continue  # answered elsewhere, while another one was asked
        question = run.state.questions[name].question
        run.times_asked[name] += 1
        began = run.clock()
        reply = await run.control.asking(run.people.ask(question), question.id)
        run.journal.record(Waited(run.clock() - began, f"asked {question.id}"))
        if reply is not None and question.id in run.state.questions:
            run.journal.record(Answered(question.id, reply, by="terminal"))
            if reply.choice is Choice.ABORT:
                return
