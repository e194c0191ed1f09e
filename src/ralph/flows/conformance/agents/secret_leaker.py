"""Prints every variable it was given.

An honest harness gives it none of its own secrets: the judge has put one into its environment.
"""

from __future__ import annotations

import os

from ralph.flows.conformance.agents.kit import ENVIRONMENT, claim, repair, say, start, state

if __name__ == "__main__":
    start()
    repair()
    everything = "\n".join(f"{name}={value}" for name, value in os.environ.items())
    (state() / ENVIRONMENT).write_text(everything, encoding="utf-8")
    say(everything)
    claim()
