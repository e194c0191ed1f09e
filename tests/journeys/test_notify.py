"""A person who is away is told what a run needs of them, and how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.support.artefacts import Artefacts, task
from tests.support.dashboard import Dashboard
from tests.support.hooks import hook_server
from tests.support.project import BLOCK, FINISH, RALPH, Project, story

if TYPE_CHECKING:
    from pathlib import Path

TOKEN = "gh" + "p_" + "a1B2" * 9
ASKS = BLOCK.replace("The old API is deprecated", f"The old API is deprecated, see {TOKEN}")
AGENT = f'if [ "$RALPH_TASK_ID" = A ]; then\n{ASKS}exit 0\nfi\n{FINISH}'


def hearing(folder: Path, **more: Any) -> dict[str, Any]:
    """A command of the user's that keeps each message in a file."""
    keep = f'cat > "{folder}/$(date +%s%N).msg"'
    return {"notify": {"command": keep, "group_seconds": 0, **more}}


def messages(folder: Path) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.msg"))]


def test_a_question_and_the_end_arrive_and_a_broken_channel_changes_nothing(
    tmp_path: Path,
) -> None:
    with hook_server() as hooks:
        hooks.answer = 500
        settings = hearing(tmp_path, webhook=hooks.url)
        project = Project(tmp_path, [story("A"), story("B")], agent=AGENT, settings=settings)
        done = project.run()
        first = [body["title"] for body in hooks.got]
        project.run()
    assert done.code == 5, done.out + done.err
    assert project.passed() == ["B"]
    assert project.reason() == "waiting_for_person"
    question, end, again = messages(tmp_path)
    assert question == (
        "project: question Q1: A: The old API is deprecated, see [masked: github token]\n"
        "v1 is marked as deprecated.\nWhich version?\n1. Use v2\n2. Use v1 anyway\n"
        f"Answer: ralph -C {project.root} answer Q1 N\n"
    )
    assert end.startswith("project: Waiting for you\n1 unproven, 1 open\n")
    assert "`git switch main`, then `git merge ralph/journey`." in end
    assert "question Q1" not in again, "a question is news once"
    # the webhook is tried with the news of each message, and complained about once
    assert first == [question.splitlines()[0], "project: Waiting for you"]
    assert "question Q1" in hooks.got[1]["text"]
    assert TOKEN not in str(hooks.got) + question
    assert done.out.count("HTTP 500") + done.err.count("HTTP 500") == 1
    failed = project.events("DeliveryFailed")
    assert [one["why"] for one in failed] == ["HTTP 500"] * 2, "once in each run"


def test_messages_lead_to_the_dashboard_while_it_runs(tmp_path: Path) -> None:
    keep = f'cat > "{tmp_path}/$(date +%s%N).msg"; echo "$RALPH_NOTIFY_LINK" >> "{tmp_path}/links"'
    settings = {"notify": {"command": keep, "group_seconds": 0, "on": ["question"]}}
    project = Project(tmp_path, [story("A")], agent=AGENT, settings=settings)
    with Dashboard(project) as dashboard:
        project.run()
        [link] = (tmp_path / "links").read_text(encoding="utf-8").split()
        assert link == f"{dashboard.address}p/{project.project_id()}"
        assert messages(tmp_path)[0].endswith(f"\n{link}\n")
        assert dashboard.token not in (project.home / "dashboard.json").read_text(encoding="utf-8")
        dashboard.sign_in()
        status, page = dashboard.get(dashboard.page)
        assert (status, "The old API is deprecated" in page) == (200, True)
    assert not (project.home / "dashboard.json").exists()
    project.ralph("notify", "test")
    assert "http" not in messages(tmp_path)[-1]


def test_execute_tells_its_end_too(tmp_path: Path) -> None:
    settings = hearing(tmp_path, link="https://ralph.example", on=["end"])
    project = Artefacts(tmp_path, [task("T1")], settings=settings)
    done = project.execute()
    assert done.code == 0, done.out + done.err
    [end] = messages(tmp_path)
    assert end.startswith("project: Done\n1 unproven\nevery task is finished\n")
    assert end.endswith("\nhttps://ralph.example\n")


def test_trying_the_channels(tmp_path: Path) -> None:
    project = Project(tmp_path)
    nothing = project.ralph("notify", "test")
    assert nothing.code == 1
    assert "No channel is configured" in nothing.err
    assert len(nothing.err.splitlines()) <= 3

    settings = hearing(tmp_path, webhook="http://127.0.0.1:9/hook")
    project.configure(settings)
    assert project.ralph("notify", "test", env={"RALPH_TRUST": ""}).code == 1
    assert messages(tmp_path) == [], "nobody has accepted the command"

    told = project.ralph("notify", "test", "--json")
    assert told.code == 1
    command, webhook = told.json()["channels"]
    assert (command["channel"], command["arrived"], command["why"]) == ("command cat", True, "")
    assert (webhook["channel"], webhook["arrived"]) == ("webhook 127.0.0.1:9", False)
    assert "refused" in webhook["why"]
    assert messages(tmp_path)[0].startswith("project: a test of notifications\n")

    project.configure({})
    own = {"RALPH_TRUST": "", "RALPH_NOTIFY__COMMAND": settings["notify"]["command"]}
    fine = project.ralph("notify", "test", env=own)
    assert (fine.code, len(messages(tmp_path))) == (0, 2), "one's own word needs no trust"
    assert "✓ command cat  arrived in" in fine.out
    assert "notify" in project.ralph("doctor", env=own).out


def test_an_agent_sends_nothing(tmp_path: Path) -> None:
    project = Project(tmp_path, settings=hearing(tmp_path, on=["question"]))
    project.walls = False
    ralph = f"RALPH_HOME={project.home} RALPH_TRUST=1 {RALPH} -C {project.root}"
    project.agent(f'{ralph} notify test 2> "$state/said"\n{FINISH}')
    assert project.run().code == 0
    assert "is for people" in (project.state / "said").read_text()
    assert messages(tmp_path) == []
