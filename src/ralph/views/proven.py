"""What proves each finished task, criterion by criterion, and what nothing proves."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from ralph.domain.evidence import (
    COVERED,
    FENCED,
    NOBODY,
    NOT_CONFINED,
    Evidence,
    FactKind,
    Weight,
)
from ralph.domain.task import shown
from ralph.domain.verdict import Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ralph.domain.evidence import Weighed
    from ralph.domain.iteration import IterationRecord
    from ralph.domain.verdict import CheckResult

A_PERSON = "a person must check"
ITS_CHECK_FAILS = "its check fails"
BY_THE_PLAN = "marked as done in the plan; Ralph has proven nothing"
UNPROVEN = "no test covers it"
"""Said of a change without which every test passes as well."""
LITTLE = {
    Level.CLAIMED: "only claimed: nothing shows that the checks saw this code",
    Level.GREEN: "only green: its checks pass, nothing more is known",
}


class ProofKind(StrEnum):
    """How well a finished task is proven, the best first."""

    PROVEN = "proven"
    CHECKED = "checked"
    """Its checks pass, and it is work that no test can show."""
    ACCEPTED = "accepted"
    """A person says that it counts; the checks alone did not."""
    UNPROVEN = "unproven"


def kind(level: str, unproven: bool, accepted_by: str) -> ProofKind:
    rank = Level(level).rank
    if accepted_by:
        return ProofKind.ACCEPTED
    if unproven or rank < Level.OVERLAY.rank:
        return ProofKind.UNPROVEN
    return ProofKind.PROVEN if rank > Level.OVERLAY.rank else ProofKind.CHECKED


def counted(kinds: Iterable[ProofKind]) -> dict[str, int]:
    count = Counter(kinds)
    return {one.value: count[one] for one in ProofKind}


def proof(record: IterationRecord, criteria: Iterable[str] = ()) -> dict[str, Any]:
    """All that speaks for and against the commit of an iteration."""
    told = {one.criterion: one for one in record.verdict.evidence}
    every = [*told, *(name for name in criteria if name not in told)]
    return {
        "iteration": record.iteration,
        "agent": record.agent,
        "accepted_by": record.accepted_by,
        "level": record.level.value,
        "unproven": record.untested,
        "base": record.base,
        "commit": record.commit,
        "tree": record.tree,
        "files": list(record.files),
        "criteria": [evidence_view(told.get(name) or Evidence(name, "")) for name in every],
        "checks": [check_view(check) for check in record.verdict.results],
        "tests_that_show_it": list(record.verdict.shown),
        "facts": [fact_view(one) for one in record.verdict.facts],
        "notes": list(record.verdict.notes),
    }


def evidence_view(one: Evidence) -> dict[str, Any]:
    return {
        "criterion": one.criterion,
        "how": one.how,
        "passed": one.passed,
        "own": one.bound,
        "outputSha256": one.output_sha256,
        "log": one.log,
    }


def fact_view(one: Weighed) -> dict[str, Any]:
    fact = one.fact
    return {
        "kind": fact.kind.value,
        "weight": one.weight.value,
        "text": fact.text,
        "why": one.why,
        "path": fact.path,
        "tests": list(fact.tests),
    }


def check_view(check: CheckResult) -> dict[str, Any]:
    return {
        "command": shown(check.command),
        "passed": check.passed,
        "exitCode": check.exit_code,
        "why": check.why,
        "seconds": round(check.seconds, 3),
        "outputSha256": check.output_sha256,
        "log": check.log,
    }


def not_verified(row: dict[str, Any]) -> Iterator[dict[str, str]]:
    """What nothing proves about a finished task, as the report has it."""
    found = row["proof"]
    if found is None:
        yield _open(row, "", BY_THE_PLAN)
        return
    accepted = f"; {found['accepted_by']} accepted it" if found["accepted_by"] else ""
    for one in found["criteria"]:
        if one["passed"] is not True and one["how"] != COVERED:
            yield _open(row, one["criterion"], _why_open(one) + accepted)
    for fact in found["facts"]:
        if fact["weight"] != Weight.NOTE.value or fact["kind"] == FactKind.WAS_RED.value:
            yield _open(row, "", fact["text"].rstrip(".") + accepted)
    if found["unproven"]:
        yield _open(row, "", UNPROVEN)
    for note in found["notes"]:
        if note.startswith((NOT_CONFINED, FENCED)):
            yield _open(row, "", note.rstrip("."))
    if little := LITTLE.get(Level(found["level"])):
        yield _open(row, "", little)


def _why_open(criterion: dict[str, Any]) -> str:
    if criterion["passed"] is False:
        return ITS_CHECK_FAILS
    return NOBODY if criterion["how"] == NOBODY else A_PERSON


def _open(row: dict[str, Any], criterion: str, why: str) -> dict[str, str]:
    return {"task": row["id"], "criterion": criterion, "why": why}
