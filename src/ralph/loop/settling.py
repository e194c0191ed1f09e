"""Settle and record: only a verdict changes the plan, and what happened is written down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain.answer import Ended
from ralph.domain.decision import Outcome
from ralph.domain.event import (
    AboutToCommit,
    Escalated,
    IterationEnded,
    Salvaged,
    Settled,
    TaskRetried,
)
from ralph.domain.question import Question, QuestionKind
from ralph.domain.trouble import TroubleKind
from ralph.domain.verdict import Level
from ralph.loop.iteration import Result
from ralph.loop.keeping import why_handed_over, work_of
from ralph.loop.planning import set_aside, spared, to_write, write_outside
from ralph.loop.proving import UNSAID, feedback
from ralph.policy.asking import explained
from ralph.policy.decide import NO_CHANGE, UNCHANGED
from ralph.policy.handoff import endless
from ralph.policy.remedy import REMEDIES, Remedy
from ralph.policy.standing import out_of_time
from ralph.reading.similar import similar

if TYPE_CHECKING:
    from ralph.domain.answer import Answer
    from ralph.domain.checkpoint import HandoffTrigger
    from ralph.domain.claim import Claims, Escalation
    from ralph.domain.event import (
        Event,
    )
    from ralph.domain.verdict import Verdict
    from ralph.loop.iteration import Heard, Iteration, Proof
    from ralph.loop.run import Run

SUMMARY = 500
"""Characters of the agent's last words that are kept as its summary."""


def settle(run: Run, iteration: Iteration, heard: Heard, proof: Proof) -> Result:
    """Land the candidate if the verdict allows it; otherwise say why not."""
    claims, verdict = heard.claims, proof.verdict
    if claims.escalation is not None:
        return Result(
            Outcome.BLOCKED,
            claims.escalation.summary,
            question=_asked_by_agent(run, iteration, claims.escalation),
        )
    if heard.handoff is not None:
        return _handed_over(run, iteration, claims, proof, heard.handoff)
    if not verdict.passed:
        return _failed(iteration, heard, verdict)
    if iteration.accepted:
        return _land(run, iteration, proof, Level.ACCEPTED)
    if doubts := _doubts(run, iteration, claims, verdict):
        return _needs_person(run, iteration, verdict, doubts)
    return _land(run, iteration, proof, verdict.level)


def record(
    run: Run,
    iteration: Iteration,
    heard: Heard,
    proof: Proof,
    result: Result,
) -> None:
    """Write down how the iteration ended, with the question it raised and its checkpoint."""
    failed, settings = result.signature != "", run.settings
    events: list[Event] = [] if result.settled is None else [result.settled]
    if result.question is not None:
        events.extend(_question(run, iteration, result.question))
    events.extend(
        TaskRetried(name, f"{iteration.task.id} broke it: its check has failed since.", by="ralph")
        for name in result.reopened
    )
    answer, work = heard.answer, work_of(run, iteration, heard, proof, result)
    kept = next((event.ref for event in events if isinstance(event, Salvaged)), "")
    ended = IterationEnded(
        iteration=iteration.number,
        task=iteration.task.id,
        outcome=result.outcome,
        why=result.why,
        seconds=run.clock() - iteration.began,
        tree=proof.candidate.tree,
        files=proof.files[: settings.prompts.max_files],
        signature=result.signature,
        feedback=result.feedback,
        fix_only=result.fix_only,
        summary=answer.text.strip()[-SUMMARY:],
        agent_failed=result.agent_failed,
        counts=result.counts,
        looping=failed
        and similar(answer.text, run.state.outputs[:-1], settings.loop.gutter.similarity),
        held=bool(proof.files),
        handoff=result.handoff,
    )
    work = replace(work, salvage=kept)
    run.life.end_iteration(ended, work, iteration.checkpoint, *events)
    if result.question is not None:
        run.workspace.restore(run.workspace.head(), keep=spared(run))


def _doubts(run: Run, iteration: Iteration, claims: Claims, verdict: Verdict) -> str:
    """Why a person has to decide although the checks pass; empty if nobody has to."""
    name = iteration.task.id
    if verdict.asks:
        first, *rest = verdict.asks
        more = f" And {len(rest)} more." if rest else ""
        return f"{name} passes its checks, but: {first.fact.text}{more}"
    if verdict.level is Level.CLAIMED and not run.asked.word:
        return f"{name} is not proven: {verdict.why}."
    if not claims.says_done(name):
        return f"{name} passes the checks, but the agent does not say it is done."
    return ""


def _land(run: Run, iteration: Iteration, proof: Proof, level: Level) -> Result:
    candidate, task, verdict = proof.candidate, iteration.task, proof.verdict
    untested = verdict.untested and level is not Level.ACCEPTED
    run.journal.record(
        AboutToCommit(
            iteration=iteration.number,
            task=task.id,
            commit=candidate.commit,
            tree=candidate.tree,
            branch=run.workspace.branch,
            base=iteration.base,
            level=level,
            untested=untested,
        )
    )
    run.workspace.land(candidate, to_write(run, proof.inside), expected=iteration.base)
    write_outside(proof.outside, run.root)
    settled = Settled(
        iteration=iteration.number,
        task=task.id,
        commit=candidate.commit,
        level=level,
        kind=task.kind,
        area=task.area,
        untested=untested,
        accepted_by=run.state.known(task.id).accepted_by if iteration.accepted else "",
    )
    why = f"{task.id} is done: {level}, {candidate.commit[:10]}"
    return Result(Outcome.SUCCESS, why, settled=settled, reopened=verdict.broke)


def _handed_over(
    run: Run, iteration: Iteration, claims: Claims, proof: Proof, trigger: HandoffTrigger
) -> Result:
    """No failure, and the work stays for the fresh agent; but not for ever."""
    if why := endless(run.state.known(iteration.task.id), proof.candidate.tree):
        from ralph.reading.signature import signature  # many patterns, needed by a failure

        why = f"{iteration.task.id} made no headway: {why}"
        return Result(Outcome.FAILED, why, signature=signature(why), feedback=why)
    if out_of_time(run.state, run.clock(), run.settings.loop.max_minutes):
        why = f"{iteration.task.id} is not done: the run's time is up. The next run continues it."
        return Result(Outcome.INTERRUPTED, why, handoff=trigger)
    return Result(
        Outcome.INTERRUPTED,
        why_handed_over(trigger, claims, run.state.run.relieve),
        handoff=trigger,
    )


def _failed(iteration: Iteration, heard: Heard, verdict: Verdict) -> Result:
    from ralph.reading.signature import signature

    if verdict.failure is not None or verdict.rejects:
        return Result(
            Outcome.FAILED,
            verdict.why,
            signature=verdict.signature or signature(verdict.why),
            feedback=feedback(verdict),
            fix_only=True,
        )
    answer = heard.answer
    aside = _no_attempt(iteration, answer)
    if aside is not None:
        return aside
    if not answer.worked:
        spent = answer.trouble is not None and answer.trouble.kind in _SPENT
        return Result(
            Outcome.BUDGET_EXCEEDED if spent else Outcome.FAILED,
            verdict.why,
            signature=signature(verdict.why if _ended(answer) else f"{verdict.why}\n{answer.text}"),
            feedback=f"The last agent failed: {verdict.why}",
            agent_failed=answer.trouble is None or answer.trouble.kind is not TroubleKind.BUDGET,
        )
    if verdict.why == UNSAID:
        told = "The last agent left work behind and did not say that it was done."
        return Result(Outcome.FAILED, UNSAID, signature=signature(UNSAID), feedback=told)
    claimed = heard.claims.says_done(iteration.task.id)
    why = NO_CHANGE if claimed else UNCHANGED
    return Result(
        Outcome.FAILED,
        why,
        signature=why,
        feedback=f"The last attempt changed no file{', yet it said it was done' * claimed}.",
    )


def _no_attempt(iteration: Iteration, answer: Answer) -> Result | None:
    """What came in between and says nothing of the task; None if there was an attempt at it."""
    if iteration.accepted and not answer.worked:
        told = f"{answer.error} Bring it in: `git show {iteration.accepted}` shows it."
        return Result(Outcome.INTERRUPTED, answer.error, feedback=told, counts=False)
    remedy = REMEDIES[answer.trouble.kind] if answer.trouble else Remedy.ATTEMPT
    if remedy is not Remedy.ATTEMPT:
        again = remedy is Remedy.RETRY
        return Result(Outcome.INTERRUPTED, answer.error, agent_failed=again, counts=False)
    if answer.ended is Ended.STOPPED and answer.trouble is None:
        why = f"the agent was stopped by a signal (exit code {answer.exit_code})"
        return Result(Outcome.INTERRUPTED, why, agent_failed=True, counts=False)
    return None


def _ended(answer: Answer) -> bool:
    """For its health: what it last said has nothing to do with it."""
    return answer.trouble is not None and answer.trouble.kind is TroubleKind.STUCK


_SPENT = (TroubleKind.TIMEOUT, TroubleKind.BUDGET)


def _asked_by_agent(run: Run, iteration: Iteration, escalation: Escalation) -> Question:
    return Question(
        id=f"Q{run.state.question_count + 1}",
        task=iteration.task.id,
        kind=QuestionKind(escalation.kind.value),
        summary=escalation.summary,
        context=escalation.context,
        options=escalation.options,
        question=escalation.question,
        iteration=iteration.number,
    )


def _needs_person(run: Run, iteration: Iteration, verdict: Verdict, summary: str) -> Result:
    question = Question(
        id=f"Q{run.state.question_count + 1}",
        task=iteration.task.id,
        kind=QuestionKind.ACCEPT,
        summary=summary,
        context=explained(verdict.asks),
        options=(
            "Accept the work as it is",
            "Send it back: the next agent goes on from it",
            "Start over: the next agent gets none of it",
        ),
        question="Is that what the task asked for?",
        iteration=iteration.number,
    )
    return Result(Outcome.BLOCKED, summary, question=question)


def _question(run: Run, iteration: Iteration, question: Question) -> list[Event]:
    """The work leaves the workspace with the question: kept first, then both written at once."""
    saved = set_aside(
        run, question.summary, iteration.base, task=iteration.task.id, iteration=iteration.number
    )
    if saved is None:
        return [Escalated(question)]
    command = f"git diff {iteration.base[:10]} {saved.ref}"
    see = f"The work is kept, nothing was committed. See it: {command}"
    context = f"{question.context}\n{see}".strip()
    return [
        Salvaged(
            saved.ref,
            saved.commit,
            question.summary,
            task=iteration.task.id,
            iteration=iteration.number,
        ),
        Escalated(replace(question, salvage=saved.ref, context=context)),
    ]
