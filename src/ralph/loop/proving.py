"""Verify: a candidate commit, and Ralph's own checks on a clean checkout of it."""

from __future__ import annotations

from concurrent.futures import wait
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain.event import Verified
from ralph.domain.evidence import FactKind
from ralph.domain.task import Status, shown
from ralph.domain.verdict import Level, Verdict
from ralph.loop.attempt import Again, Proof
from ralph.loop.keeping import contributed, handing_over
from ralph.loop.planning import marked, plan_paths
from ralph.loop.working import once_more
from ralph.policy.handoff import HANDED_OVER
from ralph.repo.beside import beside
from ralph.repo.commit import message, prefix

if TYPE_CHECKING:
    from ralph.domain.answer import Answer
    from ralph.domain.claim import Claims
    from ralph.loop.attempt import Attempt
    from ralph.loop.house import House
    from ralph.proof.subject import Subject


UNSAID = "the agent does not say that it is done"
"""The failure of an agent that left work without a word, where nothing else could prove it."""


async def verify(
    house: House, attempt: Attempt, answer: Answer, claims: Claims
) -> tuple[Verdict, Proof]:
    """Judge what the agent left. The very commit that is checked here is the one that lands."""
    house.lab.clean()
    making = beside(partial(_candidate, house, attempt))
    try:
        house.journal.record()  # what the agent said and cost, before checks that may take long
    finally:
        wait((making,))
    proof = making.result()
    verdict = _without_checks(house, attempt, answer, claims, proof)
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
            facts=verdict.facts,
            shown=verdict.shown,
            evidence=verdict.evidence,
            untested=verdict.untested,
        )
    )
    if not (verdict.passed and claims.says_done(attempt.task.id)):
        house.journal.record()
    return verdict, proof


def retry(
    house: House, attempt: Attempt, answer: Answer, claims: Claims, verdict: Verdict
) -> Attempt | None:
    """Whether the agent is asked once more inside this iteration."""
    if attempt.accepted or claims.escalation is not None or house.state.run.stop:
        return None
    if handing_over(house, attempt, answer, claims) is not None:
        return None
    if house.state.run.handoff is not None:
        answer = replace(answer, session="")  # its context is not to grow any more
    attempt = replace(attempt, said=contributed(attempt, claims))
    unclaimed = verdict.passed and not claims.says_done(attempt.task.id)
    if unclaimed and Again.UNCLAIMED not in attempt.asked:
        return once_more(attempt, Again.UNCLAIMED, "", answer)
    if verdict.untested and not unclaimed and Again.UNTESTED not in attempt.asked:
        return once_more(attempt, Again.UNTESTED, _untested(verdict), answer)
    limit = house.settings.loop.verification_retries
    if not verdict.passed and attempt.retry < limit and verdict.commit:
        return once_more(attempt, Again.FAILED, feedback(verdict), answer)
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
    house: House, attempt: Attempt, answer: Answer, claims: Claims, proof: Proof
) -> Verdict | None:
    """Cases that no check can turn into a pass: not worth its time."""
    why = ""
    if not answer.worked:
        why = answer.error or f"the agent ended with {answer.exit_code}"
    elif claims.escalation is not None:
        why = "the agent asks a person"
    elif handing_over(house, attempt, answer, claims) is not None:
        why = HANDED_OVER
    elif not proof.files and not attempt.accepted:
        why = "nothing was changed"
    elif _is_unsaid(house, attempt, claims):
        why = UNSAID
    if not why:
        return None
    return Verdict(passed=False, level=Level.NONE, why=why, tree=proof.candidate.tree)


def _is_unsaid(house: House, attempt: Attempt, claims: Claims) -> bool:
    """Where only the agent's word counts, it has to be given."""
    alone = house.asked.word and not house.commands_for(attempt.task) and not attempt.accepted
    return alone and not claims.says_done(attempt.task.id)


async def _check(house: House, attempt: Attempt, proof: Proof) -> Verdict:
    if house.commands_for(attempt.task):
        # not needed before the first agent has worked
        from ralph.proof.examine import examine

        return await house.control.watching(examine(_subject(house, attempt, proof), house.lab))
    return Verdict(
        passed=True,
        level=Level.CLAIMED,
        why="there is no check to prove it",
        commit=proof.candidate.commit,
        tree=proof.candidate.tree,
    )


def _subject(house: House, attempt: Attempt, proof: Proof) -> Subject:
    from ralph.loop.judge import ask
    from ralph.proof.subject import Subject

    subject = Subject(
        task=attempt.task,
        plan=attempt.plan,
        base=attempt.base,
        candidate=proof.candidate,
        files=proof.files,
        inside=proof.inside,
        commands=house.commands_for(attempt.task),
        name=f"iteration-{attempt.iteration}" + (f"-r{attempt.retry}" if attempt.retry else ""),
        settings=house.settings.verification,
        root=house.root,
        repository=house.workspace,
        held_out=house.held_out,
        ask_judge=partial(ask, house, attempt) if house.judge is not None else None,
    )
    return replace(subject, known_base=house.lab.known(subject.base_variant))
