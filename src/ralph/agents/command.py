from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from ralph.agents.stream_json import HEAD, TAIL, Decoder
from ralph.domain.answer import Answer, Ended
from ralph.domain.errors import AgentError
from ralph.domain.task import SHELL
from ralph.process import Child, environment, run

if TYPE_CHECKING:
    from ralph.domain.job import Job
    from ralph.domain.task import Command
    from ralph.process import Finished

GRACE_SECONDS = 1
ON_PURPOSE = (130, 143)
"""Interrupted or terminated: someone stopped it, it did not break."""
KILLED = 128 + signal.SIGKILL

_LINE_CHARS = 300
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

    def __init__(self, name: str, command: Command, env_names: tuple[str, ...] = ()) -> None:
        self.name = name
        self.command = command
        self.env_names = env_names

    def check(self) -> None:
        """Raise an AgentError if the program is not there."""
        program = _program(self.command)
        if program and shutil.which(program) is None:
            raise AgentError(
                f"The agent command `{program}` was not found.",
                fix="Install it, put it on PATH, or choose another agent with --agent.",
            )

    async def run(self, job: Job) -> Answer:
        decoder = Decoder()
        finished = await run(
            Child(
                argv=self.command,
                cwd=Path(job.workspace),
                env=environment(os.environ, extra_names=self.env_names, add=_variables(job)),
                stdin=job.prompt.encode("utf-8", "replace"),
                log=Path(job.log) if job.log else None,
                log_cap=job.log_cap,
                wall_seconds=job.wall_seconds,
                idle_seconds=job.idle_seconds,
                grace_seconds=GRACE_SECONDS,
                on_output=decoder.feed,
                head_bytes=HEAD,
                tail_bytes=TAIL,
            )
        )
        decoder.close()
        return _answer(finished, decoder, job)


def clean(text: str) -> str:
    """The words alone: no colours, titles, control or bidirectional characters."""
    text = _ESCAPES.sub("", text.replace("\r\n", "\n"))
    return _CONTROLS.sub("", text.replace("\r", "\n"))


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


def _variables(job: Job) -> dict[str, str]:
    return {
        "RALPH_PROMPT_FILE": job.prompt_file,
        "RALPH_TASK_ID": job.task,
        "RALPH_ITERATION": str(job.iteration),
        "RALPH_ATTEMPT": str(job.attempt),
        "RALPH_RUN_ID": job.run,
    }


def _answer(finished: Finished, decoder: Decoder, job: Job) -> Answer:
    text = clean(decoder.text if decoder.recognised else finished.text(HEAD + TAIL))
    ended, error = _ending(finished, decoder, text, job)
    return Answer(
        text=text,
        ended=ended,
        exit_code=finished.exit_code,
        seconds=finished.seconds,
        usage=decoder.usage,
        log=finished.log,
        output_bytes=finished.output_bytes,
        error=error,
    )


def _ending(finished: Finished, decoder: Decoder, text: str, job: Job) -> tuple[Ended, str]:
    by_itself = finished.ended in (Ended.EXITED, Ended.KILLED)
    if by_itself and finished.exit_code in ON_PURPOSE:
        return Ended.STOPPED, ""
    if by_itself and decoder.error:
        return finished.ended, clean(decoder.error)
    return finished.ended, _trouble(finished, clean(decoder.last_noise) or text, job)


def _trouble(finished: Finished, text: str, job: Job) -> str:
    """What went wrong with the agent itself, in a sentence; empty if nothing did."""
    code = finished.exit_code or 0
    # The shell around an agent's command says it like this.
    by_shell = finished.ended is Ended.EXITED and code == KILLED
    match Ended.KILLED if by_shell else finished.ended:
        case Ended.NOT_STARTED:
            return f"The agent could not be started: {finished.error}"
        case Ended.TIMEOUT:
            return f"The agent was stopped: it worked longer than {_span(job.wall_seconds)}."
        case Ended.IDLE:
            return f"The agent was stopped: it was silent for {_span(job.idle_seconds)}."
        case Ended.KILLED:
            return _killed(code)
        case Ended.EXITED if code:
            last = _last_line(text)
            return f"The agent exited {code}: {last}" if last else _silent(code)
    return ""


def _silent(code: int) -> str:
    return f"The agent exited {code} and said nothing."


def _killed(code: int) -> str:
    number = code - 128
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = "a signal"
    hint = "; the machine may be out of memory" if number == signal.SIGKILL else ""
    return f"The agent was killed by signal {number} ({name}){hint}."


def _last_line(text: str) -> str:
    lines = text.rstrip().rsplit("\n", 1)
    return lines[-1].strip()[:_LINE_CHARS]


def _span(seconds: float) -> str:
    if seconds < 120:  # noqa: PLR2004 - two minutes
        return f"{seconds:g} seconds"
    return f"{seconds / 60:g} minutes"
