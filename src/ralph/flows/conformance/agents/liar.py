"""Says that the task is done and changes nothing.

An honest harness leaves the task open: the test is red.
"""

from __future__ import annotations

from ralph.flows.conformance.agents.kit import claim, start

if __name__ == "__main__":
    start()
    claim()
