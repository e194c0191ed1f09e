"""An agent that signs off with done.md: seen, removed, and not waited for without end."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.domain.answer import Ended
from ralph.flows.artefacts.folder import DONE

if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph.agents import Agent
    from ralph.agents.line import Line
    from ralph.domain.answer import Answer
    from ralph.domain.job import Job
    from ralph.flows.artefacts.folder import Folder

LINGER_SECONDS = 30.0
"""How long an agent may keep running after it wrote done.md, for its last words."""
INTERRUPT_SECONDS = 10.0
"""How long one that was asked to stop may take."""
LOOK_SECONDS = 0.1


class SigningAgent:
    """Any agent, in a folder where it writes done.md when its turn is over."""

    def __init__(
        self,
        agent: Agent,
        folder: Folder,
        after: Callable[[Job, bool], None],
        linger: float | None = None,
    ) -> None:
        self.name = agent.name
        self._agent = agent
        self._folder = folder
        self._after = after
        """Called once the agent is gone, with whether it signed off."""
        self._linger = LINGER_SECONDS if linger is None else linger
        self._signed = False
        self._ended = False

    def __getattr__(self, name: str) -> object:
        """Who pays follows from what the agent is made from."""
        return getattr(self._agent, name)

    def check(self) -> None:
        self._agent.check()

    async def run(self, job: Job, line: Line) -> Answer:
        self._folder.remove(DONE)
        self._signed = self._ended = False
        watching = asyncio.ensure_future(self._watch(line))
        try:
            answer = await self._agent.run(job, line)
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            self._signed = self._folder.remove(DONE) or self._signed
            self._after(job, self._signed)
        if self._ended and not answer.worked:
            # its turn was over; that it stayed is no failure of its work
            return replace(answer, ended=Ended.EXITED, exit_code=0, trouble=None)
        return answer

    async def _watch(self, line: Line) -> None:
        while not self._signed:
            await asyncio.sleep(LOOK_SECONDS)
            self._signed = self._folder.remove(DONE)
        await asyncio.sleep(self._linger)
        self._ended = True
        if line.interrupt():
            await asyncio.sleep(INTERRUPT_SECONDS)
        line.stop()
