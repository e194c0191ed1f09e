"""A loop over work of your own: Ralph counts, remembers and stops, you do the work and check it.

Run it with `python docs/examples/own_loop.py [FOLDER]`; the ledger and status.json go to FOLDER.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from ralph import (
    BudgetAction,
    CircuitBreaker,
    ExecutionPhase,
    HealthMonitoringService,
    IterationResult,
    LoopConfig,
    LoopOrchestrator,
    TerminationReason,
    run_loop,
)

if TYPE_CHECKING:
    from ralph import (
        CheckpointService,
        EfficiencyMetrics,
        HandoffProtocol,
        HealthState,
        LoopStatus,
        TerminationResult,
        TokenEconomicsService,
    )
    from ralph.api.orchestrator import IterationPlan

PARTS = ("parser", "printer", "tests")


def work(plan: IterationPlan) -> IterationResult:
    """One iteration: start an agent with `plan.prompt`, check what it did, say what came of it."""
    done, *rest = PARTS[plan.iteration - 1 :]
    return IterationResult(
        agent_id=f"mine-{plan.iteration}",
        phase=ExecutionPhase.IMPLEMENTING if rest else ExecutionPhase.COMPLETE,
        completed_items=(done,),
        pending_items=tuple(rest),
        input_tokens=12_500,
        output_tokens=3_400,
        cost=0.4,
    )


def short_way(home: Path) -> LoopStatus:
    """All in one call."""
    config = LoopConfig(max_iterations=10, max_cost=5, agent_type="mine")
    return run_loop("Build the converter", work, config, home=home)


def step_by_step(home: Path) -> TerminationReason | None:
    """The same with the services in your own hands."""
    orchestrator = LoopOrchestrator.open("converter", LoopConfig(max_cost=1), home=home)
    orchestrator.initialize("Build the converter")
    economics: TokenEconomicsService = orchestrator.economics
    checkpoints: CheckpointService = orchestrator.checkpoints
    handoff: HandoffProtocol = orchestrator.handoff
    ending: TerminationResult = orchestrator.check_termination()
    while not ending.should_terminate:
        if economics.check_budget().action is BudgetAction.DENY:
            break
        orchestrator.record_iteration(work(orchestrator.plan_iteration()))
        last = checkpoints.get_latest_checkpoint()
        assert last is not None, "every iteration leaves one"
        sys.stdout.write(f"{handoff.generate_continuation_prompt(last)}\n\n")
        ending = orchestrator.check_termination(goal=last.state.phase is ExecutionPhase.COMPLETE)
    used: EfficiencyMetrics = economics.efficiency()
    sys.stdout.write(f"{used}\n")
    orchestrator.complete(ending.reason or TerminationReason.BUDGET_EXHAUSTED, ending.details)
    orchestrator.close()
    return ending.reason


def watch() -> HealthState:
    """Health and breaker take the time as an argument: hours pass at once."""
    began = time.monotonic()
    health = HealthMonitoringService(now=began)
    breaker = CircuitBreaker(threshold=2, seconds=60)
    breaker.failed(began)
    breaker.failed(began + 1)
    sys.stdout.write(f"breaker: {breaker.state(began + 2)}, later {breaker.state(began + 90)}\n")
    return health.check_health(began + 3600)


def main(folder: Path) -> int:
    status = short_way(folder)
    sys.stdout.write(f"{status.state}: {status.termination_reason}, ${status.total_cost:.2f}\n")
    sys.stdout.write(f"{step_by_step(folder)}\n{watch()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if sys.argv[1:] else tempfile.mkdtemp())))
