"""The loop: review, refute, fix, and again."""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain.errors import RalphError
from ralph.domain.review import Phase, Standing
from ralph.flows.review import asks, roles, scope
from ralph.flows.review.desk import Desk, together
from ralph.flows.review.fixing import Fixer
from ralph.loop.confine import confined, find, said
from ralph.policy.review import judged, refuted, reviewed
from ralph.reading import findings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ralph.domain.review import Finding, Notes, Review
    from ralph.flows.review.bench import ReviewBench
    from ralph.flows.review.roles import Role


async def run(bench: ReviewBench, review: Review) -> Review:
    """Until nothing severe is open or a limit is reached; continues where the review stopped."""
    bench = await _confined(bench)
    desk = Desk(bench, review)
    for note in said(bench.confinement):
        desk.note(note)
    fixer = Fixer(desk)
    await fixer.recover()
    try:
        await _go_round(desk, fixer)
    except (asyncio.CancelledError, RalphError):
        # a half-done fix is not left in the user's checkout; if even that fails, `--resume` does it
        with contextlib.suppress(RalphError):
            await fixer.recover()
        raise
    fixer.leave()
    return desk.review


async def _confined(bench: ReviewBench) -> ReviewBench:
    settings, checker = bench.settings, bench.checker
    found = await find(settings.safety, bench.root, bench.folder / "lent")
    runner = confined(found, settings, bench.repo.common_dir, (bench.root,), checker.runner)
    return replace(bench, confinement=found, checker=checker.within(runner))


async def _go_round(desk: Desk, fixer: Fixer) -> None:
    steps: dict[Phase, Callable[[], Awaitable[None]]] = {
        Phase.REVIEWING: partial(_review, desk),
        Phase.REFUTING: partial(_refute, desk),
        Phase.FIXING: fixer.fix,
    }
    while desk.review.ending is None:
        reached = desk.limit()
        if reached is not None:
            desk.keep(replace(desk.review, ending=reached))
            break
        await steps[desk.review.phase]()


async def _review(desk: Desk) -> None:
    """Ask every role that has not answered in this round yet."""
    review = desk.review
    chosen = roles.for_workflow(desk.bench.root, review.scope.workflow)
    asked = {*review.answers, *review.missing}
    difference = _difference(desk)
    desk.bench.tell(f"Round {review.round}: {', '.join(role.name for role in chosen)}")
    waiting = [role for role in chosen if role.name not in asked]
    await together(_ask(desk, role, difference) for role in waiting)
    if desk.limit() is None:
        desk.keep(reviewed(desk.review))


def _difference(desk: Desk) -> str:
    review, repo = desk.review, desk.bench.repo
    if review.round > 1:
        return scope.diff(repo, f"{review.commit}^", review.commit)
    if not review.since:
        return ""
    return scope.diff(repo, review.since, review.commit, review.scope.paths)


async def _ask(desk: Desk, role: Role, difference: str) -> None:
    prompt = asks.review(desk.review, role, difference)
    notes, error = await desk.question(
        role.name, prompt, partial(findings.notes, shape=asks.REVIEW_SHAPE)
    )
    review = desk.review
    if notes is not None:
        placed = _placed(desk, notes)
        desk.keep(replace(review, answers={**review.answers, role.name: placed}))
        desk.bench.tell(f"  {role.name}: {_count(len(notes.remarks))}")
    elif desk.limit() is None:
        desk.keep(replace(review, missing=(*review.missing, role.name)))
        desk.note(f"{role.name} gave no usable answer in round {review.round}: {error}")


def _placed(desk: Desk, notes: Notes) -> Notes:
    """Each remark with the symbol it lies in, as the reviewed state has it."""
    commit, show = desk.review.commit, desk.bench.repo.show
    names = {remark.path for remark in notes.remarks if remark.path}
    texts = {name: (show(commit, name) or b"").decode("utf-8", "replace") for name in names}
    placed = tuple(findings.placed(one, texts.get(one.path)) for one in notes.remarks)
    return replace(notes, remarks=placed)


def _count(number: int) -> str:
    return "nothing" if not number else "1 finding" if number == 1 else f"{number} findings"


async def _refute(desk: Desk) -> None:
    """One fresh agent per new finding tries to show that it is wrong."""
    await together(_doubt(desk, one) for one in desk.review.standing(Standing.UNCHECKED))
    if desk.limit() is None:
        desk.keep(refuted(desk.review))


async def _doubt(desk: Desk, one: Finding) -> None:
    name = f"refuter-{one.id}"
    opinion, _ = await desk.question(
        name, asks.refute(one), partial(findings.opinion, shape=asks.REFUTE_SHAPE)
    )
    if opinion is None and desk.limit() is not None:
        return
    result = judged(one, opinion)
    every = tuple(result if known.id == one.id else known for known in desk.review.findings)
    desk.keep(replace(desk.review, findings=every))
    word = "refuted" if result.standing is Standing.REFUTED else "kept"
    desk.bench.tell(f"  {one.id} {word}: {one.remark.title}")
