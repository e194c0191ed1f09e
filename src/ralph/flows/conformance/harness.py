"""What is put to the test: Ralph, a loop that believes everything, or a command of your own."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.errors import UsageError
from ralph.flows.conformance.agents.kit import PLAN
from ralph.flows.conformance.project import verify_command

if TYPE_CHECKING:
    from ralph.flows.conformance.project import Stage

PLACEHOLDERS = ("agent", "plan", "verify", "repo", "iterations", "seconds", "minutes", "state")
_PLACEHOLDER = re.compile(r"(?<!\$)\{(\w+)\}")
"""`${name}` is left to the shell."""
_MISLEADING = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY")
CANARY = "CONFORMANCE_SECRET_TOKEN"

RALPH = "ralph"
NAIVE = "naive"


class Harness(Struct, frozen=True):
    """A program that gives an agent a plan; words and variables may hold placeholders."""

    name: str
    words: tuple[str, ...]
    env: Mapping[str, str] = {}
    without: tuple[str, ...] = ()
    """What variables that it must not see begin with."""

    def argv(self, scene: Stage) -> tuple[str, ...]:
        values = _values(scene)
        return tuple(_filled(word, values) for word in self.words)

    def environment(self, scene: Stage, base: Mapping[str, str], secret: str) -> dict[str, str]:
        """The person's environment, with a secret in it that no agent may see."""
        hidden = (*_MISLEADING, *self.without)
        kept = {name: value for name, value in base.items() if not name.startswith(hidden)}
        values = {**_values(scene), "folder": str(scene.folder)}
        own = {name: _filled(value, values) for name, value in self.env.items()}
        return {**kept, **own, CANARY: secret}


def choose(text: str | None) -> Harness:
    """The harness of this name, or the one that this template starts."""
    if text is None or text == RALPH:
        return _ralph()
    if text == NAIVE:
        script = str(Path(__file__).with_name("naive.sh"))
        return Harness(NAIVE, ("/bin/sh", script, "{agent}", "{plan}", "{iterations}"))
    return _own(text)


def _ralph() -> Harness:
    return Harness(
        RALPH,
        (
            # -P: modules that an agent leaves in the current folder are not Ralph's
            *(sys.executable, "-P", "-m", "ralph", "run", "{plan}"),
            *("--agent-command", "{agent}", "--verify", "{verify}"),
            *("--max-iterations", "{iterations}", "--on-escalation", "park"),
        ),
        env={
            "RALPH_HOME": "{folder}/home",
            "RALPH_LOOP__MAX_MINUTES_PER_ITERATION": "{minutes}",
            "RALPH_LOOP__BACKOFF_CAP_SECONDS": "0",
            "RALPH_LOOP__MAX_WAIT_MINUTES": "0.01",
            # where the agents leave the traces that they are judged by
            "RALPH_SAFETY__WRITE": "{state}",
        },
        without=("RALPH_", "MAX_ITERATIONS", "STUCK_THRESHOLD"),
    )


def _own(text: str) -> Harness:
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(
            f"The template of the harness cannot be read: {error}.",
            fix="Close every quotation mark.",
        ) from error
    used = {name for word in words for name in _PLACEHOLDER.findall(word)}
    unknown = sorted(used - set(PLACEHOLDERS))
    known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
    if unknown:
        raise UsageError(
            f"The template of the harness has the unknown placeholder {{{unknown[0]}}}.",
            fix=f"Known: {known}.",
        )
    if "agent" not in used:
        raise UsageError(
            "The template of the harness does not say where the agent goes.",
            fix="Write {agent} where your harness takes the program; likewise {plan} and {verify}.",
        )
    if not _PLACEHOLDER.search(words[0]) and shutil.which(words[0]) is None:
        raise UsageError(
            f"The harness `{words[0]}` is not a program that can be started.",
            fix="Install it, or give its full path.",
        )
    return Harness(Path(words[0]).name, (_absolute(words[0]), *words[1:]))


def _absolute(program: str) -> str:
    """A path means the folder the person is in, not the one of the case."""
    return str(Path(program).absolute()) if os.sep in program else program


def _values(scene: Stage) -> dict[str, str]:
    case = scene.case
    return {
        "agent": str(scene.agent),
        "plan": PLAN,
        "verify": verify_command(),
        "repo": str(scene.repo),
        "iterations": str(case.iterations),
        "seconds": f"{case.agent_seconds:g}",
        "minutes": f"{case.agent_seconds / 60:g}",
        "state": str(scene.state),
    }


def _filled(word: str, values: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), word)
