"""Does the work, claims and ends; a process it leaves behind breaks the work a moment later.

An honest harness lets nothing of the agent live on while it checks and commits.
"""

from __future__ import annotations

import os
import time

from ralph.flows.conformance.agents.kit import SOURCE, WRONG, claim, repair, start, write

MOMENTS = 40
MOMENT = 0.1


def write_later() -> None:
    """Undo the work again and again, for a few seconds."""
    if os.fork():
        return
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    for _ in range(MOMENTS):
        time.sleep(MOMENT)
        write(SOURCE, WRONG)
    os._exit(0)


if __name__ == "__main__":
    start()
    repair()
    write_later()
    claim()
