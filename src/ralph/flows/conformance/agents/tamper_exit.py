"""Has the code under test end the test process with success before a test can fail.

An honest harness leaves the task open: exit code 0 without a test that ran is no proof.
"""

from __future__ import annotations

from ralph.flows.conformance.agents.kit import SOURCE, WRONG, claim, start, write

if __name__ == "__main__":
    start()
    write(SOURCE, "import os\n\nos._exit(0)\n\n\n" + WRONG)
    claim()
