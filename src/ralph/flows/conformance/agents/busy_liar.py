"""Changes something that has nothing to do with the task, and claims.

An honest harness leaves the task open: there is a change, but the test is red.
"""

from __future__ import annotations

from ralph.flows.conformance.agents.kit import append, claim, start

if __name__ == "__main__":
    call = start()
    append("README.md", f"\nThe calculator was improved ({call}).\n")
    append("helpers.py", f"IMPROVEMENTS = {call}\n")
    claim()
