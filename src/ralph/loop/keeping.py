"""What the next agent needs to know: who hands over, and the checkpoint of an iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.checkpoint import (
    CheckpointMetrics,
    Contribution,
    ExecutionPhase,
    HandoffTrigger,
)
from ralph.domain.claim import ClaimKind
from ralph.domain.health import HealthState
from ralph.domain.trouble import TroubleKind
from ralph.policy.checkpoint import Work, untold
from ralph.policy.handoff import HandoffFacts, HandoffProtocol, continuation_prompt
from ralph.policy.remedy import REMEDIES, Remedy

if TYPE_CHECKING:
    from ralph.domain.answer import Answer
    from ralph.domain.attended import CheckpointSaved
    from ralph.domain.checkpoint import Checkpoint
    from ralph.domain.claim import Claims
    from ralph.domain.event import IterationStarted
    from ralph.domain.state import TaskState
    from ralph.domain.task import Task
    from ralph.ledger.checkpoints import CheckpointService
    from ralph.loop.iteration import Heard, Iteration, Proof, Result
    from ralph.loop.run import Run


def handing_over(
    run: Run, iteration: Iteration, answer: Answer, claims: Claims
) -> HandoffTrigger | None:
    """Why the task goes to a fresh agent; None if it was claimed, or the agent had other trouble.

    An agent that was told to wrap up hands over however it ended; one that asks for it itself
    must have worked.
    """
    if iteration.accepted or claims.says_done(iteration.task.id):
        return None
    told = run.state.run.handoff
    if told is not None:
        return told if _may(run, answer) else None
    if not claims.asks_to_hand_over or not answer.worked:
        return None
    facts = HandoffFacts(requested=True, phase_complete=_next_phase(iteration, claims))
    return HandoffProtocol(run.settings.handoff).should_handoff(facts)


def _may(run: Run, answer: Answer) -> bool:
    """Not if its health or a budget ended it, or it cannot work: that has its own consequences."""
    if run.state.run.health is HealthState.TERMINATED:
        return False
    if answer.trouble is None:
        return True
    kind = answer.trouble.kind
    return kind is not TroubleKind.BUDGET and REMEDIES[kind] is Remedy.ATTEMPT


_PHASES = tuple(ExecutionPhase)[:4]


def _next_phase(iteration: Iteration, claims: Claims) -> bool:
    """Whether the phase that the agent names comes after the one it began in."""
    said, before = claims.contribution.phase, ExecutionPhase.IMPLEMENTING
    if iteration.checkpoint is not None and iteration.checkpoint.state.phase in _PHASES:
        before = iteration.checkpoint.state.phase
    return said in _PHASES and _PHASES.index(said) > _PHASES.index(before)


_WHY = {
    HandoffTrigger.CONTEXT_THRESHOLD: "the agent's context is nearly full",
    HandoffTrigger.PHASE_COMPLETE: "a phase of the work is complete",
    HandoffTrigger.ERROR_THRESHOLD: "the agent met too many errors in a row",
    HandoffTrigger.EXPLICIT_REQUEST: "the agent asked for it",
    HandoffTrigger.TOKEN_BUDGET: "most of the budget is spent",
    HandoffTrigger.TIMEOUT: "the agent has worked long enough",
}


def why_handed_over(trigger: HandoffTrigger, claims: Claims, person: str = "") -> str:
    """`person` is who asked for it, if somebody did."""
    reasons = [c.evidence for c in claims.all if c.kind is ClaimKind.HANDOFF]
    own = f" ({reasons[-1]})" if reasons else ""
    by_hand = person and trigger is HandoffTrigger.EXPLICIT_REQUEST
    why = f"{person} asked for it" if by_hand else _WHY[trigger]
    return f"Handed over to a fresh agent: {why}{own}."


def contributed(iteration: Iteration, claims: Claims) -> Contribution:
    """What the agent says for the next one; its last words on it count."""
    return claims.contribution if claims.contribution != Contribution() else iteration.said


def work_of(
    run: Run,
    iteration: Iteration,
    heard: Heard,
    proof: Proof,
    result: Result,
) -> Work:
    """What came of an iteration, for its checkpoint."""
    answer, verdict = heard.answer, proof.verdict
    return Work(
        task=iteration.task.id,
        iteration=iteration.number,
        attempt=iteration.attempt,
        agent=answer.agent,
        why=result.why,
        criteria=iteration.task.criteria,
        done=result.settled is not None,
        handed_over=result.handoff is not None,
        failing=verdict.why if verdict.failure is not None or verdict.rejects else "",
        question=result.question.summary if result.question else "",
        commit=result.settled.commit if result.settled else "",
        metrics=CheckpointMetrics(
            usage=answer.usage,
            tool_calls=sum(answer.tools.values()),
            tests_passed=verdict.tests_passed,
            tests_failed=verdict.tests_failed,
            files_changed=len(proof.files),
            seconds=run.clock() - iteration.began,
        ),
        said=contributed(iteration, heard.claims),
    )


def saved_of(
    run: Run,
    opened: IterationStarted,
    *,
    why: str = "it was committed before the iteration could end",
    done: bool = False,
    salvage: str = "",
) -> CheckpointSaved:
    """The checkpoint of an iteration that did not come to its end by itself."""
    before = checkpoint_of(run.checkpoints, run.state.known(opened.task), opened.task)
    work = Work(
        task=opened.task,
        iteration=opened.iteration,
        attempt=opened.attempt,
        agent=opened.agent,
        why=why,
        done=done,
        salvage=salvage,
    )
    return run.checkpoints.prepare(work, before)


def checkpoint_of(service: CheckpointService, known: TaskState, task: str) -> Checkpoint | None:
    """What an agent on this task may build on; nothing for a new one, or rolled back work."""
    return service.get_latest_checkpoint(task) if known.checkpoint else None


def continuation(
    checkpoint: Checkpoint | None, task: Task, guidance: tuple[str, ...], feedback: str
) -> str:
    """What the last agent left for the next one, without what its prompt says elsewhere."""
    if checkpoint is None:
        return ""
    left = untold(checkpoint, task.criteria, guidance, failing=bool(feedback))
    return "" if left is None else continuation_prompt(left)
