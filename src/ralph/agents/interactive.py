"""The same agents at the user's terminal, where they can ask."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ralph.agents.claude import ClaudeAgent, child_environment
from ralph.agents.claude_find import find
from ralph.agents.command import CommandAgent
from ralph.domain.errors import AgentError
from ralph.process import environment

if TYPE_CHECKING:
    from ralph.agents import Agent
    from ralph.domain.settings import ClaudeSettings
    from ralph.domain.task import Command


def at_terminal(agent: Agent, prompt: str, prompt_file: str) -> tuple[Command, dict[str, str]]:
    """The words that start it with this prompt, and what it sees; the keyboard is its."""
    told = {"RALPH_PROMPT_FILE": prompt_file}
    if isinstance(agent, ClaudeAgent):
        return _claude(agent.settings, prompt), child_environment(agent.settings) | told
    if isinstance(agent, CommandAgent):
        seen = environment(os.environ, extra_names=agent.env_names, add=told)
        return agent.command, seen
    raise AgentError(
        f"Ralph cannot start {agent.name} as an interactive session.",
        fix="Use --agent claude, --agent-command CMD, or give your answers with --answers FILE.",
    )


def _claude(settings: ClaudeSettings, prompt: str) -> Command:
    options = {
        "--permission-mode": settings.permission_mode,
        "--model": settings.model,
        "--setting-sources": settings.setting_sources,
    }
    given = [word for pair in options.items() if pair[1] for word in pair]
    tools = ("--allowedTools", *settings.allowed_tools) if settings.allowed_tools else ()
    # the prompt comes first: the list of tools takes all the words behind it
    return (*find(settings).command, prompt, *tools, *given, *settings.args)
