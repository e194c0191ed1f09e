"""`ralph interview`: an agent at the user's terminal asks, amends the spec and writes the tasks."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.support.artefacts import HERE, Artefacts, task
from tests.support.terminal import CONTROLLING, Terminal

ASKS = """\
cp "$RALPH_PROMPT_FILE" "$state/prompt-$n.md"
printf 'Question %s? ' "$n"
read -r answer
echo "- $answer" >> .artefacts/demo/spec.md
"""
SIGNS = "echo done > .artefacts/demo/done.md\n"


def writes(*tasks: dict[str, object]) -> str:
    plan = json.dumps({"project_name": "demo", "version": 1, "tasks": tasks})
    return f"cat > {HERE}/tasks.json <<'END'\n{plan}\nEND\n"


def good(name: str, **more: object) -> dict[str, object]:
    return task(name, criteria=["the file out/T1.txt has one line"], **more)


@pytest.fixture
def project(tmp_path: Path) -> Artefacts:
    return Artefacts(tmp_path)


def agent(project: Artefacts, body: str) -> list[str]:
    """Starts an interview with this agent, which counts its calls in $n."""
    project.script.write_text(
        f'state="{project.state}"\n'
        'n=$(($(cat "$state/n" 2>/dev/null || echo 0) + 1))\n'
        f'echo $n > "$state/n"\n{body}',
        encoding="utf-8",
    )
    return ["interview", "demo", "--agent-command", project.command]


def test_rounds_at_a_terminal(project: Artefacts) -> None:
    """Three by default; the diff of each is shown, and in the last one the tasks are written."""
    claims_it_all = writes(good("T1", status="completed", attempts=2), good("T2"))
    words = agent(project, f"{ASKS}{SIGNS}[ $n -lt 3 ] || {{ {claims_it_all}}}\n")
    with Terminal(project, *words) as terminal:
        for number in (1, 2, 3):
            terminal.wait_for(f"Question {number}?")
            terminal.type(f"answer {number}")
        assert terminal.end() == 0, terminal.shown
    assert "Round 2 of 3 is done. The spec changed:" in terminal.shown
    assert "+- answer 2" in terminal.shown
    assert project.read(f"{HERE}/spec.md") == "# Demo\n- answer 1\n- answer 2\n- answer 3\n"
    assert project.statuses() == {"T1": "pending", "T2": "pending"}, "an interview does no work"
    assert project.tasks()["T1"]["attempts"] == 0
    assert "do not write any tasks yet" in project.prompt(2)
    assert "This is the last round" in project.prompt(3)
    left = {path.name for path in (project.root / HERE).iterdir()}
    assert left == {"spec.md", "tasks.json", ".gitignore"}
    before = project.root / ".ralph/artefacts/demo/round-3-spec.md"
    assert before.read_text() == "# Demo\n- answer 1\n- answer 2\n"


def test_an_interrupted_round_is_taken_up_again(project: Artefacts) -> None:
    words = agent(project, f"[ $n != 2 ] || exit 3\n{ASKS}{SIGNS}{writes(good('T1'))}")
    with Terminal(project, *words, "--rounds", "2") as terminal:
        terminal.wait_for("Question 1?")
        terminal.type("one")
        assert terminal.end() == 1
    assert "Round 2 of 2 was not finished: the agent ended with 3." in terminal.shown
    with Terminal(project, *words) as terminal:
        terminal.wait_for("Round 2 of 2")
        terminal.type("two")
        assert terminal.end() == 0
    assert "Round 1" not in terminal.shown
    assert project.read(f"{HERE}/spec.md") == "# Demo\n- one\n- two\n"


def test_ctrl_c_and_ctrl_z_are_the_agents(project: Artefacts) -> None:
    """And an agent that stays is asked to leave; the terminal is Ralph's again afterwards."""
    body = f"trap 'echo caught it' INT\n{ASKS}{writes(good('T1'))}{SIGNS}sleep 300\n"
    words = (*agent(project, body), "--rounds", "1", "--linger", "0.1")
    with Terminal(project, *words, prefix=CONTROLLING) as terminal:
        terminal.wait_for("Question 1?")
        terminal.press(b"\x03")
        terminal.wait_for("caught it")
        terminal.press(b"\x1a")  # with no shell to go back to, both go on
        terminal.type("still here")
        assert terminal.end() == 0, terminal.shown
    assert "its session was closed" in terminal.shown
    assert "Check them, then run `ralph execute demo`." in terminal.shown


def test_answers_from_a_file_need_no_terminal(project: Artefacts) -> None:
    project.write("answers.md", "It shall be green.\n")
    project.act(f"""
with open(HERE + "spec.md", "a") as file:
    file.write("- green\\n")
if N == 3:
    save("tasks.json", {json.dumps({"tasks": [good("T1")]})!r})
if N != 1:
    sign()
""")
    words = ("interview", "demo", "--agent-command", project.command, "--rounds", "2")
    done = project.ralph(*words, "--answers", "answers.md")
    assert done.code == 0, done.out + done.err
    assert "It shall be green." in project.prompt(1)
    assert "The agent exited without done.md" in done.out
    assert project.prompt(3).startswith("# Repair the tasks"), "the last round wrote none"
    assert project.read(f"{HERE}/spec.md").count("- green") == 3
    assert project.statuses() == {"T1": "pending"}


def test_who_works_without_the_user_writes_to_the_project_s_folder_alone(
    project: Artefacts,
) -> None:
    project.write("answers.md", "It shall be green.\n")
    project.act(f"""
for name in ("planted", os.path.expanduser("~/planted")):
    try:
        open(name, "w").close()
    except OSError:
        pass
save("tasks.json", {json.dumps({"tasks": [good("T1")]})!r})
sign()
""")
    words = ("interview", "demo", "--agent-command", project.command, "--rounds", "1")
    done = project.ralph(*words, "--answers", "answers.md")
    assert done.code == 0, done.out + done.err
    assert project.statuses() == {"T1": "pending"}
    assert not (project.root / "planted").exists()
    assert not Path(os.environ["HOME"], "planted").exists()


CIRCLE = [good("T1", dependencies=["T2"]), good("T2", dependencies=["T1"])]
UNUSABLE = {
    "tasks.json does not exist": "",
    "line 1, column 2": 'save("tasks.json", "{")',
    "depend on each other": f'save("tasks.json", {json.dumps({"tasks": CIRCLE})!r})',
}


@pytest.mark.parametrize("why", UNUSABLE)
def test_tasks_that_cannot_be_used_are_an_error(project: Artefacts, why: str) -> None:
    project.write("answers.md", "None.\n")
    project.act(f"{UNUSABLE[why]}\nsign()")
    words = ("interview", "demo", "--agent-command", project.command, "--rounds", "1")
    done = project.ralph(*words, "--answers", "answers.md")
    assert done.code == 1
    assert "The last round left no usable tasks" in done.err
    assert why in done.err
    assert why in project.prompt(2) or "was not written" in project.prompt(2)
    assert len(done.err.splitlines()) <= 3


def test_what_an_interview_needs(project: Artefacts) -> None:
    done = project.ralph("interview", "demo", "--agent-command", "true")
    assert (done.code, "--answers FILE" in done.err) == (2, True)
    done = project.ralph("interview", "other", "--agent-command", "true")
    assert (done.code, "`ralph init other`" in done.err) == (1, True)
    done = project.ralph("interview", "../demo", "--agent-command", "true")
    assert (done.code, "cannot be the name" in done.err) == (2, True)
