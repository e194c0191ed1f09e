"""Verify: a candidate commit, and Ralph's own checks on a clean checkout of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.errors import CheckError
from ralph.domain.event import Verified
from ralph.domain.task import Status, shown
from ralph.domain.verdict import CheckResult, Level, Verdict
from ralph.loop.attempt import Again, Proof
from ralph.loop.planning import marked, plan_paths
from ralph.loop.working import once_more
from ralph.policy.signature import signature
from ralph.repo.commit import message, prefix

if TYPE_CHECKING:
    from ralph.domain.answer import Answer
    from ralph.domain.claim import Claims
    from ralph.loop.attempt import Attempt
    from ralph.loop.house import House
    from ralph.repo import Candidate


async def verify(
    house: House, attempt: Attempt, answer: Answer, claims: Claims
) -> tuple[Verdict, Proof]:
    """Judge what the agent left. The very commit that is checked here is the one that lands."""
    house.checkout.clean(house.kept)
    proof = _candidate(house, attempt)
    verdict = _without_checks(attempt, answer, claims, proof)
    if verdict is None:
        verdict = await _check(house, attempt, proof)
    house.journal.later(
        Verified(
            iteration=attempt.iteration,
            passed=verdict.passed,
            level=verdict.level,
            why=verdict.why,
            commit=verdict.commit,
            tree=verdict.tree,
            results=verdict.results,
            notes=verdict.notes,
        )
    )
    if not (verdict.passed and claims.says_done(attempt.task.id)):
        house.journal.record()
    return verdict, proof


def retry(house: House, attempt: Attempt, claims: Claims, verdict: Verdict) -> Attempt | None:
    """Whether the agent is asked once more inside this iteration."""
    if attempt.accepted or claims.escalation is not None or house.state.run.stop:
        return None
    unclaimed = verdict.passed and not claims.says_done(attempt.task.id)
    if unclaimed and attempt.again is not Again.UNCLAIMED:
        return once_more(attempt, Again.UNCLAIMED, "")
    limit = house.settings.loop.verification_retries
    if verdict.failure is not None and attempt.retry < limit:
        return once_more(attempt, Again.FAILED, feedback(verdict.failure))
    return None


def feedback(failure: CheckResult) -> str:
    """What the next attempt must know about a failed check."""
    how = failure.why or f"exited {failure.exit_code}"
    return f"`{shown(failure.command)}` {how}\n{failure.tail}"


def _candidate(house: House, attempt: Attempt) -> Proof:
    inside, outside = marked(house, {attempt.task.id: Status.COMPLETED})
    candidate = house.workspace.candidate(attempt.base, _message(house, attempt), inside)
    plans = plan_paths(house)
    return Proof(
        candidate=candidate,
        files=tuple(change.path for change in candidate.files if change.path not in plans),
        inside=inside,
        outside=outside,
    )


def _message(house: House, attempt: Attempt) -> str:
    task = attempt.task
    return message(
        prefix(task.kind),
        task.title,
        "",
        {
            "Ralph-Run": house.run_id,
            "Ralph-Iteration": str(attempt.iteration),
            "Ralph-Task": task.id,
            "Ralph-Ledger": house.state.head,
        },
    )


def _without_checks(
    attempt: Attempt, answer: Answer, claims: Claims, proof: Proof
) -> Verdict | None:
    """Cases that no check can turn into a pass: not worth its time."""
    why = ""
    if not answer.worked:
        why = answer.error or f"the agent ended with {answer.exit_code}"
    elif claims.escalation is not None:
        why = "the agent asks a person"
    elif not proof.files and not attempt.accepted:
        why = "nothing was changed"
    if not why:
        return None
    return Verdict(passed=False, level=Level.NONE, why=why, tree=proof.candidate.tree)


async def _check(house: House, attempt: Attempt, proof: Proof) -> Verdict:
    candidate = proof.candidate
    commands = house.commands_for(attempt.task)
    if not commands:
        return Verdict(
            passed=True,
            level=Level.CLAIMED,
            why="there is no check to prove it",
            commit=candidate.commit,
            tree=candidate.tree,
        )
    root = house.checkout.at(candidate.commit, house.kept)
    try:
        notes = await house.control.watching(house.checker.refresh(root, proof.files))
    except CheckError as error:
        if not house.settings.verification.setup:
            raise  # not the candidate's doing
        return _not_set_up(house, candidate, error)
    suffix = f"-r{attempt.retry}" if attempt.retry else ""
    results = await house.control.watching(
        house.checker.run(commands, root, house.logs(), f"iteration-{attempt.iteration}{suffix}")
    )
    failed = next((r for r in results if not r.passed), None)
    trusted = house.checker.trusted(root)
    level = Level.GREEN if trusted else Level.CLAIMED
    return Verdict(
        passed=failed is None,
        level=level if failed is None else Level.NONE,
        why=_why(failed) if trusted or failed else UNTRUSTED,
        commit=candidate.commit,
        tree=candidate.tree,
        results=results,
        notes=(*house.notes, *notes),
    )


def _not_set_up(house: House, candidate: Candidate, error: CheckError) -> Verdict:
    """The candidate changed a lock file, and the set-up does not work with it."""
    failed = CheckResult(
        command=house.settings.verification.setup[0],
        passed=False,
        exit_code=None,
        seconds=0,
        tail=str(error),
        signature=signature(error.what),
        why="could not set up the checkout",
    )
    return Verdict(
        passed=False,
        level=Level.NONE,
        why=_why(failed),
        commit=candidate.commit,
        tree=candidate.tree,
        results=(failed,),
    )


UNTRUSTED = "the checks passed, but nothing shows that they saw the candidate's code"


def _why(failed: CheckResult | None) -> str:
    if failed is None:
        return "all checks passed on a clean checkout"
    return f"`{shown(failed.command)}` {failed.why or f'exited {failed.exit_code}'}"
