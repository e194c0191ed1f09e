"""Does the work and writes 96 MB without a single line break.

An honest harness does not wait for the end of the line with all of it in memory.
"""

from __future__ import annotations

import sys

from ralph.flows.conformance.agents.kit import claim, repair, say, start

MEGABYTES = 96

if __name__ == "__main__":
    start()
    repair()
    for _ in range(MEGABYTES):
        sys.stdout.buffer.write(b"x" * (1 << 20))
    say("")
    claim()
