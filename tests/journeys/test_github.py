"""The issues of a repository as the plan, through a stand-in for the user's `gh`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.gh import GitHub
from tests.support.project import Project

if TYPE_CHECKING:
    from pathlib import Path

PLAN = "github:ada/shop?label=ralph"
BRANCH = "ralph/shop-ralph"
BODY = "The file must be there.\r\n\r\n- [ ] the file of {} exists\r\n"
OFFLINE = "error connecting to api.github.com"


@pytest.fixture
def github(tmp_path: Path) -> GitHub:
    found = GitHub(tmp_path / "github")
    found.add(3, "Write the third", BODY.format("GH-3") + "\r\nBlocked by #7\r\n", "ralph", "bug")
    found.add(7, "Write the seventh", BODY.format("GH-7"), "ralph")
    found.add(8, "Not for Ralph", "", "later")
    return found


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "work")


def test_issues_are_worked_on_in_order_and_closed_with_their_commit(
    github: GitHub, project: Project
) -> None:
    done = project.run(PLAN, env=github.env)

    assert done.code == 0, done.out + done.err
    commits = project.git("log", "--reverse", "--format=%H", f"main..{BRANCH}").split()
    assert project.trailers("Ralph-Task", BRANCH) == ["GH-7", "GH-3"]
    assert project.subjects(BRANCH)[1].startswith("fix: ")
    for number, commit in zip((7, 3), commits, strict=True):
        [comment] = github.comments(number)
        assert f"Done by Ralph in {commit}" in comment
        assert "**green**" in comment
        assert github.state(number) == "CLOSED"
    assert github.state(8) == "OPEN"
    assert "the file of GH-7 exists" in project.prompt(1)
    assert len(github.calls("list")) == 1
    again = project.run(PLAN, env=github.env)
    assert again.code == 0
    assert len(github.calls("comment")) == 2


def test_what_gh_could_not_do_is_done_by_the_next_run_and_once(
    github: GitHub, project: Project
) -> None:
    github.fail("close", "HTTP 502: bad gateway", times=99)
    first = project.run(PLAN, env=github.env)
    assert first.code == 0
    assert "GitHub cannot be reached: HTTP 502" in first.out
    assert [github.state(n) for n in (3, 7)] == ["OPEN", "OPEN"]
    github.mend()

    second = project.run(PLAN, env=github.env)

    assert second.code == 0
    assert [github.state(n) for n in (3, 7)] == ["CLOSED", "CLOSED"]
    assert [len(github.comments(n)) for n in (3, 7)] == [1, 1]
    assert len(project.calls()) == 2


def test_a_single_failure_is_made_up_for_in_the_same_run(github: GitHub, project: Project) -> None:
    github.fail("comment", "API rate limit exceeded for user ID 1 (HTTP 403)")

    done = project.run(PLAN, "--worktree", env=github.env)

    assert "GitHub's rate limit is reached" in done.out
    assert [len(github.comments(n)) for n in (3, 7)] == [1, 1]
    assert [github.state(n) for n in (3, 7)] == ["CLOSED", "CLOSED"]


def test_offline_the_last_snapshot_counts_and_without_one_it_is_an_error(
    github: GitHub, project: Project
) -> None:
    github.fail("list", OFFLINE, times=99)
    lost = project.run(PLAN, env=github.env)
    assert lost.code == 1
    assert "GitHub cannot be reached" in lost.err
    assert "Check the network" in lost.err
    github.mend()
    assert "2 tasks" in project.ralph("lint", PLAN, env=github.env).out
    github.fail("list", OFFLINE, times=99)
    github.fail("view", OFFLINE, times=99)

    done = project.run(PLAN, env={**github.env, "RALPH_TASKS__GITHUB_REFRESH_MINUTES": "0"})

    assert done.code == 0
    assert "using the issues as of " in done.out
    assert len(project.calls()) == 2
    assert github.comments(7) == []
    github.mend()
    project.run(PLAN, env=github.env)
    assert [len(github.comments(n)) for n in (3, 7)] == [1, 1]


def test_a_skip_gets_a_comment_and_a_retry_opens_the_issue_again(
    github: GitHub, project: Project
) -> None:
    settings = {"tasks": {"path": PLAN, "github_refresh_minutes": 0}}
    project.configure(settings)
    project.commit("settings")
    assert project.run("--once", env=github.env).code == 0
    assert github.state(7) == "CLOSED"
    project.ralph("skip", "--task", "GH-3", "--why", "not now", env=github.env)
    project.ralph("retry", "--task", "GH-7", env=github.env)

    done = project.run(env=github.env)

    assert done.code == 0, done.out
    assert "a person skipped it" in github.comments(3)[0]
    assert github.state(3) == "OPEN"
    first, *_, last = github.comments(7)  # between them, if there was time, that it is open again
    assert first.startswith("Done by Ralph in ")
    assert project.git("rev-parse", "HEAD") in last
    assert github.state(7) == "CLOSED"


def test_comments_alone_and_what_people_close_and_open_at_github(
    github: GitHub, project: Project
) -> None:
    project.configure({"tasks": {"github_close": False, "github_refresh_minutes": 0}})
    project.commit("settings")
    github.change(3, state="CLOSED", stateReason="NOT_PLANNED")
    assert project.run(PLAN, env=github.env).code == 0
    assert [call[1] for call in project.calls()] == ["GH-7"]
    assert github.state(7) == "OPEN"
    assert len(github.comments(7)) == 1
    github.change(3, state="OPEN", stateReason="REOPENED")

    assert project.run(PLAN, env=github.env).code == 0

    assert [call[1] for call in project.calls()] == ["GH-7", "GH-3"]
    assert len(github.comments(7)) == 1


def test_an_issue_that_waits_for_one_outside_the_plan_is_not_started(
    github: GitHub, project: Project
) -> None:
    github.change(7, body="Depends on ada/shop#8, and on other/place#3")

    done = project.run(PLAN, env=github.env)

    assert done.code == 5
    assert project.calls() == []
    github.change(8, state="CLOSED")
    fresh = {**github.env, "RALPH_TASKS__GITHUB_REFRESH_MINUTES": "0"}
    assert project.run(PLAN, env=fresh).code == 0
