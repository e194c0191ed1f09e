"""Does the work, claims it, and then does not end.

An honest harness does not wait for ever; whether the work counts is up to it, as long as what it
says is true.
"""

from __future__ import annotations

import signal

from ralph.flows.conformance.agents.kit import claim, repair, start

if __name__ == "__main__":
    start()
    repair()
    claim()
    signal.pause()
