"""The status of a loop, as `.ralph/status.json` shows it and as programs read it."""

from __future__ import annotations

from msgspec import Struct, field

from ralph.domain.state import LoopState


class LoopConfig(Struct, frozen=True):
    """The limits of a loop. 0 is no limit."""

    max_iterations: int = 50
    max_cost: float = 10
    max_duration_minutes: float = 240
    context_threshold: float = 0.7
    max_consecutive_errors: int = 3
    agent_type: str = ""
    model: str = ""


class IterationResult(Struct, frozen=True):
    """What came of one iteration."""

    iteration: int = 0
    agent_id: str = ""
    started_at: str = ""
    completed_at: str = ""
    phase: str = "implementing"
    completed_items: tuple[str, ...] = ()
    pending_items: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    checkpoint_id: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0
    handoff_trigger: str = ""
    health_state: str = "healthy"


class LoopStatus(Struct, frozen=True):
    """A loop and its iterations so far."""

    loop_id: str
    task_id: str
    project_id: str
    state: LoopState
    goal: str
    config: LoopConfig = field(default_factory=LoopConfig)
    current_iteration: int = 0
    iterations: tuple[IterationResult, ...] = ()
    total_input_tokens: int = 0
    total_output_tokens: int = 0
    total_cost: float = 0
    started_at: str = ""
    completed_at: str = ""
    termination_reason: str = ""
    last_checkpoint_id: str = ""
    errors: tuple[str, ...] = ()
