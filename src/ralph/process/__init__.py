"""The one room that starts children: agents and checks.

A child gets a session, an allow-listed environment and its tags: RALPH_CHILD (its own),
RALPH_OWNER (this Ralph) and RALPH_PROJECT (the repository it works for). When `run` returns, it
and all its descendants are gone: Ralph is their subreaper, so that orphans come back to it, and
finds the rest by tag. Should Ralph itself be killed, its `Guard` ends them; should that fail too,
the next run does (`sweep_orphans`).

Another room may start programs too (git): in Ralph's own session, from another thread, or waiting
for them without giving way. An unknown child of the main thread is taken for such an orphan.
"""

from __future__ import annotations

from ralph.process.child import Body, Child, Finished, Input, Pulse, environment
from ralph.process.family import kill_tagged, sweep_orphans
from ralph.process.guard import Guard

__all__ = [
    "Body",
    "Child",
    "Finished",
    "Guard",
    "Input",
    "Pulse",
    "environment",
    "kill_tagged",
    "run",
    "sweep_orphans",
]


async def run(child: Child) -> Finished:
    """Run the child to its end and sweep its descendants. Cancelling stops it, then re-raises."""
    from ralph.process import running  # needs asyncio, which takes long to import

    return await running.run(child)
