"""The classes that programs use: the loop's own, over a ledger of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from tests.support.house import Acting, Place, does, story

import ralph
from ralph import IterationResult, LoopConfig, LoopOrchestrator, TerminationReason, run_loop
from ralph.domain.attended import CheckpointSaved
from ralph.domain.checkpoint import Contribution, HandoffTrigger
from ralph.domain.decision import Outcome, Trigger
from ralph.domain.errors import LedgerError, UsageError
from ralph.domain.event import IterationStarted
from ralph.domain.settings import LoopSettings
from ralph.domain.state import LoopState, RunInfo, RunState
from ralph.loop.life import trigger
from ralph.policy.handoff import HandoffFacts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.api.orchestrator import IterationPlan

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "own_loop.py"
OF_THE_SOURCE = (
    "LoopOrchestrator",
    "LoopConfig",
    "LoopStatus",
    "run_loop",
    "CheckpointService",
    "HandoffProtocol",
    "ExecutionPhase",
    "HealthMonitoringService",
    "HealthState",
    "CircuitBreaker",
    "TokenEconomicsService",
    "BudgetAction",
    "EfficiencyMetrics",
    "TerminationCriteria",
    "TerminationReason",
    "TerminationResult",
    "RecoveryService",
    "CircuitBreakerState",
)


@pytest.fixture
def orchestrator(tmp_path: Path) -> Iterator[LoopOrchestrator]:
    made = LoopOrchestrator.open("p", LoopConfig(max_iterations=5, max_cost=2), home=tmp_path)
    made.initialize("Build it")
    yield made
    made.close()


@pytest.mark.parametrize("name", [*OF_THE_SOURCE, *ralph.__all__])
def test_public_names_have_a_meaning(name: str) -> None:
    found = getattr(ralph, name)
    assert name.startswith("__") or found.__doc__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        ralph.Nothing  # type: ignore[attr-defined] # noqa: B018


def test_the_loop_itself_uses_them(tmp_path: Path) -> None:
    run = Place(tmp_path, [story("A")]).opened(Acting(lambda job: f"Task {job.task} complete"))
    assert issubclass(LoopOrchestrator, type(run.life))
    assert isinstance(run.checkpoints, ralph.CheckpointService)
    assert isinstance(run.economics, ralph.TokenEconomicsService)


def test_each_iteration_knows_what_came_before(orchestrator: LoopOrchestrator) -> None:
    first = orchestrator.plan_iteration()
    assert (first.iteration, first.attempt, first.prompt, first.budget_remaining) == (1, 1, "", 2)
    said = Contribution(decisions=("no regular expressions",), next_steps=("escape quotes",))
    orchestrator.record_iteration(
        IterationResult(completed_items=("parser",), pending_items=("printer",), cost=0.5), said
    )
    second = orchestrator.plan_iteration()
    assert (second.iteration, second.attempt, second.budget_remaining) == (2, 2, 1.5)
    for words in ("parser", "printer", "no regular expressions", "escape quotes"):
        assert words in second.prompt


def test_a_caller_may_count_iterations_itself(tmp_path: Path) -> None:
    loop = LoopOrchestrator.open("p", home=tmp_path)
    loop.initialize("Build it", LoopConfig(max_cost=3))
    first = loop.plan_iteration(1)
    assert (first.iteration, first.budget_remaining, first.agent_type) == (1, 3, "own")
    loop.record_iteration(IterationResult(completed_items=("a",)))
    with pytest.raises(UsageError, match=r"Iteration 3 cannot be planned: 2 is the next\."):
        loop.plan_iteration(3)
    assert loop.plan_iteration(2).iteration == 2
    loop.close()


def test_what_was_recorded_is_what_is_shown(tmp_path: Path) -> None:
    results = [
        IterationResult(completed_items=("a", "b"), pending_items=("c",), agent_id="first"),
        IterationResult(errors=("boom",), health_state="degraded"),
        IterationResult(handoff_trigger="explicit_request"),
        IterationResult(phase="complete", completed_items=("c",)),
    ]
    status = looping(results, tmp_path)
    assert [one.errors for one in status.iterations] == [(), ("boom",), (), ()]
    assert [one.health_state for one in status.iterations][1] == "degraded"
    assert [one.handoff_trigger for one in status.iterations][2] == "explicit_request"
    assert status.iterations[0].agent_id.startswith("first-")
    (folder,) = (tmp_path / "loops").iterdir()
    told = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    counted = [told["metrics"][name] for name in ("iterations", "successes", "failures", "errors")]
    assert counted == [4, 2, 1, 1]
    assert [row["id"] for row in told["tasks"]["completed"]] == ["a", "b", "c"]
    assert {row["level"] for row in told["tasks"]["completed"]} == {"claimed"}


def test_a_loop_hands_over_once_its_budget_is_nearly_spent(tmp_path: Path) -> None:
    told: list[HandoffTrigger | None] = []

    def work(plan: IterationPlan) -> IterationResult:
        told.append(plan.handoff)
        phase = "complete" if plan.iteration == 4 else "implementing"
        return IterationResult(completed_items=(str(plan.iteration),), cost=0.43, phase=phase)

    run_loop("g", work, LoopConfig(max_cost=2), home=tmp_path / "early")
    assert told == [None] * 4
    told.clear()
    run_loop("g", work, LoopConfig(max_cost=1.5), home=tmp_path / "late")
    assert told == [None, None, None, HandoffTrigger.TOKEN_BUDGET]


def test_recovery_passes_over_what_is_damaged(orchestrator: LoopOrchestrator) -> None:
    recovery = ralph.RecoveryService(orchestrator.checkpoints)
    assert recovery.recover() is None
    orchestrator.plan_iteration()
    good = orchestrator.record_iteration(
        IterationResult(completed_items=("parser",)), Contribution(next_steps=("escape quotes",))
    )
    broken = replace(good, metadata=replace(good.metadata, id="zzz"))
    orchestrator.journal.record(CheckpointSaved(1, good.metadata.task, broken))
    found = recovery.recover("goal")
    assert found is not None
    assert (found.checkpoint.metadata.id, found.damaged) == (good.metadata.id, ("zzz",))
    assert "escape quotes" in found.prompt
    assert recovery.recover("another") is None


def test_another_task_begins_without_a_past(orchestrator: LoopOrchestrator) -> None:
    orchestrator.plan_iteration(task="A")
    orchestrator.record_iteration(IterationResult(completed_items=("a",)))
    assert orchestrator.plan_iteration(task="B").prompt == ""


def test_a_result_without_an_iteration_is_refused(orchestrator: LoopOrchestrator) -> None:
    with pytest.raises(LedgerError, match="No iteration is under way"):
        orchestrator.record_iteration(IterationResult())


@pytest.mark.parametrize(
    ("facts", "trigger"),
    [
        (HandoffFacts(), None),
        (HandoffFacts(context=0.71), HandoffTrigger.CONTEXT_THRESHOLD),
        (HandoffFacts(errors=3), HandoffTrigger.ERROR_THRESHOLD),
        (HandoffFacts(budget=0.81), HandoffTrigger.TOKEN_BUDGET),
        (HandoffFacts(phase_complete=True), HandoffTrigger.PHASE_COMPLETE),
    ],
)
def test_handoffs(
    orchestrator: LoopOrchestrator, facts: HandoffFacts, trigger: HandoffTrigger | None
) -> None:
    assert orchestrator.check_handoff(facts) is trigger


def test_a_handoff_by_what_the_ledger_knows(orchestrator: LoopOrchestrator) -> None:
    assert orchestrator.check_handoff() is None
    orchestrator.plan_iteration()
    orchestrator.record_iteration(IterationResult(completed_items=("a",), cost=1.7))
    assert orchestrator.check_handoff() is HandoffTrigger.TOKEN_BUDGET


def looping(results: list[IterationResult], home: Path, **limits: Any) -> ralph.LoopStatus:
    def work(plan: IterationPlan) -> IterationResult:
        return results[min(plan.iteration, len(results)) - 1]

    return run_loop("g", work, LoopConfig(**limits), home=home)


@pytest.mark.parametrize(
    ("results", "limits", "reason", "state"),
    [
        ([IterationResult(phase="complete")], {}, "goal_achieved", LoopState.COMPLETED),
        ([IterationResult(errors=("boom",))], {}, "consecutive_errors", LoopState.FAILED),
        (
            [IterationResult(errors=("boom",))],
            {"max_consecutive_errors": 0},
            "no_progress",
            LoopState.FAILED,
        ),
        ([IterationResult()], {}, "no_progress", LoopState.FAILED),
        (
            [IterationResult(completed_items=("a",), cost=3)],
            {"max_cost": 5},
            "budget_exhausted",
            LoopState.FAILED,
        ),
        (
            [IterationResult(completed_items=("a",))],
            {"max_iterations": 4},
            "max_iterations",
            LoopState.FAILED,
        ),
    ],
)
def test_how_loops_end(
    tmp_path: Path,
    results: list[IterationResult],
    limits: dict[str, Any],
    reason: str,
    state: LoopState,
) -> None:
    status = looping(results, tmp_path, **limits)
    assert (status.termination_reason, status.state) == (reason, state)
    (folder,) = (tmp_path / "loops").iterdir()
    written = json.loads((folder / "status.json").read_text(encoding="utf-8"))
    assert (written["loop_id"], written["state"]) == (folder.name, state)
    assert (folder / "report.json").exists()


def test_work_that_raises_ends_the_loop_and_the_error_is_seen(tmp_path: Path) -> None:
    def work(_: IterationPlan) -> IterationResult:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        run_loop("g", work, home=tmp_path)
    (folder,) = (tmp_path / "loops").iterdir()
    written = json.loads((folder / "status.json").read_text(encoding="utf-8"))
    assert written["termination_reason"] == TerminationReason.ERROR


def test_the_example_runs(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLE, tmp_path], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("completed: goal_achieved, $1.20\n")
    assert done.stdout.endswith("\ngoal_achieved\nstuck\n")


@pytest.mark.parametrize(
    ("after", "last", "expected"),
    [
        (None, "", Trigger.INITIAL),
        (TerminationReason.GOAL_ACHIEVED, "success", Trigger.INITIAL),
        (None, Outcome.INTERRUPTED, Trigger.RECOVERY),
        (TerminationReason.MAX_ITERATIONS, "failed", Trigger.SAFETY_LIMIT),
        (TerminationReason.BUDGET_EXHAUSTED, "", Trigger.SAFETY_LIMIT),
        (TerminationReason.EXPLICIT_STOP, "success", Trigger.USER_STOP),
        (TerminationReason.INTERRUPTED, Outcome.INTERRUPTED, Trigger.USER_STOP),
    ],
)
def test_the_first_iteration_knows_how_the_last_run_ended(
    after: TerminationReason | None, last: str, expected: Trigger
) -> None:
    state = RunState(run=RunInfo(after=after), last_outcome=last)
    assert trigger(state) is expected


def test_a_run_after_a_limit_says_so(tmp_path: Path) -> None:
    place = Place(tmp_path, [story("A"), story("B")], loop=LoopSettings(max_iterations=1))
    for name in ("A", "B"):
        place.run(Acting(does(name)))
    started = [event.trigger for event in place.events(IterationStarted)]
    assert started == [Trigger.INITIAL, Trigger.SAFETY_LIMIT]
