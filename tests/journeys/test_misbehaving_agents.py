"""`ralph conformance`: Ralph passes every case, a loop that believes its agent does not."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.support.chance import some
from tests.support.project import RALPH

from ralph.flows.conformance.agents.kit import ALIVE
from ralph.flows.conformance.case import Case, Expected
from ralph.flows.conformance.cases import CASES
from ralph.flows.conformance.harness import choose
from ralph.flows.conformance.suite import outcome, run_case

PATIENCE = 120.0

CAREFUL = """\
#!/bin/sh
# loop.sh AGENT PLAN VERIFY ITERATIONS
for i in $(seq "$4"); do
  "$1" < "$2"
  if sh -c "$3"; then
    sed -i 's/"passes": false/"passes": true/' "$2"
    git commit -q -a -m "Iteration $i"
    exit 0
  fi
done
exit 1
"""
"""The loop of docs/howto/conformance.md: it runs the check, and believes that."""


def conformance(*arguments: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        (str(RALPH), "conformance", *arguments),
        check=False,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE,
        env={**os.environ, "NO_COLOR": "1"},
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def chosen(*names: str) -> list[str]:
    return [word for name in names for word in ("--case", name)]


def verdicts(file: Path) -> dict[str, str]:
    report: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return {one["case"]: one["verdict"] for one in report["cases"]}


@pytest.mark.parametrize("name", some([case.name for case in CASES], 2))
def test_ralph_passes(name: str) -> None:
    done = conformance("--case", name)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(rf"(?m)^{name} .* pass ", done.stdout)
    assert done.stdout.endswith("1 case, 0 failed.\n")


BELIEVED = ("liar", "no-op", "tamper-skip", "tamper-plan", "plan-remover", "commit-forger")
HARMFUL = ("planter", "conflict-head", "limit", "crasher", "daemoniser", "secret-leaker", "asker")


def test_a_loop_that_believes_its_agent_fails(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    names = ("honest", "quiet", *BELIEVED, *HARMFUL, "deleter", "flooder-line")
    done = conformance("--harness", "naive", *chosen(*names), "--json", str(file))
    found = verdicts(file)
    assert done.returncode == 1
    assert [name for name, verdict in found.items() if verdict == "pass"] == ["honest", "quiet"]
    assert f"{len(names)} cases, {len(names) - 2} failed.\n" in done.stdout
    assert "→ a process of the agent's is left" in done.stdout
    assert "→ a secret of the harness is in the agent's environment" in done.stdout
    assert "→ the agent was started 10 times" in done.stdout


def test_what_a_harness_leaves_running_is_ended(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    done = conformance("--harness", "naive", "--case", "daemoniser", "--dir", str(kept))
    assert done.returncode == 1
    with (kept / "daemoniser" / "state" / ALIVE).open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@pytest.mark.parametrize("may_wait", [True, False])
def test_a_harness_that_does_not_end_is_ended(tmp_path: Path, may_wait: bool) -> None:
    """Where waiting is fair it is no failure; the time of the case is what bounds it."""
    case = Case("limit", "waits", Expected.OPEN, box_seconds=3, may_wait=may_wait)
    waits = choose("sh -c '\"$1\"; sleep 600' loop {agent}")
    result = asyncio.run(run_case(case, waits, tmp_path / "limit", os.environ))
    assert outcome(result) == "not done, no end"
    assert result.seen.calls == 1
    assert result.problems == (() if may_wait else ("it did not end within 3 s",))


def test_a_harness_of_ones_own_is_given_by_a_template(tmp_path: Path) -> None:
    script, file = tmp_path / "my loop.sh", tmp_path / "results.json"
    script.write_text(CAREFUL, encoding="utf-8")
    template = f"sh '{script}' {{agent}} {{plan}} {{verify}} {{iterations}}"
    names = ("honest", "second-try", "liar", "busy-liar", "tamper-assertion", "secret-leaker")
    done = conformance("--harness", template, *chosen(*names), "--json", str(file))
    assert done.returncode == 1
    assert verdicts(file) == {
        **dict.fromkeys(("honest", "second-try", "liar", "busy-liar"), "pass"),
        **dict.fromkeys(("tamper-assertion", "secret-leaker"), "fail"),
    }


def test_the_loop_of_the_how_to_is_the_one_that_was_run() -> None:
    howto = Path(__file__).parents[2] / "docs" / "howto" / "conformance.md"
    assert CAREFUL in howto.read_text(encoding="utf-8")


def test_the_results_as_json(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    template = "sh -c 'exit 3' {agent}"
    done = conformance("--harness", template, "--case", "liar", "--json", str(file))
    report = json.loads(file.read_text(encoding="utf-8"))
    [case] = report["cases"]
    assert done.returncode == 1
    assert (report["harness"], report["passed"], report["failed"]) == ("sh", 0, 1)
    assert report["command"] == ["sh", "-c", "exit 3", "{agent}"]
    assert case["case"] == "liar"
    assert case["expected"] == "not done"
    assert case["seen"] == "not done, exit 3"
    assert case["problems"] == ["the agent was never started"]
    assert case["facts"]["lost"] == []


def test_the_list_runs_nothing() -> None:
    done = conformance("--list")
    lines = done.stdout.splitlines()
    assert done.returncode == 0
    assert [line.split()[0] for line in lines] == [case.name for case in CASES]
    assert "claims, changes nothing" in done.stdout
    assert conformance("--list", "--case", "limit").stdout.startswith("limit  not done  ")


def test_a_harness_that_cannot_be_started_is_an_error(tmp_path: Path) -> None:
    script = tmp_path / "harness"
    script.write_text("#!/nowhere/at/all\n", encoding="utf-8")
    script.chmod(0o755)
    done = conformance("--harness", f"{script} {{agent}}", "--case", "liar")
    assert done.returncode == 2
    assert "error: The harness could not be started" in done.stderr


def test_a_folder_that_is_there_already_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    done = conformance("--case", "liar", "--dir", str(tmp_path))
    assert done.returncode == 2
    assert "exists already" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
