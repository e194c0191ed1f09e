"""Any agent that speaks the Agent Client Protocol, through its official client library."""

from __future__ import annotations

import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ralph.agents.command import GRACE_SECONDS, clean, variables
from ralph.agents.errors import Ending, classify, how
from ralph.agents.program import KEPT, child_environment, command, look_for, temporary_folder
from ralph.domain.answer import Answer, Ended
from ralph.domain.errors import AgentError
from ralph.domain.trouble import TroubleKind
from ralph.process import Child, run

if TYPE_CHECKING:
    from ralph.agents.acp_talk import AcpTalk
    from ralph.agents.line import Line
    from ralph.agents.preset import Preset
    from ralph.domain.job import Job
    from ralph.process import Finished

LIBRARY = "acp"


class AcpAgent:
    """A program that is started by us and spoken to over its standard input and output."""

    def __init__(self, name: str, preset: Preset) -> None:
        self.name = name
        self.preset = preset
        self.command = preset.command
        self.needs = preset.needs

    def check(self) -> None:
        """Raise an AgentError if the program or the client library is not there."""
        look_for(self.preset)
        if find_spec(LIBRARY) is None:
            raise AgentError(
                f"The agent `{self.name}` speaks ACP, and the client library is not installed.",
                fix="Install it, in your clone of Ralph: pip install '.[acp]'",
            )

    async def run(self, job: Job, line: Line) -> Answer:
        from ralph.agents.acp_talk import AcpTalk

        talk = AcpTalk(self.preset, job, line)
        try:
            with temporary_folder() as folder:
                finished = await run(self._child(talk, job, line, folder))
        finally:
            await talk.close()
        return self._answer(finished, talk, job)

    def _child(self, talk: AcpTalk, job: Job, line: Line, folder: str) -> Child:
        return Child(
            argv=command(self.preset, job),
            cwd=Path(job.workspace),
            env=child_environment(self.preset) | variables(job) | {"TMPDIR": folder},
            log=Path(job.log) if job.log else None,
            log_cap=job.log_cap,
            wall_seconds=job.wall_seconds,
            idle_seconds=job.idle_seconds,
            grace_seconds=GRACE_SECONDS,
            attach=line.attach,
            walls=job.walls,
            touches=(Path(folder),),
            on_output=talk.wire.feed,
            on_start=talk.open,
            head_bytes=KEPT,
            tail_bytes=KEPT,
        )

    def _answer(self, finished: Finished, talk: AcpTalk, job: Job) -> Answer:
        report = talk.report
        ending = _ending(finished, talk, job)
        return Answer(
            text=clean(report.text),
            ended=how(ending.ended, ending.exit_code),
            exit_code=ending.exit_code,
            seconds=finished.seconds,
            usage=report.usage,
            log=finished.log,
            output_bytes=finished.output_bytes,
            trouble=classify(ending, time.time(), self.preset.who),
            models=report.models,
            tools=dict(report.tools),
        )


def _ending(finished: Finished, talk: AcpTalk, job: Job) -> Ending:
    """How it ended. What it answered counts more than what its process did afterwards."""
    report = talk.report
    ended, code = finished.ended, finished.exit_code
    if report.over:
        ended, code = Ended.EXITED, int(report.failed)
    if talk.cancelled or (talk.interrupted and not report.over):
        ended = Ended.STOPPED
    own = _own_word(talk, ended, code)
    return Ending(
        ended,
        code,
        finished.error,
        failed=bool(own) or (report.failed and ended is not Ended.STOPPED),
        words=(own,) if own else report.words,
        status=0 if own else report.status,
        text=clean(report.error or talk.wire.noise),
        wall_seconds=job.wall_seconds,
        idle_seconds=job.idle_seconds,
        budget_usd=job.budget_usd,
    )


def _own_word(talk: AcpTalk, ended: Ended, code: int | None) -> str:
    """What only Ralph can say of it."""
    report = talk.report
    if talk.over_budget and ended is Ended.STOPPED:
        return TroubleKind.BUDGET
    if ended is not Ended.EXITED or code:
        return ""
    if not report.over:
        return TroubleKind.GARBAGE
    # Work without words is work: the checks will tell.
    return "" if report.text.strip() or report.tools else TroubleKind.EMPTY
