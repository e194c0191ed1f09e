"""Does the work, but leaves git's index locked, as a git that was killed does.

An honest harness gets the work committed, or leaves the task open; the lock is gone afterwards.
"""

from __future__ import annotations

from ralph.flows.conformance.agents.kit import claim, repair, start, write

if __name__ == "__main__":
    start()
    repair()
    write(".git/index.lock", "")
    claim()
