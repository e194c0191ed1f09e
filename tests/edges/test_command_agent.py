from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from ralph.agents import choose
from ralph.agents.command import CommandAgent, clean
from ralph.agents.hidden import explained
from ralph.agents.line import Line
from ralph.domain.answer import Ended
from ralph.domain.errors import AgentError
from ralph.domain.job import Job
from ralph.domain.settings import AgentSettings, Settings, Speech
from ralph.domain.task import shell
from ralph.domain.trouble import Trouble, TroubleKind
from ralph.domain.usage import Usage
from ralph.domain.walls import Walls

if TYPE_CHECKING:
    from ralph.agents import Agent
    from ralph.domain.answer import Answer

SOURCE = Path(__file__).parents[2] / "src"


@pytest.fixture
def job(tmp_path: Path) -> Job:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (tmp_path / "prompt.md").write_text("Do it.")
    return Job(
        prompt="Do it.",
        prompt_file=str(tmp_path / "prompt.md"),
        workspace=str(workspace),
        task="US-001",
        iteration=7,
        attempt=2,
        run="run-1",
        log=str(tmp_path / "logs" / "7.log"),
        wall_seconds=60,
        idle_seconds=60,
        log_cap=1 << 20,
    )


def answer(script: str, job: Job) -> Answer:
    agent: Agent = CommandAgent("mine", shell(script))
    agent.check()
    return asyncio.run(agent.run(job, Line()))


@pytest.mark.parametrize(
    ("read", "missing", "told"),
    [
        (False, "lib.mjs", True),
        (True, "lib.mjs", False),
        (False, "none.mjs", False),
        (False, "../far", False),
    ],
)
def test_a_file_beside_the_agents_own_that_it_does_not_see(
    tmp_path: Path, read: bool, missing: str, told: bool
) -> None:
    folder = tmp_path / "agent"
    folder.mkdir()
    (folder / "lib.mjs").touch()
    (tmp_path / "far").touch()
    walls = Walls("bwrap", "/home/ada", read=(f"{folder}/mine.mjs", *[str(folder)] * read))
    path = folder / missing
    trouble = Trouble(TroubleKind.EXIT, f"The agent exited 1: Error: Cannot find '{path}'")
    said = explained(trouble, walls, shell(f"node {folder}/mine.mjs")).message
    assert (f"name {folder} in `safety.read`" in said) is told


def test_a_prompt_that_nobody_keeps_is_in_a_file_all_the_same(job: Job) -> None:
    said = answer(
        'cat "$RALPH_PROMPT_FILE"; echo; echo "$RALPH_PROMPT_FILE"', replace(job, prompt_file="")
    )
    text, path = said.text.split()[:2], said.text.split()[-1]
    assert text == ["Do", "it."]
    assert not Path(path).exists()


def test_the_contract(job: Job) -> None:
    script = (
        "pwd; cat; echo; cat $RALPH_PROMPT_FILE; echo;"
        "echo $RALPH_TASK_ID $RALPH_ITERATION $RALPH_ATTEMPT $RALPH_RUN_ID"
    )
    done = answer(script, job)
    assert done.text == f"{job.workspace}\nDo it.\nDo it.\nUS-001 7 2 run-1\n"
    assert done.worked
    assert done.log == job.log
    assert Path(job.log).read_text() == done.text
    assert done.output_bytes == len(done.text)
    assert done.usage == Usage()


def test_secrets_stay_here_unless_named(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MY_API_KEY", "GH_TOKEN", "GIT_DIR", "RALPH_HOME", "OTHER_SECRET"):
        monkeypatch.setenv(name, "value")
    agent = CommandAgent("mine", ("env",), ("MY_API_KEY",))
    names = {
        line.partition("=")[0] for line in asyncio.run(agent.run(job, Line())).text.splitlines()
    }
    assert {"MY_API_KEY", "PATH", "HOME"} <= names
    assert not {"GH_TOKEN", "GIT_DIR", "RALPH_HOME", "OTHER_SECRET"} & names


@pytest.mark.parametrize(
    ("script", "ended", "error"),
    [
        ("exit 1", Ended.EXITED, "The agent exited 1 without any output."),
        ("echo a; echo 'no login' >&2; exit 3", Ended.EXITED, "The agent exited 3: no login"),
        ("exit 143", Ended.STOPPED, ""),
        ("exit 130", Ended.STOPPED, ""),
        ("kill -TERM $$", Ended.STOPPED, ""),
        (
            "kill -KILL $$",
            Ended.KILLED,
            "The agent was killed by signal 9 (SIGKILL); the machine may be out of memory.",
        ),
        ("kill -SEGV $$", Ended.KILLED, "The agent was killed by signal 11 (SIGSEGV)."),
    ],
)
def test_trouble_is_a_sentence(job: Job, script: str, ended: Ended, error: str) -> None:
    done = answer(f"ulimit -c 0; {script}", job)
    assert (done.ended, done.error) == (ended, error)
    assert not done.worked


def test_time_limits_are_sentences(job: Job) -> None:
    done = answer("echo on; sleep 60", replace(job, wall_seconds=0.2))
    assert (done.ended, done.text) == (Ended.TIMEOUT, "on\n")
    assert done.error == "The agent was stopped: it worked longer than 0.2 seconds."
    done = answer("sleep 60", replace(job, idle_seconds=0.2))
    assert done.ended is Ended.IDLE
    assert done.error == "The agent was stopped: it was silent for 0.2 seconds."


def test_what_cannot_be_started_is_a_sentence(job: Job) -> None:
    done = asyncio.run(CommandAgent("mine", ("no-such-agent",)).run(job, Line()))
    assert (done.ended, done.exit_code) == (Ended.NOT_STARTED, 127)
    assert done.error == "The agent could not be started: `no-such-agent` was not found."


@pytest.mark.parametrize("command", [("no-such-agent", "-x"), shell("no-such-agent -x | tee log")])
def test_a_missing_program_is_noticed_before_the_run(command: tuple[str, ...]) -> None:
    with pytest.raises(AgentError) as caught:
        CommandAgent("mine", command).check()
    assert caught.value.what == "The agent command `no-such-agent` was not found."
    assert caught.value.fix


@pytest.mark.parametrize(
    "text", ["cd x && agent", "X=1 agent", "$AGENT", "'unclosed", "", "(agent)", "sh -c x"]
)
def test_what_only_the_shell_understands_is_not_judged(text: str) -> None:
    CommandAgent("mine", shell(text)).check()


def test_words_are_cleaned(job: Job) -> None:
    done = answer(r"printf '\033[31mred\033[0m\000 \033]0;title\007ok\r\n\377\n'", job)
    assert done.text == "red ok\n\ufffd\n"


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b31mred\x9d0;t\x9c.", "red."),
        ("\x1b(Bplain\x1b=", "plain"),
        ("10%\r20%\r\nend", "10%\n20%\nend"),
        ("a\u202eb\u2066c\x08\x7fd", "abcd"),
        ("tab\tand é\n", "tab\tand é\n"),
        ("\x1b", ""),
    ],
)
def test_cleaning(raw: str, words: str) -> None:
    assert clean(raw) == words


def test_much_output_keeps_its_ends(job: Job) -> None:
    done = answer("echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last", job)
    assert done.text.startswith("first\nxxx")
    assert done.text.endswith("xxx\nlast\n")
    assert "bytes left out" in done.text
    assert len(done.text) < 260 << 10
    assert done.output_bytes == 3_000_012


@pytest.mark.parametrize(
    "prompt", ["x" * (10 << 20), "half a pair: \ud800", ""], ids=["10 MB", "surrogate", "empty"]
)
def test_any_prompt_is_survived(job: Job, prompt: str) -> None:
    done = answer("wc -c", replace(job, prompt=prompt))
    assert int(done.text) == len(prompt.encode("utf-8", "replace"))
    assert answer("exit 0", replace(job, prompt=prompt)).worked


def stream(job: Job, *events: dict[str, Any], then: str = "") -> Answer:
    file = Path(job.workspace) / "events"
    file.write_text("".join(json.dumps(event) + "\n" for event in events))
    return answer(f"cat events; {then}", job)


SAYS = {"type": "assistant", "message": {"content": [{"type": "text", "text": "It is done."}]}}
RESULT = {"type": "result", "is_error": False, "result": "It is done.", "total_cost_usd": 0.5}


def test_stream_json_is_recognised(job: Job) -> None:
    done = stream(job, {"type": "system", "subtype": "init"}, SAYS, RESULT)
    assert (done.text, done.usage) == ("It is done.", Usage(cost_usd=0.5))
    assert done.worked


def test_what_it_speaks_can_be_told(job: Job) -> None:
    file = Path(job.workspace) / "events"
    file.write_text("warning\n" * 100 + json.dumps(SAYS) + "\n" + json.dumps(RESULT) + "\n")
    said = {
        speaks: asyncio.run(CommandAgent("mine", ("cat", "events"), (), speaks).run(job, Line()))
        for speaks in (Speech.TEXT, Speech.STREAM_JSON)
    }
    assert said[Speech.TEXT].text == file.read_text()
    assert said[Speech.STREAM_JSON].text == "It is done."


def test_plain_words_of_failure_are_understood(job: Job) -> None:
    limit = "echo 'Rate limit reached, try again in 20 minutes.' >&2"
    done = answer(f"{limit}; exit 1", job)
    assert done.trouble is not None
    assert done.trouble.kind is TroubleKind.RATE_LIMIT
    assert done.trouble.until == pytest.approx(time.time() + 1200, abs=60)
    assert answer(f"{limit}; exit 0", job).trouble is None


def test_an_error_in_the_stream_is_the_agents_trouble(job: Job) -> None:
    broken = {**RESULT, "is_error": True, "result": "Credit balance is too low"}
    for then in ("exit 0", "exit 1"):
        done = stream(job, SAYS, broken, then=then)
        assert done.trouble is not None
        assert done.trouble.kind is TroubleKind.BILLING
        assert "(“Credit balance is too low”)" in done.error
        assert not done.worked


def test_a_crash_in_a_stream_is_told_in_its_own_words(job: Job) -> None:
    done = stream(job, SAYS, then="echo 'out of heap' >&2; exit 134")
    assert done.error == "The agent exited 134: out of heap"
    assert done.text == "It is done."


def test_cancelling_stops_the_agent(job: Job) -> None:
    async def cancelled() -> None:
        task = asyncio.create_task(CommandAgent("mine", shell("sleep 60")).run(job, Line()))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())


def test_the_scripted_agent_runs_as_a_command(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script.json"
    turns = [{"say": "first"}, {"write": {"a.txt": "a"}, "say": "<promise>DONE</promise>"}]
    script.write_text(json.dumps({"tasks": {"US-001": turns}}))
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))
    command = (sys.executable, "-m", "ralph.agents.scripted", str(script))
    agent = choose(Settings(agent="scripted", agents={"scripted": AgentSettings(command)}))
    agent.check()
    done = asyncio.run(agent.run(job, Line()))
    assert (done.text, done.error) == ("<promise>DONE</promise>\n", "")
    assert (Path(job.workspace) / "a.txt").read_text() == "a"
