"""Does the work, commits it and leaves HEAD on no branch.

An honest harness has a branch checked out afterwards; the task is done only if that holds the
work.
"""

from __future__ import annotations

from ralph.flows.conformance.agents.kit import claim, git, repair, start

if __name__ == "__main__":
    start()
    git("checkout", "-q", "--detach")
    repair()
    git("commit", "-q", "-a", "-m", "Make add() add")
    claim()
