"""The loop with real git, a ledger in memory and an agent in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.house import Acting, Person, Place, does, story, when, working

from ralph.domain import event as e
from ralph.domain.decision import Trigger
from ralph.domain.question import Choice, QuestionKind, Reply
from ralph.domain.settings import LoopSettings
from ralph.domain.verdict import Level
from ralph.loop import control
from ralph.loop.control import Control
from ralph.loop.run import Asked

if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph.domain.job import Job

ESCALATION = """<escalate type="stuck"><summary>Which way?</summary>
<options>
1. left
2. right
</options></escalate>"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, [story("A"), story("B")])


# The way through


def test_each_task_becomes_one_commit_with_its_status(place: Place) -> None:
    assert place.run(working("A", "B")) == 0
    assert place.passed() == ["A", "B"]
    assert place.subjects() == ["feat: Write A", "feat: Write B"]
    assert place.git("status", "--porcelain") == ""
    wanted = ["IterationStarted", "AgentFinished", "Verified", "AboutToCommit", "Settled"]
    first = place.kinds()[: place.kinds().index("IterationEnded")]
    assert [kind for kind in first if kind in wanted] == wanted


def test_each_iteration_knows_why_it_was_started(place: Place) -> None:
    place.run(working("A", "B"))
    assert [s.trigger for s in place.starts()] == [Trigger.INITIAL, Trigger.PREVIOUS_SUCCESS]


def test_a_red_check_sends_its_output_to_the_next_agent(place: Place) -> None:
    place.check = "cat A.txt; grep -q good A.txt"
    agent = Acting(does("A", text="bad apple\n"), does("A", text="good\n"), does("B"))
    assert place.run(agent, asked=Asked(only="A")) == 0
    assert "bad apple" in agent.jobs[1].prompt
    assert [event.trigger for event in place.starts()][1] is Trigger.TASK_INCOMPLETE


def test_work_without_a_claim_gets_one_more_chance_and_then_a_question(place: Place) -> None:
    agent = Acting(does("A", say="I looked at it."))
    assert place.run(agent, asked=Asked(only="A")) == 5
    assert len(agent.jobs) == 2
    [question] = place.state.questions.values()
    assert question.question.kind is QuestionKind.ACCEPT
    assert not (place.root / "A.txt").exists()


def test_a_retry_for_a_red_check_does_not_use_up_the_one_for_a_missing_claim(place: Place) -> None:
    place.loop = LoopSettings(verification_retries=1, backoff_cap_seconds=0)
    place.check = "grep -q good A.txt"
    agent = Acting(
        does("A", text="bad"),
        does("A", text="good", say="Hm."),
        does("A", text="good"),
    )
    assert place.run(agent, asked=Asked(only="A")) == 0
    assert [job.iteration for job in agent.jobs] == [1, 1, 1]


def test_nobody_asks_the_agent_again_when_a_person_wants_to_stop(place: Place) -> None:
    def act(job: Job) -> str:
        place.record(e.StopRequested("ada"))
        return does("A", say="Hm.")(job)

    agent = Acting(act)
    assert place.run(agent) == 6
    assert len(agent.jobs) == 1


# One iteration, one task


def test_once(place: Place) -> None:
    assert place.run(working("A", "B"), asked=Asked(once=True)) == 0
    assert place.passed() == ["A"]


def test_only_one_task(place: Place) -> None:
    assert place.run(working("A", "B"), asked=Asked(only="B")) == 0
    assert place.passed() == ["B"]


def test_a_task_that_waits_for_another_says_so(tmp_path: Path) -> None:
    place = Place(tmp_path, [story("A"), story("B", "A")])
    assert place.run(working("A", "B"), asked=Asked(only="B")) == 5
    assert "B depends on A" in place.state.run.why


# A person steers


def test_a_question_is_asked_before_the_run_ends(place: Place) -> None:
    person = Person(Reply(Choice.OPTION, 2))
    agent = Acting(lambda _: ESCALATION, does("A"))
    assert place.run(agent, person, Asked(only="A")) == 0
    assert [question.summary for question in person.asked] == ["Which way?"]
    assert "right" in agent.jobs[1].prompt


def test_a_question_nobody_answers_is_parked_and_comes_back_once(place: Place) -> None:
    person = Person(None, None)
    assert place.run(Acting(lambda _: ESCALATION, does("B")), person) == 5
    assert len(person.asked) == 2
    assert place.passed() == ["B"]


def test_abort_ends_the_run(place: Place) -> None:
    assert place.run(Acting(lambda _: ESCALATION), Person(Reply(Choice.ABORT))) == 6


def test_the_log_of_an_iteration_names_its_question_and_its_salvage(place: Place) -> None:
    place.run(Acting(does("A", say=ESCALATION), does("B")))
    log = json.loads((place.root / ".ralph/logs/iteration-1.json").read_text())
    assert log["question"] == "Q1"
    assert place.git("show", f"{log['salvage']}:A.txt") == "done"


def test_pause_waits_for_resume(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control, "LOOK_SECONDS", 0.005)

    def act(job: Job) -> str:
        if job.iteration == 1:
            place.record(e.PauseRequested("ada"))
        return does(job.task)(job)

    waiting = Control._wait

    async def wait(self: Control, seconds: float) -> None:
        place.record(e.ResumeRequested("ada"))
        await waiting(self, seconds)

    monkeypatch.setattr(Control, "_wait", wait)
    assert place.run(Acting(act)) == 0
    assert any(isinstance(w, e.Waited) and w.why == "paused" for w in place.events(e.Waited))


def test_a_skip_is_written_into_the_plan(place: Place) -> None:
    place.record(e.TaskSkipped("A", "not now", "ada"))
    assert place.run(working("B")) == 0
    stories = json.loads((place.root / "PRD.json").read_text())["userStories"]
    assert stories[0]["skipped"] is True
    assert place.subjects()[0] == "chore: skip A"


# Accepted work


def test_accepted_work_lands_without_an_agent(place: Place) -> None:
    place.check = ""
    place.run(Acting(does("A")), asked=Asked(only="A"))
    place.record(e.Answered("Q1", Reply(Choice.OPTION, 1), "ada"))
    agent = Acting(does("B"))
    assert place.run(agent, asked=Asked(only="A")) == 0
    assert agent.jobs == []
    assert place.state.tasks["A"].level is Level.ACCEPTED
    assert place.git("show", "ralph/x:A.txt") == "done"


def test_accepted_work_that_no_longer_fits_goes_back_to_an_agent(place: Place) -> None:
    agent = Acting(does("A", say="Hm."))
    place.run(agent, asked=Asked(only="A"))
    place.record(e.Answered("Q1", Reply(Choice.OPTION, 1), "ada"))
    (place.root / "A.txt").write_text("something else\n")
    place.git("add", "A.txt")
    place.git("commit", "-q", "-m", "by hand")
    again = Acting(does("A", text="from an agent\n"))
    assert place.run(again, asked=Asked(only="A")) == 0
    assert len(again.jobs) == 1
    assert place.git("show", "ralph/x:A.txt") == "from an agent"


def test_kept_work_that_someone_removed_does_not_stop_the_run(place: Place) -> None:
    place.run(Acting(does("A", say=ESCALATION)), asked=Asked(only="A"))
    place.git("update-ref", "-d", place.state.tasks["A"].salvage)
    place.record(e.Answered("Q1", Reply(Choice.RETRY), "ada"))
    assert place.run(working("A"), asked=Asked(only="A")) == 0


def test_kept_work_comes_back_for_its_task(place: Place) -> None:
    place.run(Acting(does("A", say=ESCALATION)), asked=Asked(only="A"))
    place.record(e.Answered("Q1", Reply(Choice.RETRY), "ada"))
    seen: list[bool] = []

    def act(job: Job) -> str:
        seen.append((Path(job.workspace) / "A.txt").exists())
        return "Task A complete"

    assert place.run(Acting(act), asked=Asked(only="A")) == 0
    assert seen == [True]


# The plan changes under way


def test_a_plan_that_breaks_under_way_stops_nothing(tmp_path: Path) -> None:
    place = Place(tmp_path, [story("A")], worktree=True)

    def act(job: Job) -> str:
        (place.root / "PRD.json").write_text("{")
        return does("A")(job)

    assert place.run(Acting(act)) == 0
    assert (place.root / "PRD.json").read_text() == "{", "it is the user's"
    assert place.git("show", f"{place.state.run.branch}:A.txt") == "done"


def test_in_a_worktree_the_users_edits_of_the_plan_count(tmp_path: Path) -> None:
    place = Place(tmp_path, [story("A")], worktree=True)

    def act(job: Job) -> str:
        place.write_plan([story("A"), story("C")])
        return does(job.task)(job)

    before = place.git("rev-parse", "main")
    assert place.run(Acting(act)) == 0
    assert place.passed() == ["A", "C"]
    assert place.git("rev-parse", "main") == before
    assert place.git("symbolic-ref", "--short", "HEAD") == "main"


def test_a_stuck_task_is_rolled_back_and_its_work_kept(place: Place) -> None:
    place.loop = LoopSettings(max_attempts=2, backoff_cap_seconds=0)
    place.check = "false"
    assert place.run(Acting(does("A")), asked=Asked(only="A")) == 5
    [question] = place.state.questions.values()
    assert question.question.kind is QuestionKind.FAILED
    assert place.git("show", f"{question.question.salvage}:A.txt") == "done"
    assert place.git("status", "--porcelain") == ""


def test_checkpoints_are_refs_that_are_there_when_the_run_ends(tmp_path: Path) -> None:
    names = [f"T{n}" for n in range(10)]
    place = Place(tmp_path, [story(name) for name in names])
    assert place.run(working(*names)) == 0
    [made] = place.events(e.CheckpointMade)
    assert isinstance(made, e.CheckpointMade)
    assert place.git("rev-parse", made.ref) == made.commit


def test_views_are_valid_whatever_the_agent_says(place: Place) -> None:
    place.run(Acting(does("A", say="half \udc80 a character\nTask {} complete"), does("B")))
    status = json.loads((place.root / ".ralph/status.json").read_bytes())
    log = json.loads((place.root / ".ralph/logs/iteration-1.json").read_bytes())
    assert status["state"] == "completed"
    assert "half" in log["summary"]


# Edits of the plan that were put back


def renames(place: Place, name: str) -> Callable[[Job], str]:
    def act(job: Job) -> str:
        path = place.root / "PRD.json"
        path.write_text(path.read_text().replace("Write B", "Rewritten"))
        return does(name)(job)

    return act


@pytest.mark.parametrize("ignored", [False, True], ids=["in git", "ignored by git"])
def test_an_edit_of_the_plan_under_way_is_never_lost(place: Place, ignored: bool) -> None:
    if ignored:
        place.git("rm", "-q", "--cached", "PRD.json")
        (place.root / ".gitignore").write_text(".ralph/\n.agent/\nPRD.json\n")
        place.git("commit", "-qam", "ignore the plan")
    assert place.run(Acting(renames(place, "A"), does("B")), asked=Asked(once=True)) == 0
    assert "Rewritten" not in (place.root / "PRD.json").read_text()
    [opened] = place.state.questions.values()
    assert opened.question.kind is QuestionKind.PLAN_EDIT
    assert opened.question.salvage.startswith("/" if ignored else "refs/ralph/salvage/")
    place.record(e.Answered("Q1", Reply(Choice.OPTION, 1), "ada"))
    assert place.run(Acting(does("B"))) == 0
    assert place.subjects() == [
        "feat: Write A",
        *([] if ignored else ["chore: commit PRD.json as it is"]),
        "feat: Rewritten",
    ]
    stories = json.loads((place.root / "PRD.json").read_text())["userStories"]
    assert [(one["title"], one["passes"]) for one in stories] == [
        ("Write A", True),
        ("Rewritten", True),
    ]


def test_a_person_who_takes_a_skip_back_in_the_plan_is_heeded(place: Place) -> None:
    stories = [{**story("A"), "skipped": True}, story("B")]
    place.write_plan(stories)
    place.record(e.TaskSkipped("A", "not now", "ada"))
    assert place.run(working("B")) == 0
    place.write_plan([story("A"), {**story("B"), "passes": True}])
    assert place.run(working("A")) == 0
    assert place.passed() == ["A", "B"]


@pytest.mark.parametrize("added", [False, True], ids=["not in git", "edited, not committed"])
def test_an_edit_between_iterations_survives_a_rollback(tmp_path: Path, added: bool) -> None:
    loop = LoopSettings(backoff_cap_seconds=0, max_attempts=2, max_iterations=3)
    place = Place(tmp_path, [story("A"), story("B")], loop=loop, check="false")
    plan = place.root / "PRD.json"
    if added:
        place.write_plan([story("A"), {**story("B"), "title": "Mine"}])
    else:
        place.git("rm", "-q", "--cached", "PRD.json")
        place.git("commit", "-qm", "the plan is nobody else's business")

    def edit() -> None:
        text = plan.read_text().replace('"description": ""', '"description": "My edit"', 1)
        plan.write_text(text)

    place.run(Acting(does("A")), watch=when(e.IterationEnded, edit))
    assert place.events(e.RolledBack)
    assert "My edit" in plan.read_text()
