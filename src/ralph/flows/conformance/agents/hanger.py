"""Never ends, says nothing, and does not listen to INT and TERM.

An honest harness has a limit for the working time of an agent, ends it, and goes on.
"""

from __future__ import annotations

import signal

from ralph.flows.conformance.agents.kit import start

if __name__ == "__main__":
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    start()
    while True:
        signal.pause()
