"""A small real project: a git repository, a plan, an agent script and the installed `ralph`."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support.repository import begin
from tests.support.warm import warm

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

RALPH = Path(sys.executable).with_name("ralph")

PATIENCE = 60.0
"""Seconds until a run that hangs is a failure; nothing waits this long when it works."""

FINISH = """\
mkdir -p out
echo "work on $RALPH_TASK_ID, call $n" > "out/$RALPH_TASK_ID.txt"
echo "Task $RALPH_TASK_ID complete"
"""
"""The body of an agent that does the work and says so."""

BLOCK = """\
cat <<'END'
Some words before.
<escalate type="deviation">
<summary>The old API is deprecated</summary>
<context>
v1 is marked as deprecated.
</context>
<options>
1. Use v2
2. Use v1 anyway
</options>
<question>Which version?</question>
</escalate>
END
"""
"""The words of an agent that cannot decide something itself."""

ASKS_FIRST = f"if [ $n = 1 ]; then\n{BLOCK}exit 0\nfi\n{FINISH}"
"""Asks when it is called for the first time, and does the work from then on."""


def story(name: str, /, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "title": f"Write the file of {name}",
        "description": f"The file out/{name}.txt must be there when this is done.",
        "criteria": [f"out/{name}.txt exists"],
        "passes": False,
        **more,
    }


@dataclass(frozen=True, slots=True)
class Done:
    """How one `ralph …` ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)

    def events(self) -> list[dict[str, Any]]:
        """The lines of `ralph run --json`."""
        return [json.loads(line) for line in self.out.splitlines()]


class Project:
    """One repository with its own home, so that nothing of the machine is seen or touched."""

    def __init__(
        self,
        folder: Path,
        stories: int | Sequence[Mapping[str, Any]] = 1,
        *,
        agent: str = FINISH,
        verify: str | None = "true",
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        self.folder = folder
        self.root = folder / "project"
        self.state = folder / "agent-state"
        self.script = folder / "agent.sh"
        self.home = folder / "home"
        self.verify = verify
        self.walls = True
        """Whether agents are confined; one that plays a person cannot be."""
        for path in (self.root, self.state, self.home):
            path.mkdir(parents=True)
        self.agent(agent)
        if isinstance(stories, int):
            stories = [story(f"US-{n:03d}") for n in range(1, stories + 1)]
        plan = {"project": "Journey", "description": "A test.", "userStories": list(stories)}
        self.write("PRD.json", json.dumps(plan, indent=2) + "\n")
        self.write("README.md", "# Journey\n")
        self.write(".gitignore", ".ralph/*\n!.ralph/tasks/\n!.ralph/parent-task-id\n.agent/\n")
        if settings is not None:
            self.configure(settings)
        begin(self.root)

    @property
    def env(self) -> dict[str, str]:
        hidden = ("RALPH_", "COVERAGE")
        kept = {
            k: v for k, v in os.environ.items() if not k.startswith(hidden) or k == "RALPH_TRUST"
        }
        own = {"RALPH_HOME": str(self.home), "RALPH_SAFETY__WRITE": str(self.state)}
        if not self.walls:
            own["RALPH_SAFETY__SANDBOX"] = "off"
        return {**kept, **own, "NO_COLOR": "1", "TERM": "dumb"}

    # What the project consists of

    def agent(self, body: str) -> None:
        """A shell script in which $n counts the calls and $state is a folder of its own."""
        self.script.write_text(
            f'state="{self.state}"\n'
            'n=$(($(cat "$state/n" 2>/dev/null || echo 0) + 1))\n'
            'echo $n > "$state/n"\n'
            'echo "$$ $RALPH_TASK_ID $RALPH_ITERATION" >> "$state/calls"\n'
            'cat > "$state/prompt-$n.md"\n' + body,
            encoding="utf-8",
        )

    @property
    def command(self) -> str:
        """For --agent-command."""
        return f"/bin/sh {self.script}"

    def calls(self) -> list[list[str]]:
        """Pid, task and iteration of every agent process so far."""
        path = self.state / "calls"
        return [line.split() for line in path.read_text().splitlines()] if path.exists() else []

    def prompt(self, call: int) -> str:
        return (self.state / f"prompt-{call}.md").read_text(encoding="utf-8")

    def configure(self, settings: Mapping[str, Any]) -> None:
        """JSON is YAML."""
        self.write("ralph.yaml", json.dumps(settings, indent=2) + "\n")

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def read(self, name: str) -> str:
        return (self.root / name).read_text(encoding="utf-8")

    def view(self, name: str) -> Any:
        """A JSON file, such as .ralph/status.json."""
        return json.loads(self.read(name))

    def stories(self) -> dict[str, dict[str, Any]]:
        return {one["id"]: one for one in self.view("PRD.json")["userStories"]}

    def passed(self) -> list[str]:
        return [name for name, one in self.stories().items() if one["passes"]]

    # Git

    def git(self, *arguments: str, check: bool = True) -> str:
        done = subprocess.run(
            ("git", *arguments),
            cwd=self.root,
            check=False,
            capture_output=True,
            text=True,
            env=self.env,
        )
        assert not check or done.returncode == 0, (arguments, done.stderr)
        return done.stdout.rstrip("\n")

    def commit(self, text: str) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", text)
        return self.git("rev-parse", "HEAD")

    def subjects(self, branch: str = "ralph/journey") -> list[str]:
        """Of the branch's commits, oldest first, without the first one."""
        return self.git("log", "--reverse", "--format=%s", f"main..{branch}").splitlines()

    def trailers(self, key: str, branch: str = "ralph/journey") -> list[str]:
        pattern = f"--format=%(trailers:key={key},valueonly,separator=%x2C)"
        return self.git("log", "--reverse", pattern, f"main..{branch}").splitlines()

    def refs(self, below: str) -> list[str]:
        return self.git("for-each-ref", "--format=%(refname)", below).splitlines()

    # The program

    def ralph(self, *arguments: str, env: Mapping[str, str] | None = None) -> Done:
        """A process of its own, without the time that its start takes."""
        whole = {**self.env, **(env or {})}
        if not warm().fits(whole):
            return self.installed(*arguments, env=env)
        argv = (str(RALPH), *arguments)
        return _done(warm().run(argv, cwd=self.root, env=whole, timeout=PATIENCE))

    def installed(self, *arguments: str, env: Mapping[str, str] | None = None) -> Done:
        """The same by the program that is installed."""
        return _done(
            subprocess.run(
                (str(RALPH), *arguments),
                cwd=self.root,
                check=False,
                capture_output=True,
                text=True,
                stdin=subprocess.DEVNULL,
                timeout=PATIENCE,
                env={**self.env, **(env or {})},
            )
        )

    def arguments(self, *more: str) -> list[str]:
        """`run` with this project's agent and check."""
        checks = [] if self.verify is None else ["--verify", self.verify]
        return ["run", "--agent-command", self.command, *checks, *more]

    def run(self, *more: str, env: Mapping[str, str] | None = None) -> Done:
        return self.ralph(*self.arguments(*more), env=env)

    def start(self, *more: str, **options: Any) -> subprocess.Popen[str]:
        """`ralph run` in the background, in a session of its own."""
        return subprocess.Popen(
            (str(RALPH), *self.arguments(*more)),
            cwd=self.root,
            env=self.env,
            text=True,
            start_new_session=True,
            **{
                "stdin": subprocess.DEVNULL,
                "stdout": subprocess.PIPE,
                "stderr": subprocess.PIPE,
                **options,
            },
        )

    # The ledger

    def events(self, *kinds: str) -> list[dict[str, Any]]:
        """The ledger's events as plain values with their `kind`, in order."""
        path = self.home / "ledger.db"
        if not path.exists():
            return []
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as db:
            try:
                rows = db.execute("SELECT kind, body FROM events ORDER BY seq").fetchall()
            except sqlite3.OperationalError:
                return []  # just being made
        return [
            {"kind": kind, **json.loads(body)} for kind, body in rows if kind in kinds or not kinds
        ]

    def project_id(self) -> str:
        """What the ledger calls this repository."""
        with closing(sqlite3.connect(f"file:{self.home / 'ledger.db'}?mode=ro", uri=True)) as db:
            return str(db.execute("SELECT project FROM events LIMIT 1").fetchone()[0])

    def outcomes(self) -> list[str]:
        return [event["outcome"] for event in self.events("IterationEnded")]

    def reason(self) -> str:
        """Why the last run ended."""
        return str(self.events("RunEnded")[-1]["reason"])


def _done(done: subprocess.CompletedProcess[str]) -> Done:
    assert "Traceback" not in done.stderr, done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


def wait_until(holds: Callable[[], bool], what: str = "it") -> None:
    """Look again and again until it is so; a failure names what was waited for."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.02)
