"""Repositories to measure in, of any size, and the programs that work in them."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RALPH = (str(Path(sys.executable).with_name("ralph")),)
"""The program as the user starts it."""
AGENT = """\
echo "$RALPH_TASK_ID" > "work-$RALPH_TASK_ID.txt"
echo "Task $RALPH_TASK_ID complete"
"""
CHECK = "true"
LIMIT_REACHED = 4


@dataclass(frozen=True, slots=True)
class Ground:
    """A repository with a plan, and a home of Ralph's own beside it."""

    folder: Path
    agent: str = AGENT

    @property
    def root(self) -> Path:
        return self.folder / "repository"

    @property
    def agent_file(self) -> Path:
        return self.folder / "agent.sh"

    @property
    def environment(self) -> dict[str, str]:
        # an installed program has its bytecode, whatever this machine says about writing it
        mine = ("RALPH_", "GIT_", "PYTHON")
        kept = {k: v for k, v in os.environ.items() if not k.startswith(mine)}
        return kept | {
            "HOME": str(self.folder),
            "RALPH_HOME": str(self.folder / "home"),
            "GIT_CONFIG_NOSYSTEM": "1",
        }

    def git(self, *args: str, stdin: bytes = b"") -> None:
        subprocess.run(
            ("git", "-C", str(self.root), *args),
            input=stdin,
            env=self.environment,
            check=True,
            capture_output=True,
        )

    def ralph(self, *args: str, codes: tuple[int, ...] = (0,)) -> bytes:
        done = subprocess.run(
            (*RALPH, *args), cwd=self.root, env=self.environment, capture_output=True, check=False
        )
        if done.returncode not in codes:
            raise SystemExit(f"ralph {args[0]} exited {done.returncode}: {done.stderr.decode()}")
        return done.stdout

    def run(self, *args: str) -> list[dict[str, Any]]:
        """Work on the plan, to its end or to the limit; the events."""
        agent = ("--agent-command", f"sh {self.agent_file}")
        flags = ("--verify", CHECK, "--json", *args)
        out = self.ralph("run", "PRD.json", *agent, *flags, codes=(0, LIMIT_REACHED))
        events = [json.loads(line) for line in out.splitlines()]
        assert all(e.get("outcome", "success") == "success" for e in events), "work was refused"
        return events


def ground(folder: Path, *, files: int = 100, tasks: int = 10, agent: str = AGENT) -> Ground:
    made = Ground(folder, agent)
    made.root.mkdir(parents=True)
    made.agent_file.write_text(agent, encoding="utf-8")
    made.git("init", "-q", "-b", "main")
    made.git("config", "user.name", "Bench")
    made.git("config", "user.email", "bench@example.org")
    made.git("fast-import", "--quiet", "--done", stdin=_history(files, plan(tasks)))
    made.git("reset", "-q", "--hard")
    return made


def plan(tasks: int, edges: int = 0) -> bytes:
    """A PRD.json; each task depends on `edges` of those before it."""
    stories = [
        {
            "id": name(number),
            "title": f"Write file {number}",
            "acceptance_criteria": ["The file is there", "It holds the task's id"],
            "passes": False,
            "depends_on": [name(max(1, number - 1 - 7 * k)) for k in range(edges) if number > 1],
        }
        for number in range(1, tasks + 1)
    ]
    document = {"project": "Bench", "userStories": stories}
    return json.dumps(document, indent=2).encode() + b"\n"


def name(number: int) -> str:
    return f"US-{number:05}"


def durable_database(path: Path) -> sqlite3.Connection:
    """As the ledger has it: nothing is reported as written before it is on the disk."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("CREATE TABLE events (seq INTEGER PRIMARY KEY, body TEXT NOT NULL)")
    return db


def _history(files: int, plan_file: bytes) -> bytes:
    """One commit for `git fast-import`, which makes a large tree in seconds."""
    parts = [
        b"commit refs/heads/main\ncommitter Bench <bench@example.org> 1700000000 +0000\n",
        _data(b"Start\n"),
        b"M 100644 inline PRD.json\n" + _data(plan_file),
    ]
    for number in range(files):
        path = f"src/part{number // 1000}/section{number // 50 % 20}/file{number}.py"
        parts.append(f"M 100644 inline {path}\n".encode() + _data(f"VALUE = {number}\n".encode()))
    return b"".join((*parts, b"done\n"))


def _data(raw: bytes) -> bytes:
    return f"data {len(raw)}\n".encode() + raw + b"\n"
