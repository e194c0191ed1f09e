"""A stand-in for the GitHub CLI: a program on PATH that keeps issues, pull requests and calls."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """\
#!{python} -IS
import json, os, sys
folder = {folder!r}
arguments = sys.argv[1:]
verb = "-".join(arguments[:2]).removeprefix("issue-")
with open(folder + "/calls", "a") as file:
    file.write(json.dumps(arguments) + "\\n")
faults = json.load(open(folder + "/faults.json"))
if faults.get(verb, [0])[0]:
    faults[verb][0] -= 1
    json.dump(faults, open(folder + "/faults.json", "w"))
    sys.stderr.write(faults[verb][1] + "\\n")
    sys.exit(1)
def option(name):
    return [arguments[at + 1] for at, one in enumerate(arguments) if one == name]
if verb == "auth-status":
    sys.exit()
if arguments[0] == "pr":
    path = folder + "/pulls.json"
    pulls = json.load(open(path)) if os.path.exists(path) else []
    mine = [one for one in pulls if one["head"] == option("--head")[0]]
    if verb == "pr-list":
        print(json.dumps(mine))
    else:
        made = {{name: option("--" + name) for name in ("repo", "head", "base", "title")}}
        made = {{name: (found or [""])[0] for name, found in made.items()}}
        made |= {{"draft": "--draft" in arguments, "body": sys.stdin.read()}}
        made["url"] = "https://github.com/ada/shop/pull/" + str(len(pulls) + 1)
        json.dump([*pulls, made], open(path, "w"))
        print(made["url"])
    sys.exit()
path = folder + "/issues.json"
issues = json.load(open(path))
if verb == "list":
    labels = set(option("--label"))
    found = [one for one in issues if labels <= {{label["name"] for label in one["labels"]}}]
    print("a warning that shares the pipe", file=sys.stderr)
    print(json.dumps(found[::-1]))
    sys.exit()
issue = next((one for one in issues if str(one["number"]) == arguments[2]), None)
if issue is None:
    sys.stderr.write("GraphQL: Could not resolve to an issue\\n")
    sys.exit(1)
if verb == "view":
    print(json.dumps(issue))
elif verb == "comment":
    issue["comments"].append({{"body": sys.stdin.read()}})
elif verb == "close":
    issue["state"], issue["stateReason"] = "CLOSED", "COMPLETED"
elif verb == "reopen":
    issue["state"], issue["stateReason"] = "OPEN", "REOPENED"
json.dump(issues, open(path, "w"))
"""


class GitHub:
    """What is at GitHub, and the `gh` that reaches it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "bin"
        self.bin.mkdir(parents=True)
        program = self.bin / "gh"
        program.write_text(PROGRAM.format(python=sys.executable, folder=str(folder)))
        program.chmod(0o755)
        self.write([])
        self.mend()

    @property
    def env(self) -> dict[str, str]:
        return {"PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}"}

    def write(self, issues: list[dict[str, Any]]) -> None:
        (self.folder / "issues.json").write_text(json.dumps(issues))

    def issues(self) -> dict[int, dict[str, Any]]:
        found = json.loads((self.folder / "issues.json").read_text())
        return {one["number"]: one for one in found}

    def add(self, number: int, title: str, body: str = "", *labels: str, **more: Any) -> None:
        issue = {
            "number": number,
            "title": title,
            "body": body,
            "labels": [{"name": name, "color": "ededed"} for name in labels or ("ralph",)],
            "state": "OPEN",
            "stateReason": "",
            "createdAt": "2026-11-01T09:00:00Z",
            "url": f"https://github.com/ada/shop/issues/{number}",
            "comments": [],
        }
        self.write([*self.issues().values(), {**issue, **more}])

    def change(self, number: int, **more: Any) -> None:
        issues = self.issues()
        issues[number].update(more)
        self.write(list(issues.values()))

    def comments(self, number: int) -> list[str]:
        return [one["body"] for one in self.issues()[number]["comments"]]

    def state(self, number: int) -> str:
        return str(self.issues()[number]["state"])

    def fail(self, verb: str, message: str, times: int = 1) -> None:
        """Let the next calls of `gh issue VERB` fail; other calls are named like `pr-create`."""
        self._faults({**self._known_faults(), verb: [times, message]})

    def mend(self) -> None:
        self._faults({})

    def _known_faults(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "faults.json").read_text())
        return found

    def _faults(self, faults: dict[str, Any]) -> None:
        (self.folder / "faults.json").write_text(json.dumps(faults))

    def calls(self, verb: str) -> list[list[str]]:
        path = self.folder / "calls"
        found = path.read_text().splitlines() if path.exists() else []
        words = verb.split("-") if "-" in verb else ["issue", verb]
        return [call for call in map(json.loads, found) if call[:2] == words]

    def pulls(self) -> list[dict[str, Any]]:
        path = self.folder / "pulls.json"
        found: list[dict[str, Any]] = json.loads(path.read_text()) if path.exists() else []
        return found
