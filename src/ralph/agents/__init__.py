"""Who does the work: one fresh process per job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ralph.agents.line import Line
    from ralph.domain.answer import Answer
    from ralph.domain.errors import AgentError
    from ralph.domain.job import Job
    from ralph.domain.settings import Settings

BUILT_IN = ("claude", "scripted")


class Agent(Protocol):
    """Someone who does the work: one fresh process per job."""

    name: str

    def check(self) -> None:
        """Raise an AgentError if it cannot be started here."""

    async def run(self, job: Job, line: Line) -> Answer:
        """Work until the process and all its descendants are gone. Cancelling stops it cleanly."""


def chain(settings: Settings) -> tuple[Agent, ...]:
    """The agent that works, and those that take over while it cannot, each once."""
    names = dict.fromkeys((settings.agent, *settings.fallback))
    return tuple(choose(settings, name) for name in names)


def lacking(settings: Settings) -> AgentError | None:
    """Why an agent of the chain cannot be had; None if all of them can."""
    from ralph.domain.errors import AgentError

    try:
        chain(settings)
    except AgentError as error:
        return error
    return None


def choose(settings: Settings, name: str = "") -> Agent:
    """The agent of that name; what stands under `agents` comes before the built-in ones."""
    from ralph.domain.errors import AgentError

    name = name or settings.agent
    if agent := _own(settings, name) or _built_in(settings, name) or _preset(settings, name):
        return agent
    if name == "scripted":
        raise AgentError("The scripted agent has no script.", fix=_SCRIPTED_FIX)
    if name in settings.agents:
        raise AgentError(
            f"The agent `{name}` has no command.", fix=f"Give it one: `agents.{name}.command`."
        )
    raise AgentError(
        f"There is no agent `{name}`. Known: {', '.join(known(settings))}.",
        fix="Use one of these, add it under `agents` in ralph.yaml, or give --agent-command.",
    )


def known(settings: Settings) -> tuple[str, ...]:
    """The names that `choose` takes."""
    from ralph.agents import presets

    return tuple(dict.fromkeys((*BUILT_IN, *presets.NAMES, *settings.agents)))


def _own(settings: Settings, name: str) -> Agent | None:
    from ralph.agents.command import CommandAgent
    from ralph.domain.settings import Speech

    plain = (Speech.AUTO, Speech.TEXT, Speech.STREAM_JSON)
    own = settings.agents.get(name)
    if own is None or not own.command or own.speaks not in plain:
        return None
    return CommandAgent(name, own.command, own.env, own.speaks)


def _built_in(settings: Settings, name: str) -> Agent | None:
    from msgspec.structs import replace

    from ralph.agents.claude import ClaudeAgent, allowed

    if name != "claude":
        return None
    own = settings.agents.get(name)
    claude = settings.claude
    if own is not None:
        env, model = (*claude.env, *own.env), claude.model or own.model
        claude = replace(claude, env=env, model=model)
    tools = allowed(claude.allowed_tools, settings.safety.allowed_commands)
    return ClaudeAgent(replace(claude, allowed_tools=tools))


def _preset(settings: Settings, name: str) -> Agent | None:
    from ralph.agents import presets

    return presets.preset(name, settings)


_SCRIPTED_FIX = (
    "In ralph.yaml: agents: {scripted: {command: "
    "[python3, -m, ralph.agents.scripted, SCRIPT.json]}}"
)
