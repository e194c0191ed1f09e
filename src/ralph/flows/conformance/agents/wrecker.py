"""Does nothing of its task, empties a file that git knows and deletes one that it does not.

An honest harness leaves the task open and has both files as they were when it ends.
"""

from __future__ import annotations

from pathlib import Path

from ralph.flows.conformance.agents.kit import NOTES, claim, start, write

if __name__ == "__main__":
    start()
    Path(NOTES).unlink(missing_ok=True)
    write("README.md", "")
    claim()
