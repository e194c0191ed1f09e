"""`ralph interview` with the real Claude Code in a real terminal; a script plays its model."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

from tests.support.claude import MODEL, program
from tests.support.project import RALPH, wait_until
from tests.support.tmux import Screen

from ralph.testing import Endpoint, Script, call, say

if TYPE_CHECKING:
    from pathlib import Path

HERE = ".artefacts/demo"
TASK = {"id": "T1", "title": "Paint", "description": "Paint it in the colour that the spec names."}
TASKS = json.dumps({"project_name": "demo", "tasks": [TASK | {"criteria": ["it is blue"]}]})
FIRST = (
    say("Which colour shall it be?"),
    call(
        "Bash",
        expect="sky blue",
        command=f"echo 'It is sky blue.' >> {HERE}/spec.md; echo done > {HERE}/done.md",
    ),
    say("The spec names the colour now."),
)
LAST = (
    call(
        "Bash",
        command=f"echo '{TASKS}' > {HERE}/tasks.json; echo done > {HERE}/done.md",
    ),
    say("There is one task."),
)


class RalphScreen(Screen):
    """`ralph` instead of Claude Code itself, in a shell that is still there afterwards."""

    def __init__(self, home: Path, environment: dict[str, str], path: str, *words: str) -> None:
        super().__init__(home, environment, path=path)
        self._environment |= {"RALPH_HOME": str(home / "ralph"), "RALPH_TRUST": "1"}
        self._command = [*self._command[: self._command.index(program())], "sh"]
        self._words = " ".join((str(RALPH), *words))

    def start(self) -> None:
        self._tmux("send-keys", "-l", f"{self._words}; echo left with $?")
        self._tmux("send-keys", "Enter")


def test_two_rounds_at_a_terminal(tmp_path: Path) -> None:
    """It asks, a person answers, it is ended when it is done: it never leaves by itself."""
    work, tools = tmp_path / "work", tmp_path / "bin"
    (work / HERE).mkdir(parents=True)
    tools.mkdir()
    (tools / "claude").symlink_to(program())
    (work / HERE / "spec.md").write_text("# A wall\n", encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(work)], check=True)
    script = Script(
        (say("Who asks?"),), conversations={"round 1 of 2": FIRST, "round 2 of 2": LAST}
    )
    with Endpoint({"main": script}) as endpoint:
        surroundings = endpoint.environment("main")
        settings = {"claude": {"model": MODEL, "env": sorted(surroundings)}}
        (work / "ralph.yaml").write_text(json.dumps(settings), encoding="utf-8")
        words = ("interview", "demo", "--rounds", "2", "--linger", "0.5")
        with RalphScreen(tmp_path, surroundings, str(tools), *words) as screen:
            screen.start()
            screen.wait_for("Which colour shall it be?")
            screen.type("sky blue")
            screen.wait_for("+It is sky blue.")
            screen.wait_for("left with 0")
            shown = screen.shown()
            screen.type("echo the terminal is $((6 * 7)) again")
            screen.wait_for("the terminal is 42 again")
    assert "its session was closed" in shown
    assert endpoint.problems() == []
    tasks = json.loads((work / HERE / "tasks.json").read_text(encoding="utf-8"))["tasks"]
    assert [one["id"] for one in tasks] == ["T1"]
    wait_until(lambda: not (work / HERE / "done.md").exists(), "done.md to go")
    assert not (work / HERE / "interview.json").exists()
