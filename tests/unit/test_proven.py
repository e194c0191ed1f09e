"""What the report says about finished tasks: criterion by criterion, and what is open."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from ralph.domain.evidence import Evidence, Fact, FactKind, Weighed, Weight
from ralph.domain.iteration import IterationRecord
from ralph.domain.verdict import Level, Verdict
from ralph.views.proven import BY_THE_PLAN, LITTLE, UNPROVEN, not_verified, proof

RECORD = IterationRecord(
    iteration=1,
    run="r1",
    task="A",
    title="First",
    attempt=1,
    agent="claude",
    trigger="initial",
    started_at=1.0,
    base="b",
    commit="c",
    level=Level.PROVEN,
    verdict=Verdict(
        True, Level.PROVEN, "", evidence=(Evidence("it works", "the task's checks", passed=True),)
    ),
)


def row(record: IterationRecord | None, *criteria: str) -> dict[str, Any]:
    return {"id": "A", "proof": proof(record, criteria) if record is not None else None}


def whys(record: IterationRecord | None, *criteria: str) -> list[tuple[str, str]]:
    return [(one["criterion"], one["why"]) for one in not_verified(row(record, *criteria))]


def test_what_is_proven_leaves_nothing_open() -> None:
    assert whys(RECORD, "it works") == []


def test_a_task_that_only_the_plan_calls_done() -> None:
    assert whys(None) == [("", BY_THE_PLAN)]


def test_a_criterion_without_evidence_is_for_a_person() -> None:
    assert whys(RECORD, "it works", "it shines") == [("it shines", "a person must check")]


def test_who_accepted_it_is_named() -> None:
    accepted = replace(
        RECORD,
        level=Level.ACCEPTED,
        accepted_by="ada",
        verdict=Verdict(
            True,
            Level.OVERLAY,
            "",
            evidence=(
                Evidence("it shines", "", None, bound=True),
                Evidence("fast", "x", passed=False),
            ),
            facts=(Weighed(Fact(FactKind.SMELL, "It smells."), Weight.ASK),),
        ),
    )
    assert whys(accepted) == [
        ("it shines", "a person must check; ada accepted it"),
        ("fast", "its check fails; ada accepted it"),
        ("", "It smells; ada accepted it"),
    ]


def test_notes_are_no_doubt() -> None:
    facts = (Weighed(Fact(FactKind.FLAKY, "x"), Weight.NOTE),)
    noted = replace(RECORD, verdict=replace(RECORD.verdict, facts=facts))
    assert whys(noted) == []


def test_unproven_work_is_listed() -> None:
    assert whys(replace(RECORD, level=Level.OVERLAY, untested=True)) == [("", UNPROVEN)]


@pytest.mark.parametrize("level", [Level.CLAIMED, Level.GREEN])
def test_a_low_level_is_listed(level: Level) -> None:
    assert whys(replace(RECORD, level=level)) == [("", LITTLE[level])]
