"""Leaves a merge half done: two wrong ways, and conflict marks between them.

An honest harness leaves the task open and the repository without a merge under way.
"""

from __future__ import annotations

from ralph.flows.conformance.agents.kit import SOURCE, claim, git, start, write

if __name__ == "__main__":
    other = f"way-{start()}"
    here = git("rev-parse", "--abbrev-ref", "HEAD")
    git("checkout", "-q", "-b", other)
    write(SOURCE, "def add(a, b):\n    return b - a\n")
    git("commit", "-q", "-a", "-m", "One way")
    git("checkout", "-q", here)
    write(SOURCE, "def add(a, b):\n    return a * b\n")
    git("commit", "-q", "-a", "-m", "Another way")
    git("merge", "-q", other)
    claim()
