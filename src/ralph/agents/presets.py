"""Agents that need no more than their name: how each is started and how it answers.

Codex, Gemini, OpenCode and Claude over ACP were driven for real. Kiro and Amazon Q cannot be run
without an account: their presets are written from their documentation and untested.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import astuple, replace

from ralph.agents.errors import Who
from ralph.agents.home import CLAUDE, CODEX, GEMINI, OPENCODE
from ralph.agents.preset import Preset
from ralph.domain.settings import AgentSettings, Speech

if TYPE_CHECKING:
    from ralph.agents import Agent
    from ralph.agents.program import Hear
    from ralph.domain.settings import Settings


def _who(name: str, install: str, log_in: str) -> Who:
    return Who(
        name=name,
        log_in=log_in,
        model="agents.{agent}.model",
        arguments="agents.{agent}.command in ralph.yaml",
        install=install,
    )


_CODEX = _who(
    "Codex",
    "Install it with `npm install -g @openai/codex`.",
    "run `codex login` once, or set CODEX_API_KEY and name it in agents.{agent}.env",
)
_GEMINI = _who(
    "Gemini CLI",
    "Install it with `npm install -g @google/gemini-cli`.",
    "run `gemini` once and log in, or set GEMINI_API_KEY and name it in agents.{agent}.env",
)
_OPENCODE = _who(
    "OpenCode",
    "Install it with `npm install -g opencode-ai`.",
    "run `opencode auth login` once, or set its provider's key and name it in agents.{agent}.env",
)
_CLAUDE_ACP = _who(
    "Claude Code over ACP",
    "Install it with `npm install -g @agentclientprotocol/claude-agent-acp`.",
    "run `claude` once and log in, or set ANTHROPIC_API_KEY and name it in agents.{agent}.env",
)
_CODEX_ACP = _who(
    "Codex over ACP",
    "Install it with `npm install -g @agentclientprotocol/codex-acp`.",
    "run `codex login` once, or set CODEX_API_KEY and name it in agents.{agent}.env",
)
_KIRO = _who("Kiro", "Install the Kiro CLI: `kiro-cli` must be on PATH.", "run `kiro-cli login`")
_AMAZON_Q = _who("Amazon Q", "Install the Amazon Q CLI: `q` must be on PATH.", "run `q login`")
_UNKNOWN = _who(
    "The agent",
    "Install it, put it on PATH, or choose another agent with --agent.",
    "log in with it, or name the variable with its key in agents.{agent}.env",
)

PRESETS = {
    "codex": Preset(
        # `-s workspace-write` is its own sandbox: it writes in the workspace only.
        ("codex", "exec", "--json", "-s", "workspace-write"),
        Speech.CODEX,
        _CODEX,
        env=("CODEX_HOME",),
        needs=CODEX,
        model_words=("-m",),
        # It can continue a session, and then counts the tokens of the session's past again.
        resume=(),
    ),
    "gemini": Preset(
        ("gemini", "-o", "stream-json", "--approval-mode", "yolo", "--skip-trust"),
        Speech.GEMINI,
        _GEMINI,
        env=("GEMINI_CLI_HOME",),
        needs=GEMINI,
        model_words=("-m",),
        resume=("--resume",),
    ),
    "opencode": Preset(
        ("opencode", "run", "--format", "json", "--auto"),
        Speech.OPENCODE,
        _OPENCODE,
        env=("OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"),
        needs=OPENCODE,
        add={"OPENCODE_DISABLE_AUTOUPDATE": "1"},
        model_words=("-m",),
        resume=("--session",),
    ),
    "gemini-acp": Preset(
        # A second prompt would cancel the first.
        ("gemini", "--acp", "--skip-trust"),
        Speech.ACP,
        _GEMINI,
        env=("GEMINI_CLI_HOME",),
        needs=GEMINI,
        model_words=("-m",),
    ),
    "opencode-acp": Preset(
        ("opencode", "acp"),
        Speech.ACP,
        _OPENCODE,
        env=("OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR"),
        needs=OPENCODE,
        add={"OPENCODE_DISABLE_AUTOUPDATE": "1"},
        nudges=True,
    ),
    "codex-acp": Preset(
        ("codex-acp",), Speech.ACP, _CODEX_ACP, env=("CODEX_HOME",), nudges=True, needs=CODEX
    ),
    "claude-acp": Preset(
        ("claude-agent-acp",),
        Speech.ACP,
        _CLAUDE_ACP,
        env=("CLAUDE_CONFIG_DIR",),
        nudges=True,
        needs=CLAUDE,
    ),
    "kiro": Preset(("kiro-cli", "acp"), Speech.ACP, _KIRO),
    "amazon-q": Preset(
        ("q", "chat", "--no-interactive", "--trust-all-tools"), Speech.TEXT, _AMAZON_Q
    ),
}
NAMES = tuple(PRESETS)
_BY_SPEECH = {
    Speech.CODEX: PRESETS["codex"],
    Speech.GEMINI: PRESETS["gemini"],
    Speech.OPENCODE: PRESETS["opencode"],
    Speech.ACP: Preset((), Speech.ACP, _UNKNOWN),
}


def preset(name: str, settings: Settings) -> Agent | None:
    """The preset of that name, or the agent under `agents` that speaks as one; None if unknown."""
    own = settings.agents.get(name, AgentSettings())
    known = PRESETS.get(name)
    if own.command and (known is None or known.speaks is not own.speaks):
        known = _BY_SPEECH.get(own.speaks)
    if known is None:
        return None
    return _make(
        name,
        replace(
            known,
            command=own.command or known.command,
            who=_named(known.who, name),
            model=own.model,
            env=known.env + own.env,
        ),
    )


def _named(who: Who, name: str) -> Who:
    """With the place in ralph.yaml where this agent is set up."""
    return Who(*(text.replace("{agent}", name) for text in astuple(who)))


def _make(name: str, known: Preset) -> Agent:
    if known.speaks is Speech.ACP:
        from ralph.agents.acp import AcpAgent

        return AcpAgent(name, known)
    if known.speaks is Speech.TEXT:
        from ralph.agents.command import CommandAgent

        return CommandAgent(name, known.command, known.env, known.speaks)
    from ralph.agents.program import ProgramAgent

    return ProgramAgent(name, known, _hear(known.speaks))


def _hear(speech: Speech) -> Hear:
    from ralph.agents import codex, gemini, opencode

    return {
        Speech.CODEX: codex.hear,
        Speech.GEMINI: gemini.hear,
        Speech.OPENCODE: opencode.hear,
    }[speech]
