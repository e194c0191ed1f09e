"""A project whose `ralph` is killed again and again, and what must hold all the same."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.project import PATIENCE, Done, Project

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TAG = "LC_RALPH_TORTURE"
"""Every descendant can be told by it: names that begin with LC_ are passed on to agents."""

BRANCH = "ralph/journey"
FAILPOINT = Path(__file__).with_name("failpoint.py")

AGENT = """\
mkdir -p out notes
printf 'half' > "out/$RALPH_TASK_ID.txt"
sleep 0.02
printf 'whole\\n' > "out/$RALPH_TASK_ID.txt"
sleep 0.01
echo "seen by $RALPH_TASK_ID" > notes/last.txt
echo "Task $RALPH_TASK_ID complete"
"""
"""Takes its time, so that it can be caught with half of its work done."""

CHECK = """\
sleep 0.02
for file in out/*.txt; do
  test -e "$file" || exit 0
  test "$(cat "$file")" = whole || { echo "$file is not whole"; exit 1; }
done
"""


class Victim(Project):
    """A project with a plan of many stories, a user's own unfinished work, and tagged processes."""

    def __init__(
        self, folder: Path, stories: int, *, worktree: bool = False, private_plan: bool = False
    ) -> None:
        self.token = secrets.token_hex(8)
        super().__init__(folder, stories, agent=AGENT, verify="sh check.sh")
        self.worktree = worktree
        self.said = folder / "said.txt"
        self._counter = folder / "steps"
        self.write("check.sh", CHECK)
        self.write("mine/edited.txt", "committed\n")
        self.private_plan = private_plan
        if private_plan:
            self.write(".gitignore", f"{self.read('.gitignore')}PRD.json\n")
            self.git("rm", "-q", "--cached", "PRD.json")
        self.plan = self.read("PRD.json")
        self.commit("checks")
        self.write("mine/untracked.txt", "my own draft\n")
        self.write("mine/odd name\té.txt", "also mine\n")
        if worktree:
            self.write("mine/edited.txt", "changed but not committed\n")
            self.write("mine/staged.txt", "only staged\n")
            self.git("add", "mine/staged.txt")
        self.before = self.checkout()

    @property
    def env(self) -> dict[str, str]:
        return {**super().env, TAG: self.token, "GIT_OPTIONAL_LOCKS": "0"}

    def arguments(self, *more: str) -> list[str]:
        return super().arguments(*(["--worktree"] if self.worktree else []), *more)

    def go(self) -> subprocess.Popen[str]:
        with self.said.open("a") as said:
            return self.start(stdout=said, stderr=said)

    def harmed(self, harm: str, point: int) -> Done:
        """`ralph run` that comes to grief right before this step; see failpoint.py."""
        done = subprocess.run(
            (sys.executable, FAILPOINT, self._counter, harm, str(point), *self.arguments()),
            cwd=self.root,
            env=self.env,
            check=False,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def steps(self) -> int:
        """How many steps the last harmed run took that came to its end."""
        return int(self._counter.read_text())

    def tree(self) -> set[int]:
        """Every living process that descends from a `ralph` of this project."""
        needle = f"{TAG}={self.token}".encode()
        return {pid for pid in _pids() if needle in _environ(pid)}

    def halt(self) -> set[int]:
        """Stop all of them; they can be gone on with, or killed."""
        found: set[int] = set()
        while more := self.tree() - found:
            for pid in more:
                _send(pid, signal.SIGSTOP)
            found |= more
        return found

    def kill(self, process: subprocess.Popen[str] | None = None) -> None:
        """SIGKILL for all of them at once: none lives on to see the others die."""
        for pid in self.halt():
            _send(pid, signal.SIGKILL)
        if process is not None:
            process.wait(PATIENCE)
        deadline = time.monotonic() + PATIENCE
        while self.tree():
            assert time.monotonic() < deadline, "a killed process does not go"
            time.sleep(0.001)

    def checkout(self) -> dict[str, str]:
        """Everything of the user's: files by hash, status, index and HEAD."""
        files = {
            path.relative_to(self.root).as_posix(): _hash(path)
            for path in sorted(self.root.rglob("*"))
            if path.is_file() and path.relative_to(self.root).parts[0] not in {".git", ".ralph"}
        }
        own = {name: digest for name, digest in files.items() if name.startswith("mine/")}
        if not self.worktree:
            return own
        return {
            **files,
            "git status": self.git("status", "--porcelain", "-z"),
            "git index": _hash(self.root / ".git/index"),
            "HEAD": self.git("rev-parse", "--symbolic-full-name", "HEAD"),
        }

    def rows(self) -> list[tuple[str, str]]:
        """Kind and hash of every event that is in the ledger for good."""
        path = self.home / "ledger.db"
        with contextlib.suppress(sqlite3.OperationalError), closing(_read_only(path)) as db:
            return list(db.execute("SELECT kind, hash FROM events ORDER BY seq"))
        return []


class Watch:
    """Looks into the ledger from outside, as often as it can."""

    def __init__(self, victim: Victim) -> None:
        self.path = victim.home / "ledger.db"
        self.db: sqlite3.Connection | None = None

    def count(self, kind: str) -> int:
        return int(self._ask("SELECT count(*) FROM events WHERE kind = ?", kind) or 0)

    def when(self, kind: str) -> float:
        """The first one's time by the wall clock; 0 if there is none."""
        return float(self._ask("SELECT min(at) FROM events WHERE kind = ?", kind) or 0)

    def wait(
        self, process: subprocess.Popen[str], kind: str, more: int, seconds: float = PATIENCE
    ) -> None:
        """Until so many more events of this kind are in the ledger, or the process has ended."""
        goal, deadline = self.count(kind) + more, time.monotonic() + seconds
        while self.count(kind) < goal and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.0005)

    def close(self) -> None:
        if self.db is not None:
            self.db.close()

    def _ask(self, sql: str, kind: str) -> float | None:
        try:
            self.db = self.db or _read_only(self.path)
            (value,) = self.db.execute(sql, (kind,)).fetchone()
        except sqlite3.OperationalError:
            return None  # not made yet
        return value  # type: ignore[no-any-return]  # a number or nothing


def no_harm(victim: Victim, seen: Sequence[tuple[str, str]]) -> None:
    """What must hold at every moment, also right after a kill."""
    assert victim.checkout() == victim.before
    rows = victim.rows()
    assert rows[: len(seen)] == list(seen), "an event was lost or changed"
    if not victim.refs(f"refs/heads/{BRANCH}"):
        return
    for story, count in Counter(victim.trailers("Ralph-Task")).items():
        assert count == 1, f"{story} has {count} commits"


def all_proven(victim: Victim, stories: int) -> None:
    """What must hold when the plan is done."""
    wanted = [f"US-{n:03d}" for n in range(1, stories + 1)]
    no_harm(victim, ())
    assert sorted(victim.trailers("Ralph-Task")) == wanted
    _trailers_name_the_ledger(victim)
    _events_add_up(victim, wanted)
    audit = victim.ralph("audit")
    assert audit.code == 0, audit.err
    assert not victim.git("fsck", "--full", "--strict", "--no-dangling")
    _plan_is_done(victim)
    _no_rubbish(victim)
    assert not victim.tree()


def _trailers_name_the_ledger(victim: Victim) -> None:
    hashes = {digest for _, digest in victim.rows()}
    heads = victim.trailers("Ralph-Ledger")
    assert set(heads) <= hashes
    assert all(victim.trailers("Ralph-Run"))
    settled = {(str(e["iteration"]), e["task"]) for e in victim.events("Settled")}
    pairs = zip(victim.trailers("Ralph-Iteration"), victim.trailers("Ralph-Task"), strict=True)
    assert set(pairs) == settled


def _events_add_up(victim: Victim, wanted: list[str]) -> None:
    assert sorted(event["task"] for event in victim.events("Settled")) == wanted
    commits = victim.git("log", "--format=%H", f"main..{BRANCH}").splitlines()
    assert sorted(event["commit"] for event in victim.events("Settled")) == sorted(commits)
    started = [event["iteration"] for event in victim.events("IterationStarted")]
    ended = [event["iteration"] for event in victim.events("IterationEnded")]
    assert started == list(range(1, len(started) + 1))
    assert ended == started
    outcomes = Counter(event["outcome"] for event in victim.events("IterationEnded"))
    assert outcomes["success"] == len(wanted)
    assert set(outcomes) <= {"success", "interrupted"}, "being killed counts as no failure"


def _plan_is_done(victim: Victim) -> None:
    done = victim.plan.replace('"passes": false', '"passes": true')
    if not victim.private_plan:
        assert victim.git("show", f"{BRANCH}:PRD.json") + "\n" == done
    if not victim.worktree:
        assert victim.read("PRD.json") == done
        assert not _untracked(victim)


def _untracked(victim: Victim) -> list[str]:
    shown = victim.git("status", "--porcelain", "-z", "--untracked-files=all").split("\0")
    return [line for line in shown if line and not re.match(r"\?\? mine/", line)]


def _no_rubbish(victim: Victim) -> None:
    """No half file anywhere: not in a checkout, not in a commit, not beside the ledger."""
    left = [p for p in victim.folder.rglob("*tmp") if "objects" not in p.parts and p.is_file()]
    assert not left, left
    names = victim.git("log", "--format=", "--name-only", f"main..{BRANCH}").splitlines()
    assert {Path(name).parts[0] for name in names} - {"PRD.json"} == {"out", "notes"}
    locks = [p for p in victim.folder.rglob("*.lock") if p.name != "lock"]
    assert not locks, locks


def _read_only(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _pids() -> Iterator[int]:
    return (int(p.name) for p in Path("/proc").iterdir() if p.name.isdecimal())


def _environ(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def _send(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
