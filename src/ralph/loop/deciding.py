"""Decide: ask the policy, and act on what it says."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain.decision import Action
from ralph.domain.event import Answered, Decided, Escalated, RolledBack, Waited
from ralph.domain.question import Choice
from ralph.ledger.spending import noticed
from ralph.loop.planning import heed, release
from ralph.loop.room import scarce
from ralph.policy.decide import decide as policy

if TYPE_CHECKING:
    from ralph.domain.decision import Decision
    from ralph.domain.plan import Plan
    from ralph.domain.question import Question
    from ralph.loop.house import House


def decide(house: House, plan: Plan) -> Decision:
    # first what people want: a finished task may have been reopened
    scene = house.scene(heed(house, plan))
    for news in house.economics.news(scene.budgets):
        house.journal.later(news)
    decision = house.halt(scene.plan) if house.halt is not None else None
    decision = decision or policy(house.state, scene, house.settings.loop)
    house.journal.later(
        Decided(house.state.iteration, decision.action, decision.why, decision.until)
    )
    if decision.action is not Action.CONTINUE:
        house.journal.record()
    return decision


async def act(house: House, decision: Decision) -> None:
    """Carry out everything but STOP, which ends the loop."""
    if decision.action is not Action.CONTINUE or house.state.run.paused:
        house.catch_up()
        house.workspace.look_again()
    match decision.action:
        case Action.WAIT:
            if decision.budget is not None:
                house.journal.record(noticed(decision.budget, house.state.iteration))
            began = house.clock()
            await house.control.sleep(decision.seconds, over=partial(_may_go_on, house, decision))
            over = decision.room and not scarce(house)
            waited = house.clock() - began
            house.journal.record(Waited(waited, decision.why, room=decision.room and not over))
        case Action.ESCALATE | Action.PARK if decision.question is not None:
            _give_up(house, decision.question)
        case _:
            pass
    await _ask(house)
    if house.state.run.paused:
        house.journal.record(Waited(await house.control.pause(), "paused"))


def _may_go_on(house: House, decision: Decision) -> bool:
    """Whether what is waited for is there, or a person ended the wait (`ralph resume`)."""
    if decision.room:
        return not scarce(house)
    return bool(decision.until) and not house.state.agents


def _give_up(house: House, question: Question) -> None:
    """Back to the last verified commit; the failed work is kept, and a person is asked."""
    # a kill after the release and before these lines has left the ref with the task
    ref = release(house, question.summary) or house.state.known(question.task).salvage
    head = house.workspace.head()
    house.journal.record(
        RolledBack(question.task, head, question.summary, ref),
        Escalated(replace(question, salvage=ref)),
    )


async def _ask(house: House) -> None:
    """Put the questions nobody has seen yet to the person at the terminal."""
    if not house.asks or house.state.run.stop:
        return
    for opened in list(house.state.questions.values()):
        question = opened.question
        if question.id in house.asked_before:
            continue
        house.asked_before.add(question.id)
        began = house.clock()
        reply = await house.control.asking(house.people.ask(question), question.id)
        house.journal.record(Waited(house.clock() - began, f"asked {question.id}"))
        if reply is not None and question.id in house.state.questions:
            house.journal.record(Answered(question.id, reply, by="terminal"))
            if reply.choice is Choice.ABORT:
                return
