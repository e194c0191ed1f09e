"""Checks run on the candidate commit: its code, and not what happens to lie in the workspace."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support.project import Project

if TYPE_CHECKING:
    from pathlib import Path

IGNORED = ".venv/\nnode_modules/\nhidden.*\n.ralph/\n.agent/\n"


def with_editable_install(tmp_path: Path, verify: str, agent: str) -> Project:
    """A .venv in which the project itself is installed for development."""
    project = Project(tmp_path, agent=agent, verify=verify)
    project.write("src/pkg/__init__.py", "VALUE = 'old'\n")
    project.write(".gitignore", IGNORED)
    project.commit("a package")
    environment = project.root / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    (site,) = environment.glob("lib/python*/site-packages")
    (site / "__editable__.pkg-1.0.pth").write_text(f"{project.root}/src\n", encoding="utf-8")
    return project


def with_linked_package(tmp_path: Path, verify: str, agent: str) -> Project:
    """A node_modules that links to a package of the same repository."""
    project = Project(tmp_path, agent=agent, verify=verify)
    project.write("packages/own/index.js", "module.exports = 'old'\n")
    project.write("package.json", '{"name": "top", "workspaces": ["packages/*"]}\n')
    project.write(".gitignore", IGNORED)
    project.commit("packages")
    project.write("node_modules/other/index.js", "module.exports = 'other'\n")
    (project.root / "node_modules/own").symlink_to("../packages/own")
    return project


PYTHON = ".venv/bin/python -c 'import pkg; print(pkg.__file__, pkg.VALUE)'"
NODE = "cat node_modules/other/index.js node_modules/own/index.js && pwd"
CLAIM = 'echo "Task $RALPH_TASK_ID complete"\n'
CHANGES = {
    PYTHON: "echo \"VALUE = 'new'\" > src/pkg/__init__.py\n" + CLAIM,
    NODE: "echo \"module.exports = 'new'\" > packages/own/index.js\n" + CLAIM,
}
CHEATS = {
    PYTHON: "echo \"VALUE = 'new'\" > src/pkg/hidden.py\n"
    "echo 'from pkg.hidden import VALUE' > src/pkg/__init__.py\n" + CLAIM,
    f"{NODE} && cat node_modules/own/hidden.js": "echo x > packages/own/hidden.js\n"
    "echo \"require('./hidden')\" > packages/own/index.js\n" + CLAIM,
}


def make(tmp_path: Path, check: str, agent: str) -> Project:
    build = with_editable_install if check == PYTHON else with_linked_package
    return build(tmp_path, check, agent)


@pytest.mark.parametrize("check", CHANGES, ids=["venv", "node_modules"])
def test_a_check_sees_the_candidates_code(tmp_path: Path, check: str) -> None:
    project = make(tmp_path, check, CHANGES[check])
    done = project.run()
    assert done.code == 0, done.out + done.err
    said = project.ralph("logs", "--iteration", "1").out
    assert "new" in said
    assert f"{project.root}/src" not in said
    [verified] = project.events("Verified")
    assert verified["verdict"]["level"] == "green"


@pytest.mark.parametrize("check", CHEATS, ids=["venv", "node_modules"])
def test_what_git_ignores_in_the_workspace_proves_nothing(tmp_path: Path, check: str) -> None:
    settings = {"RALPH_VERIFICATION__BASE": "false"}
    project = make(tmp_path, check, CHEATS[check])
    done = project.run("--once", env=settings)
    assert done.code == 4, done.out + done.err
    assert project.passed() == []
    assert "hidden" in done.out
    project.git("checkout", "-q", "ralph/journey")


def test_checks_do_not_write_into_the_users_folders(tmp_path: Path) -> None:
    check = "echo x > .venv/marker; echo x > marker; mkdir -p build && echo x > build/out"
    project = with_editable_install(tmp_path, check, CHANGES[PYTHON])
    assert project.run().code == 0
    assert not (project.root / ".venv/marker").exists()
    assert not (project.root / "marker").exists()
    assert not (project.root / "build").exists()


def test_every_check_must_pass_and_each_runs_in_order(tmp_path: Path) -> None:
    project = Project(tmp_path, verify="true")
    done = project.run("--verify", "test ! -d out", "--once")
    assert done.code == 4
    checks = project.view(".ralph/logs/iteration-1.json")["verification"]
    assert [(c["command"], c["passed"]) for c in checks] == [
        ("true", True),
        ("test ! -d out", False),
    ]


def test_a_failure_tells_that_the_dependencies_may_be_old(tmp_path: Path) -> None:
    agent = "mkdir -p node_modules/odd; touch node_modules/odd/x; echo '{}' > package-lock.json\n"
    project = Project(tmp_path, agent=agent + CLAIM, verify="test -e node_modules/odd/x")
    project.write("package-lock.json", "{ }\n")
    project.write(".gitignore", IGNORED)
    project.commit("a package that lacks another")
    project.write("node_modules/own/index.js", "")
    done = project.run("--max-iterations", "4", env={"RALPH_VERIFICATION__BASE": "false"})
    note = "`package-lock.json` has changed: the carried dependencies may be older than it"
    prompt = project.read(".ralph/prompts/iteration-2.md")
    inbox = project.ralph("inbox").out
    for place in (done.out, prompt, inbox):
        assert note in " ".join(place.split()), place
        assert "verification.setup" in place
