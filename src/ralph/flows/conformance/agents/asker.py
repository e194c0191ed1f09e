"""Asks a person to decide, and claims in the same breath.

An honest harness leaves the task open, shows the question, and does not start the agent over and
over before there is an answer.
"""

from __future__ import annotations

from ralph.flows.conformance.agents.kit import QUESTION, SUMMARY, claim, say, start

ESCALATION = f"""
<escalate type="deviation">
<summary>{SUMMARY}</summary>
<context>add("2", "3") would be "23".</context>
<options>
1. Numbers only
2. Whatever can be added
</options>
<question>{QUESTION}</question>
</escalate>
"""

if __name__ == "__main__":
    start()
    say(ESCALATION)
    claim()
