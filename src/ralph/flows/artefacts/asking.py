"""Who takes a turn in an interview: an agent at the terminal, or one that gets the answers."""

from __future__ import annotations

import asyncio
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ralph import files, masking, process
from ralph.agents import Agent
from ralph.agents.interactive import at_terminal
from ralph.agents.line import Line
from ralph.domain.job import Job
from ralph.domain.settings import Settings
from ralph.flows.artefacts.agent import SigningAgent
from ralph.flows.artefacts.folder import DONE, Folder
from ralph.flows.artefacts.interview import RoundEnd
from ralph.loop.confine import find
from ralph.loop.guests import received
from ralph.process.foreground import attend
from ralph.repo import Repo

LEAVE_SECONDS = 5.0
"""How long an agent at the terminal may stay after done.md."""


class AtTerminal(Struct, frozen=True):
    """The agent has the user's terminal until its turn is over."""

    agent: Agent
    folder: Folder
    linger: float | None = None

    def __call__(self, prompt: str, name: str) -> RoundEnd:
        file = _write_prompt(self.folder, name, prompt)
        argv, env = at_terminal(self.agent, prompt, str(file))
        linger = LEAVE_SECONDS if self.linger is None else self.linger
        with process.Guard():
            left = attend(argv, cwd=self.folder.root, env=env, over=self._is_over, linger=linger)
        failed = f"the agent ended with {left.exit_code}" if left.exit_code else ""
        return RoundEnd(left.over, "" if left.over else failed, left.ended)

    def _is_over(self) -> bool:
        return self.folder.remove(DONE)


class Alone(Struct, frozen=True):
    """The agent works without the user, who may have written answers beforehand.

    Between walls, where there are any, it writes to the folder of its project and nowhere else.
    """

    agent: Agent
    folder: Folder
    settings: Settings
    repo: Repo
    lent: Path
    """Where Ralph keeps what it lends to the agent."""
    answers: str = ""
    linger: float | None = None

    def __call__(self, prompt: str, name: str) -> RoundEnd:
        if self.answers:
            prompt = f"{prompt}\n\n{_ANSWERS}\n\n{self.answers.strip()}\n"
        with process.Guard():
            return asyncio.run(self._take(prompt, name))

    async def _take(self, prompt: str, name: str) -> RoundEnd:
        signed = []
        agent = SigningAgent(
            self.agent, self.folder, lambda _, has: signed.append(has), self.linger
        )
        folder, job = self.folder, self._job(prompt, name)
        found = await find(self.settings.safety, folder.root, self.lent)
        seen = (folder.root, Path(job.prompt_file))
        async with received(
            found, self.settings, self.repo.common_dir, self.agent, folder.path, seen
        ) as walls:
            answer = await agent.run(replace(job, walls=walls), Line())
        failed = answer.error or f"the agent ended with {answer.exit_code}"
        return RoundEnd(any(signed), "" if answer.worked else failed)

    def _job(self, prompt: str, name: str) -> Job:
        settings, root = self.settings, self.folder.root
        prompt = masking.text(prompt)
        return Job(
            prompt=prompt,
            prompt_file=str(_write_prompt(self.folder, name, prompt)),
            workspace=str(root),
            task=self.folder.name,
            iteration=0,
            attempt=1,
            run=name,
            log=str(root / settings.logs.dir / f"{name}.txt"),
            wall_seconds=settings.loop.max_minutes_per_iteration * 60,
            idle_seconds=settings.loop.max_idle_minutes * 60,
            log_cap=int(settings.logs.max_output_mb * (1 << 20)),
        )


_ANSWERS = """\
## The user's answers

The user is not at the terminal, so nobody answers questions. These answers were given beforehand,
for all rounds. Take what they say, and decide yourself what they leave open; mark such decisions in
the spec as assumptions."""


def _write_prompt(folder: Folder, name: str, prompt: str) -> Path:
    path = folder.root / ".ralph" / "prompts" / f"{name}.md"
    files.write(path, prompt, durable=False)
    return path
