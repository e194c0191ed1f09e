"""A project whose agent is the real Claude Code program, and whose model is a script."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.support.claude import MODEL, program
from tests.support.project import Project

from ralph.testing import ClaimedUsage, Script, call, say

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ralph.testing import Endpoint, Request, Turn

DOLLARS = {"input": 4, "output": 20, "cache_write": 5, "cache_read": 0.2}
"""What the program takes for a million tokens of MODEL."""
NO_TASK = (say("Nobody told me that task."),)
NOTHING = ClaimedUsage()


def price(*usages: ClaimedUsage) -> float:
    """What the tokens of a script cost, as the program reckons."""
    kinds = DOLLARS.items()
    costs = [float(getattr(one, kind) * each) for one in usages for kind, each in kinds]
    return sum(costs) / 1e6


def script(*turns: Turn, task: str = "US-001", **others: tuple[Turn, ...]) -> Script:
    """Turns for whoever is told the task, however often it is started for it."""
    every = {task: turns, **{name.replace("_", "-"): more for name, more in others.items()}}
    return Script(NO_TASK, conversations={f"# Task {name}:": more for name, more in every.items()})


def edits(text: str, task: str = "US-001", usage: ClaimedUsage = NOTHING, expect: str = "") -> Turn:
    """The model has the file of a task written."""
    return call("Write", usage, expect=expect, file_path=f"out/{task}.txt", content=f"{text}\n")


def works(task: str = "US-001", usage: ClaimedUsage = NOTHING) -> tuple[Turn, ...]:
    """An edit, a command and an answer that claims the task."""
    return (
        edits("right", task, usage),
        call("Bash", usage, command=f"cat out/{task}.txt; echo $((6 * 7))"),
        say(f"Task {task} complete", usage, expect="42"),
    )


class ClaudeProject(Project):
    """`ralph run PRD.json` with `claude` on PATH, which is shown an endpoint and no login."""

    def __init__(
        self,
        folder: Path,
        endpoint: Endpoint,
        stories: int = 1,
        *,
        verify: str = "test ! -e out/US-001.txt || grep -qx right out/US-001.txt",
        subscription: bool = False,
        **settings: Mapping[str, Any],
    ) -> None:
        self._endpoint = endpoint
        self._variables: dict[str, str] = {}
        self._bin = folder / "bin"
        self._bin.mkdir()
        (self._bin / "claude").symlink_to(program())
        self.use("main", subscription=subscription)
        own: dict[str, Any] = {
            "claude": {"model": MODEL, "env": sorted(self._variables)},
            "verification": {"commands": [["sh", "-c", verify]]},
        }
        super().__init__(folder, stories, settings={**own, **settings})

    def at(self, host: str) -> None:
        """Show the program the endpoint by another address."""
        self._variables = {
            name: re.sub(r"//[\d.]+:", f"//{host}:", value)
            for name, value in self._variables.items()
        }

    def use(self, name: str, *, subscription: bool = False, login: bool = True) -> None:
        """Which script answers from now on, and whether the program can say who it is."""
        known = self._endpoint.environment(name, subscription=subscription)
        known["CLAUDE_CODE_MAX_RETRIES"] = "0"
        self._variables = {k: v for k, v in known.items() if login or not k.endswith("_KEY")}

    @property
    def env(self) -> dict[str, str]:
        env = super().env
        path = f"{self._bin}:{env['PATH']}"
        own = {"PATH": path, "CLAUDE_CONFIG_DIR": str(self.folder / "claude")}
        return {**env, **own, **self._variables}

    def arguments(self, *more: str) -> list[str]:
        return ["run", "PRD.json", *more]

    def asked(self) -> list[Request]:
        """What the model was asked, in order; all of it was answered as the script says."""
        assert self._endpoint.problems() == []
        return [one for one in self._endpoint.requests if not one.side]

    def sessions(self) -> list[str]:
        """The conversations the model saw, each once, in order."""
        return list(dict.fromkeys(session(one) for one in self.asked()))

    def finished(self) -> list[dict[str, Any]]:
        return self.events("AgentFinished")


def session(request: Request) -> str:
    return request.headers["x-claude-code-session-id"]
