from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph import files, masking
from ralph.agents.errors import Ending, classify, how
from ralph.agents.hidden import explained
from ralph.agents.stream_json import Decoder
from ralph.agents.words import HEAD, TAIL
from ralph.domain.answer import Answer
from ralph.domain.errors import AgentError
from ralph.domain.settings import Speech
from ralph.domain.task import SHELL
from ralph.process import Child, environment, run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.agents.line import Line
    from ralph.domain.job import Job
    from ralph.domain.task import Command
    from ralph.process import Finished

GRACE_SECONDS = 1

_SHELL_WORDS = frozenset(
    (
        *(".", ":", "[", "!", "{", "alias", "break", "case", "cd", "command", "continue", "echo"),
        *("eval", "exec", "exit", "export", "false", "for", "if", "printf", "pwd", "read"),
        *("return", "set", "shift", "test", "trap", "true", "type", "ulimit", "umask", "unset"),
        *("until", "wait", "while"),
    )
)
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # colours, the cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # titles, links
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROLS = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)


class CommandAgent:
    """Any program that takes a prompt on standard input and works in the current folder."""

    def __init__(
        self,
        name: str,
        command: Command,
        env_names: tuple[str, ...] = (),
        speaks: Speech = Speech.AUTO,
    ) -> None:
        self.name = name
        self.command = command
        self.env_names = env_names
        self.speaks = speaks

    def check(self) -> None:
        """Raise an AgentError if the program is not there."""
        program = _program(self.command)
        if program and shutil.which(program) is None and Path(program).is_file():
            raise AgentError(
                f"The agent command `{program}` is a file that nobody may execute.",
                fix=f"Make it executable: chmod +x {program}",
            )
        if program and shutil.which(program) is None:
            raise AgentError(
                f"The agent command `{program}` was not found.",
                fix="Install it, put it on PATH, or choose another agent with --agent.",
            )

    async def run(self, job: Job, line: Line) -> Answer:
        with _in_a_file(job) as told:
            return await self._run(told, line)

    async def _run(self, job: Job, line: Line) -> Answer:
        decoder = Decoder(sure=self.speaks is Speech.STREAM_JSON, heard=line.heard)
        finished = await run(
            Child(
                argv=self.command,
                cwd=Path(job.workspace),
                env=environment(os.environ, extra_names=self.env_names, add=variables(job)),
                stdin=job.prompt.encode("utf-8", "replace"),
                log=Path(job.log) if job.log else None,
                log_cap=job.log_cap,
                wall_seconds=job.wall_seconds,
                idle_seconds=job.idle_seconds,
                grace_seconds=GRACE_SECONDS,
                attach=line.attach,
                walls=job.walls,
                on_output=None if self.speaks is Speech.TEXT else decoder.feed,
                head_bytes=HEAD,
                tail_bytes=TAIL,
            )
        )
        decoder.close()
        answer = _answer(finished, decoder, job)
        if answer.trouble is None or job.walls is None:
            return answer
        return replace(answer, trouble=explained(answer.trouble, job.walls, self.command))


def clean(text: str) -> str:
    """The words alone: no colours, titles, control or bidirectional characters, no secrets."""
    text = _ESCAPES.sub("", text.replace("\r\n", "\n"))
    return masking.text(_CONTROLS.sub("", text.replace("\r", "\n")))


@contextlib.contextmanager
def _in_a_file(job: Job) -> Iterator[Job]:
    """The job with its prompt in a file, also where nobody keeps one: of judges and reviewers."""
    if job.prompt_file:
        yield job
        return
    with files.scratch("ralph-prompt-") as folder:
        path = Path(folder) / "prompt.md"
        files.write(path, job.prompt, durable=False)
        walls = job.walls and replace(job.walls, read=(*job.walls.read, str(path)))
        yield replace(job, prompt_file=str(path), walls=walls)


def _program(command: Command) -> str:
    """What has to be on PATH; empty where only the shell can tell."""
    if command[:2] != SHELL:
        return command[0] if command else ""
    try:
        words = shlex.split(command[2])
    except (ValueError, IndexError):
        return ""
    plain = bool(words) and re.fullmatch(r"[\w./+-]+", words[0]) is not None
    return words[0] if plain and words[0] not in _SHELL_WORDS else ""


def variables(job: Job) -> dict[str, str]:
    """What an agent's environment says about its job."""
    return {
        "RALPH_PROMPT_FILE": job.prompt_file,
        "RALPH_TASK_ID": job.task,
        "RALPH_ITERATION": str(job.iteration),
        "RALPH_ATTEMPT": str(job.attempt),
        "RALPH_RUN_ID": job.run,
    }


def _answer(finished: Finished, decoder: Decoder, job: Job) -> Answer:
    text = clean(decoder.text if decoder.recognised else finished.text(HEAD + TAIL))
    said = decoder.error or decoder.noise or text
    ending = Ending(
        finished.ended,
        finished.exit_code,
        finished.error,
        failed=decoder.is_error,
        words=decoder.words,
        status=decoder.status,
        text=clean(said),
        until=decoder.resets_at or 0,
        wall_seconds=job.wall_seconds,
        idle_seconds=job.idle_seconds,
    )
    return Answer(
        text=text,
        ended=how(finished.ended, finished.exit_code),
        exit_code=finished.exit_code,
        seconds=finished.seconds,
        usage=decoder.usage,
        log=finished.log,
        output_bytes=finished.output_bytes,
        trouble=classify(ending, time.time()),
        session=decoder.session_id,
        models=decoder.spending.models,
        calls=decoder.spending.calls,
        tools=dict(decoder.tools),
    )
