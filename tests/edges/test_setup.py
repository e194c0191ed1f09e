from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from ralph.config import load
from ralph.domain.plan import Plan
from ralph.domain.settings import Settings
from ralph.domain.task import EXAMPLE
from ralph.flows.setup import init_repository
from ralph.plans import find_plan, open_plan
from ralph.policy.lint import lint

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ralph.flows.setup import WrittenFile


def start(root: Path, *, script: bool = False) -> Mapping[str, WrittenFile]:
    written = init_repository(root, prompt_text="Do it well.\n", script=script)
    return {entry.path: entry for entry in written}


def contents(root: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in root.iterdir() if p.is_file()}


def git(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False
    )


def test_a_fresh_repository_gets_everything(tmp_path: Path) -> None:
    written = start(tmp_path)
    assert list(written) == ["PRD.json", "PROMPT.md", "ralph.yaml", ".gitignore"]
    assert all(entry.changed for entry in written.values())
    assert (tmp_path / "PROMPT.md").read_text() == "Do it well.\n"
    assert set(contents(tmp_path)) == set(written)


def test_the_example_plan_passes_the_linter(tmp_path: Path) -> None:
    root = tmp_path / "my-shop"
    root.mkdir()
    start(root)
    format_ = open_plan(find_plan(root), root)
    plan = format_.parse(format_.files(root))
    assert plan.title == "my-shop"
    assert [task.id for task in plan.tasks] == ["US-001", "US-002"]
    assert all("eplace" in task.title + task.description for task in plan.tasks)
    told = lint(plan, has_project_checks=True)
    assert [one.problem for one in told] == ["is an example of `ralph init`"] * 2
    own = (replace(one, title=one.title.removeprefix(EXAMPLE)) for one in plan.tasks)
    assert lint(Plan(plan.title, tuple(own)), has_project_checks=True) == ()


def test_detected_commands_are_written_and_load(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module x\n")
    what = start(tmp_path)["ralph.yaml"].what
    assert what == "written, checks found: `go test ./...`, `go vet ./...`"
    loaded = load(tmp_path, environ={})
    assert loaded.settings.verification.commands == (
        ("go", "test", "./..."),
        ("go", "vet", "./..."),
    )
    assert loaded.provenance["loop.max_cost"] == "default"


def test_without_checks_it_says_so_and_leaves_detection_on(tmp_path: Path) -> None:
    assert (
        start(tmp_path)["ralph.yaml"].what
        == "written, no checks found: fill in verification.commands"
    )
    assert load(tmp_path, environ={}).settings == Settings()


def test_what_the_comments_show_are_the_defaults(tmp_path: Path) -> None:
    start(tmp_path)
    path = tmp_path / "ralph.yaml"
    setting = re.compile(r"^( *)# (\w+: .*)$", re.MULTILINE)
    text, count = setting.subn(r"\1\2", path.read_text())
    assert count > 10
    path.write_text(text)
    loaded = load(tmp_path, environ={})
    assert loaded.settings == Settings()
    assert sum(where != "default" for where in loaded.provenance.values()) > 10


def test_file_names_cannot_break_the_settings(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    name = os.fsdecode(b"tests/test_a\nagent: evil\x07\xff.py")
    (tmp_path / name).write_text("def test_it(): pass\n")
    start(tmp_path)
    settings = load(tmp_path, environ={}).settings
    assert settings.agent == "claude"
    assert settings.verification.commands == (("python3", "-m", "pytest", "-q"),)


def test_nothing_that_is_there_is_changed(tmp_path: Path) -> None:
    for name in ("PRD.json", "PROMPT.md", "ralph.yaml", "ralph.sh"):
        (tmp_path / name).write_text("mine\n")
    (tmp_path / "ralph.sh").chmod(0o644)
    written = start(tmp_path, script=True)
    kept = {name: entry for name, entry in written.items() if name != ".gitignore"}
    assert {entry.what for entry in kept.values()} == {"kept as it is"}
    assert not any(entry.changed for entry in kept.values())
    assert all((tmp_path / name).read_text() == "mine\n" for name in kept)
    assert not os.access(tmp_path / "ralph.sh", os.X_OK)


def test_a_second_time_changes_nothing(tmp_path: Path) -> None:
    start(tmp_path, script=True)
    before = contents(tmp_path)
    assert not any(entry.changed for entry in start(tmp_path, script=True).values())
    assert contents(tmp_path) == before


def test_links_that_lead_nowhere_are_not_replaced(tmp_path: Path) -> None:
    for name in ("PRD.json", ".gitignore"):
        (tmp_path / name).symlink_to(tmp_path / "nowhere")
    written = start(tmp_path)
    assert not written["PRD.json"].changed
    assert not written[".gitignore"].changed
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("name", ["prd.json", ".ralph/tasks/a.json"])
def test_an_example_never_stands_in_front_of_a_plan(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}")
    start(tmp_path)
    assert not (tmp_path / "PRD.json").exists()


def test_an_empty_folder_of_tasks_is_no_plan(tmp_path: Path) -> None:
    (tmp_path / ".ralph/tasks").mkdir(parents=True)
    assert start(tmp_path)["PRD.json"].changed


@pytest.mark.parametrize(
    "before",
    ["", "*.pyc", "*.pyc\n", ".ralph/*\n", "!.ralph/tasks/\n", ".agent/\n!.ralph/parent-task-id"],
)
def test_git_ignores_the_notes_but_not_the_plan(tmp_path: Path, before: str) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / ".gitignore").write_text(before)
    start(tmp_path)
    assert (tmp_path / ".gitignore").read_text().startswith(before)

    def ignored(name: str) -> bool:
        return git(tmp_path, "check-ignore", "--quiet", name).returncode == 0

    assert ignored(".ralph/progress.md")
    assert ignored(".ralph/logs/1.json")
    assert ignored(".agent/scratchpad.md")
    assert not ignored(".ralph/tasks/a.json")
    assert not ignored(".ralph/parent-task-id")
    assert not ignored("PRD.json")
    assert not start(tmp_path)[".gitignore"].changed


def test_line_endings_of_gitignore_are_kept(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_bytes(b"a\r\nb\r\n")
    start(tmp_path)
    raw = (tmp_path / ".gitignore").read_bytes()
    assert raw.startswith(b"a\r\nb\r\n.ralph/*\r\n")
    assert raw.count(b"\n") == raw.count(b"\r\n")


def test_the_script_runs_ralph_on_the_plan(tmp_path: Path) -> None:
    root = tmp_path / "a repository"
    root.mkdir()
    start(root, script=True)
    fake = tmp_path / "bin" / "ralph"
    fake.parent.mkdir()
    fake.write_text('#!/bin/sh\npwd\nprintf "%s|" "$@"\n')
    fake.chmod(0o755)
    done = subprocess.run(
        [str(root / "ralph.sh"), "--max-cost", "2 3"],
        cwd=tmp_path,
        env={"PATH": f"{fake.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{root}\nrun|PRD.json|--max-cost|2 3|"


def test_a_script_that_lost_its_mode_gets_it_back(tmp_path: Path) -> None:
    start(tmp_path, script=True)
    (tmp_path / "ralph.sh").chmod(0o644)
    start(tmp_path, script=True)
    assert os.access(tmp_path / "ralph.sh", os.X_OK)


def test_a_checklist_that_makes_no_plan_is_named(tmp_path: Path) -> None:
    (tmp_path / "TODO.md").write_text(
        "# Next\n\n- [ ] **T-1** Add zip\n  - depends on: T-9\n", encoding="utf-8"
    )
    written = init_repository(tmp_path, prompt_text="")
    assert "TODO.md cannot be read as a plan, see `ralph lint TODO.md`" in written[0].what
