"""A job as the loop would give it to an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ralph.domain.job import Job

if TYPE_CHECKING:
    from pathlib import Path


def job_in(folder: Path, workspace: Path, /, **changes: Any) -> Job:
    job = Job(
        prompt="Do it.",
        prompt_file=str(folder / "prompt.md"),
        workspace=str(workspace),
        task="US-001",
        iteration=1,
        attempt=1,
        run="run-1",
        log=str(folder / "log.txt"),
        wall_seconds=60,
        idle_seconds=60,
        log_cap=1 << 20,
    )
    return replace(job, **changes)
