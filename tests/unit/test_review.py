"""When a review goes on, and by which rule it stops."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from ralph.domain.review import (
    Finding,
    Limits,
    Notes,
    Opinion,
    Phase,
    Remark,
    Review,
    ReviewEnd,
    ReviewScope,
    Severity,
    Standing,
)
from ralph.domain.usage import Usage
from ralph.flows.review.state import fields
from ralph.policy.review import (
    blocked,
    confidence,
    ending,
    failed,
    judged,
    landed,
    limit,
    refuted,
    reviewed,
    undone,
)

MINOR, MAJOR, CRITICAL = Severity.MINOR, Severity.MAJOR, Severity.CRITICAL
SOURCE_FIELDS = (
    *("active", "workflow_name", "section_name", "content_path", "current_round", "max_rounds"),
    *("current_fix_iteration", "max_fix_iterations", "initial_confidence", "current_confidence"),
    *("target_confidence", "total_issues", "pending_count", "in_progress_count", "fixed_count"),
    *("blocked_count", "consecutive_failures", "total_failures", "error_history"),
    *("max_consecutive_failures", "started_at", "last_updated", "completion_promise"),
)


def one(
    name: str = "F1", severity: Severity = MAJOR, standing: Standing = Standing.PENDING
) -> Finding:
    return Finding(name, name, Remark(f"Fault {name}", severity=severity), standing=standing)


def review(*findings: Finding, number: int = 1, fix: bool = True) -> Review:
    return Review(
        "r",
        ReviewScope("code", ("a.py",), fix=fix),
        "c0",
        "c0",
        0,
        round=number,
        findings=findings,
        answers={"a": Notes()},
        trees=("t0",),
    )


def says(state: Review, *titles: str, **still_open: str) -> Review:
    """The round's reviewers answered so."""
    remarks = tuple(Remark(title, "a.py", symbol=title) for title in titles)
    return reviewed(replace(state, answers={"a": Notes(remarks, still_open)}))


def keeps(state: Review) -> Review:
    """The refuters agreed with all of it."""
    sure = Opinion(0.9)
    known = (judged(f, sure) if f.standing is Standing.UNCHECKED else f for f in state.findings)
    return refuted(replace(state, findings=tuple(known)))


# ---- the stop rules


def test_nothing_open_is_clean() -> None:
    done = review(one(standing=Standing.FIXED), one("F2", standing=Standing.REFUTED))
    assert ending(done) is ReviewEnd.CLEAN


def test_a_few_minor_things_are_good_enough_and_many_are_mended_once() -> None:
    few = [one(f"F{n}", MINOR) for n in range(2)]
    many = [one(f"F{n}", MINOR) for n in range(3)]
    assert ending(review(*few)) is ReviewEnd.CONFIDENT
    assert ending(review(*many)) is None
    assert ending(review(*many, number=2)) is ReviewEnd.CONFIDENT


def test_something_severe_is_fixed_until_the_rounds_are_over() -> None:
    assert ending(review(one())) is None
    assert ending(review(one(), number=2)) is None
    assert ending(review(one(), number=3)) is ReviewEnd.ROUNDS


def test_a_round_without_anything_new_and_severe_is_the_last() -> None:
    stuck = one(standing=Standing.BLOCKED)
    assert ending(review(stuck, number=2)) is ReviewEnd.NEEDS_PERSON
    assert ending(review(stuck, one("F2", MINOR), number=2)) is ReviewEnd.NEEDS_PERSON
    assert ending(review(stuck, one("F2"), number=2)) is None


def test_who_only_looks_leaves_it_to_a_person() -> None:
    assert ending(review(one(), fix=False)) is ReviewEnd.NEEDS_PERSON
    assert ending(review(one(severity=MINOR), fix=False)) is ReviewEnd.CONFIDENT


def test_a_role_without_an_answer_is_not_a_clean_review() -> None:
    assert ending(replace(review(), missing=("b",))) is ReviewEnd.FAILURES
    assert ending(replace(review(one()), answers={}, missing=("b",))) is ReviewEnd.FAILURES
    assert ending(replace(review(one()), missing=("b",))) is None


def test_the_limits() -> None:
    begun = review()
    assert limit(begun) is None
    assert limit(replace(begun, seconds=1_800)) is ReviewEnd.MINUTES
    assert limit(replace(begun, consecutive_failures=5)) is ReviewEnd.FAILURES
    spent = replace(begun, usage=Usage(cost_usd=2), limits=Limits(cost=2))
    assert limit(spent) is ReviewEnd.COST
    assert limit(replace(spent, limits=Limits())) is None
    default = Limits()
    assert (default.rounds, default.fixes, default.failures) == (3, 3, 5)
    assert (default.minutes, default.confidence) == (30, 95)


def test_a_reviewer_that_always_finds_something_new_stops_by_rule() -> None:
    state = review()
    for number in range(1, 100):
        state = keeps(says(state, f"Fault number {chr(96 + number)}"))
        if state.ending:
            break
        state = landed(state, f"c{number}", f"t{number}")
    assert (state.ending, state.round) == (ReviewEnd.ROUNDS, 3)


def test_a_reviewer_that_never_accepts_a_fix_stops_by_rule() -> None:
    state = replace(review(), limits=Limits(rounds=99))
    state = keeps(says(state, "Fault"))
    for number in range(1, 90):
        if state.ending:
            break
        state = landed(state, f"c{number}", f"t{number}")
        state = keeps(says(state, F1="still"))
    assert (state.ending, state.round) == (ReviewEnd.NEEDS_PERSON, 4)
    assert state.findings[0].why == "3 fixes did not help"


def test_a_tree_that_was_there_before_ends_it() -> None:
    state = landed(review(one()), "c1", "t1")
    assert (state.ending, state.round, state.phase) == (None, 2, Phase.REVIEWING)
    assert landed(state, "c2", "t0").ending is ReviewEnd.CIRCLES


# ---- what becomes of findings


@pytest.mark.parametrize(
    ("severity", "opinion", "kept"),
    [
        (MINOR, Opinion(0.8), True),
        (MINOR, Opinion(0.79, "mean([])"), False),
        (MAJOR, Opinion(0.79), False),
        (MAJOR, Opinion(0.1, "mean([])"), True),
        (CRITICAL, None, True),
    ],
)
def test_what_a_refuter_leaves_standing(
    severity: Severity, opinion: Opinion | None, kept: bool
) -> None:
    found = judged(one(severity=severity, standing=Standing.UNCHECKED), opinion)
    assert found.standing is (Standing.PENDING if kept else Standing.REFUTED)


def test_a_landed_fix_is_closed_by_the_next_round_only() -> None:
    state = landed(review(one(), one("F2", standing=Standing.BLOCKED)), "c1", "t1")
    assert [f.standing for f in state.findings] == [Standing.IN_PROGRESS, Standing.BLOCKED]
    nobody = reviewed(replace(state, answers={}, missing=("a",)))
    assert nobody.findings[0].standing is Standing.IN_PROGRESS
    assert says(state).findings[0].standing is Standing.FIXED
    again = says(state, F1="half of it").findings[0]
    assert (again.standing, again.why, again.round) == (Standing.PENDING, "half of it", 2)


def test_three_fixes_in_vain_leave_it_to_a_person() -> None:
    state = review(one())
    for number in (1, 2, 3):
        assert state.ending is None
        state = replace(state, fixing=replace(state.fixing, iteration=number))
        state = undone(state, "`make test` exited 2\nmore")
    assert (state.ending, state.findings[0].standing) == (ReviewEnd.NEEDS_PERSON, Standing.BLOCKED)
    assert state.errors == ("`make test` exited 2",) * 3
    assert state.metrics.failures == 3


def test_only_what_is_pending_can_be_given_to_a_person() -> None:
    state = blocked(
        review(one(), one("F2", standing=Standing.REFUTED)), {"F1": "", "F2": "", "X": ""}
    )
    assert [f.standing for f in state.findings] == [Standing.BLOCKED, Standing.REFUTED]


def test_confidence_follows_what_is_open() -> None:
    assert confidence(()) == 100
    assert confidence((one(severity=CRITICAL), one("F2", MINOR))) == 68
    assert confidence((one(standing=Standing.FIXED), one("F2", standing=Standing.REFUTED))) == 100
    assert confidence(tuple(one(f"F{n}", CRITICAL) for n in range(9))) == 0
    state = keeps(says(review(), "Fault"))
    assert keeps(says(landed(state, "c1", "t1"))).initial_confidence == 88


def test_the_last_errors_are_kept() -> None:
    state = review()
    for number in range(9):
        state = failed(state, f"error {number}" + "x" * 900)
    assert [text[:7] for text in state.errors] == [f"error {n}" for n in range(4, 9)]
    assert (max(map(len, state.errors)), state.consecutive_failures) == (500, 9)


@pytest.mark.parametrize("over", ReviewEnd)
def test_every_ending_has_a_code_and_its_signal(over: ReviewEnd) -> None:
    tag = {0: "review-complete", 4: "review-timeout", 5: "review-blocked"}[over.exit_code]
    assert over.signal.startswith(f"<{tag}>")
    assert over.signal.endswith(f"</{tag}>")


def test_the_state_file_has_the_known_fields_and_no_others() -> None:
    assert tuple(fields(review(one()))) == SOURCE_FIELDS
