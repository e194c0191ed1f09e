from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import pytest

from ralph.checks.commands import Checker
from ralph.domain.errors import CheckError
from ralph.domain.settings import VerificationSettings
from ralph.domain.task import shell

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.checks.dependencies import Prepared

INSTALL = "echo run >> ../count; mkdir -p node_modules/.bin; cp package-lock.json node_modules/got"


class Project:
    def __init__(self, tmp_path: Path) -> None:
        self.user = tmp_path / "user"
        self.checkout = tmp_path / "state/checkout"
        for root in (self.user, self.checkout):
            root.mkdir(parents=True)
            (root / "package-lock.json").write_text("one")
        (self.user / "node_modules").mkdir()
        (self.user / "node_modules/mine").touch()
        (self.user / ".env").write_text("A=1")
        self.another_run()

    def another_run(self, command: str = INSTALL) -> None:
        settings = VerificationSettings(setup=(shell(command),))
        base = {"PATH": os.environ["PATH"]}
        self.checker = Checker(settings, self.user, base=base)

    def prepare(self, *, pristine: bool = True) -> Prepared:
        ignored = ("node_modules/", ".env")
        return asyncio.run(self.checker.prepare(self.checkout, ignored, pristine=pristine))

    def refresh(self, *files: str) -> tuple[str, ...]:
        return asyncio.run(self.checker.refresh(self.checkout, files))

    @property
    def runs(self) -> int:
        count = self.checkout.parent / "count"
        return len(count.read_text().splitlines()) if count.exists() else 0

    @property
    def installed(self) -> Path:
        return self.checkout / "node_modules/got"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def test_the_set_up_replaces_carried_folders_but_not_files(project: Project) -> None:
    prepared = project.prepare()
    assert prepared.carried == (".env",)
    assert project.installed.read_text() == "one"
    assert not (project.checkout / "node_modules/mine").exists()
    bin_folder = f"{project.checkout}/node_modules/.bin"
    assert project.checker.environment(project.checkout)["PATH"].startswith(bin_folder)


def test_it_runs_once_per_content_of_the_lock_files(project: Project) -> None:
    project.prepare()
    project.refresh("src/a.js")
    project.another_run()
    project.prepare()
    assert project.runs == 1


def test_it_runs_again_when_a_candidate_changes_a_lock_file_and_when_that_goes_away(
    project: Project,
) -> None:
    project.prepare()
    (project.checkout / "package-lock.json").write_text("two")
    assert project.refresh("package-lock.json") == ()
    assert project.installed.read_text() == "two"
    (project.checkout / "package-lock.json").write_text("one")
    project.refresh("src/a.js")
    assert project.installed.read_text() == "one"
    assert project.runs == 3


def test_a_new_lock_file_counts(project: Project) -> None:
    project.prepare()
    (project.checkout / "web").mkdir()
    (project.checkout / "web/yarn.lock").write_text("new")
    project.refresh("web/yarn.lock")
    assert project.runs == 2


def test_another_command_runs_anew(project: Project) -> None:
    project.prepare()
    project.another_run(INSTALL + "; true")
    project.prepare()
    assert project.runs == 2


def test_what_checks_add_goes_and_what_they_change_is_set_up_again(project: Project) -> None:
    project.prepare()
    (project.checkout / "node_modules/extra").touch()
    project.refresh()
    assert not (project.checkout / "node_modules/extra").exists()
    assert project.runs == 1
    project.installed.write_text("bad")
    project.refresh()
    assert project.installed.read_text() == "one"
    assert project.runs == 2


def test_an_agents_worktree_keeps_what_the_agent_installed(project: Project) -> None:
    project.prepare(pristine=False)
    (project.checkout / "node_modules/extra").touch()
    project.another_run()
    project.prepare(pristine=False)
    assert (project.checkout / "node_modules/extra").exists()
    assert project.runs == 1


def test_a_failure_is_an_error_that_says_what_was_wrong(project: Project) -> None:
    trail = "npm error A complete log of this run can be found in: /tmp/a.log"
    project.another_run(f"echo first; echo 'npm error no such registry\n{trail}' >&2; exit 4")
    with pytest.raises(CheckError, match="no such registry") as raised:
        project.prepare()
    assert "verification.setup" in raised.value.fix
    assert "first" not in str(raised.value).splitlines()[0].partition("failed in")[2]


def test_a_failure_is_not_remembered_as_done(project: Project) -> None:
    project.another_run("echo run >> ../count; test -e ../ready")
    with pytest.raises(CheckError):
        project.prepare()
    (project.checkout.parent / "ready").touch()
    project.prepare()
    assert project.runs == 2


def test_a_failure_half_way_spoils_what_was_set_up_before(project: Project) -> None:
    project.another_run("echo run >> ../count; grep -q one package-lock.json")
    project.prepare()
    (project.checkout / "package-lock.json").write_text("two")
    with pytest.raises(CheckError):
        project.refresh("package-lock.json")
    (project.checkout / "package-lock.json").write_text("one")
    project.refresh()
    assert project.runs == 3


def test_a_program_that_is_missing_is_named(project: Project) -> None:
    settings = VerificationSettings(setup=(("no-such-installer", "ci"),))
    project.checker = Checker(settings, project.user, base={"PATH": os.environ["PATH"]})
    with pytest.raises(CheckError, match="no-such-installer"):
        project.prepare()
