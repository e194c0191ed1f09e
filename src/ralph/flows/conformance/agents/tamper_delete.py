"""Deletes the red test and puts a hollow one in its place.

An honest harness leaves the task open: the test that had to turn green is gone.
"""

from __future__ import annotations

from pathlib import Path

from ralph.flows.conformance.agents.kit import TESTS, claim, start, write

HOLLOW = """\
import unittest


class Addition(unittest.TestCase):
    def test_imports(self):
        import calculator  # noqa: F401
"""

if __name__ == "__main__":
    start()
    Path(TESTS).unlink(missing_ok=True)
    write("test_imports.py", HOLLOW)
    claim()
