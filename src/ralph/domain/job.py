from __future__ import annotations

from msgspec import Struct

from ralph.domain.walls import Walls


class Job(Struct, frozen=True):
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
    session: str = ""
    """Go on in this session of the same agent, where it can; empty for a fresh one."""
    budget_usd: float = 0
    """What it may spend before it is interrupted. 0 for no limit."""
    walls: Walls | None = None
    """What it is confined by; None where it has the rights of the user."""
