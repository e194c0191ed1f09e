"""`ralph execute`: agents share files in `.artefacts/NAME`, and Ralph keeps them true."""

from __future__ import annotations

import json
import os
import re
import signal
from typing import TYPE_CHECKING

import pytest
from tests.support.artefacts import HERE, Artefacts, task
from tests.support.project import wait_until

if TYPE_CHECKING:
    from pathlib import Path

PLANNED = f"chore: commit {HERE}/tasks.json as it is"


def test_all_tasks_are_completed(tmp_path: Path) -> None:
    project = Artefacts(tmp_path, [task("T2", dependencies=["T1"]), task("T1")])
    done = project.execute()
    assert done.code == 0, done.out + done.err
    assert project.statuses() == {"T2": "completed", "T1": "completed"}
    assert [one["attempts"] for one in project.tasks().values()] == [1, 1]
    assert [(one["iteration"], one["task_id"], one["status"]) for one in project.entries()] == [
        (1, "T1", "completed"),
        (2, "T2", "completed"),
    ]
    assert project.entries()[0]["files_modified"] == ["out/T1.txt"]
    assert project.subjects("ralph/demo") == [
        PLANNED,
        "feat: Write the file of T1",
        "feat: Write the file of T2",
    ]
    assert not (project.root / HERE / "done.md").exists()
    results = project.results()
    assert "Stopped: every task is finished." in results
    assert "verified (green)" in results
    assert "not verified" not in results
    assert "`out/T2.txt`" in results
    assert project.git("show", "ralph/demo", "--stat").count(HERE) == 1, "only tasks.json"


def test_max_attempts_halts_everything(tmp_path: Path) -> None:
    tasks = [task("T1", max_attempts=2), task("T2")]
    project = Artefacts(tmp_path, tasks, verify="test ! -e out/T1.txt")
    done = project.execute()
    assert (done.code, project.reason()) == (4, "max_attempts")
    assert [call[1] for call in project.calls()] == ["T1", "T1"]
    assert project.tasks()["T1"] == task("T1", max_attempts=2, attempts=2)
    assert [one["status"] for one in project.entries()] == ["attempted", "attempted"]
    assert "T1 has used up its 2 attempts" in project.results()
    assert "**T2** Write the file of T2: pending, 0 of 3 attempts" in project.results()
    assert "last attempt: `test ! -e out/T1.txt` exited 1" in project.results()
    kept = re.search(r"its work is kept: `(ralph salvage show \S+)`", project.results())
    assert kept
    assert "call 2" in project.ralph(*kept[1].split()[1:]).out
    assert "Continue with `ralph execute demo`." in done.out
    assert "ralph run" not in done.out
    assert (project.execute().code, len(project.calls())) == (4, 2), "no agent for it any more"
    project.verify = "true"
    project.write(f"{HERE}/tasks.json", json.dumps({"tasks": [task("T1"), task("T2")]}))
    assert project.execute().code == 0, "a person gave it more"


def test_retry_gives_a_task_all_its_attempts_again(tmp_path: Path) -> None:
    project = Artefacts(
        tmp_path, [task("T1", max_attempts=2)], verify="test ! -e out/T1.txt", act="finish()"
    )
    assert (project.execute().code, project.tasks()["T1"]["attempts"]) == (4, 2)
    said = project.ralph("retry", "T1", "--feedback", "mind the check")
    assert "by the next `ralph execute demo`" in said.out
    assert (project.execute().code, project.tasks()["T1"]["attempts"]) == (4, 2)
    assert len(project.calls()) == 4
    assert "mind the check" in project.prompt(3)
    assert project.ralph("retry", "T1").code == 0
    project.verify = "true"
    assert project.execute().code == 0
    assert (project.statuses(), project.tasks()["T1"]["attempts"]) == ({"T1": "completed"}, 1)


def test_the_limit_of_iterations(tmp_path: Path) -> None:
    project = Artefacts(tmp_path, [task("T1"), task("T2")])
    assert project.execute("--iterations", "1").code == 4
    assert project.statuses() == {"T1": "completed", "T2": "pending"}
    assert "max_iterations" in project.results()
    assert "1 of 2 tasks are completed." in project.results()
    assert project.execute().code == 0


WRONG = (
    ('save("tasks.json", "{"); print(f"Task {TASK} complete")', "Expecting"),
    ('os.remove(HERE + "tasks.json"); print(f"Task {TASK} complete")', "it was removed"),
    ('change(status="done"); print(f"Task {TASK} complete")', "unknown status 'done'"),
    ('change(status="completed", max_attempts=99)', "more than the statuses"),
    ('change(status="completed"); change("T9", blocked=True)', "T9 is another agent's task"),
    ('change(status="completed", attempts=7); change("T9", status="completed")', ""),
)


def test_a_wrong_plan_is_put_back_from_the_last_good_one(tmp_path: Path) -> None:
    names = [f"T{number}" for number in range(1, len(WRONG) + 1)]
    acts = [f"if N == {number}: {code}" for number, (code, _) in enumerate(WRONG, 1)]
    act = "\n".join(("work()", *acts, "sign()"))
    project = Artefacts(tmp_path, [task(name) for name in (*names, "T9")], act=act)
    done = project.execute("--iterations", str(len(WRONG)))
    assert done.code == 4, done.out + done.err
    assert project.tasks() == {
        **{name: task(name, status="completed", attempts=1) for name in names},
        "T9": task("T9"),
    }
    kept = project.root / ".ralph/artefacts/demo"
    for number, (_, why) in enumerate(WRONG, 1):
        assert why in done.out
        assert why in project.results()
        copy = kept / f"iteration-{number}-tasks.json"
        assert copy.exists() is (why not in {"", "it was removed"})
    assert (kept / "iteration-1-tasks.json").read_text() == "{"


def test_history_and_obstacles_are_kept_whatever_an_agent_does(tmp_path: Path) -> None:
    act = """
work()
change(status="completed")
if N == 1:
    log("first")
    hit("O1", "the rope is short")
if N == 2:
    save("state.json", [{"summary": "mine alone", "status": "completed", "iteration": 2}])
    save("obstacles.json", {"obstacles": [{"id": "O1", "message": "nothing", "resolved": True},
        {"id": "O2", "message": "the rope is wet"}]})
if N == 3:
    save("state.json", "[")
    os.remove(HERE + "obstacles.json")
sign()
"""
    project = Artefacts(tmp_path, [task("T1"), task("T2"), task("T3")], act=act)
    done = project.execute()
    assert done.code == 0, done.out + done.err
    entries = project.entries()
    assert [one["iteration"] for one in entries] == [1, 2, 3]
    assert [one["summary"] for one in entries[:2]] == ["first", "mine alone"]
    first, second = project.artefact("obstacles.json")["obstacles"]
    assert (first["message"], first["resolved"]) == ("the rope is short", True)
    assert (second["message"], second["resolved"], second["task_id"]) == (
        "the rope is wet",
        False,
        "T2",
    )
    assert "the rope is short" in project.prompt(2)
    assert "the rope is short" not in project.prompt(3), "it is resolved"
    assert "the rope is wet" in project.prompt(3)
    assert done.out.count("what was there before was changed") == 2
    assert "it was removed" in project.results()
    assert (project.root / ".ralph/artefacts/demo/iteration-3-state.json").read_text() == "["


def test_leaving_without_done_md_is_noted(tmp_path: Path) -> None:
    act = 'work()\nchange(status="completed")'
    project = Artefacts(tmp_path, [task("T1")], act=act)
    assert project.execute().code == 0
    assert "iteration 1: the agent exited without done.md" in project.results()
    assert len(project.entries()) == 1, "Ralph writes the entry that the agent did not"


def test_staying_after_done_md_is_not_waited_for(tmp_path: Path) -> None:
    project = Artefacts(tmp_path, [task("T1")], act="finish()\ntime.sleep(300)")
    done = project.execute("--linger", "0.1")
    assert done.code == 0, done.out + done.err
    assert project.statuses() == {"T1": "completed"}
    [finished] = project.events("AgentFinished")
    assert finished["ended"] == "exited"


def test_blocked_tasks_are_left_out(tmp_path: Path) -> None:
    act = """
if TASK == "T1":
    work()
    change(blocked=True)
    hit("O1", "there is no key")
    sign()
else:
    finish()
"""
    tasks = [task("T1"), task("T2", dependencies=["T1"]), task("T3")]
    project = Artefacts(tmp_path, tasks, act=act, verify=None)
    done = project.execute()
    assert done.code == 5, done.out + done.err
    assert project.statuses() == {"T1": "blocked", "T2": "pending", "T3": "completed"}
    assert project.tasks()["T1"]["blocked"] is True
    assert "T1** Write the file of T1: blocked, 1 of 3 attempts" in project.results()
    assert "waits for T1" in project.results()
    assert "O1 (T1, open): there is no key" in project.results()
    assert "T3** Write the file of T3: **not verified**" in project.results()
    assert not (project.root / "out/T1.txt").exists(), "half of it is kept elsewhere"
    assert project.git("show", f"{project.refs('refs/ralph/salvage')[0]}:out/T1.txt") == "call 1"


def test_without_checks_a_word_needs_work_and_work_needs_a_word(tmp_path: Path) -> None:
    act = """
if N == 1:
    change(status="completed")
else:
    work()
sign()
"""
    project = Artefacts(tmp_path, [task("T1", max_attempts=2)], act=act, verify=None)
    assert project.execute().code == 4
    assert project.tasks()["T1"]["attempts"] == 2
    assert project.statuses() == {"T1": "pending"}
    assert "the agent does not say that it is done" in project.entries()[1]["summary"]


def test_an_agent_that_commits_itself_loses_nothing(tmp_path: Path) -> None:
    act = "finish()\nos.system('git add -A && git commit -qm mine')"
    project = Artefacts(tmp_path, [task("T1")], act=act)
    done = project.execute()
    assert done.code == 0, done.out + done.err
    assert project.subjects("ralph/demo") == [PLANNED, "mine"]
    assert project.git("show", "ralph/demo:out/T1.txt") == "call 1"
    assert project.trailers("Ralph-Task", "ralph/demo") == ["", "T1"]
    assert "its message and its name are kept if the work passes" in done.out


@pytest.mark.parametrize("walls", [True, False])
def test_an_agent_s_commits_keep_its_words_and_its_name(tmp_path: Path, *, walls: bool) -> None:
    """One commit for the task, whatever it made: it holds what was checked."""
    act = """
who = "-c user.name='An Agent' -c user.email=agent@example.org"
def commit(text):
    os.system(f"git add -A && git {who} commit -qm '{text}'")

work()
commit("Begin the file\\n\\nIt is empty so far." if TASK == "T2" else "Write it at once")
if TASK == "T2":
    open("out/more.txt", "w").close()
    commit("Add what was missing")
open(f"out/{TASK}-left.txt", "w").close()
change(status="completed")
sign()
"""
    project = Artefacts(tmp_path, [task("T1"), task("T2")], act=act)
    project.walls = walls
    done = project.execute()
    assert done.code == 0, done.out + done.err
    assert project.subjects("ralph/demo") == [
        PLANNED,
        "Write it at once",
        "Write the file of T2",
    ]
    body = project.git("log", "-1", "--format=%b", "ralph/demo")
    assert body.index("Begin the file") < body.index("Add what was missing") < body.index("Ralph-")
    who = project.git("log", "--format=%an <%ae>", "main..ralph/demo").splitlines()
    assert who[:-1] == ["An Agent <agent@example.org>"] * 2, "the plan's commit is the user's"
    assert project.git("log", "-1", "--format=%cn", "ralph/demo") != "An Agent"
    assert project.git("show", "ralph/demo:out/T2-left.txt") == "", "what it left over is in it"
    assert project.ralph("audit").code == 0


def test_commits_of_an_agent_whose_work_fails_do_not_land(tmp_path: Path) -> None:
    act = "finish()\nos.system('git add -A && git commit -qm bad')"
    project = Artefacts(tmp_path, [task("T1", max_attempts=1)], act=act, verify="false")
    assert project.execute().code == 4
    assert project.subjects("ralph/demo") == []
    kept = project.git("for-each-ref", "--format=%(subject)", "refs/ralph/salvage").splitlines()
    assert "bad" in kept


def test_results_are_there_when_it_cannot_begin(tmp_path: Path) -> None:
    project = Artefacts(tmp_path)
    assert "ralph interview demo" in project.execute().err
    project.write(f"{HERE}/tasks.json", "{")
    assert project.execute().code == 1, "there is no good copy yet"
    assert "tasks.json, line 1" in project.results()
    project.write(f"{HERE}/tasks.json", json.dumps({"tasks": [task("T1")]}))
    project.write("README.md", "# changed\n")
    assert project.execute().code == 1
    assert "README.md" in project.results()
    assert project.calls() == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_run_believes_no_claim(tmp_path: Path, number: signal.Signals) -> None:
    act = "finish()\nopen(sys.argv[0] + '.ready', 'w').close()\ntime.sleep(300)"
    project = Artefacts(tmp_path, [task("T1")], act=act)
    ready = project.state / "agent.py.ready"
    process = project.start()
    wait_until(ready.exists, "the agent")
    os.kill(process.pid, number)
    process.communicate()
    if number is signal.SIGTERM:
        assert process.returncode == 130
        assert "Stopped by SIGTERM." in project.results()
        assert project.statuses() == {"T1": "pending"}
    project.act("print('I give up'); sign()")
    project.execute("--iterations", "1")
    assert project.statuses() == {"T1": "pending"}
    assert [one["status"] for one in project.entries()] == ["attempted", "attempted"]
    assert project.tasks()["T1"]["attempts"] == 2


def test_files_are_those_that_git_knows_of(tmp_path: Path) -> None:
    act = """
work()
change(status="completed")
save("state.json", load("state.json") + [{"task_id": TASK, "status": "completed",
    "summary": "all of it", "files_modified": ["src/never.py"], "obstacles": [], "iteration": N}])
sign()
"""
    project = Artefacts(tmp_path, [task("T1")], act=act)
    done = project.execute()
    assert done.code == 0, done.out + done.err
    assert project.entries()[0]["files_modified"] == ["out/T1.txt"]
    told = project.results().partition("## Files modified")[2]
    assert "`out/T1.txt`" in told
    assert "never.py" not in project.results()
