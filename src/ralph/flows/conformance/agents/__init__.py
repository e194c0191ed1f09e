"""One agent per file. Only the standard library: `python -m ralph.flows.conformance.agents.liar`.

The first argument is a folder outside the repository in which the agent leaves traces for the
judge: how often it was started, whether it still runs.
"""
