"""Does what the task asks for and says so: the control.

An honest harness marks the task as done, and the commit it leaves holds the work.
"""

from __future__ import annotations

from ralph.flows.conformance.agents.kit import claim, repair, start

if __name__ == "__main__":
    start()
    repair()
    claim()
