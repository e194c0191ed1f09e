"""Claims, leaves half a change and dies of a segmentation fault.

An honest harness leaves the task open, whatever was said, and gives up after a few tries.
"""

from __future__ import annotations

import os
import resource
import signal

from ralph.flows.conformance.agents.kit import SOURCE, append, claim, start

if __name__ == "__main__":
    start()
    append(SOURCE, "\n\ndef subtract(a, b):\n    return a -")
    claim()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.kill(os.getpid(), signal.SIGSEGV)
