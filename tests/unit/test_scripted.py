from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ralph.agents.line import Line
from ralph.agents.scripted import BadScript, ScriptedAgent, pick, validate
from ralph.domain.answer import Answer, Ended
from ralph.domain.job import Job
from ralph.domain.trouble import Trouble, TroubleKind

SOURCE = Path(__file__).parents[2] / "src"


def job(workspace: Path, task: str = "T-1", attempt: int = 1, prompt: str = "do it") -> Job:
    return Job(prompt, "", str(workspace), task, 1, attempt, "run", "", 0, 0, 0)


def in_process(script: object, job: Job) -> Answer:
    return asyncio.run(ScriptedAgent(script).run(job, Line()))


def as_process(script: object, job: Job) -> Answer:
    path = Path(job.workspace).parent / "script.json"
    path.write_text(json.dumps(script))
    env = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(SOURCE),
        "RALPH_TASK_ID": job.task,
        "RALPH_ATTEMPT": str(job.attempt),
    }
    done = subprocess.run(
        [sys.executable, "-m", "ralph.agents.scripted", str(path)],
        cwd=job.workspace,
        env=env,
        input=job.prompt.encode(),
        capture_output=True,
        check=False,
    )
    error = done.stderr.decode().strip()
    trouble = Trouble(TroubleKind.EXIT, error) if error else None
    return Answer(done.stdout.decode(), Ended.EXITED, done.returncode, 0, trouble=trouble)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


both = pytest.mark.parametrize("perform", [in_process, as_process])


@both
def test_a_turn_is_done_in_the_order_it_is_written(perform: Any, workspace: Path) -> None:
    turn = {
        "write": {"src/a.txt": "one\n", "b.txt": "b"},
        "append": {"src/a.txt": "two\n"},
        "run": [["cp", "src/a.txt", "c.txt"], ["cat", "c.txt"]],
        "delete": ["src/a.txt"],
        "sleep": 0.001,
        "say": ["<promise>DONE</promise>", "é"],
    }
    answer = perform({"tasks": {"T-1": [turn]}}, job(workspace))
    assert (answer.exit_code, answer.error) == (0, "")
    assert answer.text == "one\ntwo\n<promise>DONE</promise>\né\n"
    assert sorted(p.name for p in workspace.rglob("*.txt")) == ["b.txt", "c.txt"]


@both
def test_the_exit_code_comes_last(perform: Any, workspace: Path) -> None:
    answer = perform({"default": [{"exit": 3, "say": "no"}]}, job(workspace))
    assert (answer.exit_code, answer.text) == (3, "no\n")
    assert not answer.worked


@both
@pytest.mark.parametrize(
    ("turn", "code", "message"),
    [
        ({"run": [["false"]]}, 1, "`false` exited 1."),
        ({"delete": ["gone"]}, 1, "`delete` failed"),
        ({"run": [["no-such-program"]]}, 1, "`run` failed"),
        ({"write": {"../out": "x"}}, 2, "`../out` is not a file inside the workspace"),
        ({"write": {"/tmp/out": "x"}}, 2, "is not a file inside the workspace"),
        ({"append": {"link/x": "x"}}, 2, "is not a file inside the workspace"),
        ({"delete": ["."]}, 2, "is not a file inside the workspace"),
        ({"write": {"file-link": "x"}}, 2, "is not a file inside the workspace"),
    ],
)
def test_what_cannot_be_done_ends_it(
    perform: Any, workspace: Path, turn: dict[str, Any], code: int, message: str
) -> None:
    (workspace / "link").symlink_to(workspace.parent)
    (workspace / "file-link").symlink_to(workspace.parent / "target")
    answer = perform({"default": [turn]}, job(workspace))
    assert answer.exit_code == code
    assert message in answer.error
    assert sorted(p.name for p in workspace.parent.iterdir() if p.name != "script.json") == [
        "workspace"
    ]


@both
def test_a_task_without_a_turn_is_a_bad_script(perform: Any, workspace: Path) -> None:
    answer = perform({"tasks": {"T-2": [{}]}}, job(workspace))
    assert answer.exit_code == 2
    assert "no turn for task `T-1`, attempt 1" in answer.error


def test_the_attempt_chooses_and_the_last_turn_repeats() -> None:
    script = {"tasks": {"T": [{"say": "1"}, {"say": "2"}]}, "default": [{"say": "other"}]}
    said = [pick(script, "T", attempt, "")["say"] for attempt in (0, 1, 2, 3)]
    assert said == ["1", "1", "2", "2"]
    assert pick(script, "U", 1, "")["say"] == "other"


def test_a_condition_that_holds_comes_first() -> None:
    turns = [{"say": "1"}, {"if_prompt_contains": "red", "say": "fix"}, {"say": "2"}]
    script = {"default": turns}
    assert pick(script, "T", 1, "is red now")["say"] == "fix"
    assert pick(script, "T", 2, "is green")["say"] == "2"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ([], "A script is"),
        ({}, "A script is"),
        ({"turns": []}, "A script is"),
        ({"tasks": []}, "`tasks`"),
        ({"tasks": {"T": []}}, "`tasks.T`"),
        ({"default": {}}, "`default`"),
        ({"default": ["x"]}, "`default[0]`"),
        ({"default": [{}, {"wriet": {}}]}, "`default[1]` has an unknown key `wriet`"),
        ({"default": [{"write": {"a": 1}}]}, "`default[0].write`"),
        ({"default": [{"delete": "a"}]}, "`default[0].delete`"),
        ({"default": [{"run": ["ls"]}]}, "`default[0].run`"),
        ({"default": [{"run": [[]]}]}, "`default[0].run`"),
        ({"default": [{"say": 1}]}, "`default[0].say`"),
        ({"default": [{"sleep": -1}]}, "`default[0].sleep`"),
        ({"default": [{"exit": 256}]}, "`default[0].exit`"),
        ({"default": [{"exit": True}]}, "`default[0].exit`"),
        ({"default": [{"if_prompt_contains": 1}]}, "`default[0].if_prompt_contains`"),
    ],
)
def test_a_bad_script_is_explained(script: object, message: str) -> None:
    with pytest.raises(BadScript) as caught:
        validate(script)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"), [(None, "cannot be read"), ("{", "is not JSON"), ("[]", "A script is")]
)
def test_a_bad_script_file_exits_2(tmp_path: Path, content: str | None, message: str) -> None:
    path = tmp_path / "script.json"
    if content is not None:
        path.write_text(content)
    done = subprocess.run(
        [sys.executable, "-m", "ralph.agents.scripted", str(path)],
        env={"PYTHONPATH": str(SOURCE)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert message in done.stderr.decode()
    assert done.stdout == b""


def test_it_starts_without_the_rest_of_ralph() -> None:
    code = "import sys, ralph.agents.scripted; print(*sorted(m for m in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(SOURCE)},
        capture_output=True,
        check=True,
    )
    names = done.stdout.decode().split()
    mine = [name for name in names if name.startswith("ralph")]
    assert mine == ["ralph", "ralph.agents", "ralph.agents.scripted"]
    assert not {"asyncio", "subprocess", "dataclasses", "msgspec"} & set(names)


def test_the_double_remembers_its_jobs(workspace: Path) -> None:
    agent = ScriptedAgent({"default": [{}]})
    agent.check()
    asked = job(workspace, prompt="hello")
    answer = asyncio.run(agent.run(asked, Line()))
    assert agent.jobs == [asked]
    assert answer.worked
