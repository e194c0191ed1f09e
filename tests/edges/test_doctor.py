"""The doctor with real git, real ledgers and stand-ins for programs."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.support import box
from tests.support.project import Project

from ralph.domain.diagnosis import Sign
from ralph.domain.event import Waited
from ralph.flows import doctor
from ralph.ledger import doctor as ledger_doctor
from ralph.ledger.sqlite import SqliteLedger
from ralph.process import sandbox
from ralph.process.fence import OLDEST, version
from ralph.repo import doctor as git_doctor

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.diagnosis import Diagnosis

DAY = 86_400.0


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with an agent that needs no login."""
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "ralph.yaml").write_text("agent: mine\nagents: {mine: {command: [cat]}}\n")
    for command in ("init -q", "add -A", "commit -qm Start"):
        subprocess.run(("git", *command.split()), cwd=folder, check=True)
    monkeypatch.setenv("RALPH_HOME", str(tmp_path / "home"))
    return folder


def examine(folder: Path) -> dict[str, Diagnosis]:
    found = asyncio.run(doctor.examine(folder, os.environ))
    return {one.subject: one for one in found}


def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **scripts: str) -> None:
    """Shell scripts that come first on PATH."""
    folder = tmp_path / "programs"
    folder.mkdir(exist_ok=True)
    for name, body in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{body}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def write_ledger(home: Path, count: int = 3, at: float = 0) -> Path:
    home.mkdir(exist_ok=True)
    path = home / "ledger.db"
    with closing(SqliteLedger(path)) as ledger:
        ledger.append("p", "r", [Waited(1, "x")] * count, at or time.time())
    return path


def test_a_repository_where_all_is_well(repo: Path) -> None:
    found = examine(repo)
    assert [one for one in found.values() if one.sign is Sign.PROBLEM] == []
    assert list(found)[:5] == ["python", "git", "identity", "repository", "settings"]
    assert found["identity"].found == "Ada Tester <ada@example.org>"
    assert found["repository"].found == f"{repo}, branch main"
    assert found["settings"].found == str(repo / "ralph.yaml")
    assert found["agent mine"].found == "cat · unknown who pays"


def test_outside_a_repository_it_says_so_and_goes_on(tmp_path: Path) -> None:
    found = examine(tmp_path)
    assert found["repository"].sign is Sign.NOTE
    assert "is not inside a git repository" in found["repository"].found
    assert {"git", "ledger", "disk", "clock", "agent claude"} <= set(found)


def test_git_does_not_know_who_commits(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    found = examine(repo)["identity"]
    assert found.sign is Sign.PROBLEM
    assert "user.email" in found.fix


def test_git_is_missing(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    found = examine(repo)
    assert found["git"].fix == "Install git 2.39 or newer."
    assert "identity" not in found  # the same trouble is told once


def test_a_git_that_does_not_answer_holds_nobody_up(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git_doctor, "SECONDS", 0.3)
    programs(tmp_path, monkeypatch, git=f"echo $$ >> {tmp_path}/started; exec sleep 60")
    begun = time.monotonic()
    found = examine(repo)
    assert time.monotonic() - begun < 10
    assert found["git"].sign is Sign.PROBLEM
    assert "within 0.3 s" in found["git"].found
    started = (tmp_path / "started").read_text().split()
    assert started
    assert not [pid for pid in started if os.path.exists(f"/proc/{pid}")]  # noqa: PTH110 - short


def test_half_a_merge_is_a_problem(repo: Path) -> None:
    (repo / ".git" / "MERGE_HEAD").write_text("x")
    found = examine(repo)["repository"]
    assert (found.sign, "git merge --abort" in found.fix) == (Sign.PROBLEM, True)


def test_settings_that_make_no_sense_are_a_problem(repo: Path) -> None:
    (repo / "ralph.yaml").write_text("agnet: mine\n")
    found = examine(repo)["settings"]
    assert found.sign is Sign.PROBLEM
    assert "ralph.yaml:1" in found.found


def test_the_ledger_is_opened_measured_and_proven(repo: Path, tmp_path: Path) -> None:
    path = write_ledger(tmp_path / "home", 3)
    found = examine(repo)["ledger"]
    assert found.sign is Sign.OK
    assert found.found.startswith(f"{path}, ")
    assert "3 events, newest 20" in found.found
    assert found.found.endswith("chain intact")


def test_a_long_chain_is_left_to_the_audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_doctor, "PROVEN_AT_ONCE", 2)
    seen = ledger_doctor.look(write_ledger(tmp_path, 3))
    assert "`ralph audit` verifies the chain" in seen.diagnosis.found


def test_a_changed_event_is_found(repo: Path, tmp_path: Path) -> None:
    path = write_ledger(tmp_path / "home")
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TRIGGER events_are_not_updated")
        db.execute("UPDATE events SET run = 'other' WHERE seq = 2")
        db.commit()
    found = examine(repo)["ledger"]
    assert found.sign is Sign.PROBLEM
    assert "broken at event 2" in found.found
    assert found.fix


def test_a_file_that_is_no_ledger_is_found(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "ledger.db").write_bytes(b"not a database" * 500)
    found = examine(repo)["ledger"]
    assert found.sign is Sign.PROBLEM
    assert "is not a Ralph ledger" in found.found


def test_looking_makes_no_ledger(repo: Path, tmp_path: Path) -> None:
    assert "none yet" in examine(repo)["ledger"].found
    assert not (tmp_path / "home").exists()


def test_a_clock_behind_the_ledger_is_a_problem(repo: Path, tmp_path: Path) -> None:
    write_ledger(tmp_path / "home", at=time.time() + DAY)
    found = examine(repo)["clock"]
    assert found.sign is Sign.PROBLEM
    assert "is before the ledger's newest event" in found.found


def test_a_clock_behind_the_last_commit_is_a_problem(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_COMMITTER_DATE", f"{int(time.time() + DAY)} +0000")
    subprocess.run(("git", "commit", "-qm", "x", "--allow-empty"), cwd=repo, check=True)
    assert "is before the last commit" in examine(repo)["clock"].found


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("exit 3", "can write outside"),
        ("echo 'bwrap: No permissions to create new namespace' >&2; exit 1", "No permissions"),
        ("exec sleep 60", "no answer within 0.5 s"),
    ],
)
def test_bubblewrap_is_tried(
    body: str, words: str, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "TRY_SECONDS", 0.5)
    monkeypatch.setattr(sandbox, "version", lambda: 0)  # no Landlock either
    programs(tmp_path, monkeypatch, bwrap=body)
    found = examine(repo)["sandbox"]
    assert found.sign is Sign.NOTE
    assert "agents and checks have your rights" in found.found
    assert words in found.found


@pytest.mark.parametrize("landlock", [True, False])
def test_a_fence_is_said_to_be_one(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, landlock: bool
) -> None:
    programs(tmp_path, monkeypatch, bwrap="exit 1")
    if not landlock:
        monkeypatch.setattr(sandbox, "version", lambda: 0)
    found = examine(repo)["sandbox"]
    fenced = landlock and version() >= OLDEST
    assert found.sign is Sign.NOTE
    assert ("are confined in part, by Landlock" in found.found) is fenced
    assert ("have your rights" in found.found) is not fenced


def test_walls_that_hold_are_said_to(repo: Path) -> None:
    found = examine(repo)["sandbox"]
    assert found.sign is Sign.OK, found.found
    assert "are confined" in found.found


def test_a_sandbox_that_was_asked_for_and_is_not_there_is_a_problem(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs(tmp_path, monkeypatch, bwrap="exit 3")
    with (repo / "ralph.yaml").open("a") as file:
        file.write("safety: {sandbox: true}\n")
    found = examine(repo)["sandbox"]
    assert found.sign is Sign.PROBLEM
    assert found.found.startswith("safety.sandbox asks for one")


def test_one_that_is_switched_off_is_mentioned(repo: Path) -> None:
    with (repo / "ralph.yaml").open("a") as file:
        file.write("safety: {sandbox: off}\n")
    assert examine(repo)["sandbox"].found.startswith("safety.sandbox is off")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path, settings={"agent": "mine", "agents": {"mine": {"command": ["cat"]}}})


def test_a_disk_that_is_nearly_full_is_a_problem(project: Project) -> None:
    with box.small_disk(project, project.home, 4096) as small:
        done = small.ralph("doctor")
    assert done.code == 1, done.out + done.err
    assert "✗ disk" in done.out
    assert "MB free for RALPH_HOME" in done.out
    assert "Free some space" in done.out


def test_a_disk_that_is_full_is_a_problem(project: Project) -> None:
    with box.small_disk(project, project.home, 64) as small:
        small.do("sh", "-c", f"cat /dev/zero > {project.home}/filler")
        done = small.ralph("doctor")
    assert done.code == 1, done.out + done.err
    assert "✗ home" in done.out
    assert "the disk is full" in done.out


def test_a_home_that_cannot_be_written_is_a_problem(project: Project) -> None:
    write_ledger(project.home)
    with box.read_only(project, project.home) as fixed:
        done = fixed.ralph("doctor")
    assert done.code == 1, done.out + done.err
    assert "✗ home" in done.out
    assert "✗ ledger" in done.out
    assert "the file system is read-only" in done.out
