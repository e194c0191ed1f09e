"""Who does the work: one fresh process per job."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ralph.agents.command import CommandAgent
    from ralph.domain.settings import Settings
    from ralph.domain.task import Command

BUILT_IN = ("claude", "scripted")

_CLAUDE = ("-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits")
_CLAUDE_ENV = ("CLAUDE_CONFIG_DIR",)


def choose(settings: Settings) -> CommandAgent:
    """The agent the settings name; what stands under `agents` comes before the built-in ones."""
    from ralph.agents.command import CommandAgent
    from ralph.domain.errors import AgentError

    name = settings.agent
    own = settings.agents.get(name)
    if own is not None and own.command:
        return CommandAgent(name, own.command, own.env)
    if name == "claude":
        more = own.env if own is not None else ()
        return CommandAgent(name, _claude(settings), (*_CLAUDE_ENV, *more))
    if name == "scripted":
        raise AgentError("The scripted agent has no script.", fix=_SCRIPTED_FIX)
    if own is not None:
        raise AgentError(
            f"The agent `{name}` has no command.", fix=f"Give it one: `agents.{name}.command`."
        )
    known = ", ".join(dict.fromkeys((*BUILT_IN, *settings.agents)))
    raise AgentError(
        f"There is no agent `{name}`. Known: {known}.",
        fix="Use one of these, add it under `agents` in ralph.yaml, or give --agent-command.",
    )


def _claude(settings: Settings) -> Command:
    command = settings.claude.command
    # "claude code" is how people call the program, not an argument of it.
    program = command[:1] if command == ("claude", "code") else command
    return (*program, *_CLAUDE, *settings.claude.args)


_SCRIPTED_FIX = (
    "In ralph.yaml: agents: {scripted: {command: "
    "[python3, -m, ralph.agents.scripted, SCRIPT.json]}}"
)
