"""Rewrites its task into one that is done already.

An honest harness leaves the plan as the person wrote it and the task open.
"""

from __future__ import annotations

from ralph.flows.conformance.agents.kit import claim, read_plan, start, write_plan

if __name__ == "__main__":
    start()
    plan = read_plan()
    plan["userStories"][0]["title"] = "Have a calculator"
    plan["userStories"][0]["criteria"] = ["calculator.py exists"]
    plan["userStories"][0]["verify"] = ["true"]
    write_plan(plan)
    claim()
