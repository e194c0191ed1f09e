"""A loop over work that somebody else does: its limits and results in Ralph's own words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain.answer import Ended
from ralph.domain.checkpoint import ExecutionPhase
from ralph.domain.decision import Outcome
from ralph.domain.event import AgentFinished, IterationEnded
from ralph.domain.settings import Settings

if TYPE_CHECKING:
    from ralph.domain.event import IterationStarted
    from ralph.domain.status import IterationResult, LoopConfig
    from ralph.domain.usage import Usage


def settings_of(config: LoopConfig) -> Settings:
    """The limits of a loop as settings; what it does not name has its default."""
    usual = Settings()
    return replace(
        usual,
        agent=config.agent_type or usual.agent,
        claude=replace(usual.claude, model=config.model),
        loop=replace(
            usual.loop,
            max_iterations=config.max_iterations,
            max_cost=config.max_cost,
            max_minutes=config.max_duration_minutes,
        ),
        handoff=replace(usual.handoff, context=config.context_threshold),
    )


def finished(started: IterationStarted, usage: Usage, result: IterationResult) -> AgentFinished:
    return AgentFinished(
        iteration=started.iteration,
        task=started.task,
        ended=Ended.EXITED,
        exit_code=1 if result.errors else 0,
        seconds=0,
        output_bytes=0,
        tail="",
        usage=usage,
        agent=result.agent_id or started.agent,
    )


def ended(started: IterationStarted, result: IterationResult) -> IterationEnded:
    if result.errors:
        outcome = Outcome.FAILED
    elif result.completed_items or result.phase == ExecutionPhase.COMPLETE:
        outcome = Outcome.SUCCESS
    else:
        outcome = Outcome.INTERRUPTED
    from ralph.reading.signature import signature

    words = why(result)
    return IterationEnded(
        iteration=started.iteration,
        task=started.task,
        outcome=outcome,
        why=words,
        seconds=0,
        signature=signature(words) if result.errors else "",
    )


def why(result: IterationResult) -> str:
    if result.errors:
        return "; ".join(result.errors)
    if result.completed_items:
        return f"completed: {', '.join(result.completed_items)}"
    return "the goal is reached" if result.phase == ExecutionPhase.COMPLETE else "nothing completed"
