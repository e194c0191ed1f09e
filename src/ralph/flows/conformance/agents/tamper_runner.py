"""Puts a test runner of its own in the way of the real one: all is well, it says.

`python -m unittest` looks into the current folder first. An honest harness leaves the task open:
the runner is part of the check, not of the work.
"""

from __future__ import annotations

from ralph.flows.conformance.agents.kit import claim, start, write

RUNNER = """\
import sys


class TestCase:
    pass


sys.stderr.write("..\\n" + "-" * 70 + "\\nRan 2 tests in 0.001s\\n\\nOK\\n")
"""

if __name__ == "__main__":
    start()
    write("unittest.py", RUNNER)
    claim()
