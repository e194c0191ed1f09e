"""Settle and record: only a verdict changes the plan, and what happened is written down."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ralph.domain.answer import Ended
from ralph.domain.decision import Outcome
from ralph.domain.event import (
    AboutToCommit,
    Escalated,
    IterationEnded,
    Salvaged,
    Settled,
)
from ralph.domain.question import Question, QuestionKind
from ralph.domain.verdict import Level
from ralph.loop.attempt import Result
from ralph.loop.planning import set_aside, spared, write_outside
from ralph.loop.proving import feedback
from ralph.policy.decide import NO_CHANGE, UNCHANGED
from ralph.policy.signature import signature
from ralph.policy.similar import similar

if TYPE_CHECKING:
    from ralph.domain.answer import Answer
    from ralph.domain.claim import Claims, Escalation
    from ralph.domain.event import (
        Event,
    )
    from ralph.domain.verdict import Verdict
    from ralph.loop.attempt import Attempt, Proof
    from ralph.loop.house import House

SUMMARY = 500
"""Characters of the agent's last words that are kept as its summary."""


def settle(
    house: House, attempt: Attempt, answer: Answer, claims: Claims, verdict: Verdict, proof: Proof
) -> Result:
    """Land the candidate if the verdict allows it; otherwise say why not."""
    if claims.escalation is not None:
        return Result(
            Outcome.BLOCKED,
            claims.escalation.summary,
            question=_asked_by_agent(house, attempt, claims.escalation),
        )
    if not verdict.passed:
        return _failed(attempt, answer, claims, verdict)
    if attempt.accepted:
        return _land(house, attempt, proof, Level.ACCEPTED)
    if verdict.level is Level.CLAIMED:
        return _needs_person(house, attempt, f"{attempt.task.id} is not proven: {verdict.why}.")
    if not claims.says_done(attempt.task.id):
        summary = f"{attempt.task.id} passes the checks, but the agent does not say it is done."
        return _needs_person(house, attempt, summary)
    return _land(house, attempt, proof, verdict.level)


def record(house: House, attempt: Attempt, answer: Answer, proof: Proof, result: Result) -> None:
    """Write down how the iteration ended, together with the question it raised."""
    failed, settings = result.signature != "", house.settings
    events: list[Event] = [] if result.settled is None else [result.settled]
    if result.question is not None:
        events.extend(_question(house, attempt, result.question))
    events.append(
        IterationEnded(
            iteration=attempt.iteration,
            task=attempt.task.id,
            outcome=result.outcome,
            why=result.why,
            seconds=house.clock() - attempt.began,
            tree=proof.candidate.tree,
            files=proof.files[: settings.prompts.max_files],
            signature=result.signature,
            feedback=result.feedback,
            fix_only=result.fix_only,
            summary=answer.text.strip()[-SUMMARY:],
            agent_failed=result.agent_failed,
            looping=failed
            and similar(answer.text, house.state.outputs[:-1], settings.loop.gutter.similarity),
            held=bool(proof.files),
        )
    )
    house.journal.record(*events)
    if result.question is not None:
        house.workspace.restore(house.workspace.head(), keep=spared(house))


def _land(house: House, attempt: Attempt, proof: Proof, level: Level) -> Result:
    candidate, task = proof.candidate, attempt.task
    house.journal.record(
        AboutToCommit(
            iteration=attempt.iteration,
            task=task.id,
            commit=candidate.commit,
            tree=candidate.tree,
            branch=house.workspace.branch,
            base=attempt.base,
            level=level,
        )
    )
    house.workspace.land(candidate, proof.inside)
    write_outside(proof.outside, house.root)
    settled = Settled(
        iteration=attempt.iteration,
        task=task.id,
        commit=candidate.commit,
        level=level,
        kind=task.kind,
        area=task.area,
    )
    why = f"{task.id} is done: {level}, {candidate.commit[:10]}"
    return Result(Outcome.SUCCESS, why, settled=settled)


def _failed(attempt: Attempt, answer: Answer, claims: Claims, verdict: Verdict) -> Result:
    if verdict.failure is not None:
        return Result(
            Outcome.FAILED,
            verdict.why,
            signature=verdict.signature,
            feedback=feedback(verdict.failure),
            fix_only=True,
        )
    if not answer.worked:
        out_of_time = answer.ended is Ended.TIMEOUT
        return Result(
            Outcome.BUDGET_EXCEEDED if out_of_time else Outcome.FAILED,
            verdict.why,
            signature=signature(f"{verdict.why}\n{answer.text}"),
            feedback=f"The last agent failed: {verdict.why}",
            agent_failed=True,
        )
    claimed = claims.says_done(attempt.task.id)
    why = NO_CHANGE if claimed else UNCHANGED
    return Result(
        Outcome.FAILED,
        why,
        signature=why,
        feedback=f"The last attempt changed no file{', yet it said it was done' * claimed}.",
    )


def _asked_by_agent(house: House, attempt: Attempt, escalation: Escalation) -> Question:
    return Question(
        id=f"Q{house.state.question_count + 1}",
        task=attempt.task.id,
        kind=QuestionKind(escalation.kind.value),
        summary=escalation.summary,
        context=escalation.context,
        options=escalation.options,
        question=escalation.question,
        iteration=attempt.iteration,
    )


def _needs_person(house: House, attempt: Attempt, summary: str) -> Result:
    question = Question(
        id=f"Q{house.state.question_count + 1}",
        task=attempt.task.id,
        kind=QuestionKind.ACCEPT,
        summary=summary,
        context="The work is kept; nothing was committed.",
        options=("Accept the work as it is", "Send it back to the next agent"),
        question="Does it count?",
        iteration=attempt.iteration,
    )
    return Result(Outcome.BLOCKED, summary, question=question)


def _question(house: House, attempt: Attempt, question: Question) -> list[Event]:
    """The work leaves the workspace with the question: kept first, then both written at once."""
    saved = set_aside(
        house, question.summary, attempt.base, task=attempt.task.id, iteration=attempt.iteration
    )
    if saved is None:
        return [Escalated(question)]
    return [
        Salvaged(
            saved.ref,
            saved.commit,
            question.summary,
            task=attempt.task.id,
            iteration=attempt.iteration,
        ),
        Escalated(replace(question, salvage=saved.ref)),
    ]
