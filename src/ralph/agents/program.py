"""A program that takes the prompt on standard input and answers with JSON lines of its own."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ralph.agents.command import GRACE_SECONDS, clean, variables
from ralph.agents.errors import Ending, classify, how
from ralph.agents.fields import Fields, parse
from ralph.agents.lines import LineCutter
from ralph.agents.report import Report
from ralph.domain.answer import Answer, Ended
from ralph.domain.errors import AgentError
from ralph.domain.trouble import TroubleKind
from ralph.process import Child, environment, run

if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph.agents.line import Line
    from ralph.agents.preset import Preset
    from ralph.domain.job import Job
    from ralph.domain.task import Command
    from ralph.process import Finished

    Hear = Callable[[Report, Fields], None]

KEPT = 8 << 10
LINE_CAP = 4 << 20
_NOISE_LINES = 5
_NOISE = 300


class ProgramAgent:
    """A known make of agent; `hear` understands its events."""

    def __init__(self, name: str, preset: Preset, hear: Hear) -> None:
        self.name = name
        self.preset = preset
        self.command = preset.command
        self.needs = preset.needs
        self._hear = hear

    def check(self) -> None:
        """Raise an AgentError if the program is not there."""
        look_for(self.preset)

    async def run(self, job: Job, line: Line) -> Answer:
        stream = JsonStream(Report(line.heard), self._hear)
        with temporary_folder() as folder:
            finished = await run(
                Child(
                    argv=command(self.preset, job),
                    cwd=Path(job.workspace),
                    env=child_environment(self.preset) | variables(job) | {"TMPDIR": folder},
                    stdin=job.prompt.encode("utf-8", "replace"),
                    log=Path(job.log) if job.log else None,
                    log_cap=job.log_cap,
                    wall_seconds=job.wall_seconds,
                    idle_seconds=job.idle_seconds,
                    grace_seconds=GRACE_SECONDS,
                    attach=line.attach,
                    walls=job.walls,
                    touches=(Path(folder),),
                    on_output=stream.feed,
                    head_bytes=KEPT,
                    tail_bytes=KEPT,
                )
            )
        stream.close()
        return self._answer(finished, stream, job)

    def _answer(self, finished: Finished, stream: JsonStream, job: Job) -> Answer:
        report = stream.report
        own = _own_word(finished, report)
        ending = Ending(
            finished.ended,
            finished.exit_code,
            finished.error,
            failed=report.failed or bool(own),
            words=(own,) if own else report.words,
            status=report.status,
            text=clean(report.error or stream.noise),
            wall_seconds=job.wall_seconds,
            idle_seconds=job.idle_seconds,
        )
        return Answer(
            text=clean(report.text),
            ended=how(finished.ended, finished.exit_code),
            exit_code=finished.exit_code,
            seconds=finished.seconds,
            usage=report.usage,
            log=finished.log,
            output_bytes=finished.output_bytes,
            trouble=classify(ending, time.time(), self.preset.who),
            session=report.session if self.preset.resume else "",
            models=report.models,
            calls=report.calls,
            tools=dict(report.tools),
        )


class JsonStream:
    """JSON lines with noise between them: the program's errors share its output."""

    def __init__(self, report: Report, hear: Hear) -> None:
        self.report = report
        self._hear = hear
        self._lines = LineCutter(self._line, LINE_CAP)
        self._noise: list[str] = []
        self.feed = self._lines.feed

    @property
    def noise(self) -> str:
        """The last lines that are no events: a crash speaks there."""
        return "\n".join(self._noise)

    def close(self) -> None:
        self._lines.close()
        self.report.pause()

    def _line(self, line: bytes) -> None:
        event = Fields(parse(line) if line.startswith(b"{") else None)
        if event:
            self._hear(self.report, event)
        else:
            self._noise.append(line[-_NOISE:].decode("utf-8", "replace"))
            del self._noise[:-_NOISE_LINES]


def temporary_folder() -> TemporaryDirectory[str]:
    """For what an agent writes beside its work: reports of its errors hold the whole prompt."""
    return TemporaryDirectory(prefix="ralph-agent-", ignore_cleanup_errors=True)


def look_for(preset: Preset) -> None:
    """Raise an AgentError if the program of this make is not there."""
    program = preset.command[0]
    if shutil.which(program) is None:
        raise AgentError(f"The agent program `{program}` was not found.", fix=preset.who.install)


def command(preset: Preset, job: Job) -> Command:
    """The words that start it for a job."""
    model = (*preset.model_words, preset.model) if preset.model and preset.model_words else ()
    resume = (*preset.resume, job.session) if job.session and preset.resume else ()
    return (*preset.command, *model, *resume)


def child_environment(preset: Preset) -> dict[str, str]:
    """What it sees: the usual, what it may see by name, and what keeps it quiet."""
    return dict(preset.add) | environment(os.environ, extra_names=preset.env)


def _own_word(finished: Finished, report: Report) -> str:
    """What only Ralph can say of one that ended as if all were well."""
    if report.failed or finished.ended is not Ended.EXITED or finished.exit_code:
        return ""
    if not report.over:
        return TroubleKind.GARBAGE
    # Work without words is work: the checks will tell.
    return "" if report.text.strip() or report.tools else TroubleKind.EMPTY
