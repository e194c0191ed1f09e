"""A program of the user's drives a loop with the call shapes of the services."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from tests.support.project import Project

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
import json, pathlib, sys

from ralph import (
    CircuitBreakerState, HealthMonitoringService, IterationResult, LoopConfig, LoopOrchestrator,
    RecoveryService, TerminationReason,
)

loop = LoopOrchestrator.open("shop", home=pathlib.Path(sys.argv[1]))
loop.initialize("Build the shop", LoopConfig(max_iterations=5, max_cost=1))
plans = []
for number in (1, 2):
    plans.append(loop.plan_iteration(number).iteration)
    loop.record_iteration(
        IterationResult(
            agent_id="mine", completed_items=(f"part {number}",), pending_items=("the rest",),
            cost=0.45,
        )
    )
    handoff = loop.check_handoff()
health = HealthMonitoringService()
last = loop.checkpoints.get_latest_checkpoint()
recovery = RecoveryService(loop.checkpoints).recover()
told = {
    "plans": plans,
    "breaker": health.circuit_breaker.state(0.0) == CircuitBreakerState.CLOSED,
    "nudge": health.nudge_agent(0.0),
    "recovered": recovery.checkpoint == last,
    "prompt": loop.handoff.generate_continuation_prompt(last),
    "handoff": handoff,
}
loop.complete(TerminationReason.GOAL_ACHIEVED, "enough")
loop.close()
print(json.dumps(told))
"""


def told(project: Project, text: str) -> Any:
    script = project.write("drive.py", text)
    done = subprocess.run(
        (sys.executable, script, project.home),
        cwd=project.root,
        env=project.env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_call_shapes_of_the_services(tmp_path: Path) -> None:
    project = Project(tmp_path)
    seen = told(project, PROGRAM)
    assert (seen["plans"], seen["handoff"]) == ([1, 2], "token_budget")
    assert (seen["breaker"], seen["recovered"], bool(seen["nudge"])) == (True, True, True)
    for part in ("part 1", "part 2", "the rest"):
        assert part in seen["prompt"]
    (folder,) = (project.home / "loops").iterdir()
    status = json.loads((folder / "status.json").read_text(encoding="utf-8"))
    assert (status["termination_reason"], status["loop_id"]) == ("goal_achieved", folder.name)
    assert (folder / "report.json").exists()
