from __future__ import annotations

import pytest

from ralph.agents import chain, choose
from ralph.agents.claude import ClaudeAgent
from ralph.agents.command import CommandAgent
from ralph.domain.errors import AgentError
from ralph.domain.settings import AgentSettings, ClaudeSettings, Settings, Speech


def test_claude_is_the_usual_agent() -> None:
    agent = choose(Settings(claude=ClaudeSettings(model="big", env=("A",))))
    assert isinstance(agent, ClaudeAgent)
    assert agent.name == "claude"
    assert (agent.settings.model, agent.settings.env) == ("big", ("A",))


def test_claude_sees_what_is_named_under_agents_too() -> None:
    own = AgentSettings(env=("KEY",), model="small")
    agent = choose(Settings(claude=ClaudeSettings(env=("A",)), agents={"claude": own}))
    assert isinstance(agent, ClaudeAgent)
    assert (agent.settings.env, agent.settings.model) == (("A", "KEY"), "small")


def test_an_agent_of_ones_own_wins_over_the_built_in() -> None:
    own = AgentSettings(("my-claude",), Speech.TEXT, env=("A",))
    agent = choose(Settings(agents={"claude": own}))
    assert isinstance(agent, CommandAgent)
    assert (agent.command, agent.env_names, agent.speaks) == (("my-claude",), ("A",), Speech.TEXT)


def test_the_chain_holds_each_agent_once_in_order() -> None:
    agents = {name: AgentSettings((name,)) for name in ("one", "two")}
    settings = Settings(agent="two", fallback=("claude", "one", "two"), agents=agents)
    assert [agent.name for agent in chain(settings)] == ["two", "claude", "one"]
    assert [agent.name for agent in chain(Settings())] == ["claude"]


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        (
            Settings(agent="gpt", agents={"mine": AgentSettings(("x",))}),
            r"There is no agent `gpt`. Known: claude, scripted,.* mine.",
        ),
        (
            Settings(agent="mine", agents={"mine": AgentSettings()}),
            r"The agent `mine` has no command.",
        ),
        (Settings(agent="scripted"), r"The scripted agent has no script."),
        (Settings(fallback=("gpt",)), r"There is no agent `gpt`. Known: claude, scripted.*"),
    ],
)
def test_an_agent_that_cannot_be_chosen_is_explained(settings: Settings, what: str) -> None:
    with pytest.raises(AgentError, match=what) as caught:
        chain(settings)
    assert caught.value.fix
