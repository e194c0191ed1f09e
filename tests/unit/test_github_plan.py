"""Issues as tasks, what GitHub and Ralph each know of them, and what `gh` says when it fails."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace
from tests.support.gh import GitHub

from ralph.domain.decision import Outcome, Trigger
from ralph.domain.errors import PlanError
from ralph.domain.event import IterationEnded, IterationStarted, Recorded
from ralph.domain.settings import TaskSettings
from ralph.domain.state import RunState, TaskState
from ralph.domain.task import Kind, Status
from ralph.domain.verdict import Level
from ralph.plans.gh_desk import IssueDesk, due
from ralph.plans.gh_issue import Issue, Label, needs, task_of
from ralph.plans.gh_snapshot import Fetched, IssueEntry, IssueSnapshot, Sent, merged
from ralph.plans.github import GitHubPlan, parse_query, refreshed

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.domain.event import Event

REPOSITORY = "ada/shop"
OPEN = Issue(4, "Four")
CLOSED = replace(OPEN, state="CLOSED", state_reason="COMPLETED")
BODY = """\
We need this.\r
\r
- [ ] it exits 0\r
- [x] it prints `ok`\r
- [ ] #9\r
```\r
- [ ] not a criterion\r
```\r
**Blocked by:** #2, ada/shop#3 and other/place#5\r
depends on https://github.com/ada/shop/issues/6\r
Mentions #7 and needs-triage #8 in passing.\r
"""


def test_an_issue_becomes_a_task() -> None:
    labels = (Label("type: bug"), Label("P1"), Label("area=cart"))
    task = task_of(Issue(4, "Four", BODY, labels), REPOSITORY, Status.OPEN)

    assert (task.id, task.title) == ("GH-4", "Four")
    assert task.criteria == ("it exits 0", "it prints `ok`")
    assert task.depends_on == ("GH-2", "GH-3", "GH-6", "GH-9")
    assert (task.kind, task.priority, task.area) == (Kind.FIX, 1, "cart")
    assert task.description.startswith("We need this.")
    assert "it exits 0" not in task.description
    assert "not a criterion" in task.description
    assert task.verify == (), "strangers write issues: none of their words is run"


@pytest.mark.parametrize(
    ("labels", "priority"),
    [(("priority: high",), 1), (("p3",), 3), (("priority/2",), 2), (("priority: soon",), None)],
)
def test_a_label_says_how_urgent_it_is(labels: tuple[str, ...], priority: int | None) -> None:
    issue = replace(OPEN, labels=tuple(Label(name) for name in labels))

    assert task_of(issue, REPOSITORY, Status.OPEN).priority == priority


def test_an_issue_does_not_wait_for_itself() -> None:
    assert needs(replace(OPEN, body="depends on #4 and #5"), REPOSITORY) == (5,)


def test_a_query_names_its_issues_and_its_plan() -> None:
    query = parse_query("github:ada/shop?label=ralph&label=to%20do&milestone=v1")

    assert query.repository == "ada/shop"
    assert query.title == "shop ralph to do v1"
    assert query.arguments() == ("--label", "ralph", "--label", "to do", "--milestone", "v1")


@pytest.mark.parametrize(
    "wrong",
    ["github:shop", "github:-x/y", "github:a/b?colour=red", "github:a/b?label=", "github:a/b/c/d"],
)
def test_a_query_that_means_nothing_is_an_error(wrong: str) -> None:
    with pytest.raises(PlanError, match=r"owner/repo|cannot be chosen|has no value"):
        parse_query(wrong)


def _merged(
    old: IssueEntry, issue: Issue, *, asked_at: float = 100, sent: Sent | None = None
) -> Status:
    told = {"GH-4": sent} if sent else {}
    new = merged(IssueSnapshot(50, (old,)), Fetched(asked_at, (issue,)), told)
    return new.entries[0].status


SETTLED = IssueEntry(OPEN, Status.COMPLETED)


@pytest.mark.parametrize(
    ("old", "issue", "sent", "status"),
    [
        (SETTLED, OPEN, None, Status.COMPLETED),
        (SETTLED, CLOSED, Sent("settled c", closed=True, at=60), Status.COMPLETED),
        (SETTLED, OPEN, Sent("settled c", closed=True, at=60), Status.OPEN),
        (SETTLED, OPEN, Sent("settled c", closed=True, at=200), Status.COMPLETED),
        (SETTLED, OPEN, Sent("settled c", closed=False, at=60), Status.COMPLETED),
        (
            IssueEntry(CLOSED, Status.COMPLETED),
            OPEN,
            Sent("settled c", closed=True, at=20),
            Status.OPEN,
        ),
        (IssueEntry(OPEN, Status.OPEN), CLOSED, None, Status.COMPLETED),
        (IssueEntry(CLOSED, Status.OPEN), CLOSED, None, Status.OPEN),
        (IssueEntry(OPEN, Status.SKIPPED), OPEN, None, Status.SKIPPED),
    ],
    ids=[
        "not told yet",
        "told and known",
        "reopened by a person",
        "the answer is older than what was told",
        "only commented",
        "reopened long after",
        "closed by a person",
        "retried here and still closed there",
        "skipped here",
    ],
)
def test_who_changed_it_last_says_what_its_status_is(
    old: IssueEntry, issue: Issue, sent: Sent | None, status: Status
) -> None:
    assert _merged(old, issue, sent=sent) is status


def test_a_settled_issue_that_left_the_query_is_still_told() -> None:
    new = merged(
        IssueSnapshot(50, (SETTLED, IssueEntry(Issue(5, "Five"), Status.OPEN))),
        Fetched(100, ()),
        {},
    )

    assert [entry.issue.number for entry in new.entries] == [4]


KNOWN = TaskState(commit="c0ffee", level=Level.OVERLAY, untested=True)


def test_what_github_is_told() -> None:
    settled = due(SETTLED, KNOWN, None, close=True)
    assert settled is not None
    assert "c0ffee" in settled.text
    assert "**overlay**" in settled.text
    assert "unproven" in settled.text
    assert settled.state == "CLOSED"
    told = Sent(settled.what, closed=True, at=1)
    assert due(SETTLED, KNOWN, told, close=True) is None
    anew = due(SETTLED, TaskState(commit="anew"), told, close=True)
    assert anew is not None
    assert anew.what == "settled anew"
    again = due(IssueEntry(OPEN, Status.OPEN), KNOWN, told, close=True)
    assert again is not None
    assert again.state == "OPEN"
    assert due(IssueEntry(CLOSED, Status.COMPLETED), None, None, close=True) is None
    assert due(IssueEntry(CLOSED, Status.SKIPPED), None, None, close=True) is None


@pytest.mark.parametrize(
    ("message", "what", "fix"),
    [
        (
            "To get started with GitHub CLI, please run:  gh auth login",
            "not logged in",
            "auth login",
        ),
        ("GraphQL: API rate limit already exceeded", "rate limit", "Wait"),
        ("GraphQL: Could not resolve to a Repository with the name", "does not have it", "owner"),
        ("error connecting to api.github.com", "cannot be reached", "network"),
        ("HTTP 403: Resource not accessible by integration", "does not allow", "permission"),
        ("unknown flag: --json", "failed (exit 1)", "by hand"),
    ],
)
def test_trouble_with_gh_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, message: str, what: str, fix: str
) -> None:
    github = GitHub(tmp_path / "github")
    monkeypatch.setenv("PATH", github.env["PATH"])
    github.fail("list", message)

    with pytest.raises(PlanError) as caught:
        asyncio.run(GitHubPlan("github:ada/shop", tmp_path).fetch())

    assert what in caught.value.what
    assert fix in caught.value.fix


def test_what_an_issue_waits_for_outside_the_query_is_asked_about_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    github = GitHub(tmp_path / "github")
    monkeypatch.setenv("PATH", github.env["PATH"])
    github.add(1, "First", "Depends on #2, #3, #4")
    github.add(2, "Merged", "", "other", state="MERGED")
    github.add(3, "Open", "", "other")
    plan = GitHubPlan("github:ada/shop?label=ralph", tmp_path)

    notes = asyncio.run(refreshed(plan, 60))

    found = plan.parse(plan.files(tmp_path))
    assert {task.id: task.status for task in found.tasks} == {
        "GH-1": Status.OPEN,
        "GH-2": Status.COMPLETED,
        "GH-3": Status.BLOCKED,
    }
    assert found.by_id["GH-1"].depends_on == ("GH-2", "GH-3")
    assert notes == ("dependencies that cannot be followed are left out: #4",)
    assert asyncio.run(refreshed(plan, 60)) == ()
    assert len(github.calls("list")) == 1


def test_without_gh_one_is_told_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.fspath(tmp_path))

    with pytest.raises(PlanError, match="was not found") as caught:
        asyncio.run(refreshed(GitHubPlan("github:ada/shop", tmp_path), 60))

    assert "gh auth login" in caught.value.fix


@pytest.fixture
def plan(tmp_path: Path) -> GitHubPlan:
    """Three issues, as a file has them in the suite of all formats."""
    found = GitHubPlan("github:ada/shop", tmp_path / "state")
    first = Issue(1, "First", "- [ ] works in 2 ms")
    second = Issue(2, "Second", "depends on #1", state="CLOSED", state_reason="COMPLETED")
    third = Issue(3, "Third", state="CLOSED", state_reason="NOT_PLANNED")
    found.take_in(Fetched(100.0, (third, second, first)))
    return found


STATUSES = (Status.OPEN, Status.COMPLETED, Status.SKIPPED, Status.BLOCKED, Status.FAILED)


@pytest.mark.parametrize("status", STATUSES)
def test_marks_are_read_back_and_there_and_back_gives_the_same_bytes(
    plan: GitHubPlan, tmp_path: Path, status: Status
) -> None:
    files = plan.files(tmp_path)
    before = plan.parse(files)
    assert [task.status for task in before.tasks] == [
        Status.OPEN,
        Status.COMPLETED,
        Status.SKIPPED,
    ]
    assert before.by_id["GH-1"].criteria == ("works in 2 ms",)
    assert before.by_id["GH-2"].depends_on == ("GH-1",)
    for task in before.tasks:
        changed = {**files, **plan.mark(files, {task.id: status})}
        assert plan.parse(changed) == before.with_statuses({task.id: status})
        assert {**changed, **plan.mark(changed, {task.id: task.status})} == files
    assert plan.files(tmp_path) == files, "marking does not touch the disk"


def test_the_rest_of_the_port(plan: GitHubPlan, tmp_path: Path) -> None:
    files = plan.files(tmp_path)
    assert plan.parse(files) is plan.parse(plan.files(tmp_path))
    assert plan.mark(files, {"GH-2": Status.COMPLETED}) == {}
    with pytest.raises(PlanError, match="GH-9"):
        plan.mark(files, {"GH-9": Status.OPEN})
    plan.path.write_bytes(b"{")
    with pytest.raises(PlanError, match="github:ada/shop"):
        plan.parse(plan.files(tmp_path))
    plan.path.unlink()
    with pytest.raises(PlanError, match="has not been read yet") as caught:
        plan.files(tmp_path)
    assert "ralph lint" in caught.value.fix


def test_new_issues_come_in_between_two_agents_and_never_while_one_works(
    plan: GitHubPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    github = GitHub(tmp_path / "github")
    monkeypatch.setenv("PATH", github.env["PATH"])
    github.add(9, "Ninth")

    async def an_iteration() -> None:
        desk = IssueDesk(plan, RunState, pytest.fail, TaskSettings(github_refresh_minutes=0))
        desk(_recorded(IterationStarted(1, "GH-1", "", 1, "", Trigger.INITIAL, "")))
        assert desk._fetching is not None
        await desk._fetching
        assert "GH-9" not in plan.parse(plan.files(tmp_path)).by_id
        desk(_recorded(IterationEnded(1, "GH-1", Outcome.SUCCESS, "", 1)))
        assert "GH-9" in plan.parse(plan.files(tmp_path)).by_id
        await desk.finish()

    asyncio.run(an_iteration())


def _recorded(event: Event) -> Recorded:
    return Recorded(1, 1.0, "project", "run", event)
