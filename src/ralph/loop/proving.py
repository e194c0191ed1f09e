"""Verify: a candidate commit, and Ralph's own checks on a clean checkout of it."""

from __future__ import annotations

from concurrent.futures import wait
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph import masking
from ralph.domain.event import Verified
from ralph.domain.evidence import FactKind
from ralph.domain.task import Status, shown
from ralph.domain.verdict import Level, Verdict
from ralph.loop.iteration import Again, Proof
from ralph.loop.keeping import contributed
from ralph.loop.planning import marked, plan_paths
from ralph.loop.working import once_more
from ralph.policy.handoff import HANDED_OVER
from ralph.policy.standing import out_of_time
from ralph.repo.beside import beside
from ralph.repo.commit import as_told, message, prefix

if TYPE_CHECKING:
    from ralph.domain.claim import Claims
    from ralph.loop.iteration import Heard, Iteration
    from ralph.loop.run import Run
    from ralph.proof.subject import Subject
    from ralph.repo.commit import OwnCommit


UNSAID = "the agent does not say that it is done"
"""The failure of an agent that left work without a word, where nothing else could prove it."""


async def verify(run: Run, iteration: Iteration, heard: Heard) -> Proof:
    """Judge what the agent left. The very commit that is checked here is the one that lands."""
    run.prover.clean()
    making = beside(partial(_candidate, run, iteration))
    try:
        run.journal.record()  # what the agent said and cost, before checks that may take long
    finally:
        wait((making,))
    proof = making.result()
    verdict = _without_checks(run, iteration, heard, proof)
    if verdict is None:
        verdict = await _check(run, iteration, proof)
    run.journal.later(Verified(iteration.number, verdict))
    if not (verdict.passed and heard.claims.says_done(iteration.task.id)):
        run.journal.record()
    return replace(proof, verdict=verdict)


def retry(run: Run, iteration: Iteration, heard: Heard, verdict: Verdict) -> Iteration | None:
    """Whether the agent is asked once more inside this iteration."""
    answer, claims = heard.answer, heard.claims
    if iteration.accepted or claims.escalation is not None or run.state.run.stop:
        return None
    late = out_of_time(run.state, run.clock(), run.settings.loop.max_minutes)
    if heard.handoff is not None or late:
        return None
    if run.state.run.handoff is not None:
        answer = replace(answer, session="")  # its context is not to grow any more
    iteration = replace(iteration, said=contributed(iteration, claims))
    unclaimed = verdict.passed and not claims.says_done(iteration.task.id)
    if unclaimed and Again.UNCLAIMED not in iteration.asked:
        return once_more(run, iteration, Again.UNCLAIMED, "", answer)
    if verdict.untested and not unclaimed and Again.UNTESTED not in iteration.asked:
        return once_more(run, iteration, Again.UNTESTED, _untested(verdict), answer)
    limit = run.settings.loop.verification_retries
    if not verdict.passed and iteration.retry < limit and verdict.commit:
        return once_more(run, iteration, Again.FAILED, feedback(verdict), answer)
    return None


def _untested(verdict: Verdict) -> str:
    """Which part of the work no test shows; nothing if it is all of it."""
    parts = (one.fact for one in verdict.facts if one.fact.kind is FactKind.PARTLY)
    return "\n".join(fact.text for fact in parts)


def feedback(verdict: Verdict) -> str:
    """What the next attempt must know about a verdict that did not pass."""
    failure = verdict.failure
    if verdict.rejects or failure is None:
        return "\n".join(f"- {one.fact.text}" for one in verdict.rejects) or verdict.why
    how = failure.why or f"exited {failure.exit_code}"
    return f"`{shown(failure.command)}` {how}\n{failure.tail}"


def _candidate(run: Run, iteration: Iteration) -> Proof:
    inside, outside = marked(run, {iteration.task.id: Status.COMPLETED})
    own = _own_commits(run, iteration)
    author = own[-1].author if own else ""
    text = _message(run, iteration, own)
    candidate = run.workspace.candidate(iteration.onto, text, inside, author)
    plans = plan_paths(run)
    return Proof(
        candidate=candidate,
        files=tuple(change.path for change in candidate.files if change.path not in plans),
        inside=inside,
        outside=outside,
    )


def _own_commits(run: Run, iteration: Iteration) -> tuple[OwnCommit, ...]:
    if not run.flow.may_commit:
        return ()
    return run.workspace.own_commits(iteration.base, f"{run.run_id}/{iteration.number}")


def _message(run: Run, iteration: Iteration, own: tuple[OwnCommit, ...]) -> str:
    task = iteration.task
    trailers = {
        "Ralph-Run": run.run_id,
        "Ralph-Iteration": str(iteration.number),
        "Ralph-Task": task.id,
        "Ralph-Ledger": run.state.head,
    }
    if own:
        return masking.text(as_told(own, task.title, trailers))
    return message(prefix(task.kind), task.title, "", trailers)


def _without_checks(run: Run, iteration: Iteration, heard: Heard, proof: Proof) -> Verdict | None:
    """Cases that no check can turn into a pass: not worth its time."""
    answer, claims, why = heard.answer, heard.claims, ""
    if heard.handoff is not None:
        why = HANDED_OVER
    elif not answer.worked:
        why = answer.error or f"the agent ended with {answer.exit_code}"
    elif claims.escalation is not None:
        why = "the agent asked a question"
    elif not proof.files and not iteration.accepted:
        why = "nothing was changed"
    elif _is_unsaid(run, iteration, claims):
        why = UNSAID
    if not why:
        return None
    return Verdict(passed=False, level=Level.NONE, why=why, tree=proof.candidate.tree)


def _is_unsaid(run: Run, iteration: Iteration, claims: Claims) -> bool:
    """Where only the agent's word counts, it has to be given."""
    alone = run.asked.word and not run.commands_for(iteration.task) and not iteration.accepted
    return alone and not claims.says_done(iteration.task.id)


async def _check(run: Run, iteration: Iteration, proof: Proof) -> Verdict:
    if run.commands_for(iteration.task):
        return await run.control.watching(run.prover.prove(_subject(run, iteration, proof)))
    return Verdict(
        passed=True,
        level=Level.CLAIMED,
        why="there is no check to prove it",
        commit=proof.candidate.commit,
        tree=proof.candidate.tree,
    )


def _subject(run: Run, iteration: Iteration, proof: Proof) -> Subject:
    from ralph.loop.guests import ask
    from ralph.proof.subject import Subject

    return Subject(
        task=iteration.task,
        plan=iteration.plan,
        base=iteration.base,
        candidate=proof.candidate,
        files=proof.files,
        inside=proof.inside,
        commands=run.commands_for(iteration.task),
        name=f"iteration-{iteration.number}" + (f"-r{iteration.retry}" if iteration.retry else ""),
        settings=run.settings.verification,
        root=run.root,
        repository=run.workspace,
        held_out=run.held_out,
        ask_judge=partial(ask, run, iteration) if run.judge is not None else None,
    )
