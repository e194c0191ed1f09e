"""What only a person can decide: asked, parked, answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.project import (
    ASKS_FIRST,
    BLOCK,
    FINISH,
    PATIENCE,
    Project,
    story,
    wait_until,
)
from tests.support.terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path


def asked(tmp_path: Path, stories: int = 1) -> Project:
    """A project whose first task waits for an answer."""
    project = Project(tmp_path, stories, agent=ASKS_FIRST)
    done = project.run()
    assert done.code == 5, done.out + done.err
    return project


def test_a_question_is_parked_and_the_loop_goes_on_with_the_rest(tmp_path: Path) -> None:
    stories = [story("A"), story("B", depends_on=["A"]), story("C")]
    project = Project(tmp_path, stories, agent=ASKS_FIRST)
    done = project.run()
    assert done.code == 5
    assert project.passed() == ["C"]
    assert "parked Q1: The old API is deprecated" in done.out
    [question] = project.ralph("inbox", "--json").json()
    assert question["id"] == "Q1"
    assert question["task"] == "A"
    assert question["kind"] == "deviation"
    assert question["options"] == ["Use v2", "Use v1 anyway"]
    assert question["question"] == "Which version?"
    inbox = project.ralph("inbox").out
    assert "1. Use v2" in inbox
    assert "ralph answer Q1" in inbox
    report = project.ralph("report").out
    assert "A  Write the file of A  (parked: The old API is deprecated)" in report
    assert "B  Write the file of B  (waiting: " in report


@pytest.mark.parametrize(
    ("answer", "in_prompt"),
    [
        (["1"], "Proceed with option 1: Use v2"),
        (["2"], "Proceed with option 2: Use v1 anyway"),
        (["--text", "Use v3, it is out since Monday"], "Use v3, it is out since Monday"),
    ],
)
def test_an_answer_becomes_guidance(tmp_path: Path, answer: list[str], in_prompt: str) -> None:
    project = asked(tmp_path)
    assert project.ralph("answer", "Q1", *answer).code == 0
    done = project.run()
    assert done.code == 0
    assert "Iteration 2: US-001 (with guidance)" in done.out
    told = project.prompt(2)
    assert "## Decided by a person" in told
    assert in_prompt in told
    for stale in ("Wait for a person's answer", "### Blocked", "v1 is marked as deprecated"):
        assert stale not in told


def test_retry_gives_no_guidance(tmp_path: Path) -> None:
    project = asked(tmp_path)
    assert project.ralph("answer", "Q1", "--retry").code == 0
    done = project.run()
    assert done.code == 0
    assert "with guidance" not in done.out
    assert "Decided by a person" not in project.prompt(2)


def test_skip_is_written_into_the_plan_and_committed(tmp_path: Path) -> None:
    project = asked(tmp_path, 2)
    before = project.read("PRD.json")
    assert project.ralph("answer", "Q1", "--skip").code == 0
    assert project.run().code == 0
    assert project.stories()["US-001"]["skipped"] is True
    assert project.stories()["US-001"]["passes"] is False
    assert project.git("show", "ralph/journey:PRD.json") + "\n" == project.read("PRD.json")
    assert any(subject.startswith("chore: skip US-001") for subject in project.subjects())
    changed = set(project.read("PRD.json").splitlines()) - set(before.splitlines())
    assert all("skipped" in line or "passes" in line for line in changed)


def test_abort_stops_a_running_loop_and_the_question_stays_open(tmp_path: Path) -> None:
    project = Project(tmp_path, agent=BLOCK)
    with Terminal(project, *project.arguments("--on-escalation", "ask")) as person:
        person.wait_for("Choice:")
        person.type("a")
        assert person.end() == 6
    assert project.reason() == "explicit_stop"
    assert [one["id"] for one in project.ralph("inbox", "--json").json()] == ["Q1"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["Q9", "1"], "There is no open question Q9"),
        (["Q1", "3"], "Q1 has no option 3"),
    ],
)
def test_an_answer_that_fits_no_question(tmp_path: Path, arguments: list[str], says: str) -> None:
    project = asked(tmp_path)
    done = project.ralph("answer", *arguments)
    assert done.code == 1
    assert says in done.err


@pytest.mark.parametrize("arguments", [["Q1"], ["Q1", "1", "--skip"], ["Q1", "0"], ["Q1", "x"]])
def test_an_answer_must_be_one_answer(tmp_path: Path, arguments: list[str]) -> None:
    project = asked(tmp_path)
    assert project.ralph("answer", *arguments).code == 2
    assert len(project.ralph("inbox", "--json").json()) == 1


@pytest.mark.parametrize(
    ("typed", "in_prompt"),
    [(["1"], "option 1: Use v2"), (["what?", "2"], "option 2"), (["c", "Use v3", ""], "Use v3")],
)
def test_asked_at_the_terminal(tmp_path: Path, typed: list[str], in_prompt: str) -> None:
    project = Project(tmp_path, agent=ASKS_FIRST)
    with Terminal(project, *project.arguments()) as person:
        person.wait_for("Options: [1-2] Select option  [c] Custom  [s] Skip  [r] Retry  [a] Abort")
        person.wait_for("Choice:")
        assert "1. Use v2" in person.shown
        for line in typed:
            person.type(line)
        assert person.end() == 0, person.shown
        assert "Iteration 2: US-001 (with guidance)" in person.shown
    assert in_prompt in project.prompt(2)


def test_nobody_answers_at_the_terminal(tmp_path: Path) -> None:
    project = Project(tmp_path, 2, agent=ASKS_FIRST, settings={"loop": {"ask_seconds": 0.2}})
    with Terminal(project, *project.arguments()) as person:
        assert person.end() == 5, person.shown
        assert "No answer in 0.2 seconds: Q1 is parked." in person.shown
        assert person.shown.count("Choice:") == 2, "it comes back when all else is done"
    assert project.passed() == ["US-002"]
    assert len(project.ralph("inbox", "--json").json()) == 1


@pytest.mark.parametrize("key", [b"\x04", b"p\n"])
def test_a_key_parks_a_question_until_all_else_is_done(tmp_path: Path, key: bytes) -> None:
    project = Project(tmp_path, 2, agent=ASKS_FIRST)
    with Terminal(project, *project.arguments()) as person:
        person.wait_for("parks the question. It is parked by itself after 2 minutes.")
        person.wait_for("Choice:")
        person.press(key)
        person.wait_for("Q1 is parked. It waits in `ralph inbox`.")
        person.wait_for("US-002 is done")
        person.wait_for("Choice:", times=2)
        assert project.passed() == ["US-002"]
        person.type("2")
        assert person.end() == 0, person.shown
    assert project.passed() == ["US-001", "US-002"]
    assert "option 2: Use v1 anyway" in project.prompt(3)


def test_a_parked_question_is_put_to_the_person_who_comes_back(tmp_path: Path) -> None:
    project = asked(tmp_path)
    with Terminal(project, *project.arguments()) as person:
        person.wait_for("Choice:")
        person.type("1")
        assert person.end() == 0, person.shown
    assert project.passed() == ["US-001"]


def test_on_escalation_abort_ends_the_run(tmp_path: Path) -> None:
    project = Project(tmp_path, 2, agent=ASKS_FIRST)
    done = project.run("--on-escalation", "abort")
    assert done.code == 5
    assert len(project.calls()) == 1
    assert "Q1" in done.out


def test_an_escalation_beats_a_claim_in_the_same_output(tmp_path: Path) -> None:
    project = Project(tmp_path, agent=FINISH + BLOCK)
    assert project.run().code == 5
    assert project.passed() == []
    assert project.subjects() == []


def test_an_answer_that_comes_while_the_loop_works_is_picked_up(tmp_path: Path) -> None:
    project = Project(tmp_path, 2)
    waits = 'i=0; while [ ! -e "$state/go" ] && [ $i -lt 3000 ]; do sleep 0.02; i=$((i+1)); done\n'
    project.agent(f"if [ $n = 1 ]; then\n{BLOCK}exit 0\nfi\n{waits}{FINISH}")
    process = project.start()
    wait_until(lambda: len(project.calls()) == 2 or process.poll() is not None, "the second agent")
    assert project.ralph("answer", "Q1", "1").code == 0
    (project.state / "go").touch()
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, out + err
    assert project.passed() == ["US-001", "US-002"]


def test_work_so_far_is_kept_with_the_question_and_comes_back(tmp_path: Path) -> None:
    agent = f"if [ $n = 1 ]; then echo half > half.txt\n{BLOCK}exit 0\nfi\ncat half.txt\n{FINISH}"
    project = Project(tmp_path, agent=agent)
    assert project.run().code == 5
    assert not (project.root / "half.txt").exists()
    [question] = project.ralph("inbox", "--json").json()
    assert project.git("show", f"{question['salvage']}:half.txt") == "half"
    project.ralph("answer", "Q1", "1")
    assert project.run().code == 0
    assert project.git("show", "ralph/journey:half.txt") == "half"


@pytest.mark.parametrize(("threshold", "calls"), [("2", 2), ("3", 3), ("6", 6)])
def test_the_same_error_again_and_again_asks_by_itself(
    tmp_path: Path, threshold: str, calls: int
) -> None:
    agent = 'echo "try $n" > try.txt\necho "Task $RALPH_TASK_ID complete"\n'
    check = 'echo "$(date +%s%N) ConnectionRefused at 0x$$"; test ! -f try.txt'
    project = Project(tmp_path, agent=agent, verify=check)
    done = project.run(env={"STUCK_THRESHOLD": threshold})
    assert done.code == 5
    assert len(project.calls()) == calls
    [question] = project.ralph("inbox", "--json").json()
    assert "same failure" in question["summary"]
    assert "ConnectionRefused" in question["context"]
    assert len(question["options"]) == 2


def test_no_check_at_all_needs_a_person_who_may_accept(tmp_path: Path) -> None:
    project = Project(tmp_path, verify=None, settings={"verification": {"commands": []}})
    assert project.run().code == 5
    assert project.passed() == []
    assert project.subjects() == []
    [question] = project.ralph("inbox", "--json").json()
    assert question["kind"] == "accept"
    project.ralph("answer", "Q1", "1")
    done = project.run()
    assert done.code == 0
    assert len(project.calls()) == 1
    assert "claims" not in done.out
    assert "1 accepted" in done.out
    assert project.ralph("cost", "--json").json()["total"]["agents"] == 1
    assert project.passed() == ["US-001"]
    assert project.git("show", "ralph/journey:out/US-001.txt") == "work on US-001, call 1"
    assert "1 accepted\n" in project.ralph("report").out


@pytest.mark.parametrize(("option", "kept"), [("2", True), ("3", False)])
def test_work_that_is_not_accepted_goes_on_or_is_begun_anew(
    tmp_path: Path, option: str, kept: bool
) -> None:
    agent = f"ls > seen-$n.txt\n{FINISH}"
    project = Project(
        tmp_path, agent=agent, verify=None, settings={"verification": {"commands": []}}
    )
    assert project.run().code == 5
    [first] = project.ralph("inbox", "--json").json()
    assert project.ralph("answer", "Q1", option).code == 0
    assert project.run().code == 5
    [again] = project.ralph("inbox", "--json").json()
    seen = project.git("show", f"{again['salvage']}:seen-2.txt").split()
    assert ("seen-1.txt" in seen) is kept
    assert ("sent the work back" in project.prompt(2)) is kept
    assert project.git("show", f"{first['salvage']}:seen-1.txt"), "nothing is lost"


def test_no_check_configured_or_found_is_an_error_that_names_the_fix(tmp_path: Path) -> None:
    project = Project(tmp_path, verify=None)
    done = project.run()
    assert done.code == 1
    assert "--verify" in done.err
    assert "verification.commands" in done.err
    assert project.calls() == []


def test_a_task_that_is_done_already_can_be_marked_by_a_person(tmp_path: Path) -> None:
    project = Project(tmp_path, agent='echo "Task $RALPH_TASK_ID complete"\n')
    assert project.run().code == 5
    assert project.subjects() == []
    assert project.ralph("answer", "Q1", "1").code == 0
    done = project.run()
    assert done.code == 0, done.out + done.err
    assert project.passed() == ["US-001"]


def test_tasks_behind_a_skipped_one_are_reported(tmp_path: Path) -> None:
    stories = [story("A"), story("B", depends_on=["A"]), story("C", depends_on=["B"])]
    project = Project(tmp_path, stories)
    assert project.ralph("skip", "--task", "A", "--why", "not wanted").code == 0
    done = project.run()
    assert done.code == 5, done.out + done.err
    assert project.calls() == []
    assert project.stories()["A"]["skipped"] is True
    rows = {row["id"]: row for row in project.ralph("report", "--json").json()["tasks"]["open"]}
    assert rows["A"]["status"] == "skipped"
    assert "A" in rows["B"]["why"]
    assert rows["C"]["status"] == "waiting"


EDIT = """sed -i 's/"title": "Write the file of US-002"/"title": "Changed"/' PRD.json\n"""


def test_a_plan_edited_while_an_agent_works_is_restored_kept_and_asked_about(
    tmp_path: Path,
) -> None:
    project = Project(tmp_path, 2, agent=f"if [ $n = 1 ]; then\n{EDIT}fi\n{FINISH}")
    assert project.run("--once").code == 0
    assert project.stories()["US-002"]["title"] == "Write the file of US-002"
    [question] = project.ralph("inbox", "--json").json()
    assert question["kind"] == "plan_edit"
    assert "Changed" in project.git("show", f"{question['salvage']}:PRD.json")
    project.ralph("answer", question["id"], "1")
    assert project.run().code == 0
    assert project.stories()["US-002"]["title"] == "Changed"
    assert project.passed() == ["US-001", "US-002"]
    assert project.subjects()[-1] == "feat: Changed"


def test_an_edit_of_the_plan_can_be_dropped(tmp_path: Path) -> None:
    project = Project(tmp_path, 2, agent=f"if [ $n = 1 ]; then\n{EDIT}fi\n{FINISH}")
    assert project.run("--once").code == 0
    project.ralph("answer", "Q1", "2")
    assert project.run().code == 0
    assert project.stories()["US-002"]["title"] == "Write the file of US-002"
    assert project.ralph("inbox", "--json").json() == []


def test_edits_between_iterations_are_honoured(tmp_path: Path) -> None:
    project = Project(tmp_path, 2)
    assert project.run("--once").code == 0
    text = project.read("PRD.json").replace("Write the file of US-002", "Rewritten by a person")
    project.write("PRD.json", text)
    assert project.run().code == 0
    assert "Rewritten by a person" in project.prompt(2)
    assert project.subjects()[-1] == "feat: Rewritten by a person"
    assert project.stories()["US-002"]["title"] == "Rewritten by a person"


def test_an_edit_that_adds_a_task_counts_even_when_all_the_others_are_done(tmp_path: Path) -> None:
    adds = """python3 -S -E -c '
import json
plan = json.load(open("PRD.json"))
plan["userStories"].append({**plan["userStories"][0], "id": "US-002", "title": "One more"})
json.dump(plan, open("PRD.json", "w"), indent=2)'
"""
    project = Project(tmp_path, agent=f"if [ $n = 1 ]; then\n{adds}fi\n{FINISH}")
    project.run()
    assert project.passed() == ["US-001"]
    assert project.ralph("answer", "Q1", "1").code == 0
    assert project.run().code == 0
    assert project.passed() == ["US-001", "US-002"]


def test_accepted_work_that_conflicts_is_brought_in_by_an_agent(tmp_path: Path) -> None:
    unclaimed = "if [ $n -le 2 ]; then echo one >> shared.txt; exit 0; fi\n"
    other = "if [ $n = 3 ]; then echo two >> shared.txt; fi\n"
    project = Project(tmp_path, 2, agent=unclaimed + other + FINISH)
    assert project.run("--on-escalation", "park").code == 5
    assert project.passed() == ["US-002"]
    assert project.ralph("answer", "Q1", "1").code == 0
    done = project.run()
    assert done.code == 0, done.out + done.err
    assert "accepted conflicts with what was done since" in done.out
    assert "An agent is to bring it in." in done.out
    assert "The agent itself failed" not in done.out
    assert "that a person accepted conflicts" in project.prompt(4)
    assert "`git show refs/ralph/salvage/" in project.prompt(4)
    metrics = project.ralph("report", "--json").json()["metrics"]
    assert (metrics["errors"], metrics["failures"]) == (0, 0)


def test_a_quoted_question_is_asked_and_sub_bullets_belong_to_their_option(tmp_path: Path) -> None:
    words = [
        *("<escalate type='deviation'>", "<summary>Two versions</summary>", "<options>"),
        *("1. Use v1", "   - stable", "2. Use v2", "   - new", "</options>"),
        *("<question>Which one?</question>", "</escalate>"),
    ]
    quoted = "\n".join(f"> {line}" for line in words)
    project = Project(tmp_path, agent=f"cat <<'END'\n{quoted}\nEND\n")
    assert project.run("--on-escalation", "park").code == 5
    (asked,) = project.ralph("inbox", "--json").json()
    assert asked["options"] == ["Use v1: stable", "Use v2: new"]
    assert asked["question"] == "Which one?"


def test_the_promise_counts_in_a_sentence(tmp_path: Path) -> None:
    project = Project(tmp_path, agent=f"{FINISH}echo 'All of it works, so LOOP_COMPLETE now.'\n")
    done = project.run()
    assert done.code == 0, done.out + done.err
    assert "claims everything is done" in done.out


def test_an_agent_that_dies_of_a_permission_says_so_once(tmp_path: Path) -> None:
    dies = "echo \"PermissionError: [Errno 13] Permission denied: '/srv/model'\"; exit 1\n"
    project = Project(tmp_path, agent=dies)
    done = project.run("--max-iterations", "1")
    assert done.code != 0
    assert "lacks a permission that it needs" in done.out
    assert "/srv/model" in done.out
