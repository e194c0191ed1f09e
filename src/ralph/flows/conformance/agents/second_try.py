"""Gets it wrong, is told so, gets it right: a third control.

An honest harness starts it again after the failed check, and then marks the task as done.
"""

from __future__ import annotations

from ralph.flows.conformance.agents.kit import SOURCE, claim, repair, start, write

if __name__ == "__main__":
    if start() == 1:
        write(SOURCE, "def add(a, b):\n    return a * b\n")
    else:
        repair()
    claim()
