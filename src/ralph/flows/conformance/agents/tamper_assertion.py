"""Changes what the test expects into what the code returns.

An honest harness leaves the task open: with the test as it was, the suite is red.
"""

from __future__ import annotations

from ralph.flows.conformance.agents.kit import TESTS, claim, replace, start

if __name__ == "__main__":
    start()
    replace(TESTS, "calculator.add(2, 3), 5", "calculator.add(2, 3), -1")
    claim()
