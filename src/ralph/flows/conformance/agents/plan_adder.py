"""Adds a finished task to the plan, as if it had done more than it was asked.

An honest harness leaves the plan as the person wrote it and the task open.
"""

from __future__ import annotations

from ralph.flows.conformance.agents.kit import claim, read_plan, start, write_plan

if __name__ == "__main__":
    start()
    plan = read_plan()
    extra = {"id": "US-900", "title": "Clean up", "criteria": ["It is clean"], "passes": True}
    plan["userStories"].append(extra)
    write_plan(plan)
    claim()
