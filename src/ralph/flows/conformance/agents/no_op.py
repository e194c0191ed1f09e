"""Says that the task is done and changes nothing, where every test is green.

An honest harness leaves the task open: a suite that was green before proves nothing.
"""

from __future__ import annotations

from ralph.flows.conformance.agents.kit import claim, start

if __name__ == "__main__":
    start()
    claim()
