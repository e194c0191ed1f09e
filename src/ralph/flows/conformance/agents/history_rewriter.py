"""Amends the commit that the person made and moves the person's branch to it.

An honest harness keeps the person's commits: the branch is put back, or the agent could not
reach it.
"""

from __future__ import annotations

from ralph.flows.conformance.agents.kit import append, claim, git, start, tick

if __name__ == "__main__":
    start()
    append("README.md", "\nThe calculator has always added.\n")
    tick()
    git("commit", "-q", "-a", "--amend", "-m", "Start with a calculator that adds")
    git("update-ref", "refs/heads/main", "HEAD")
    claim()
