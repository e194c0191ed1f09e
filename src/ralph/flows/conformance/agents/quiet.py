"""Does the work and never says that it is done.

An honest harness either proves the work by itself or leaves the task open; it does not go on for
ever, and it does not end with success while the task is open.
"""

from __future__ import annotations

from ralph.flows.conformance.agents.kit import repair, say, start

if __name__ == "__main__":
    start()
    repair()
    say("I had a look at the calculator.")
