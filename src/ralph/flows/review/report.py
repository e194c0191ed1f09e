"""How a review went: for people, for programs, and as tasks for what is left."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from msgspec import to_builtins

from ralph import files
from ralph.domain.review import ReviewEnd, Standing
from ralph.policy.review import confidence

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.review import Finding, Review

FOLDER = ".ralph/review"
FOLLOW_UPS = f"{FOLDER}/follow-ups.md"

WORDS = {
    ReviewEnd.CLEAN: "nothing is open",
    ReviewEnd.CONFIDENT: "nothing severe is open",
    ReviewEnd.ROUNDS: "the limit of rounds is reached",
    ReviewEnd.FAILURES: "reviewers gave no usable answers",
    ReviewEnd.MINUTES: "the time is up",
    ReviewEnd.COST: "the cost limit is reached",
    ReviewEnd.NEEDS_PERSON: "what is left needs a person",
    ReviewEnd.CIRCLES: "a fix led back to an earlier state",
}
_STANDINGS = (
    (Standing.PENDING, "Open"),
    (Standing.BLOCKED, "For a person"),
    (Standing.UNCHECKED, "Not checked by a refuter"),
    (Standing.IN_PROGRESS, "Fixed, but not reviewed again"),
    (Standing.FIXED, "Fixed"),
    (Standing.REFUTED, "Refuted"),
)


def write(root: Path, review: Review) -> Path:
    """All of it, below `.ralph/review`; returns the report for people."""
    folder = root / FOLDER
    files.keep_out_of_git(folder.parent)
    files.write(folder / "report.md", markdown(review))
    files.write(folder / "report.json", json.dumps(as_json(review), indent=2) + "\n")
    tasks = root / FOLLOW_UPS
    if left(review):
        files.write(tasks, follow_ups(review))
    else:
        tasks.unlink(missing_ok=True)
    return folder / "report.md"


def left(review: Review) -> tuple[Finding, ...]:
    """What nobody has fixed, or what no reviewer has seen fixed."""
    return (*review.open, *review.standing(Standing.IN_PROGRESS))


def as_json(review: Review) -> dict[str, object]:
    over = review.ending
    metrics = review.metrics
    numbers = {
        **to_builtins(metrics),
        "success_rate": round(metrics.success_rate, 4),
        "elapsed_minutes": round(review.seconds / 60, 2),
        "cost_usd": review.usage.cost_usd,
        "tokens": review.usage.tokens,
    }
    return {
        "id": review.id,
        "scope": to_builtins(review.scope),
        "ending": over,
        "exit_code": over.exit_code if over else None,
        "signal": over.signal if over else None,
        "rounds": review.round,
        "initial_confidence": review.initial_confidence,
        "confidence": confidence(review.findings),
        "findings": [to_builtins(one) for one in review.findings],
        "follow_ups": [one.id for one in left(review)],
        "metrics": numbers,
        "branch": review.fixing.branch,
        "commits": list(review.commits),
        "salvage": list(review.salvage),
        "notes": list(review.notes),
        "errors": list(review.errors),
    }


def markdown(review: Review) -> str:
    over = review.ending
    parts = [f"# Review of {review.scope.shown}\n"]
    if over is not None:
        parts.append(f"{WORDS[over].capitalize()}. {over.signal}\n")
    parts.append(_figures(review))
    for standing, title in _STANDINGS:
        found = review.standing(standing)
        if found:
            parts.append(f"## {title}\n")
            parts += [_entry(one) for one in found]
    if review.notes:
        parts.append("## Notes\n\n" + "".join(f"- {_one_line(one)}\n" for one in review.notes))
    if review.salvage:
        kept = "".join(f"- `{ref}`\n" for ref in review.salvage)
        parts.append(f"## Undone, kept in salvage\n\n{kept}")
    return "\n".join(parts)


def _figures(review: Review) -> str:
    metrics = review.metrics
    first = review.initial_confidence
    rows = {
        "rounds": f"{metrics.review_rounds} of {review.limits.rounds}",
        "fixes tried": metrics.fix_iterations,
        "found": metrics.total_issues_found,
        "fixed": metrics.total_issues_fixed,
        "for a person": metrics.total_issues_blocked,
        "refuted": metrics.total_issues_refuted,
        "confidence": f"{'?' if first is None else first} → {confidence(review.findings)}",
        "agents": metrics.subagent_invocations,
        "failures": metrics.failures,
        "minutes": f"{review.seconds / 60:.1f}",
        "commits": f"{len(review.commits)} on `{review.fixing.branch}`" if review.commits else 0,
    }
    if review.usage.cost_usd is not None:
        rows["cost"] = f"${review.usage.cost_usd:.2f}"
    return "| | |\n| --- | --- |\n" + "".join(f"| {k} | {v} |\n" for k, v in rows.items())


def _entry(one: Finding) -> str:
    remark = one.remark
    place = _place(one)
    lines = [
        f"### {one.id} {_one_line(remark.title)}\n",
        f"{remark.severity}, {place}; {_who(one)}",
    ]
    lines += [f"\n{remark.detail}"] if remark.detail else []
    lines += [f"\nFails for: {_one_line(remark.failing_input)}"] if remark.failing_input else []
    lines += [f"\n{_one_line(one.why)}"] if one.why else []
    return "\n".join(lines) + "\n"


def _who(one: Finding) -> str:
    sure = f", confidence {one.confidence:.2f}" if one.confidence else ""
    return f"{', '.join(one.roles)} in round {one.round}{sure}"


def _place(one: Finding) -> str:
    remark = one.remark
    line = f":{remark.line}" if remark.line else ""
    inside = f" in {_one_line(remark.symbol)}" if remark.symbol else ""
    return f"`{_one_line(remark.path) or 'the whole'}{line}`{inside}"


def follow_ups(review: Review) -> str:
    """A checklist that `ralph run` takes as a plan; a person decides whether it does."""
    tasks = [f"# Follow-ups of review {review.id}\n"]
    for one in left(review):
        remark = one.remark
        lines = [f"- [ ] **{review.id}-{one.id}:** {_one_line(remark.title)}"]
        lines.append(f"  Found in {_place(one)} ({remark.severity}). {_one_line(remark.detail)}")
        wanted = (
            _one_line(remark.failing_input or remark.suggestion) or "No reviewer finds it again"
        )
        lines.append(f"  - It is right for: {wanted}" if remark.failing_input else f"  - {wanted}")
        tasks.append("\n".join(lines) + "\n")
    return "\n".join(tasks)


def _one_line(text: str) -> str:
    return " ".join(text.split())
