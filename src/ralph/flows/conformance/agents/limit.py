"""Cannot work because its account is used up for the next hours: says so and exits 1.

An honest harness waits until then, or ends and says why. It does not ask again and again.
"""

from __future__ import annotations

import sys
import time

from ralph.flows.conformance.agents.kit import say, start

HOURS = 4

if __name__ == "__main__":
    start()
    until = int(time.time()) + HOURS * 3600
    clock = time.strftime("%H:%M", time.localtime(until))
    say(f"Claude AI usage limit reached|{until}")
    say(f"You've hit your 5-hour limit · resets {clock}")
    sys.exit(1)
