from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Job:
    """One prompt for one fresh agent process."""

    prompt: str
    prompt_file: str
    """The same prompt as a file, for agents that would rather read it there."""
    workspace: str
    task: str
    iteration: int
    attempt: int
    run: str
    log: str
    """Where the agent's whole output goes, bounded."""
    wall_seconds: float
    idle_seconds: float
    log_cap: int
