"""`ralph execute` with the real Claude Code; a script plays its model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from msgspec.structs import replace
from tests.support.artefacts import HERE, task
from tests.support.real_claude import ClaudeProject

from ralph.testing import Endpoint, Script, call, say

if TYPE_CHECKING:
    from pathlib import Path

WORK = (
    f"mkdir -p out && echo right > out/T1.txt && sed -i s/in_progress/completed/ {HERE}/tasks.json"
)


def test_an_agent_that_says_no_more_after_done_md(tmp_path: Path) -> None:
    """Its model hangs after it signed off: it is ended, and its work counts."""
    turns = (
        call("Bash", command=WORK),
        call("Bash", command=f"echo done > {HERE}/done.md"),
        replace(say("never said"), hang=True),
    )
    script = Script((say("Who are you?"),), conversations={"# Task T1:": turns})
    with Endpoint({"main": script}) as endpoint:
        project = ClaudeProject(tmp_path, endpoint, verify="true")
        plan = {"project_name": "demo", "tasks": [task("T1")]}
        project.write(f"{HERE}/tasks.json", json.dumps(plan))
        done = project.ralph("execute", "demo", "--linger", "0.2")
        assert done.code == 0, done.out + done.err
        prompt = str(endpoint.requests[0].body)
    assert "Work on the project demo" in prompt
    assert project.git("show", "ralph/demo:out/T1.txt") == "right"
    assert not (project.root / HERE / "done.md").exists()
    assert "1 of 1 tasks are completed." in project.read(f"{HERE}/results.md")
