"""Status, report, logs, notes, prompts, checkpoints: what a run leaves for people and agents."""

from __future__ import annotations

import json
import re
import shutil
import sys
from typing import TYPE_CHECKING

from tests.support.project import ASKS_FIRST, FINISH, PATIENCE, Project, story, wait_until
from tests.support.repository import begin
from tests.support.terminal import Terminal

if TYPE_CHECKING:
    from pathlib import Path

STATUS = {
    "loop_id", "task_id", "project_id", "state", "goal", "config", "current_iteration",
    "iterations", "total_input_tokens", "total_output_tokens", "total_cost", "started_at",
    "completed_at", "termination_reason", "last_checkpoint_id", "errors",
}  # fmt: skip
CONFIG = {
    "max_iterations", "max_cost", "max_duration_minutes", "context_threshold",
    "max_consecutive_errors", "agent_type", "model",
}  # fmt: skip
ITERATION = {
    "iteration", "agent_id", "started_at", "completed_at", "phase", "completed_items",
    "pending_items", "errors", "checkpoint_id", "input_tokens", "output_tokens", "cost",
    "handoff_trigger", "health_state",
}  # fmt: skip
STATES = {
    "initializing", "running", "paused", "handoff", "completing", "completed", "failed",
    "terminated",
}  # fmt: skip
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"

FAILS_ONCE = f"""\
if [ $n = 1 ]; then echo wrong > wrong.txt; echo "Task $RALPH_TASK_ID complete"; exit 0; fi
rm -f wrong.txt
{FINISH}"""


WITH_TEST = """\
echo 'def double(number): return 2 * number' > double.py
printf 'from double import double\\ndef test_double(): assert double(3) == 6\\n' > test_double.py
echo "Task $RALPH_TASK_ID complete"
"""


def repaired(tmp_path: Path, stories: int = 2) -> Project:
    """A run whose first attempt failed its check."""
    project = Project(tmp_path, stories, agent=FAILS_ONCE, verify="test ! -f wrong.txt")
    done = project.run()
    assert done.code == 0, done.out + done.err
    return project


def test_status_json_has_the_fields_of_the_source(tmp_path: Path) -> None:
    project = repaired(tmp_path)
    status = project.view(".ralph/status.json")
    assert set(status) == STATUS
    assert set(status["config"]) == CONFIG
    assert all(set(one) == ITERATION for one in status["iterations"])
    assert status["state"] == "completed"
    assert status["goal"] == "Journey"
    assert status["current_iteration"] == 3
    assert status["termination_reason"] == "goal_achieved"
    assert re.fullmatch(TIME, status["started_at"])
    assert re.fullmatch(TIME, status["completed_at"])
    first, second, _ = status["iterations"]
    assert first["pending_items"] == ["out/US-001.txt exists"]
    assert first["errors"]
    assert second["completed_items"] == ["out/US-001.txt exists"]
    assert second["phase"] == "complete"


def test_the_state_while_it_runs_is_one_of_the_source(tmp_path: Path) -> None:
    project = Project(tmp_path, 2)
    # it is written once the agent is at work
    project.walls = False
    copy = f'sleep 0.3; cp {project.root}/.ralph/status.json "$state/status-$n.json"\n'
    project.agent(copy + FINISH)
    assert project.run().code == 0
    states = [json.loads((project.state / f"status-{n}.json").read_text())["state"] for n in (1, 2)]
    assert set(states) <= STATES
    assert states[1] == "running"


def test_report_json_and_the_report(tmp_path: Path) -> None:
    project = repaired(tmp_path)
    report = project.view(".ralph/report.json")
    assert report.items() <= project.ralph("report", "--json").json().items()
    assert report["state"] == "completed"
    assert report["termination_reason"] == "goal_achieved"
    assert [row["id"] for row in report["tasks"]["completed"]] == ["US-001", "US-002"]
    assert report["tasks"]["open"] == []
    hashes = project.git("log", "--reverse", "--format=%H", "main..ralph/journey").splitlines()
    assert [one["commit"] for one in report["commits"]] == hashes
    metrics = report["metrics"]
    assert metrics["iterations"] == 3
    assert metrics["successes"] == 2
    assert metrics["failures"] == 1
    assert metrics["errors"] == 0
    assert metrics["rollbacks"] == 0
    assert metrics["success_rate"] == round(2 / 3, 4)
    assert metrics["verified_share"] == round(2 / 3, 4)
    assert metrics["iterations_per_task"] == 1.5
    assert metrics["seconds_to_recovery"] >= 0
    assert metrics["elapsed_seconds"] > 0
    assert metrics["cost_usd"] is None, "an agent that does not say is not free"
    text = project.ralph("report").out
    for expected in (
        "Done: 2/2",
        hashes[0][:10],
        "67% ended in a commit",
        "cost: unknown",
    ):
        assert expected in text


def test_the_report_is_about_one_run(tmp_path: Path) -> None:
    costs = '{"type": "result", "subtype": "success", "is_error": false, "total_cost_usd": 0.25, '
    costs += '"result": "Task %s complete", "usage": {"input_tokens": 1, "output_tokens": 1}}'
    fails = "test $n = 1 && echo half > half && exit 1\n"
    body = f"{fails}echo $n > $RALPH_TASK_ID.txt\nprintf '{costs}' $RALPH_TASK_ID\n"
    project = Project(tmp_path, 2, agent=body)
    assert project.run("--once").code == 4
    first = project.view(".ralph/report.json")
    assert project.run().code == 0
    last, every = (project.ralph("report", *more, "--json").json() for more in ((), ("--all",)))
    text, before = project.ralph("report").out, project.ralph("report", "--run", first["run"]).out

    assert [one["iterationId"] for one in first["iterations"]] == [1]
    assert [one["iterationId"] for one in last["iterations"]] == [2, 3]
    assert (last["metrics"]["failures"], every["metrics"]["failures"]) == (0, 1)
    assert last["metrics"]["checkpoints"] == 2
    assert (last["metrics"]["cost_usd"], first["metrics"]["cost_usd"]) == (0.5, None)
    assert len(every["iterations"]) == 3
    assert f"run {last['run']} · {last['started_at']} · took 0:0" in text
    assert "$0.50" in text
    assert "Take it over: `git switch main`, then `git merge ralph/journey`" in text
    assert f"kept: US-001, iteration 1: {project.events('Salvaged')[0]['ref']}" in before
    assert "cost unknown" in before
    unknown = project.ralph("report", "--run", "0000")
    assert (unknown.code, "There is no run 0000." in unknown.err) == (1, True)


def test_the_report_names_what_is_not_done_and_why(tmp_path: Path) -> None:
    block = '<escalate type="stuck"><summary>No login</summary></escalate>'
    stories = [story("A"), story("B", depends_on=["A"]), story("C", skipped=True), story("D")]
    project = Project(tmp_path, stories)
    project.agent(f"if [ $RALPH_TASK_ID = A ]; then echo '{block}'; exit 0; fi\n{FINISH}")
    assert project.run().code == 5
    text = project.ralph("report").out
    assert "Done: 1/4" in text
    assert re.search(r"A .*\(parked: No login\)", text)
    assert re.search(r"B .*\(waiting: .*A", text)
    assert re.search(r"C .*\(skipped: ", text)


def test_the_record_of_an_iteration(tmp_path: Path) -> None:
    project = repaired(tmp_path, 1)
    failed, landed = (project.view(f".ralph/logs/iteration-{n}.json") for n in (1, 2))
    assert failed["taskId"] == landed["taskId"] == "US-001"
    assert (failed["outcome"], landed["outcome"]) == ("failed", "success")
    assert failed["resultCommit"] == ""
    assert landed["resultCommit"] == project.git("rev-parse", "ralph/journey")
    assert failed["baseCommit"] == landed["baseCommit"] == project.git("rev-parse", "main")
    assert failed["filesChanged"] == ["wrong.txt"]
    assert landed["filesChanged"] == ["out/US-001.txt"]
    [check] = failed["verification"]
    assert check["command"] == "test ! -f wrong.txt"
    assert check["passed"] is False
    assert check["exitCode"] == 1
    assert "wrong.txt" in failed["feedback"]
    assert landed["trigger"] == "task_incomplete"
    assert landed["attempt"] == 2
    assert landed["agent"]["exitCode"] == 0
    hashes = failed["agent"]["prefixHash"], landed["agent"]["prefixHash"]
    assert re.fullmatch("[0-9a-f]{64}", hashes[0])
    assert hashes[0] == hashes[1], "a cache of the model's still holds"
    project.write("AGENTS.md", "Use tabs.\n")
    project.commit("guidance")
    assert project.ralph("retry", "US-001").code == 0
    assert project.run().code == 0
    assert project.view(".ralph/logs/iteration-3.json")["agent"]["prefixHash"] != hashes[0]
    assert "2 different beginnings of prompts" in project.ralph("tokens").out
    assert re.fullmatch(TIME, landed["startedAt"])
    assert re.fullmatch(TIME, landed["endedAt"])
    assert project.ralph("logs", "--iteration", "1", "--json").json() == failed


def test_logs_show_what_agent_and_checks_printed(tmp_path: Path) -> None:
    project = Project(tmp_path, agent="echo out; echo err >&2\n" + FINISH, verify="echo from check")
    assert project.run().code == 0
    assert "out\n" in project.read(".ralph/logs/iteration-1.txt")
    shown = project.ralph("logs", "--iteration", "1").out
    assert "Task US-001 complete" in shown
    assert "from check" in shown
    assert re.search(r"^\d\d:\d\d:\d\d   ✓ US-001 is done", shown, re.MULTILINE)
    assert "out\nerr\n" in project.ralph("logs", "--raw").out
    assert "# Task US-001" in project.ralph("logs", "--prompt").out
    assert project.ralph("logs", "--iteration", "9").code == 1


def test_logs_say_which_failures_were_wanted(tmp_path: Path) -> None:
    project = Project(tmp_path, agent=WITH_TEST, verify=f"{sys.executable} -m pytest -q")
    project.write("test_old.py", "def test_old():\n    assert True\n")
    project.commit("a test")
    assert project.run().code == 0
    shown = project.ralph("logs").out
    assert re.search(r"canary-check-1\.log · A test that must fail was added", shown)
    assert re.search(r"red-check-1\.log · The new and changed tests without the work", shown)
    assert "# iteration-1-check-1.log\n" in shown


def test_logs_of_a_protocol_are_words_and_follow_the_run(tmp_path: Path) -> None:
    """As on the screen of the run; the stream itself is shown when it is asked for."""
    said = {
        "type": "assistant",
        "message": {"content": [{"type": "text", "text": "I look around"}]},
    }
    done = {"type": "result", "subtype": "success", "is_error": False, "result": "Task %s complete"}
    lines = "".join(f"printf '{json.dumps(one)}\\n' $RALPH_TASK_ID\n" for one in (said, done))
    waits = 'touch "$state/at-$n"\nwhile [ ! -e "$state/go" ]; do sleep 0.02; done\n'
    project = Project(tmp_path, 2, agent=f"{waits}echo $n > $RALPH_TASK_ID.txt\n{lines}")
    running = project.start()
    wait_until((project.state / "at-1").exists, "the agent")
    with Terminal(project, "logs", "--follow") as watching:
        watching.wait_for("Iteration 1: US-001")
        (project.state / "go").touch()
        running.communicate(timeout=PATIENCE)
        assert watching.end() == 0
    assert "I look around" in watching.shown
    assert "US-002 is done" in watching.shown
    assert '{"type"' not in project.ralph("logs").out
    assert '{"type"' in project.ralph("logs", "--raw").out


def test_following_shows_what_an_agent_prints(tmp_path: Path) -> None:
    waits = 'touch "$state/at-$n"\nwhile [ ! -e "$state/go" ]; do sleep 0.02; done\n'
    later = f"sleep 1.1\necho Writing. $(date +%T)\n{FINISH}"
    project = Project(tmp_path, agent=f"echo Reading.\n{waits}{later}")
    running = project.start()
    wait_until((project.state / "at-1").exists, "the agent")
    with Terminal(project, "logs", "--follow") as watching:
        watching.wait_for("    Reading.")
        (project.state / "go").touch()
        running.communicate(timeout=PATIENCE)
        assert watching.end() == 0
    inside = r"    Reading\.\n.*(\d\d:\d\d:\d\d) +Writing\. (\S+)\n.*agent finished"
    found = re.search(inside, watching.shown, re.DOTALL)
    assert found is not None, watching.shown
    assert found[1] >= found[2], "a hang can be seen by the times of the lines"
    assert watching.shown.count("    Reading.\n") == 1, watching.shown
    assert "0/0" not in watching.shown


def test_status_counts_and_points_to_the_last_failure(tmp_path: Path) -> None:
    project = Project(tmp_path, 3, agent=FAILS_ONCE, verify="test ! -f wrong.txt")
    project.run("--once")
    text = project.ralph("status").out
    assert "0/3 complete (3 remaining)" in text
    assert "next: US-001" in text
    assert "last iteration 1: failed" in text
    assert "ralph logs --iteration 1" in text
    status = project.ralph("status", "--json").json()
    assert status["counts"]["ready"] == 3
    assert status["next"]["id"] == "US-001"


def test_notes_of_agents_reach_the_next_prompt(tmp_path: Path) -> None:
    agent = """\
mkdir -p .agent
echo "note of call $n" >> .agent/scratchpad.md
sed -i "s/^None yet.$/- Dates are UTC everywhere/" .ralph/progress.md
echo "Learned in call $n: tabs, not spaces" >> .ralph/progress.md
"""
    project = Project(tmp_path, 2, agent=agent + FINISH)
    assert project.run().code == 0
    second = project.prompt(2)
    assert "note of call 1" in second
    assert "Dates are UTC everywhere" in second
    assert ".agent/scratchpad.md" in project.prompt(1)
    progress = project.read(".ralph/progress.md")
    assert progress.startswith("# Progress: Journey")
    assert progress.index("## Codebase Patterns") < progress.index("### Iteration 1")
    assert "- Dates are UTC everywhere" in progress
    assert "Learned in call 1: tabs, not spaces" in progress
    assert "### Iteration 2: US-002" in progress


def test_durable_guidance_is_given_to_every_agent(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write("AGENTS.md", "Never use the word foo.\n")
    project.commit("guidance")
    assert project.run().code == 0
    assert "Never use the word foo." in project.prompt(1)


def test_progress_is_archived_when_another_feature_starts_and_keeps_to_its_cap(
    tmp_path: Path,
) -> None:
    settings = {"memory": {"progress_cap": 3000}}
    project = Project(
        tmp_path, agent="seq 1 3000 >> .ralph/progress.md\n" + FINISH, settings=settings
    )
    assert project.run().code == 0
    assert len(project.read(".ralph/progress.md")) <= 3000
    plan = {**project.view("PRD.json"), "project": "Another", "userStories": [story("X-1")]}
    project.write("PRD.json", json.dumps(plan))
    project.git("commit", "-q", "-a", "-m", "another feature")
    assert project.run().code == 0
    [archived] = (project.root / ".ralph" / "archive").glob("*-journey/progress.md")
    assert archived.read_text(encoding="utf-8").startswith("# Progress: Journey")
    assert project.read(".ralph/progress.md").startswith("# Progress: Another")
    assert "US-001" not in project.read(".ralph/progress.md")


def test_prompts_and_logs_are_archived_and_pruned(tmp_path: Path) -> None:
    project = Project(tmp_path, 4, settings={"logs": {"keep_iterations": 2}})
    assert project.run().code == 0
    prompts = sorted(path.name for path in (project.root / ".ralph/prompts").iterdir())
    assert prompts == ["iteration-3.md", "iteration-4.md"]
    assert project.read(".ralph/prompts/iteration-4.md") == project.prompt(4)
    logs = {path.name for path in (project.root / ".ralph/logs").glob("iteration-*")}
    assert {"iteration-3.json", "iteration-3.txt", "iteration-4.json"} <= logs
    assert not [name for name in logs if name.startswith(("iteration-1", "iteration-2"))]


def test_checkpoints_are_refs_and_never_commits_on_the_branch(tmp_path: Path) -> None:
    project = Project(tmp_path, 5, settings={"repo": {"checkpoint_every": 2}})
    assert project.run().code == 0
    refs = project.refs("refs/ralph/checkpoint")
    commits = project.git("log", "--reverse", "--format=%H", "main..ralph/journey").splitlines()
    assert sorted(project.git("rev-parse", ref) for ref in refs) == sorted([commits[1], commits[3]])
    assert len(commits) == 5
    assert project.ralph("report", "--json").json()["metrics"]["git_checkpoints"] == 2


def test_every_event_of_a_task_can_be_audited(tmp_path: Path) -> None:
    project = repaired(tmp_path)
    audit = project.ralph("audit", "--task", "US-001", "--json").json()
    assert audit["chain"] == "intact"
    kinds = [entry["event"] for entry in audit["entries"]]
    assert kinds.count("Settled") == 1
    assert kinds.count("IterationStarted") == 2


def test_each_iteration_knows_why_it_was_started(tmp_path: Path) -> None:
    project = repaired(tmp_path)
    triggers = [event["trigger"] for event in project.events("IterationStarted")]
    assert triggers == ["initial", "task_incomplete", "previous_success"]


def test_context_is_bounded(tmp_path: Path) -> None:
    agent = 'seq 1 4000 | tr "\\n" " "\n' + FINISH
    project = Project(tmp_path, 7, agent=agent)
    assert project.run().code == 0
    last = project.prompt(7)
    lately = last[last.index("## What happened lately") : last.index("## Before you stop")]
    assert len(lately) < 6_000
    assert len(last) < 30_000


def test_a_repository_made_anew_at_the_same_path_inherits_nothing(tmp_path: Path) -> None:
    project = Project(tmp_path, 2, agent=ASKS_FIRST)
    assert project.run("--once", "--on-escalation", "park").code == 5
    before = project.ralph("report", "--json").json()["run"]
    project.git("switch", "-q", "main")
    shutil.rmtree(project.root / ".git")
    begin(project.root)
    assert project.ralph("inbox", "--json").json() == []
    assert "Not started" in project.ralph("status").out
    done = project.run()
    assert done.code == 0, done.out + done.err
    assert "Iteration 1: US-001 Write" in done.out
    assert before not in project.ralph("report", "--all", "--json").json()["runs"]
    assert project.ralph("audit").code == 0
    assert project.ralph("status", "--json").json()["counts"]["done"] == 2
