"""A project under `.artefacts/demo`, and agents written in a few lines of Python."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from tests.support.project import Project

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.support.project import Done

HERE = ".artefacts/demo"

KIT = f"""
import json, os, sys, time
HERE = "{HERE}/"
N = int(sys.argv[1])
TASK = os.environ.get("RALPH_TASK_ID", "")

def load(name):
    with open(HERE + name) as file:
        return json.load(file)

def save(name, value):
    with open(HERE + name, "w") as file:
        file.write(value if isinstance(value, str) else json.dumps(value))

def work():
    os.makedirs("out", exist_ok=True)
    with open(f"out/{{TASK}}.txt", "w") as file:
        file.write(f"call {{N}}\\n")

def change(task=TASK, **members):
    plan = load("tasks.json")
    for one in plan["tasks"]:
        if one["id"] == task:
            one.update(members)
    save("tasks.json", plan)

def log(summary):
    save("state.json", load("state.json") + [{{"task_id": TASK, "status": "completed",
        "summary": summary, "files_modified": [], "obstacles": [], "iteration": N}}])

def hit(name, message):
    found = load("obstacles.json")
    found["obstacles"].append({{"id": name, "task_id": TASK, "message": message,
        "resolved": False, "iteration": N}})
    save("obstacles.json", found)

def sign():
    save("done.md", "done")

def finish():
    work()
    change(status="completed")
    log(f"Wrote the file of {{TASK}}")
    sign()

"""


def task(name: str, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "title": f"Write the file of {name}",
        "description": f"The file out/{name}.txt must be there when this is done.",
        "status": "pending",
        "dependencies": [],
        "attempts": 0,
        "max_attempts": 3,
        "blocked": False,
        **more,
    }


class Artefacts(Project):
    def __init__(
        self,
        folder: Path,
        tasks: Sequence[dict[str, Any]] | None = None,
        *,
        act: str = "finish()",
        verify: str | None = "true",
        settings: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(folder, verify=verify, settings=settings)
        self.act(act)
        self.write(f"{HERE}/spec.md", "# Demo\n")
        if tasks is not None:
            plan = {"project_name": "demo", "version": 1, "tasks": list(tasks)}
            self.write(f"{HERE}/tasks.json", json.dumps(plan, indent=2) + "\n")

    def act(self, code: str) -> None:
        """What the agent does; N counts its calls."""
        script = self.state / "agent.py"
        script.write_text(KIT + code + "\n", encoding="utf-8")
        self.agent(f'exec "{sys.executable}" -I -S "{script}" $n\n')

    def arguments(self, *more: str) -> list[str]:
        checks = [] if self.verify is None else ["--verify", self.verify]
        return ["execute", "demo", "--agent-command", self.command, *checks, *more]

    def execute(self, *more: str) -> Done:
        return self.ralph(*self.arguments(*more))

    def artefact(self, name: str) -> Any:
        return json.loads(self.read(f"{HERE}/{name}"))

    def entries(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.artefact("state.json")
        return found

    def tasks(self) -> dict[str, dict[str, Any]]:
        return {one["id"]: one for one in self.artefact("tasks.json")["tasks"]}

    def statuses(self) -> dict[str, str]:
        return {name: one["status"] for name, one in self.tasks().items()}

    def results(self) -> str:
        return self.read(f"{HERE}/results.md")
