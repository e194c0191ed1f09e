"""A pull request for the branch: shown first, then pushed and opened by the user's own `gh`."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from tests.support.gh import GitHub
from tests.support.project import PATIENCE, Project, wait_until
from tests.support.terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path

BRANCH = "ralph/journey"
REF = f"refs/heads/{BRANCH}"


@pytest.fixture
def github(tmp_path: Path) -> GitHub:
    return GitHub(tmp_path / "github")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Its work is done, and its remote takes pushes for a repository on GitHub."""
    made = Project(tmp_path / "work", 2)
    assert made.run().code == 0
    bare = tmp_path / "shop.git"
    made.git("init", "-q", "--bare", str(bare))
    made.git("remote", "add", "origin", "https://ada:hunter2@github.com/ada/shop.git")
    made.git("config", "remote.origin.pushurl", str(bare))
    return made


def there(project: Project) -> str:
    bare = project.folder.parent / "shop.git"
    return project.git("--git-dir", str(bare), "for-each-ref", "--format=%(objectname)", REF)


def test_it_is_pushed_and_opened_once(project: Project, github: GitHub) -> None:
    shown = project.ralph("pr", "--dry-run", env=github.env)
    silent = project.ralph("pr", env=github.env)
    assert (shown.code, silent.code) == (0, 5)
    assert f"Push {BRANCH} (2 commits) to origin: " in shown.out
    assert "Open a pull request at github.com/ada/shop: Journey" in shown.out
    assert "## How it was checked" in shown.out
    assert "nobody to ask, so nothing was pushed" in silent.out
    assert github.pulls() == []
    assert there(project) == ""

    done = project.ralph("pr", "--yes", "--draft", "--base", "main", "--title", "T", env=github.env)

    assert done.code == 0, done.err
    assert "Opened: https://github.com/ada/shop/pull/1" in done.out
    assert there(project) == project.git("rev-parse", BRANCH)
    [opened] = github.pulls()
    body = opened.pop("body")
    assert opened == {
        "repo": "github.com/ada/shop",
        "head": BRANCH,
        "base": "main",
        "title": "T",
        "draft": True,
        "url": "https://github.com/ada/shop/pull/1",
    }
    assert "| `US-001` | out/US-001.txt exists | " in body
    again = project.ralph("pr", "--yes", env=github.env)
    assert "There is a pull request already: https://github.com/ada/shop/pull/1" in again.out
    assert len(github.pulls()) == 1


def test_where_it_goes_is_shown_without_the_password(project: Project) -> None:
    project.git("config", "--unset", "remote.origin.pushurl")
    shown = project.ralph("pr", "--dry-run").out
    assert f"Push {BRANCH} (2 commits) to origin: https://github.com/ada/shop.git\n" in shown


def test_a_person_at_a_terminal_is_asked(project: Project, github: GitHub) -> None:
    path = ("env", f"PATH={github.env['PATH']}")
    with Terminal(project, "pr", prefix=path) as terminal:
        terminal.wait_for("Do it? [y/N]")
        terminal.type("n")
        assert terminal.end() == 6
    assert there(project) == ""


def test_what_stands_in_the_way_is_said(project: Project, github: GitHub) -> None:
    def refused(*more: str, path: str = github.env["PATH"]) -> str:
        done = project.ralph("pr", "--yes", *more, env={"PATH": path})
        assert done.code == 1, done.out
        assert len(done.err.splitlines()) <= 3
        assert there(project) == ""
        return done.err

    git = shutil.which("git")
    assert git
    (project.folder / "bin").mkdir()
    (project.folder / "bin" / "git").symlink_to(git)
    assert "Install `gh`" in refused(path=str(project.folder / "bin"))
    github.fail("auth-status", "You are not logged into any GitHub hosts. Run gh auth login")
    assert "`gh` is not logged in" in refused()
    assert "There is nothing to merge" in refused("--base", BRANCH)
    assert "There is no remote upstream" in refused("--remote", "upstream")
    project.git("config", "remote.origin.url", "/srv/shop.git")
    assert "origin is not a repository on GitHub" in refused()
    project.git("remote", "remove", "origin")
    assert "no remote to push to" in refused()


def test_others_commits_are_never_overwritten(project: Project, github: GitHub) -> None:
    project.git("push", "-q", "origin", f"{BRANCH}~1:refs/heads/main")
    project.git("switch", "-q", "-c", "theirs", "main")
    project.git("commit", "-q", "--allow-empty", "-m", "of a colleague")
    project.git("push", "-q", "origin", f"theirs:{BRANCH}")
    theirs = there(project)

    done = project.ralph("pr", "--yes", env=github.env)

    assert done.code == 1
    assert f"origin has commits on {BRANCH} that are not here" in done.err
    assert there(project) == theirs
    assert github.pulls() == []


def test_not_before_the_run_is_over(tmp_path: Path) -> None:
    project = Project(tmp_path, agent='touch "$state/there"\nsleep 60\n')
    empty = project.ralph("pr")
    assert (empty.code, "Nothing has run here yet" in empty.err) == (1, True)
    run = project.start()
    try:
        wait_until((project.state / "there").exists, "the agent")
        refused = project.ralph("pr")
        assert (refused.code, "is still working on this repository" in refused.err) == (1, True)
    finally:
        project.ralph("stop", "--now")
        run.communicate(timeout=PATIENCE)
