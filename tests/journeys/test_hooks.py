"""`ralph hooks` as people use it: their settings stay theirs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.project import Project

if TYPE_CHECKING:
    from pathlib import Path

ODD = (
    '{"model":"x",\r\n\t"hooks" : {"PreToolUse":[ ],"Stop":'
    '[{"hooks":[{"type":"command","command":"true"}]} ]}  }'
)


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
