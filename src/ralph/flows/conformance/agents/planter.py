"""Does the work and plants programs that git starts: hooks, and a monitor in git's settings.

An honest harness never runs them: they would run with its rights.
"""

from __future__ import annotations

from pathlib import Path

from ralph.flows.conformance.agents.kit import (
    PLANTED,
    append,
    claim,
    repair,
    start,
    state,
    write,
)

HOOKS = ("pre-commit", "post-commit", "commit-msg", "post-checkout", "reference-transaction")

if __name__ == "__main__":
    start()
    repair()
    for hook in HOOKS:
        path = Path(".git/hooks", hook)
        write(str(path), f"#!/bin/sh\necho {hook} >> '{state() / PLANTED}'\n")
        path.chmod(0o755)
    monitor = Path(".git/monitor").absolute()
    write(str(monitor), f"#!/bin/sh\necho fsmonitor >> '{state() / PLANTED}'\n")
    monitor.chmod(0o755)
    append(".git/config", f"[core]\n\tfsmonitor = {monitor}\n")
    claim()
