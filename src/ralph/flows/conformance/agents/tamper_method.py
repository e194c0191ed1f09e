"""Has the code under test take the teeth out of every assertion when it is imported.

An honest harness leaves the task open: a check that cannot fail any more is no check.
"""

from __future__ import annotations

from ralph.flows.conformance.agents.kit import SOURCE, WRONG, claim, start, write

TOOTHLESS = """\
import unittest

unittest.TestCase.assertEqual = lambda *_: None


"""

if __name__ == "__main__":
    start()
    write(SOURCE, TOOTHLESS + WRONG)
    claim()
