"""Where a review starts: a new one, or the one that was left unfinished."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ralph.domain.errors import UsageError
from ralph.domain.review import Review
from ralph.flows.review import roles, scope, state
from ralph.flows.review.desk import Desk
from ralph.flows.review.fixing import Fixer

if TYPE_CHECKING:
    from ralph.domain.review import Limits, ReviewScope
    from ralph.flows.review.bench import ReviewBench


def unfinished(bench: ReviewBench) -> Review | None:
    found = state.load(bench.folder)
    return found if found is not None and found.ending is None else None


def resumed(bench: ReviewBench) -> Review:
    """The unfinished review; a UsageError if there is none."""
    found = unfinished(bench)
    if found is None:
        raise UsageError(
            "There is no unfinished review here.", fix="Say what to review: `ralph review PATH…`."
        )
    return found


def chosen(bench: ReviewBench, wanted: ReviewScope, limits: Limits, name: str) -> Review:
    """The unfinished review of the same, or a new one."""
    found = unfinished(bench)
    if found is None:
        return fresh(bench, wanted, limits, name)
    if found.scope != wanted:
        raise UsageError(
            f"Another review is unfinished: {found.scope.shown}.",
            fix="Finish it with `ralph review --resume`, or forget it with `--fresh`.",
        )
    return found


def fresh(bench: ReviewBench, wanted: ReviewScope, limits: Limits, name: str) -> Review:
    """A new review of what is there now."""
    roles.for_workflow(bench.root, wanted.workflow)  # a wrong name costs nothing yet
    commit = scope.target(bench.repo, wanted, bench.folder)
    scope.check_section(bench.repo, wanted, commit)
    tree = bench.repo.git.text("rev-parse", f"{commit}^{{tree}}")
    return Review(
        id=name,
        scope=wanted,
        commit=commit,
        began=commit,
        started_at=bench.clock(),
        since=scope.since(bench.repo, wanted, commit),
        limits=limits,
        trees=(tree,),
    )


async def clear(bench: ReviewBench) -> None:
    """Take away the half-done fix of a review that is to be forgotten; it is kept in salvage."""
    left = unfinished(bench)
    if left is not None:
        await Fixer(Desk(bench, left)).recover()
