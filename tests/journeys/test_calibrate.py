"""`ralph calibrate`: what Ralph would have said about commits that are there already."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.project import Project

if TYPE_CHECKING:
    from pathlib import Path

QUICK = "PYTEST_DISABLE_PLUGIN_AUTOLOAD"
CHECK = f"{sys.executable} -B -m pytest -q -p no:cacheprovider"
ADD = "from _version import version\n\n\ndef add(a, b):\n    return a + b\n"
TEST = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Four commits: a start, a feature with its test, a changed behaviour, words alone."""
    made = Project(tmp_path, 1)
    made.write("ralph.yaml", f'verification:\n  commands: ["{CHECK}"]\n  env: [{QUICK}]\n')
    made.write(".gitignore", ".ralph/*\n.agent/\n_version.py\n")
    made.write("_version.py", "version = '1.0'\n")
    made.write("calc.py", "from _version import version\n")
    made.write("test_calc.py", "import calc\n\n\ndef test_version():\n    assert calc.version\n")
    made.commit("Say which version it is")
    made.write("calc.py", ADD)
    made.write("test_add.py", TEST)
    made.commit("Add numbers")
    made.write("calc.py", ADD.replace("a + b", "str(a + b)"))
    made.write("test_add.py", TEST.replace("== 3", "== '3'"))
    made.commit("Add numbers as text")
    made.write("README.md", "# More words\n")
    made.commit("Explain it")
    return made


def seen(project: Project) -> tuple[str, ...]:
    """All that could have changed in the repository and its folder."""
    files = sorted(str(path) for path in project.root.rglob("*") if ".git/" not in str(path))
    state = (project.git("status", "--porcelain", "--ignored"), project.git("for-each-ref"))
    objects = project.git("count-objects", "-v")
    return (*state, objects, project.git("worktree", "list"), *files)


def calibrated(project: Project, *words: str, commits: int = 2) -> Any:
    return project.ralph("calibrate", "--commits", str(commits), *words, env={QUICK: "1"})


def test_what_ralph_would_have_said(project: Project) -> None:
    before = seen(project)
    done = calibrated(project)
    assert done.code == 0, done.out + done.err
    assert seen(project) == before, "nothing changes"
    for expected in (
        r"One run of the checks takes [\d.]+ s\. Looking at 2 commits\.",
        r"✓ [0-9a-f]{10} +[\d.]+ s  settled, proven: Add numbers\n",
        r"\? [0-9a-f]{10} +[\d.]+ s  asked: Add numbers as text\n +These tests pass only because",
        r"1 settled, 1 asked\n  of those settled: 1 proven\n  overlay_red: 1\n",
        r"a verdict takes as long as [\d.]+ runs of the checks \([\d.]+ with the base\)",
        r"Needed by the checks, but ignored by git: _version.py",
        r"\+  carry: \[node_modules, .*_version.py\]",
        r"Write this with `ralph calibrate --apply`\.",
        r"\nToo little to conclude from: 1 of 2 commits .*\n$",
    ):
        assert re.search(expected, done.out), (expected, done.out)


def test_for_programs(project: Project) -> None:
    told = calibrated(project, "--json").json()
    assert [row["outcome"] for row in told["commits"]] == ["settled", "asked"]
    assert told["commits"][0]["level"] == "proven"
    assert told["missing_files"] == ["_version.py"]
    assert told["cost_in_suites"] > 0
    assert told["sentence"]
    (asked,) = [one for one in told["commits"][1]["facts"] if one["weight"] == "ask"]
    assert asked["kind"] == "overlay_red"
    patch = project.folder / "settings.patch"
    patch.write_text(told["suggested"])
    applied = subprocess.run(("git", "apply", str(patch)), cwd=project.root, check=False)
    assert applied.returncode == 0
    assert "_version.py" in (project.root / "ralph.yaml").read_text()


def test_the_settings_can_be_written(project: Project) -> None:
    done = calibrated(project, "--apply", commits=1)
    assert done.code == 0, done.out + done.err
    assert "_version.py" in (project.root / "ralph.yaml").read_text()
    again = calibrated(project, commits=1)
    assert "Needed by the checks" not in again.out
    assert "Suggested settings" not in again.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--verify", "no-such-program"), "`no-such-program` was not found"),
        (("--commits", "0"), "0 is not in the range"),
    ],
)
def test_what_cannot_be_done_is_said(project: Project, words: tuple[str, ...], said: str) -> None:
    done = project.ralph("calibrate", *words)
    assert done.code in (1, 2)
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_repository_without_a_past(tmp_path: Path) -> None:
    project = Project(tmp_path, 1)
    done = project.ralph("calibrate", "--verify", "true")
    assert done.code == 1
    assert "There is no commit to look at" in done.err


def test_a_repository_without_a_commit(tmp_path: Path) -> None:
    project = Project(tmp_path, 1)
    project.git("update-ref", "-d", "HEAD")
    done = project.ralph("calibrate", "--verify", "true")
    assert done.code == 1
    assert "There is no commit to look at" in done.err


def test_what_is_left_out_is_said(project: Project) -> None:
    project.write("PRD.json", project.read("PRD.json") + "\n")
    project.commit("Plan")
    done = calibrated(project, "--verify", "true", commits=9)
    plan, words, *_ = project.git("log", "--format=%h", "--abbrev=10").splitlines()
    out = done.out
    assert f"{plan} (only sets up Ralph); {words} (changes only words or CI)" in out, out
    assert "(the first commit)." in out


def test_without_a_check(tmp_path: Path) -> None:
    project = Project(tmp_path, 1, verify=None)
    done = project.ralph("calibrate")
    assert done.code == 1
    assert "no check is configured or detected" in done.err


def test_settings_in_braces_are_left_to_a_person(project: Project) -> None:
    text = json.dumps({"verification": {"commands": [CHECK], "env": [QUICK]}})
    project.write("ralph.yaml", text)
    done = calibrated(project, "--apply", commits=1)
    assert done.code == 0, done.out + done.err
    assert "Add this to ralph.yaml by hand: Ralph does not edit sections in braces." in done.out
    assert (project.root / "ralph.yaml").read_text() == text


def test_what_it_writes_is_trusted(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RALPH_TRUST")
    (project.root / "ralph.yaml").unlink()
    own = {QUICK: "1", "RALPH_VERIFICATION__ENV": QUICK}
    words = ("--commits", "1", "--verify", CHECK, "--apply")
    done = project.ralph("calibrate", *words, env=own)
    assert done.code == 0, done.out + done.err
    told = project.ralph("trust", "--show", "--json").json()
    assert [one["name"] for one in told["powers"]] == ["verification.commands"]
    assert told["needs_trust"] is False
