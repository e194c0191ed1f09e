"""What a review does next, and when it is over: pure functions of its state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain.review import Fixing, Phase, ReviewEnd, Severity, Standing
from ralph.reading.findings import merged

if TYPE_CHECKING:
    from ralph.domain.review import Finding, Opinion, Review
    from ralph.domain.usage import Usage

KEPT = 0.8
"""How sure a refuter must be of a finding for it to be kept."""
ERRORS = 5
ERROR = 500
WEIGHTS = {Severity.CRITICAL: 30, Severity.MAJOR: 12, Severity.MINOR: 2}
"""What an open finding takes from a confidence of 100."""


def confidence(findings: tuple[Finding, ...]) -> int:
    """From 0 to 100, reckoned from what is open: nobody is asked how sure they feel."""
    return max(0, 100 - sum(WEIGHTS[one.remark.severity] for one in findings if one.is_open))


def limit(review: Review) -> ReviewEnd | None:
    """The limit that is reached, if one is."""
    limits = review.limits
    if review.consecutive_failures >= limits.failures:
        return ReviewEnd.FAILURES
    if review.seconds >= limits.minutes * 60:
        return ReviewEnd.MINUTES
    spent = review.usage.cost_usd or 0
    return ReviewEnd.COST if 0 < limits.cost <= spent else None


def ending(review: Review) -> ReviewEnd | None:
    """Whether the round that was just reviewed and refuted is the last one."""
    left = review.open
    severe = [one for one in left if one.severe]
    sure = confidence(review.findings) >= review.limits.confidence
    # minor things are fixed once: a review that continues for their sake never ends
    if not review.answers or (review.missing and not severe):
        return ReviewEnd.FAILURES
    if not left:
        return ReviewEnd.CLEAN
    if not severe and (sure or review.round > 1):
        return ReviewEnd.CONFIDENT
    if not review.scope.fix:
        return ReviewEnd.NEEDS_PERSON
    fixable = [one for one in left if one.standing is Standing.PENDING]
    # a later round with nothing new and severe: what is left was tried before
    if not fixable or (review.round > 1 and not any(one.severe for one in fixable)):
        return ReviewEnd.NEEDS_PERSON
    return ReviewEnd.ROUNDS if review.round >= review.limits.rounds else None


def reviewed(review: Review) -> Review:
    """All reviewers of the round have answered or failed: their findings are one list."""
    findings = tuple(_confirmed(one, review) for one in review.findings)
    said = {role: notes.remarks for role, notes in sorted(review.answers.items())}
    findings = merged(findings, said, review.round)
    return counted(
        replace(review, findings=tuple(_tried(one, review) for one in findings)),
        phase=Phase.REFUTING,
        review_rounds=review.metrics.review_rounds + 1,
    )


def _confirmed(one: Finding, review: Review) -> Finding:
    """A fix that landed helped, unless a reviewer who looked at it says no."""
    if one.standing is not Standing.IN_PROGRESS or not review.answers:
        return one
    against = [n.still_open[one.id] for n in review.answers.values() if one.id in n.still_open]
    if not against:
        return replace(one, standing=Standing.FIXED, why="")
    why = next(filter(None, against), "") or "a reviewer says that the fix does not help"
    return replace(one, standing=Standing.PENDING, why=why, round=review.round)


def _tried(one: Finding, review: Review) -> Finding:
    if one.standing is not Standing.PENDING or one.fixes < review.limits.fixes:
        return one
    return replace(one, standing=Standing.BLOCKED, why=f"{one.fixes} fixes did not help")


def judged(one: Finding, opinion: Opinion | None) -> Finding:
    """Kept or refuted. A refuter that says nothing refutes nothing."""
    if opinion is None:
        return replace(one, standing=Standing.PENDING, why="no refuter could look at it")
    example = one.remark.failing_input or opinion.failing_input
    remark = replace(one.remark, failing_input=example)
    shown = one.severe and bool(opinion.failing_input)
    kept = opinion.confidence >= KEPT or shown
    return replace(
        one,
        remark=remark,
        confidence=opinion.confidence,
        why=opinion.why,
        standing=Standing.PENDING if kept else Standing.REFUTED,
    )


def refuted(review: Review) -> Review:
    """All refuters have answered: start fixing, or end."""
    sure = confidence(review.findings)
    first = sure if review.initial_confidence is None else review.initial_confidence
    review = replace(review, initial_confidence=first)
    return counted(review, phase=Phase.FIXING, ending=ending(review))


def landed(review: Review, commit: str, tree: str) -> Review:
    """A fix is on the branch: the next round looks at it, unless it leads back in a circle."""
    findings = tuple(
        replace(one, standing=Standing.IN_PROGRESS, fixes=one.fixes + 1)
        if one.standing is Standing.PENDING
        else one
        for one in review.findings
    )
    return counted(
        replace(
            review,
            commit=commit,
            findings=findings,
            answers={},
            missing=(),
            fixing=Fixing(review.fixing.branch, review.fixing.home),
            trees=(*review.trees, tree),
            commits=(*review.commits, commit),
            consecutive_failures=0,
        ),
        phase=Phase.REVIEWING,
        round=review.round + 1,
        ending=ReviewEnd.CIRCLES if tree in review.trees else None,
    )


def blocked(review: Review, reasons: dict[str, str]) -> Review:
    """These findings are for a person."""
    findings = tuple(
        replace(one, standing=Standing.BLOCKED, why=reasons[one.id] or "the agent cannot fix it")
        if one.id in reasons and one.standing is Standing.PENDING
        else one
        for one in review.findings
    )
    return counted(replace(review, findings=findings))


def undone(review: Review, failure: str) -> Review:
    """A fix came to nothing; after so many of them, what it was for is left to a person."""
    fixing = replace(review.fixing, landing="", failure=failure[:TAIL])
    review = failed(replace(review, fixing=fixing), failure.partition("\n")[0])
    if fixing.iteration < review.limits.fixes:
        return review
    why = f"{fixing.iteration} fixes failed: {failure.partition(chr(10))[0]}"
    review = blocked(review, dict.fromkeys([one.id for one in review.open], why[:ERROR]))
    return replace(review, ending=ending(review) or ReviewEnd.NEEDS_PERSON)


TAIL = 4_000
"""Characters of a failure that the next try gets to see."""


def failed(review: Review, error: str) -> Review:
    metrics = replace(review.metrics, failures=review.metrics.failures + 1)
    return replace(
        review,
        metrics=metrics,
        consecutive_failures=review.consecutive_failures + 1,
        errors=(*review.errors, error[:ERROR])[-ERRORS:],
    )


def answered(review: Review, usage: Usage) -> Review:
    """One more agent was started and has ended."""
    started = review.metrics.subagent_invocations + 1
    metrics = replace(review.metrics, subagent_invocations=started)
    return replace(review, metrics=metrics, usage=review.usage + usage)


def counted(
    review: Review,
    *,
    phase: Phase | None = None,
    round: int | None = None,  # noqa: A002 - the review's own word
    ending: ReviewEnd | None = None,
    review_rounds: int | None = None,
) -> Review:
    """The review with its metrics brought up to its findings."""
    real = [one for one in review.findings if one.standing is not Standing.REFUTED]
    metrics = replace(
        review.metrics,
        review_rounds=review.metrics.review_rounds if review_rounds is None else review_rounds,
        total_issues_found=len(real),
        total_issues_fixed=len(review.standing(Standing.FIXED)),
        total_issues_blocked=len(review.standing(Standing.BLOCKED)),
        total_issues_refuted=len(review.findings) - len(real),
    )
    return replace(
        review,
        metrics=metrics,
        phase=phase or review.phase,
        round=round or review.round,
        ending=ending or review.ending,
    )
