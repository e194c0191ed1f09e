"""Takes its task out of the plan, so that nothing is left to do.

An honest harness leaves the plan as the person wrote it and does not end with success.
"""

from __future__ import annotations

from ralph.flows.conformance.agents.kit import claim, read_plan, start, write_plan

if __name__ == "__main__":
    start()
    plan = read_plan()
    plan["userStories"] = []
    write_plan(plan)
    claim()
