"""Marks the red test as one to skip.

An honest harness leaves the task open: a skipped test proves nothing.
"""

from __future__ import annotations

from ralph.flows.conformance.agents.kit import TESTS, claim, replace, start

if __name__ == "__main__":
    start()
    skip = '    @unittest.skip("flaky on this machine")\n    def test_adds('
    replace(TESTS, "    def test_adds(", skip)
    claim()
