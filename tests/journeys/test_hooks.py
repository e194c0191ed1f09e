"""`ralph hooks` as people use it: their settings stay theirs."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from tests.support.project import RALPH, Project

if TYPE_CHECKING:
    from pathlib import Path

ODD = (
    '{"model":"x",\r\n\t"hooks" : {"PreToolUse":[ ],"Stop":'
    '[{"hooks":[{"type":"command","command":"true"}]} ]}  }'
)


OF_THE_SOURCE = """\
---
active: true
iteration: 1            # of three
max_iterations: 3
completion_promise: "TASK_COMPLETE: all green"
started_at: "2026-01-15T10:30:00Z"
---
Build it.
---
Keep the rules: `a` --- b
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def folder(project: Project) -> Path:
    return project.root / ".claude"


def test_in_and_out_leaves_every_byte(project: Project) -> None:
    folder(project).mkdir()
    settings = folder(project) / "settings.json"
    settings.write_bytes(ODD.encode())
    assert project.ralph("hooks", "install").code == 0
    stop = json.loads(settings.read_bytes())["hooks"]["Stop"]
    assert [group["hooks"][0]["command"] for group in stop] == ["true", "ralph hook stop"]
    assert (folder(project) / "commands" / "ralph-loop.md").exists()
    again = project.ralph("hooks", "install", "--json").json()
    assert (again["hook"], again["files"]) == ("there already", [])
    assert project.ralph("hooks", "uninstall").code == 0
    assert settings.read_bytes() == ODD.encode()
    assert list(folder(project).iterdir()) == [settings]


def ended(project: Project, said: str) -> dict[str, str]:
    """What the hook that was installed says when Claude Code is about to end."""
    settings = json.loads((folder(project) / "settings.json").read_bytes())
    (group,) = settings["hooks"]["Stop"]
    path = f"{RALPH.parent}{os.pathsep}{project.env['PATH']}"
    event = {"session_id": "5e55", "hook_event_name": "Stop", "last_assistant_message": said}
    done = subprocess.run(
        shlex.split(group["hooks"][0]["command"]),
        cwd=project.root,
        input=json.dumps(event),
        capture_output=True,
        text=True,
        check=True,
        env={**project.env, "PATH": path, "CLAUDE_PROJECT_DIR": str(project.root)},
    )
    found: dict[str, str] = json.loads(done.stdout or "{}")
    return found


def test_the_installed_hook_holds_a_session_until_its_promise(project: Project) -> None:
    project.ralph("hooks", "install")
    state = project.write(".claude/ralph-loop.local.md", OF_THE_SOURCE)
    held = ended(project, "I will say TASK_COMPLETE: all green.")
    assert held["decision"] == "block"
    assert "Build it.\n---\nKeep the rules: `a` --- b" in held["reason"]
    assert "iteration: 2\n" in state.read_text(encoding="utf-8")
    assert ended(project, "<promise>TASK_COMPLETE:  all\ngreen</promise>").get("decision") is None
    assert not state.exists()


@pytest.mark.parametrize("damaged", ["", "---\niteration: many\n---\nBuild it.\n", "\0\0"])
def test_the_installed_hook_lets_go_of_what_it_cannot_read(project: Project, damaged: str) -> None:
    project.ralph("hooks", "install")
    state = project.write(".claude/ralph-loop.local.md", damaged)
    assert ended(project, "Not yet.").get("decision") is None
    assert not state.exists()


def test_a_review_is_held_by_its_counts_and_ends_by_its_confidence(project: Project) -> None:
    project.ralph("hooks", "install")
    begun = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    text = (
        f'---\nactive: true\ncurrent_round: 1\nmax_rounds: 3\nstarted_at: "{begun}"\n'
        "target_confidence: 95\ncurrent_confidence: 72\ntotal_issues: 8\npending_count: 5\n"
        "max_runtime_seconds: 1800\n---\nReview the section.\n"
    )
    state = project.write(".claude/review-loop-state.yaml", text)
    held = ended(project, "On it.")
    assert held["decision"] == "block"
    assert "5 issues pending" in held["systemMessage"]
    project.write(
        ".claude/review-loop-state.yaml", text.replace("confidence: 72", "confidence: 96")
    )
    assert "95 was wanted" in ended(project, "On it.")["systemMessage"]
    assert not state.exists()


def test_where_there_was_nothing_there_is_nothing_afterwards(project: Project) -> None:
    project.ralph("hooks", "install")
    shown = project.ralph("hooks", "status", "--json").json()
    assert shown["installed"][str(folder(project) / "settings.json")] is True
    project.ralph("hooks", "uninstall")
    assert not folder(project).exists()
    assert "not installed" in project.ralph("hooks", "uninstall").out


def test_what_was_edited_meanwhile_stays(project: Project) -> None:
    project.ralph("hooks", "install")
    settings = folder(project) / "settings.json"
    settings.write_text(settings.read_text().replace("{", '{"model": "y",', 1), encoding="utf-8")
    mine = folder(project) / "commands" / "ralph-loop.md"
    mine.write_text("my own\n", encoding="utf-8")
    done = project.ralph("hooks", "uninstall")
    assert "commands/ralph-loop.md" in done.out
    assert json.loads(settings.read_bytes()) == {"model": "y"}
    assert mine.read_text(encoding="utf-8") == "my own\n"
    assert not (folder(project) / "skills").exists()


def test_a_file_of_the_same_name_is_not_overwritten(project: Project) -> None:
    mine = folder(project) / "commands" / "checkpoint.md"
    mine.parent.mkdir(parents=True)
    mine.write_text("mine\n", encoding="utf-8")
    done = project.ralph("hooks", "install")
    assert "not Ralph's: commands/checkpoint.md" in done.out
    project.ralph("hooks", "uninstall")
    assert mine.read_text(encoding="utf-8") == "mine\n"


@pytest.mark.parametrize("text", ["{", "[]"])
def test_settings_that_cannot_be_read_are_left_alone(project: Project, text: str) -> None:
    folder(project).mkdir()
    settings = folder(project) / "settings.json"
    settings.write_text(text, encoding="utf-8")
    done = project.ralph("hooks", "install")
    assert (done.code, settings.read_text(encoding="utf-8")) == (1, text)
    assert str(settings) in done.err
    assert not (folder(project) / "commands").exists()


def test_for_a_user(project: Project, tmp_path: Path) -> None:
    own = {"CLAUDE_CONFIG_DIR": str(tmp_path / "mine")}
    assert project.ralph("hooks", "install", "--user", env=own).code == 0
    hooks = json.loads((tmp_path / "mine" / "settings.json").read_bytes())["hooks"]["Stop"]
    assert hooks[0]["hooks"][0]["command"].endswith('hooks/hook.py" stop')
    assert project.ralph("hooks", "uninstall", "--user", env=own).code == 0
    assert not (tmp_path / "mine").exists()
