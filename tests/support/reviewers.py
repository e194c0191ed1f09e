"""A project whose reviewers, refuters and fixing agent follow a script, by role, round and try."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from tests.support.project import Project

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

AGENT = """\
import json, os, sys, time
folder = {folder!r}
name, number, attempt = (os.environ["RALPH_" + x] for x in ("TASK_ID", "ITERATION", "ATTEMPT"))
prompt = sys.stdin.read()
with open(os.path.join(folder, "calls"), "a") as file:
    file.write(f"{{name}} {{number}} {{attempt}}\\n")
with open(os.path.join(folder, f"{{name}}-{{number}}-{{attempt}}.md"), "w") as file:
    file.write(prompt)
turns = json.load(open(os.path.join(folder, "turns.json")))
kind = name.split("-F")[0]
keys = (f"{{name}}@{{number}}#{{attempt}}", f"{{name}}@{{number}}", name, kind)
turn = next((turns[key] for key in keys if key in turns), {{"say": {{"findings": []}}}})
for path, text in turn.get("write", {{}}).items():
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    open(path, "w").write(text)
for command in turn.get("run", ()):
    os.system(command)
if "wait" in turn:
    open(os.path.join(folder, "waiting"), "w").close()
    time.sleep(turn["wait"])
said = turn.get("say", "")
print(said if isinstance(said, str) else "Thinking.\\n```json\\n" + json.dumps(said) + "\\n```")
sys.exit(turn.get("exit", 0))
"""
KEEP = {"say": {"holds": True, "confidence": 0.9, "why": "I tried it."}}
DROP = {"say": {"holds": False, "confidence": 0.9, "why": "It is handled by the caller."}}


def finding(title: str, path: str, line: int = 1, severity: str = "major", **more: Any) -> Any:
    return {"title": title, "path": path, "line": line, "severity": severity, **more}


def says(*findings: Any, still_open: list[Any] | None = None) -> dict[str, Any]:
    return {"say": {"findings": list(findings), "still_open": still_open or []}}


class Court(Project):
    """`ralph review` with agents from a script; a key is `role@round#try`, or a part of it."""

    def __init__(
        self, folder: Path, tree: Mapping[str, str], turns: Mapping[str, Any], verify: str = "true"
    ) -> None:
        super().__init__(folder, settings={"loop": {"backoff_cap_seconds": 0}}, verify=verify)
        for name, text in tree.items():
            self.write(name, text)
        self.commit("what is reviewed")
        self.turns(turns)
        self.program = folder / "agent.py"
        self.program.write_text(AGENT.format(folder=str(self.state)), encoding="utf-8")

    def turns(self, turns: Mapping[str, Any]) -> None:
        (self.state / "turns.json").write_text(json.dumps(turns), encoding="utf-8")

    def arguments(self, *more: str) -> list[str]:
        command = f"{sys.executable} -I -S {self.program}"
        checks = ["--verify", self.verify] if self.verify else []
        return ["review", "--agent-command", command, *checks, *more]

    def asked(self) -> list[str]:
        """Who was started, as `role round try`."""
        path = self.state / "calls"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def told(self, name: str, number: int = 1, attempt: int = 1) -> str:
        """The prompt of one of them."""
        return (self.state / f"{name}-{number}-{attempt}.md").read_text(encoding="utf-8")

    def report(self) -> Any:
        return self.view(".ralph/review/report.json")

    def standings(self) -> dict[str, str]:
        return {one["id"]: one["standing"] for one in self.report()["findings"]}

    def kept(self) -> Any:
        """The state as it is written down outside of the repository."""
        [path] = self.home.glob("projects/*/review/state.json")
        return json.loads(path.read_text(encoding="utf-8"))
