"""Claude Code, driven over its own stream-json: one fresh process per job."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph import files
from ralph.agents.claude_find import find
from ralph.agents.claude_talk import ClaudeTalk, user_line
from ralph.agents.command import clean, variables
from ralph.agents.errors import Ending, Who, classify, how
from ralph.agents.home import CLAUDE
from ralph.domain.answer import Answer, Ended
from ralph.domain.task import shown
from ralph.domain.trouble import TroubleKind
from ralph.process import Child, environment, run

if TYPE_CHECKING:
    from ralph.agents.line import Line
    from ralph.domain.job import Job
    from ralph.domain.settings import ClaudeSettings
    from ralph.domain.task import Command
    from ralph.process import Finished

SHELL_TOOL = "Bash"
WHO = Who(
    name="Claude Code",
    log_in="run `claude` once and log in, or set ANTHROPIC_API_KEY and name it in claude.env",
    model="claude.model",
    arguments="claude.args and claude.permission_mode in ralph.yaml",
    install="Install it, or set claude.command.",
)


def who(program: Command) -> Who:
    """As messages speak of it: the program that is there is the one to log in with."""
    return replace(WHO, log_in=WHO.log_in.replace("`claude`", f"`{shown(program)}`"))


QUIET = {
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    # One result then means the end: nothing keeps working after it.
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    # Two more tries outlast a hiccup in seconds. Its own ten would hide an outage for minutes;
    # longer waits are Ralph's to take, where they are seen, counted and can be interrupted.
    "CLAUDE_CODE_MAX_RETRIES": "2",
}
"""The program's variables, unless `claude.env` names one that is set."""
SEEN = ("CLAUDE_CONFIG_DIR",)
GRACE_SECONDS = 2
"""It needs one and a half to end on an interrupt, with its commands."""

_FLAGS = (
    *("-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"),
    *("--include-partial-messages", "--replay-user-messages"),
)
_KEPT = 8 << 10


class ClaudeAgent:
    """The Claude Code program; it can be nudged, interrupted and asked to continue a session."""

    needs = CLAUDE

    def __init__(self, settings: ClaudeSettings, name: str = "claude") -> None:
        self.name = name
        self.settings = settings
        self.command = settings.command

    def check(self) -> None:
        """Raise an AgentError if the program is not there."""
        find(self.settings)

    async def run(self, job: Job, line: Line) -> Answer:
        found = find(self.settings)
        talk = ClaudeTalk(job, line)
        try:
            with files.scratch("ralph-claude-") as folder:
                finished = await run(
                    Child(
                        argv=command(found.command, self.settings, job),
                        cwd=Path(job.workspace),
                        env=child_environment(self.settings) | variables(job) | {"TMPDIR": folder},
                        stdin=user_line(job.prompt),
                        log=Path(job.log) if job.log else None,
                        log_cap=job.log_cap,
                        wall_seconds=job.wall_seconds,
                        idle_seconds=job.idle_seconds,
                        grace_seconds=GRACE_SECONDS,
                        attach=line.attach,
                        walls=job.walls,
                        touches=(Path(folder),),
                        on_output=talk.hear,
                        on_start=talk.open,
                        head_bytes=_KEPT,
                        tail_bytes=_KEPT,
                    )
                )
        finally:
            talk.close()
        return _answer(finished, talk, job, found.command)


def child_environment(settings: ClaudeSettings) -> dict[str, str]:
    """What the program sees: the usual, what `claude.env` names, and what keeps it quiet."""
    seen = environment(os.environ, extra_names=(*SEEN, *settings.env))
    return QUIET | seen


def allowed(tools: tuple[str, ...], programs: tuple[str, ...]) -> tuple[str, ...]:
    """What it may use without being asked, which nobody is there for: of commands, only these."""
    if not programs:
        return tools
    rules = tuple(f"{SHELL_TOOL}({name}:*)" for name in programs)
    return (*(one for one in tools if one != SHELL_TOOL), *rules)


def command(program: Command, settings: ClaudeSettings, job: Job) -> Command:
    """The words that start it for a job."""
    from uuid import uuid4

    options = {
        "--permission-mode": settings.permission_mode,
        "--model": settings.model,
        "--setting-sources": settings.setting_sources,
        "--max-budget-usd": f"{job.budget_usd:.6f}" if job.budget_usd else "",
        "--resume": job.session,
        "--session-id": "" if job.session else str(uuid4()),
    }
    given = [word for pair in options.items() if pair[1] for word in pair]
    tools = ("--allowedTools", *settings.allowed_tools) if settings.allowed_tools else ()
    return (*program, *_FLAGS, *tools, *given, *settings.args)


def _answer(finished: Finished, talk: ClaudeTalk, job: Job, program: Command) -> Answer:
    decoder = talk.decoder
    ending = _ending(finished, talk, job)
    return Answer(
        text=clean(decoder.text),
        ended=how(ending.ended, ending.exit_code),
        exit_code=ending.exit_code,
        seconds=finished.seconds,
        usage=decoder.usage,
        log=finished.log,
        output_bytes=finished.output_bytes,
        trouble=classify(ending, time.time(), who(program)),
        session=decoder.session_id,
        models=decoder.spending.models,
        calls=decoder.spending.calls,
        tools=dict(decoder.tools),
    )


def _ending(finished: Finished, talk: ClaudeTalk, job: Job) -> Ending:
    decoder = talk.decoder
    ended, code = _end(finished, talk)
    own = _own_word(talk, ended, code)
    return Ending(
        ended,
        code,
        finished.error,
        failed=bool(own) or (decoder.is_error and not decoder.aborted),
        words=(own,) if own else decoder.words,
        status=0 if own else decoder.status,
        text=clean(decoder.error or decoder.noise),
        until=decoder.resets_at or 0,
        wall_seconds=job.wall_seconds,
        idle_seconds=job.idle_seconds,
        budget_usd=job.budget_usd,
    )


def _end(finished: Finished, talk: ClaudeTalk) -> tuple[Ended, int | None]:
    """How the process ended. Its result counts more than what it did afterwards."""
    decoder = talk.decoder
    if talk.has_result and not decoder.aborted:
        return Ended.EXITED, int(decoder.is_error)
    asked = talk.interrupted or decoder.aborted
    if asked and finished.ended in (Ended.EXITED, Ended.KILLED):
        return Ended.STOPPED, finished.exit_code
    return finished.ended, finished.exit_code


def _own_word(talk: ClaudeTalk, ended: Ended, code: int | None) -> str:
    """What only Ralph can say of it."""
    decoder = talk.decoder
    if talk.over_budget and ended is Ended.STOPPED:
        return TroubleKind.BUDGET
    if ended is not Ended.EXITED or code:
        return ""
    if not talk.has_result:
        return TroubleKind.GARBAGE
    # Work without words is work: the checks will tell.
    return "" if decoder.text.strip() or decoder.tools else TroubleKind.EMPTY
