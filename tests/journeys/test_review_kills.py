"""A review that is killed goes on where it was, and loses nothing."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from tests.support.project import wait_until
from tests.support.reviewers import KEEP, Court, finding, says

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

TEXT = "one\ntwo\nthree\n"
TURNS = {
    "correctness-reviewer@1": says(finding("The second word is wrong", "list.cfg", 2)),
    "refuter": KEEP,
    "fixer": {"write": {"list.cfg": TEXT.replace("two", "2")}},
}


def kill(started: subprocess.Popen[str]) -> None:
    os.kill(started.pid, signal.SIGKILL)
    started.communicate()


def test_killed_in_round_two_no_reviewer_is_asked_again(tmp_path: Path) -> None:
    slow = {"wait": 60, "say": "too late"}
    court = Court(tmp_path, {"list.cfg": TEXT}, {**TURNS, "test-reviewer@2": slow})
    started = court.start("list.cfg")
    wait_until(
        lambda: (court.state / "waiting").exists() and len(court.kept()["answers"]) == 2,
        "two answers of round two",
    )
    kill(started)
    again = says(still_open=[{"id": "F1", "why": "It must be in words."}])
    right = {"write": {"list.cfg": TEXT.replace("two", "second")}}
    court.turns({**TURNS, "test-reviewer@2": again, "fixer@2": right})
    other = court.run("README.md")
    assert (other.code, "Another review is unfinished" in other.err) == (2, True)
    done = court.run("list.cfg")

    assert done.code == 0, done.out + done.err
    assert "Continuing review" in done.out
    round_two = sorted(line for line in court.asked() if line.split()[1] == "2")
    assert round_two == [
        "correctness-reviewer 2 1",
        "fixer 2 1",
        "security-reviewer 2 1",
        "test-reviewer 2 1",
        "test-reviewer 2 1",
    ]
    assert "It must be in words." in court.told("fixer", 2)
    report = court.report()
    assert (report["rounds"], len(report["commits"])) == (3, 2)
    assert court.standings() == {"F1": "fixed"}
    assert court.read("list.cfg") == TEXT.replace("two", "second")


def test_killed_in_a_fix_the_half_of_it_is_salvaged(tmp_path: Path) -> None:
    half = {"write": {"list.cfg": "half", "more.cfg": "half"}, "wait": 60}
    court = Court(tmp_path, {"list.cfg": TEXT}, {**TURNS, "fixer": half})
    started = court.start("list.cfg")
    wait_until((court.state / "waiting").exists, "the agent that fixes")
    kill(started)
    assert court.read("list.cfg") == "half"
    court.turns(TURNS)
    done = court.run("--resume")

    assert done.code == 0, done.out + done.err
    [kept] = court.refs("refs/ralph/salvage/")
    assert court.git("show", f"{kept}:more.cfg") == "half"
    assert not (court.root / "more.cfg").exists()
    assert court.read("list.cfg") == TEXT.replace("two", "2")
    assert court.asked().count("correctness-reviewer 1 1") == 1
    assert court.report()["metrics"]["fix_iterations"] == 2


def test_an_interrupt_leaves_no_half_a_fix_behind(tmp_path: Path) -> None:
    half = {"write": {"list.cfg": "half"}, "wait": 60}
    court = Court(tmp_path, {"list.cfg": TEXT}, {**TURNS, "fixer": half})
    started = court.start("list.cfg")
    wait_until((court.state / "waiting").exists, "the agent that fixes")
    os.kill(started.pid, signal.SIGTERM)
    _, err = started.communicate(timeout=30)
    assert started.returncode == 130
    assert "Continue with `ralph review --resume`" in err
    assert (court.read("list.cfg"), court.git("status", "--porcelain")) == (TEXT, "")
    [kept] = court.refs("refs/ralph/salvage/")
    assert court.git("show", f"{kept}:list.cfg") == "half"
    court.turns({})
    done = court.run("README.md", "--fresh")
    assert done.code == 0, done.out + done.err
    assert court.kept()["scope"]["paths"] == ["README.md"]
