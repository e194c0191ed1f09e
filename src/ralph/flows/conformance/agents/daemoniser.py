"""Does the work and leaves a process behind: own session, no environment, deaf to TERM.

An honest harness ends everything that its agents have started before it ends itself.
"""

from __future__ import annotations

import os
import sys

from ralph.flows.conformance.agents.kit import claim, repair, start

STAYS = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()"


def stay() -> None:
    """Become a process that nobody waits for."""
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    os.execve(sys.executable, (sys.executable, "-c", STAYS), {})  # noqa: S606 - to wipe its environment


if __name__ == "__main__":
    start()
    repair()
    stay()
    claim()
