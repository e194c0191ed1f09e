"""A look at the agents: those of the chain, and others that are installed."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from ralph.agents import accounts, choose
from ralph.agents.claude_find import USUAL, find
from ralph.domain.answer import Ended
from ralph.domain.diagnosis import note, ok, problem
from ralph.domain.errors import AgentError
from ralph.domain.task import shown
from ralph.process import Child, environment, run
from ralph.reading.cause import cause

if TYPE_CHECKING:
    from ralph.agents.claude_account import Account
    from ralph.domain.diagnosis import Diagnosis
    from ralph.domain.settings import Settings
    from ralph.domain.task import Command

VERSION_SECONDS = 1.2
KNOWN = ("claude", "codex", "gemini", "opencode", "claude-agent-acp", "codex-acp", "kiro-cli")
"""Programs that may be asked for their version; any other might do something else."""
TOO_SLOW = f"it did not print its version within {VERSION_SECONDS:g} s"


async def examine(settings: Settings, folder: Path) -> tuple[Diagnosis, ...]:
    """The agents that work in this order, then those that could."""
    names = tuple(dict.fromkeys((settings.agent, *settings.fallback)))
    chain = [_of_chain(settings, name, folder) for name in names]
    used = {*names, *(_program(settings, name) for name in names)}
    others = [_beside(name, settings, folder) for name in KNOWN if name not in used]
    found = await asyncio.gather(*chain, *others)
    return tuple(one for one in found if one is not None)


def _program(settings: Settings, name: str) -> str:
    try:
        start = accounts.start_of(choose(settings, name))
    except AgentError:
        return ""
    return start.program if start else ""


async def _of_chain(settings: Settings, name: str, folder: Path) -> Diagnosis | None:
    subject = f"agent {name}"
    try:
        agent = choose(settings, name)
        agent.check()
    except AgentError as error:
        return problem(subject, error.what, error.fix)
    start = accounts.start_of(agent)
    if start is None or start.program not in KNOWN:
        words = shown(start.command)[:100] if start else "without a program"
        return ok(subject, f"{words} · unknown who pays")
    command, source = _found(start, settings)
    version, trouble = await _version(command)
    if trouble:
        return problem(subject, trouble, f"Start `{command[0]}` by hand to see what is wrong.")
    account = accounts.of_program(start.program, start.seen, folder)
    found = f"{version} from {source} · {_paying(account)}"
    if account is not None and not account.logged_in:
        log_in = start.log_in or "log in"
        return problem(subject, found, f"{log_in[0].upper()}{log_in[1:]}.")
    return note(subject, found) if version == TOO_SLOW else ok(subject, found)


async def _beside(name: str, settings: Settings, folder: Path) -> Diagnosis | None:
    """An installed agent that the settings do not name."""
    try:
        start = accounts.AgentStart(name, (name,), environment(os.environ))
        command, source = _found(start, settings)
    except AgentError:
        return None
    if not source:
        return None
    version, trouble = await _version(command)
    account = accounts.of_program(name, start.seen, folder)
    words = trouble or f"{version} from {source} · {_paying(account)}"
    return ok(f"agent {name}", f"{words} · not in the chain")


def _found(start: accounts.AgentStart, settings: Settings) -> tuple[Command, str]:
    """What to ask for its version, and where it is; nowhere if it is not there."""
    if start.program == "claude" and start.command in {USUAL, settings.claude.command}:
        found = find(settings.claude)
        return found.command, f"{found.source} ({found.path})"
    return start.command[:1], shutil.which(start.command[0]) or ""


def _paying(account: Account | None) -> str:
    return "login unknown" if account is None else account.who


async def _version(command: Command) -> tuple[str, str]:
    """What it says to --version, and why it cannot be started."""
    finished = await run(
        Child(
            argv=(*command, "--version"),
            cwd=Path("/"),
            env=environment(os.environ),
            wall_seconds=VERSION_SECONDS,
            grace_seconds=0,
        )
    )
    text = finished.text(8000).strip()
    if finished.ended is Ended.TIMEOUT:
        return TOO_SLOW, ""
    if finished.exit_code:
        return "", finished.error or f"it exited {finished.exit_code}: {cause(text)[:200]}"
    return text.rpartition("\n")[2].strip()[:100] or "no version", ""
