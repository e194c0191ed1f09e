from __future__ import annotations

import asyncio
import hashlib
import os
from typing import TYPE_CHECKING

import pytest

from ralph.checks.commands import Checker
from ralph.domain.settings import VerificationSettings
from ralph.domain.task import shell

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.task import Command
    from ralph.domain.verdict import CheckResult

BASE = {"PATH": os.environ["PATH"], "API_KEY": "secret", "COLOUR": "blue"}


class Place:
    """A source and a checkout beside each other."""

    def __init__(self, tmp_path: Path, settings: VerificationSettings | None = None) -> None:
        self.source = tmp_path / "user"
        self.root = tmp_path / "checkout"
        self.logs = tmp_path / "logs"
        self.source.mkdir()
        self.root.mkdir()
        self.checker = Checker(
            settings or VerificationSettings(), self.source, base=BASE, log_cap=1000
        )

    def run(self, *commands: Command) -> tuple[CheckResult, ...]:
        return asyncio.run(self.checker.run(commands, self.root, self.logs, "iteration-1"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_command_that_succeeds_passes(place: Place) -> None:
    (result,) = place.run(shell("echo fine"))
    assert result.passed
    assert (result.exit_code, result.tail, result.why, result.signature) == (0, "fine", "", "")
    assert result.output_sha256 == hashlib.sha256(b"fine\n").hexdigest()
    assert result.log == str(place.logs / "iteration-1-check-1.log")
    assert (place.logs / "iteration-1-check-1.log").read_text() == "fine\n"


def test_nothing_runs_after_the_first_failure(place: Place) -> None:
    results = place.run(shell("true"), shell("echo 'Error: bent'; exit 3"), shell("touch ran"))
    assert [r.passed for r in results] == [True, False]
    assert results[1].exit_code == 3
    assert results[1].why == ""
    assert results[1].signature == "Error: bent"
    assert not (place.root / "ran").exists()


def test_commands_run_in_the_checkout(place: Place) -> None:
    (result,) = place.run(("pwd",))
    assert result.tail == str(place.root)


def test_the_same_failure_has_the_same_signature(place: Place) -> None:
    (one,) = place.run(shell("echo Error: pid $$ at $(date +%s%N); exit 1"))
    (two,) = place.run(shell("echo Error: pid $$ at $(date +%s%N); exit 1"))
    assert one.signature == two.signature
    assert one.output_sha256 != two.output_sha256


def test_a_silent_failure_has_a_signature(place: Place) -> None:
    (result,) = place.run(("false",))
    assert result.signature == "false exited 1 without any output"


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (("no-such-program", "-q"), "could not start: `no-such-program` was not found"),
        (shell("no-such-program -q"), "could not start: `no-such-program` was not found"),
        (
            ("python3", "-m", "no_such_module"),
            "could not start: the Python module `no_such_module` was not found",
        ),
        (
            shell("echo 'npm error Missing script: \"lnit\"'; exit 1"),
            "could not start: package.json has no script `lnit`",
        ),
        (
            shell("echo 'error Command \"lnit\" not found.'; exit 1"),
            "could not start: package.json has no script `lnit`",
        ),
        (shell("echo 'expected: Command \"x\" not found'; echo 'Missing script: x'; exit 1"), ""),
        (("./plain",), "could not start: `./plain` is not executable"),
        (shell("kill -9 $$"), "was killed by SIGKILL"),
        (shell("sh -c 'kill -9 $$'; exit $?"), "was killed by SIGKILL"),
        (shell("exit 127"), ""),
    ],
)
def test_why_it_failed(place: Place, command: Command, why: str) -> None:
    (place.root / "plain").write_text("text")
    (result,) = place.run(command)
    assert not result.passed
    assert result.why == why
    assert result.signature


def test_a_command_that_takes_too_long(tmp_path: Path) -> None:
    place = Place(tmp_path, VerificationSettings(timeout_minutes=0.005))
    (result,) = place.run(shell("echo started; sleep 60"))
    assert not result.passed
    assert result.why == "timed out after 0.3 s"
    assert "started" in result.tail


def test_the_log_is_bounded_and_the_tail_is_the_end(place: Place) -> None:
    (result,) = place.run(shell("seq 100000; echo 'FAILED at last'; exit 1"))
    assert (place.logs / "iteration-1-check-1.log").stat().st_size <= 1000
    assert result.tail.endswith("FAILED at last")
    assert result.signature == "FAILED at last"


def test_secrets_stay_out_and_named_variables_come_in(tmp_path: Path) -> None:
    place = Place(tmp_path, VerificationSettings(env=("COLOUR",)))
    (result,) = place.run(("env",))
    assert "COLOUR=blue" in result.tail
    assert "secret" not in result.tail
