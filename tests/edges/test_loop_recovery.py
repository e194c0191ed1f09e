"""What a killed, interrupted or failing run leaves behind, and how the next one goes on."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.house import Acting, Killed, Place, does, story, when, working

from ralph.domain import event as e
from ralph.domain.decision import Outcome, StopReason, Trigger
from ralph.domain.errors import DirtyTree, RepoError, StorageError
from ralph.domain.settings import LoopSettings
from ralph.loop import control, settling
from ralph.loop.run import Asked
from ralph.repo import GitWorkspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ralph.agents.line import Line
    from ralph.domain.event import Recorded
    from ralph.domain.job import Job

ESCALATION = '<escalate type="stuck"><summary>Which way?</summary></escalate>'


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, [story("A"), story("B")])


def then_dies(act: Callable[[Job], str]) -> Callable[[Job], str]:
    def acts(job: Job) -> str:
        act(job)
        raise Killed

    return acts


@contextmanager
def broken(
    monkeypatch: pytest.MonkeyPatch, where: object, name: str, new: Callable[..., None]
) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(where, name, new)
        yield


def dying(*_: object, **__: object) -> None:
    raise Killed


def test_a_kill_while_the_agent_works_keeps_the_work_and_counts_no_failure(place: Place) -> None:
    with pytest.raises(Killed):
        place.run(Acting(then_dies(does("A"))))
    assert place.run(working("A", "B")) == 0
    assert place.subjects() == ["feat: Write A", "feat: Write B"]
    assert [s.trigger for s in place.starts()][1] is Trigger.RECOVERY
    assert place.state.metrics.failures == 0
    assert place.state.tasks["A"].interrupted == 1


@pytest.mark.parametrize("users_too", [False, True])
def test_an_index_that_a_power_cut_left_empty_is_made_again(place: Place, users_too: bool) -> None:
    with pytest.raises(Killed):
        place.run(Acting(then_dies(does("A"))))
    (place.folder / "state/index").write_bytes(b"")
    if users_too:
        (place.root / ".git/index").write_bytes(b"")
    assert place.run(working("A", "B")) == 0
    assert place.subjects() == ["feat: Write A", "feat: Write B"]


def commits(job: Job) -> str:
    """The agent commits by itself, with trailers as Ralph writes them."""
    root = Path(job.workspace)
    does("A")(job)
    for arguments in (
        ("add", "-A"),
        ("commit", "-q", "-m", f"feat: A\n\nRalph-Task: A\nRalph-Iteration: {job.iteration}"),
    ):
        subprocess.run(("git", *arguments), cwd=root, check=True)
    return "Task A complete"


def test_an_agents_own_commit_does_not_survive_a_kill(place: Place) -> None:
    with pytest.raises(Killed):
        place.run(Acting(then_dies(commits)))
    assert place.subjects() == ["feat: A"]
    assert place.run(Acting(lambda _: "Nothing."), asked=Asked(once=True)) == 5
    assert place.subjects() == []
    assert place.passed() == []
    [put_back] = place.events(e.PutBack)
    assert isinstance(put_back, e.PutBack)
    assert place.git("show", f"{put_back.salvage}:A.txt") == "done"


def test_an_agents_own_commit_does_not_survive_leaving_at_once(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "LOOK_SECONDS", 0.005)

    class Hanging(Acting):
        async def run(self, job: Job, line: Line) -> Any:
            commits(job)
            place.record(e.StopRequested("ada", now=True))
            await asyncio.Event().wait()

    assert place.run(Hanging(commits)) == 6
    assert place.subjects() == []
    assert place.git("symbolic-ref", "--short", "HEAD") == "ralph/x"


def test_a_kill_between_landing_and_writing_it_down_makes_no_second_commit(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    with broken(monkeypatch, settling, "write_outside", dying), pytest.raises(Killed):
        place.run(working("A", "B"))
    assert place.state.committing is not None
    assert place.run(working("B")) == 0
    assert place.subjects() == ["feat: Write A", "feat: Write B"]
    assert [s.task for s in place.events(e.Settled) if isinstance(s, e.Settled)] == ["A", "B"]


def test_an_error_after_landing_does_not_lose_the_result(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StorageError("The disk is full.")

    with broken(monkeypatch, settling, "write_outside", full), pytest.raises(StorageError):
        place.run(working("A", "B"))
    state = place.state
    assert (state.run.reason, state.last_outcome) == (StopReason.ERROR, Outcome.SUCCESS)
    assert (state.settled, place.passed()) == ({1: "A"}, ["A"])


def test_a_kill_while_a_question_is_put_loses_neither_question_nor_work(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    with broken(monkeypatch, GitWorkspace, "restore", dying), pytest.raises(Killed):
        place.run(Acting(does("A", say=ESCALATION)))
    assert (place.root / "A.txt").exists()
    assert place.run(working("B")) == 5
    assert not (place.root / "A.txt").exists()
    assert list(place.state.questions) == ["Q1"]
    assert len(place.git("for-each-ref", "refs/ralph/salvage").splitlines()) == 1


def test_a_kill_while_giving_up_keeps_the_way_back_to_the_work(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.loop = LoopSettings(max_attempts=1, backoff_cap_seconds=0)
    place.check = "false"
    with broken(monkeypatch, GitWorkspace, "restore", dying), pytest.raises(Killed):
        place.run(Acting(does("A")), asked=Asked(only="A"))
    assert place.run(Acting(does("B")), asked=Asked(only="A")) == 5
    [question] = place.state.questions.values()
    assert place.git("show", f"{question.question.salvage}:A.txt") == "done"
    assert place.state.tasks["A"].abandoned == question.question.salvage


def test_recovery_that_fails_leaves_everything_for_the_next_try(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    with broken(monkeypatch, settling, "write_outside", dying), pytest.raises(Killed):
        place.run(working("A", "B"))
    before = place.kinds()
    with (
        broken(monkeypatch, sys.modules["ralph.loop.recover"], "read_plan", dying),
        pytest.raises(Killed),
    ):
        place.run(working("B"))
    assert place.kinds() == before
    assert place.run(working("B")) == 0
    assert place.subjects() == ["feat: Write A", "feat: Write B"]


# The user's work


def test_an_edit_of_a_person_between_iterations_stops_the_run_and_stays(place: Place) -> None:
    readme = place.root / "README.md"
    ended = when(e.IterationEnded, lambda: readme.write_text("mine\n"))
    with pytest.raises(DirtyTree, match=r"README\.md"):
        place.run(Acting(lambda _: "I found nothing to do."), watch=ended)
    assert readme.read_text() == "mine\n"
    assert place.git("for-each-ref", "refs/ralph/salvage") == ""
    assert place.git("status", "--porcelain") == "M README.md"


def test_an_edit_after_a_kill_between_iterations_stays(place: Place) -> None:
    readme = place.root / "README.md"
    with pytest.raises(Killed):
        place.run(working("A", "B"), watch=_die_after_first)
    readme.write_text("mine\n")
    with pytest.raises(DirtyTree):
        place.run(working("A", "B"))
    assert readme.read_text() == "mine\n"


def _die_after_first(recorded: Recorded) -> None:
    if isinstance(recorded.event, e.IterationEnded):
        raise Killed


def test_another_branch_that_a_person_went_to_after_a_kill_is_left_alone(place: Place) -> None:
    with pytest.raises(Killed):
        place.run(Acting(then_dies(lambda _: "")))
    place.git("switch", "-q", "main")
    mine = place.root / "mine.txt"
    (place.root / "README.md").write_text("mine\n")
    mine.write_text("mine\n")
    with pytest.raises(RepoError):
        place.run(working("A", "B"))
    assert (place.root / "README.md").read_text() == "mine\n"
    assert mine.exists()
    assert place.git("symbolic-ref", "--short", "HEAD") == "main"


def test_a_branch_that_a_person_switched_while_the_checks_ran_is_left_alone(place: Place) -> None:
    leave = "git stash -qu && git switch -q main && echo x > mine.txt"
    place.check = f"test ! -e A.txt || (cd '{place.root}' && {leave})"
    with pytest.raises(RepoError, match="no longer on"):
        place.run(working("A"))
    assert (place.root / "mine.txt").exists()
    assert place.git("symbolic-ref", "--short", "HEAD") == "main"
