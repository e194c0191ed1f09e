"""Does the work and writes 256 MB of output about it.

An honest harness keeps only so much of it in memory and on disk.
"""

from __future__ import annotations

import sys

from ralph.flows.conformance.agents.kit import claim, repair, start

MEGABYTES = 256
LINE = b"adding two numbers, one after the other, is harder than it looks\n"

if __name__ == "__main__":
    start()
    repair()
    megabyte = LINE * ((1 << 20) // len(LINE))
    for _ in range(MEGABYTES):
        sys.stdout.buffer.write(megabyte)
    claim()
