"""A plan goes in, verified commits come out."""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING

import pytest
from tests.support.project import FINISH, PATIENCE, RALPH, Project, story

if TYPE_CHECKING:
    from pathlib import Path

TIDY_PLAN = """\
{
    "project":   "Journey",
    "description": "Umlauts äöü, an emoji 🌱 and tabs\\t survive.",
    "ownKey": {"kept": [1, 2.50, 1e3, null]},
    "userStories": [
        {"id": "US-001", "title": "One", "description": "", "criteria": [], "passes": false, "x":1},

        {
            "passes":false, "id": "US-002",
            "depends_on": ["US-001"], "title": "Two", "description": "d", "criteria": ["c"]
        }
    ]
}
"""


def test_the_demo_repairs_a_failure_and_answers_a_question(tmp_path: Path) -> None:
    project = Project(tmp_path)
    done = project.ralph("demo", "--dir", str(tmp_path / "demo"))
    assert done.code == 0, done.out + done.err
    assert "No model is called" in done.out
    assert "US-002 stays open" in done.out
    assert "ESCALATION (deviation) US-003" in done.out
    assert "Iteration 5: US-003 (with guidance)" in done.out
    assert "Done: 3/3" in done.out
    assert done.out.count("fails without the change: test_") == 3
    assert "US-003  Convert Celsius to Kelvin  (proven" in done.out
    assert "time to recovery after a failure: -" not in done.out


def test_an_agent_that_does_the_work_gets_one_commit_per_task(tmp_path: Path) -> None:
    project = Project(tmp_path, 3, verify="ls out/*.txt >/dev/null || test ! -d out")
    done = project.run("PRD.json")
    assert done.code == 0, done.out + done.err
    assert project.subjects() == [f"feat: Write the file of US-{n:03d}" for n in (1, 2, 3)]
    assert project.trailers("Ralph-Task") == ["US-001", "US-002", "US-003"]
    assert project.trailers("Ralph-Iteration") == ["1", "2", "3"]
    assert len(set(project.trailers("Ralph-Run"))) == 1
    assert project.passed() == ["US-001", "US-002", "US-003"]
    assert project.git("status", "--porcelain") == ""
    changed = project.git("show", "--name-only", "--format=", "HEAD").splitlines()
    assert changed == ["PRD.json", "out/US-003.txt"]
    assert project.ralph("audit").code == 0


def test_the_rest_of_the_plan_stays_byte_for_byte(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("PRD.json", TIDY_PLAN)
    project.commit("another plan")
    assert project.run().code == 0
    expected = TIDY_PLAN.replace('"passes": false', '"passes": true')
    assert project.read("PRD.json") == expected.replace('"passes":false', '"passes":true')


def test_every_iteration_is_a_fresh_process_with_one_task(tmp_path: Path) -> None:
    project = Project(tmp_path, 3)
    project.walls = False
    assert project.run().code == 0
    calls = project.calls()
    assert [task for _, task, _ in calls] == ["US-001", "US-002", "US-003"]
    assert len({pid for pid, _, _ in calls}) == 3
    for number, (_, task, _) in enumerate(calls, 1):
        prompt = project.prompt(number)
        assert f"# Task {task}" in prompt
        assert sum(f"out/US-{n:03d}.txt must be there" in prompt for n in (1, 2, 3)) == 1


def test_the_prompt_is_on_standard_input_in_a_file_and_in_the_archive(tmp_path: Path) -> None:
    agent = 'cmp "$RALPH_PROMPT_FILE" "$state/prompt-$n.md" && test -n "$RALPH_RUN_ID" || exit 1\n'
    project = Project(tmp_path, agent=agent + FINISH)
    assert project.run().code == 0
    assert project.read(".ralph/prompts/iteration-1.md") == project.prompt(1)


def test_a_prompt_of_ones_own_is_given_as_it_is_with_the_task_after_it(tmp_path: Path) -> None:
    project = Project(tmp_path, 2)
    project.write("PROMPT.md", "Speak like a pirate. $HOME ${x} stay.\n")
    project.commit("prompt")
    assert project.run().code == 0
    for call in (1, 2):
        assert project.prompt(call).startswith("Speak like a pirate. $HOME ${x} stay.\n")
        assert f"# Task US-{call:03d}" in project.prompt(call)
        assert "How to work here" not in project.prompt(call)


def test_init_writes_what_a_run_needs_and_overwrites_nothing(tmp_path: Path) -> None:
    project = Project(tmp_path)
    plan = project.read("PRD.json")
    assert project.ralph("init", "--script").code == 0
    assert project.read("PRD.json") == plan
    prompt = project.read("PROMPT.md")
    for rule in ("<escalate type=", "Task <ID> complete", "<promise>DONE</promise>"):
        assert rule in prompt
    project.write("PROMPT.md", "mine\n")
    assert project.ralph("init", "--script").code == 0
    assert project.read("PROMPT.md") == "mine\n"


def test_init_adopts_a_plan_that_is_there(tmp_path: Path) -> None:
    project = Project(tmp_path)
    (project.root / "PRD.json").unlink()
    project.write("TODO.md", "# Things\n\n- [x] old\n- [ ] Write the file\n- [ ] Write another\n")
    project.write("tasks.txt", "no plan\n")
    project.commit("a list")
    said = project.ralph("run")
    assert "Work on TODO.md with `ralph run TODO.md`" in said.err
    made = project.ralph("init")
    assert "TODO.md" in made.out
    assert "is your plan now: 2 open tasks (tasks.path)" in made.out
    assert "check your tasks with `ralph lint`" in made.out
    assert not (project.root / "PRD.json").exists()
    again = project.ralph("init").out
    assert "is your plan now" not in again
    assert "set tasks.path" not in again
    (project.root / "ralph.yaml").rename(project.root / "kept.yaml")
    project.write("ralph.yaml", "loop: {max_cost: 3}\n")
    assert "to make it your plan, set tasks.path in ralph.yaml" in project.ralph("init").out
    (project.root / "kept.yaml").replace(project.root / "ralph.yaml")
    project.git("add", "-A")
    assert project.run().code == 0
    assert project.git("show", "ralph/things:TODO.md").count("[x]") == 3


def test_the_examples_of_init_are_not_worked_on(tmp_path: Path) -> None:
    project = Project(tmp_path)
    (project.root / "PRD.json").unlink()
    project.commit("nothing to do yet")
    assert "replace its two example stories" in project.ralph("init").out
    project.commit("initialised")
    refused = (project.ralph("lint"), project.run(), project.run("--dry-run"))
    assert [done.code for done in refused] == [1, 1, 1]
    assert "US-001: is an example of `ralph init`" in refused[0].out
    for done in refused[1:]:
        assert "PRD.json: US-001 is an example of `ralph init`." in done.err
        assert "Replace it with a task of your own, or delete it." in done.err
    assert project.git("branch", "--show-current") == "main"
    assert not project.calls()


def test_ralph_sh_runs_the_loop(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.ralph("init", "--script")
    project.configure(
        {
            "agent": "mine",
            "agents": {"mine": {"command": ["/bin/sh", str(project.script)]}},
            "verification": {"commands": [["true"]]},
        }
    )
    project.commit("initialised")
    env = {**project.env, "PATH": f"{RALPH.parent}:{project.env['PATH']}"}
    done = subprocess.run(
        ["./ralph.sh"],
        cwd=project.root,
        env=env,
        check=False,
        capture_output=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    assert project.passed() == ["US-001"]


def test_tasks_run_in_file_order_when_their_dependencies_have_passed(tmp_path: Path) -> None:
    stories = [
        story("A", depends_on=["C"]),
        story("B", skipped=True),
        story("C"),
        story("D", passes=True),
        story("E", depends_on=["D"]),
    ]
    project = Project(tmp_path, stories)
    assert project.run().code == 0
    assert [task for _, task, _ in project.calls()] == ["C", "A", "E"]


def test_a_thousand_stories(tmp_path: Path) -> None:
    names = [f"S{n:04d}" for n in range(1000)]
    stories = [
        story(name, depends_on=[names[n + 1]] if n % 2 == 0 else [], passes=n >= 6)
        for n, name in enumerate(names)
    ]
    project = Project(tmp_path, stories)
    assert project.run().code == 0
    assert [task for _, task, _ in project.calls()] == [
        "S0001", "S0000", "S0003", "S0002", "S0005", "S0004"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("broken", "named"),
    [
        ({0: ["S0999"], 999: ["S0500"], 500: ["S0000"]}, ["S0000", "S0999", "S0500"]),
        ({7: ["S4711"]}, ["S0007", "S4711"]),
    ],
    ids=["cycle", "missing"],
)
def test_a_broken_graph_names_its_stories(
    tmp_path: Path, broken: dict[int, list[str]], named: list[str]
) -> None:
    stories = [story(f"S{n:04d}", depends_on=broken.get(n, [])) for n in range(1000)]
    project = Project(tmp_path, stories)
    done = project.run()
    assert done.code == 1
    assert all(name in done.err for name in named)
    assert len(done.err.splitlines()) <= 3
    assert project.calls() == []


def test_the_terminal_shows_the_run(tmp_path: Path) -> None:
    project = Project(tmp_path, 2, agent='test "$n" = 1 && exit 0\n' + FINISH)
    done = project.run()
    assert done.code == 0
    assert "Progress: 0/2 complete (2 remaining)" in done.out
    assert "Iteration 1: US-001 Write the file of US-001" in done.out
    assert re.search(r"Iteration 2: US-001 .*attempt 2", done.out)
    assert "Progress: 1/2 complete (1 remaining)" in done.out
    assert "Final: 2/2 complete (0 remaining)" in done.out
    assert "\x1b" not in done.out


def test_events_as_json_lines(tmp_path: Path) -> None:
    project = Project(tmp_path)
    done = project.run("--json")
    assert done.code == 0
    kinds = [event["event"] for event in done.events()]
    assert kinds[0] == "RunStarted"
    assert kinds[-1] == "RunEnded"
    assert "Settled" in kinds


def test_a_dry_run_shows_the_prompt_and_starts_nothing(tmp_path: Path) -> None:
    project = Project(tmp_path)
    before = project.git("status", "--porcelain", "--branch")
    done = project.run("--dry-run")
    assert done.code == 0
    assert "# selected: US-001" in done.out
    assert "# forecast: 1 task to go" in done.out
    assert "out/US-001.txt must be there" in done.out
    assert project.calls() == []
    assert project.events() == []
    assert project.git("status", "--porcelain", "--branch") == before


def test_the_start_of_a_run_and_a_dry_run_forecast_what_is_left(tmp_path: Path) -> None:
    project = Project(tmp_path, 3)
    assert project.run("--once").code == 0
    told = project.run("--dry-run")
    assert re.search(r"# forecast: 2 tasks to go: about .* of work", told.out)
    assert project.run("--dry-run", "--json").json()["forecast"]["tasks"] == 2
    assert re.search(r"\$ forecast: 2 tasks to go: about .* of work", project.run().out)


def test_once_does_one_iteration_and_only_one_task_can_be_asked_for(tmp_path: Path) -> None:
    project = Project(tmp_path, 3)
    assert project.run("--once").code == 0
    assert project.passed() == ["US-001"]
    assert project.run("--task", "US-003").code == 0
    assert project.passed() == ["US-001", "US-003"]


def test_a_plan_of_markdown_check_boxes(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("TODO.md", "# Chores\n\n- [ ] Sweep the floor\n- [x] Wash up\n\nThe end.\n")
    project.commit("a list")
    agent = 'echo swept > floor.txt\necho "Task $RALPH_TASK_ID complete"\n'
    project.agent(agent)
    done = project.run("TODO.md")
    assert done.code == 0, done.out + done.err
    assert project.read("TODO.md") == (
        "# Chores\n\n- [x] Sweep the floor\n- [x] Wash up\n\nThe end.\n"
    )


def test_commit_messages_follow_the_kind_of_the_task(tmp_path: Path) -> None:
    stories = [
        story("F-1", title="Fix the crash on start", kind="fix"),
        story("C-1", title="Update the lock file", labels=["chore"]),
    ]
    project = Project(tmp_path, stories)
    assert project.run().code == 0
    assert project.subjects() == ["fix: Fix the crash on start", "chore: Update the lock file"]


def test_the_plan_names_the_branch(tmp_path: Path) -> None:
    project = Project(tmp_path)
    plan = project.view("PRD.json")
    project.write("PRD.json", json.dumps({"branchName": "feature/own", **plan}, indent=2))
    project.commit("branch")
    assert project.run().code == 0
    assert project.subjects("feature/own") == ["feat: Write the file of US-001"]


def test_nothing_an_agent_or_a_check_prints_steers_the_terminal(tmp_path: Path) -> None:
    evil = "\\033]0;title\\007\\033[2J\\033[31m"
    project = Project(tmp_path, 2, verify=f"printf '{evil} red'; test ! -f bad.txt")
    project.agent(
        f"if [ $n = 1 ]; then echo x > bad.txt; printf 'Task US-001 complete{evil}'; exit 0; fi\n"
        f"rm -f bad.txt; printf '<escalate type=\"stuck\"><summary>{evil}oh</summary></escalate>'\n"
    )
    done = project.run("--max-iterations", "2")
    assert done.code in {4, 5}
    shown = [done, project.ralph("inbox"), project.ralph("status"), project.ralph("report")]
    assert all("\x1b" not in one.out and "\x07" not in one.out for one in shown)
    assert "oh" in done.out
