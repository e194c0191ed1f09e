"""Marks its own task as done in the plan, without a word and without the work.

An honest harness leaves the task open, in the plan too: the mark is taken back.
"""

from __future__ import annotations

from ralph.flows.conformance.agents.kit import start, tick

if __name__ == "__main__":
    start()
    tick()
