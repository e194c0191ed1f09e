"""Before the first run: is everything there? And the demo with the real Claude Code."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

from tests.support.project import PATIENCE, RALPH, Project

from ralph.agents import claude_find
from ralph.ui.cli.main import enter

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

OWN = {
    "agent": "mine",
    "agents": {"mine": {"command": ["cat"]}},
    "verification": {"commands": ["python3 -c ''"]},
}


def test_a_repository_that_is_ready(tmp_path: Path) -> None:
    project = Project(tmp_path, settings=OWN)
    assert project.run().code == 0
    done = project.ralph("doctor")
    assert done.code == 0, done.out + done.err
    assert "chain intact" in done.out
    assert done.out.endswith("0 problems, 0 notes.\n")
    assert project.git("status", "--porcelain") == ""


def test_each_problem_says_what_to_do_and_the_exit_code_is_1(tmp_path: Path) -> None:
    project = Project(tmp_path, settings={"agent": "nobody"})
    done = project.ralph("doctor")
    assert done.code == 1
    lines = done.out.splitlines()
    [at] = [number for number, line in enumerate(lines) if line.startswith("✗")]
    assert "There is no agent `nobody`" in lines[at]
    assert lines[at + 1].strip().startswith("→ Use one of these")


def test_the_programs_that_it_advises_are_on_this_machine(tmp_path: Path) -> None:
    """Also the one to log in with, where Claude Code is only there as a Python package."""
    own = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
    done = Project(tmp_path / "p", settings={}).ralph("doctor", env=own)
    advice = [line for line in done.out.splitlines() if line.strip().startswith("→ Run ")]
    programs = {one.split()[0] for line in advice for one in re.findall(r"`([^`]+)`", line)}
    assert any("log in" in line for line in advice), done.out
    for name in programs:
        assert name == "ralph" or shutil.which(name), done.out


def test_plan_and_checks_are_looked_at(tmp_path: Path) -> None:
    project = Project(tmp_path, 2, settings=OWN)
    told = project.ralph("doctor").out
    assert "PRD.json: 2 of 2 tasks are open" in told
    assert "`python3 -c ''`" in told

    project.configure({**OWN, "verification": {"commands": ["./bin/no-such-program --all"]}})
    project.write("PRD.json", '{"project": "P", "userStories": [{"id": "A", "title": "A"}]}')
    wrong = project.ralph("doctor")
    assert wrong.code == 1
    assert "the program `./bin/no-such-program` is not there" in wrong.out
    assert "PRD.json: 1 of 1 tasks are open, with 1 error" in wrong.out
    assert "→ See `ralph lint`." in wrong.out


def test_as_json(tmp_path: Path) -> None:
    done = Project(tmp_path, settings=OWN).ralph("doctor", "--json")
    assert done.code == 0, done.out + done.err
    told = done.json()
    assert told["problems"] == 0
    subjects = [one["subject"] for one in told["diagnoses"]]
    assert subjects[:6] == ["python", "git", "identity", "repository", "settings", "agent mine"]
    assert {"sandbox", "home", "ledger", "disk", "clock"} <= set(subjects)


def test_outside_a_repository_it_works_too(tmp_path: Path) -> None:
    project = Project(tmp_path / "p")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "ralph.yaml").write_text(json.dumps(OWN))
    done = project.ralph("-C", str(outside), "doctor")
    assert done.code == 0, done.out + done.err
    [line] = [line for line in done.out.splitlines() if line.startswith("! repository ")]
    assert f"{outside} is not inside a git repository." in line
    assert "agent mine" in done.out


def test_the_demo_with_the_real_claude_code_and_a_scripted_model(tmp_path: Path) -> None:
    project = Project(tmp_path)
    # a login, a key and another agent of the user's must not be used
    env = {"ANTHROPIC_API_KEY": "the-user-s-own", "RALPH_AGENT": "codex"}
    done = project.ralph(
        "demo", "--agent", "claude", "--scripted", "--dir", str(tmp_path / "demo"), env=env
    )
    assert done.code == 0, done.out + done.err
    assert "Claude Code is real, a script plays its model" in done.out
    assert "claude · API key (ANTHROPIC_API_KEY), used at 127.0.0.1" in done.out
    assert "US-002 stays open" in done.out
    assert "ESCALATION (deviation) US-003" in done.out
    assert "Iteration 5: US-003 (with guidance)" in done.out
    assert "Done: 3/3" in done.out
    assert "cost: $0.00" in done.out
    repo = tmp_path / "demo" / "temperatures"
    code = (repo / "temperature.py").read_text(encoding="utf-8")
    assert [name in code for name in ("to_fahrenheit", "to_celsius", "to_kelvin")] == [True] * 3
    log = subprocess.run(
        ("git", "log", "--format=%(trailers:key=Ralph-Task,valueonly)", "main..HEAD"),
        cwd=repo,
        capture_output=True,
        text=True,
        check=True,
    )
    assert log.stdout.split() == ["US-003", "US-002", "US-001"]
    sessions = list((tmp_path / "demo" / "claude" / "projects").rglob("*.jsonl"))
    assert len(sessions) == 5  # the program itself kept a session per iteration, in a folder below


def test_the_demo_without_the_program_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(claude_find, "WHEEL", "no_such_wheel")
    monkeypatch.setenv("PATH", str(tmp_path))
    place = tmp_path / "demo"
    for more in ((), ("--scripted",)):
        assert enter(["demo", "--agent", "claude", "--dir", str(place), *more]) == 1
        assert 'pip install ".[claude]"' in capsys.readouterr().err
    assert not place.exists()


def test_a_demo_that_makes_no_sense_exits_2(tmp_path: Path) -> None:
    done = subprocess.run(
        (RALPH, "demo", "--scripted", "--dir", tmp_path / "demo"),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 2
    assert "Add --agent claude." in done.stderr
    assert not (tmp_path / "demo").exists()


def test_a_cost_limit_that_may_not_hold_is_said_at_the_start(tmp_path: Path) -> None:
    project = Project(tmp_path)
    words = "the cost limit of $5 may not hold: command may not report its cost"
    assert words in project.run("--max-cost", "5", "--once").out
    assert "cost limit" not in project.run("--once").out


def test_an_agent_that_nobody_defined_is_told_although_nothing_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RALPH_TRUST")
    told = Project(tmp_path, settings={"agent": "mine"}).ralph("doctor").out
    assert "There is no agent `mine`." in told
    assert "Not accepted here yet" in told
