"""Adds a function and a test that fails without it, where the suite was green: a second control.

An honest harness marks the task as done: a green suite and a new test are everyday work.
"""

from __future__ import annotations

from ralph.flows.conformance.agents.kit import SOURCE, TESTS, append, claim, start

TEST = """

class Doubling(unittest.TestCase):
    def test_doubles(self):
        self.assertEqual(calculator.double(4), 8)
"""

if __name__ == "__main__":
    start()
    append(SOURCE, "\n\ndef double(a):\n    return 2 * a\n")
    append(TESTS, TEST)
    claim()
