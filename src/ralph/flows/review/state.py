"""Where a review is written down: whole for Ralph, and as a file that people can read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec

from ralph import files
from ralph.domain.errors import StorageError
from ralph.domain.moment import iso
from ralph.domain.review import Review, Signal, Standing
from ralph.policy.review import confidence

if TYPE_CHECKING:
    from pathlib import Path

VIEW = ".ralph/review-loop-state.yaml"
PROMISE = "ALL_ISSUES_RESOLVED"


def save(folder: Path, root: Path, review: Review) -> None:
    """Durably where agents do not look, and as a view in the repository."""
    files.write(folder / "state.json", msgspec.json.encode(review))
    files.write(root / VIEW, view(review), durable=False)


def load(folder: Path) -> Review | None:
    """The last review of this repository, over or not."""
    path = folder / "state.json"
    data = files.read(path)
    if data is None:
        return None
    try:
        return msgspec.json.decode(data, type=Review)
    except msgspec.DecodeError as error:
        raise StorageError(
            f"{path} cannot be read: {error}.",
            fix="Start a new review with `ralph review --fresh`.",
        ) from error


def view(review: Review) -> str:
    """The fields that programs know from other review loops, then the prompt."""
    head = "".join(f"{name}: {json.dumps(value)}\n" for name, value in fields(review).items())
    scope = review.scope
    part = f" (section {scope.section})" if scope.section else ""
    return (
        f"---\n{head}---\nReview {scope.shown}{part} with the roles of the workflow "
        f"{scope.workflow}.\nFix what is found, and review again until nothing is left or a limit "
        f"is reached.\nIt ends with {Signal.COMPLETE}.\n"
    )


def fields(review: Review) -> dict[str, object]:
    limits, now = review.limits, confidence(review.findings)
    first = review.initial_confidence
    waiting = review.standing(Standing.UNCHECKED, Standing.PENDING)
    return {
        "active": review.ending is None,
        "workflow_name": review.scope.workflow,
        "section_name": review.scope.section,
        "content_path": review.scope.shown,
        "current_round": review.round,
        "max_rounds": limits.rounds,
        "current_fix_iteration": review.fixing.iteration,
        "max_fix_iterations": limits.fixes,
        "initial_confidence": now if first is None else first,
        "current_confidence": now,
        "target_confidence": limits.confidence,
        "total_issues": review.metrics.total_issues_found,
        "pending_count": len(waiting),
        "in_progress_count": len(review.standing(Standing.IN_PROGRESS)),
        "fixed_count": len(review.standing(Standing.FIXED)),
        "blocked_count": len(review.standing(Standing.BLOCKED)),
        "consecutive_failures": review.consecutive_failures,
        "total_failures": review.metrics.failures,
        "error_history": list(review.errors),
        "max_consecutive_failures": limits.failures,
        "started_at": iso(review.started_at),
        "last_updated": iso(review.last_updated),
        "completion_promise": PROMISE,
    }
