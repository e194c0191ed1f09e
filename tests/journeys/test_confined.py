"""Agents that reach beyond their work: with walls nothing comes of it, without them it does."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.support.project import FINISH, Project

from ralph.process.fence import OLDEST, version

if TYPE_CHECKING:
    from collections.abc import Callable

CLAIM = 'echo "Task $RALPH_TASK_ID complete"\n'
OFF = {"RALPH_SAFETY__SANDBOX": "off"}
OPEN = {"RALPH_SAFETY__SANDBOX": "auto"}


class Reach(NamedTuple):
    """Something an agent does besides its work, and how one sees that it worked."""

    script: str
    worked: Callable[[Project], bool]


def _home(project: Project, name: str) -> Path:
    return Path(os.environ["HOME"], name)


REACHES = {
    "writes into the user's home": Reach(
        "echo 'evil' > ~/.bashrc\n", lambda project: _home(project, ".bashrc").exists()
    ),
    "writes Python for everyone": Reach(
        'd=$(python3 -m site --user-site); mkdir -p "$d"; echo > "$d/usercustomize.py"\n',
        lambda project: any(_home(project, ".local").rglob("usercustomize.py")),
    ),
    "changes git for everyone": Reach(
        "git config --file ~/.gitconfig alias.st '!touch /tmp/x'\n",
        lambda project: "alias" in _home(project, ".gitconfig").read_text(),
    ),
    "deletes Ralph's record": Reach(
        "rm -rf '{home}'/*; true\n", lambda project: not any(project.home.glob("*.db*"))
    ),
    "plants a hook": Reach(
        "mkdir -p .git/hooks; echo true > .git/hooks/post-checkout\n",
        lambda project: (project.root / ".git/hooks/post-checkout").exists(),
    ),
    "tags a commit": Reach("git tag planted\n", lambda project: "planted" in project.git("tag")),
    "makes a branch": Reach(
        "git branch planted\n", lambda project: "planted" in project.git("branch")
    ),
    "reads a key": Reach(
        "mkdir -p out; cat ~/.ssh/id > out/key.txt\n",
        lambda project: "private" in (project.root / "out/key.txt").read_text(),
    ),
    "writes beside the repository": Reach(
        "echo > ../conftest.py\n", lambda project: (project.folder / "conftest.py").exists()
    ),
    "changes a template": Reach(
        "mkdir -p .ralph/templates; echo evil > .ralph/templates/prompt.md\n",
        lambda project: (project.root / ".ralph/templates/prompt.md").exists(),
    ),
    "rewrites a log": Reach(
        "echo nothing > .ralph/logs/planted.txt\n",
        lambda project: (project.root / ".ralph/logs/planted.txt").exists(),
    ),
    "sets another parent": Reach(
        "echo US-999 > .ralph/parent-task-id\n",
        lambda project: (project.root / ".ralph/parent-task-id").exists(),
    ),
    "leaves a process": Reach(
        "(setsid sh -c 'sleep 1; echo > ../late' > /dev/null 2>&1 &)\n",
        lambda project: (project.folder / "late").exists(),
    ),
}
LEFT_ALONE = {"leaves a process"}
"""What is ended without walls as well."""


def _project(folder: Path, reach: Reach) -> Project:
    _home(Project, ".ssh").mkdir()  # type: ignore[arg-type]
    _home(Project, ".ssh/id").write_text("private")  # type: ignore[arg-type]
    project = Project(folder)
    project.agent(reach.script.replace("{home}", str(project.home)) + FINISH)
    return project


@pytest.mark.parametrize("name", REACHES)
def test_with_walls_nothing_comes_of_it(tmp_path: Path, name: str) -> None:
    project = _project(tmp_path, REACHES[name])
    done = project.run(env=OPEN)
    assert done.code == 0, done.out + done.err
    assert project.passed() == ["US-001"], "the work itself is done"
    assert not REACHES[name].worked(project)
    assert "Not confined" not in done.out


@pytest.mark.parametrize("name", [name for name in REACHES if name not in LEFT_ALONE])
def test_without_them_it_works(tmp_path: Path, name: str) -> None:
    project = _project(tmp_path, REACHES[name])
    project.run(env=OFF)
    assert REACHES[name].worked(project)


def test_what_an_agent_commits_is_kept_aside(tmp_path: Path) -> None:
    project = Project(tmp_path, agent="echo x > mine; git add -A; git commit -qm mine\n" + FINISH)
    done = project.run()
    assert done.code == 0, done.out + done.err
    assert "the agent made commits of its own" in done.out
    kept = list(project.refs("refs/ralph/salvage/"))
    assert len(kept) == 1
    assert project.git("log", "-1", "--format=%s", kept[0]).strip() == "mine"
    assert "mine" in project.git("show", "--stat", "ralph/journey"), "and its work is in ours"


def test_notes_of_an_agent_are_taken_over(tmp_path: Path) -> None:
    project = Project(tmp_path, agent="echo '- mind the gap' >> .ralph/progress.md\n" + FINISH)
    assert project.run().code == 0
    assert "- mind the gap" in project.read(".ralph/progress.md")


def test_it_works_in_a_worktree_too(tmp_path: Path) -> None:
    agent = "git status --short > /dev/null && git log --oneline | grep -q start\n" + FINISH
    project = Project(tmp_path, agent="set -e\n" + agent)
    done = project.run("--worktree")
    assert done.code == 0, done.out + done.err
    assert "US-001" in project.git("log", "-1", "--format=%B", "ralph/journey")


def test_what_tells_agents_what_to_do_is_not_theirs_to_change(tmp_path: Path) -> None:
    plants = "mkdir -p .claude; echo '{}' > .claude/settings.json; echo x > CLAUDE.md\n"
    settings = {"agent": "claude-like", "agents": {"claude-like": {"command": ["/bin/sh", "{}"]}}}
    project = Project(tmp_path, agent=plants + FINISH)
    settings["agents"]["claude-like"]["command"][1] = str(project.script)  # type: ignore[index]
    project.configure(settings)
    project.commit("settings")
    done = project.ralph("run", "--verify", "true")
    assert done.code == 5, done.out + done.err
    assert "CLAUDE.md" in done.out, "a person is asked about what was new"
    assert not (project.root / ".claude").exists()


def test_what_git_ignores_is_lent_as_a_copy(tmp_path: Path) -> None:
    """What an agent installs or breaks there is seen by the next one, and not by the user."""
    project = Project(tmp_path, stories=2)
    project.write(".gitignore", ".venv/\n.env\n.ralph/\n")
    project.commit("ignored")
    project.write(".venv/library.py", "kept")
    project.write(".env", "TOKEN=1")
    seen = "cat .venv/installed >> seen.txt 2> /dev/null; cat .venv/library.py >> seen.txt\n"
    breaks = "echo new > .venv/installed; echo broken > .venv/library.py; rm -f .env\n"
    project.agent(seen + breaks + FINISH)
    done = project.run(env=OPEN)
    assert done.code == 0, done.out + done.err
    assert project.passed() == ["US-001", "US-002"]
    assert project.read("seen.txt") == "keptnew\nbroken\n"
    assert project.read(".venv/library.py") == "kept"
    assert not (project.root / ".venv/installed").exists()
    assert project.read(".env") == "TOKEN=1"


def test_what_cannot_be_copied_stays_where_it_is(tmp_path: Path) -> None:
    project = Project(tmp_path)
    project.write(".gitignore", "data/\n.ralph/\n")
    project.commit("ignored")
    os.mkfifo(project.write("data/kept", "").with_name("pipe"))
    done = project.run(env=OPEN)
    assert done.code == 0, done.out + done.err
    assert (project.root / "data/pipe").is_fifo()


@pytest.mark.parametrize("walls", [OPEN, OFF], ids=["walls", "none"])
def test_ignored_words_to_later_agents_are_put_back(tmp_path: Path, walls: dict[str, str]) -> None:
    project = Project(tmp_path)
    project.write(".gitignore", ".claude/\n.vscode/\n.ralph/\n")
    project.commit("ignored")
    project.write(".vscode/settings.json", "{}")
    plants = "mkdir -p .claude; echo '{\"hooks\": 1}' > .claude/settings.json\n"
    odd = "ln -s /etc/hostname .claude/linked; head -c 2000000 /dev/zero > .claude/large\n"
    project.agent(plants + odd + "echo evil > .vscode/settings.json || true\n" + FINISH)
    done = project.run(env=walls)
    assert done.code == 0, done.out + done.err
    assert "put back .claude/settings.json" in done.out
    assert not [one for one in (project.root / ".claude").rglob("*") if not one.is_dir()]
    assert project.read(".vscode/settings.json") == "{}"
    kept = [one.read_text() for one in project.home.rglob("plan-edits/*.json")]
    kept += [one.read_text() for one in (project.root / ".git").rglob("plan-edits/*.json")]
    assert any("hooks" in text for text in kept), "what was put back is kept"


def test_a_sandbox_that_must_be_there_and_is_not(tmp_path: Path) -> None:
    project = Project(tmp_path, settings={"safety": {"sandbox": True}})
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("git", "sh"):
        (programs / name).symlink_to(f"/usr/bin/{name}")
    done = project.run(env={"PATH": str(programs)})
    assert done.code == 1
    assert "bubblewrap (bwrap) is not installed" in done.err
    assert len(done.err.strip().splitlines()) <= 3


def test_without_one_it_is_said(tmp_path: Path) -> None:
    project = Project(tmp_path)
    done = project.run(env=OFF)
    assert done.code == 0
    assert "Not confined" in project.ralph("report").out


# Where bubblewrap does not work


@pytest.fixture
def fenced(tmp_path: Path) -> dict[str, str]:
    """A machine without namespaces, and with Landlock."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "bwrap").write_text("#!/bin/sh\necho no namespaces here\nexit 1\n")
    (programs / "bwrap").chmod(0o755)
    return {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}


needs_landlock = pytest.mark.skipif(version() < OLDEST, reason="the kernel has no such Landlock")


@needs_landlock
def test_a_fence_is_better_than_nothing(tmp_path: Path, fenced: dict[str, str]) -> None:
    reach = "echo evil > ~/.bashrc; cat {home}/ledger.db > stolen; echo > ../conftest.py; true\n"
    project = Project(tmp_path / "project")
    project.agent(reach.replace("{home}", str(project.home)) + "rm -f stolen\n" + FINISH)
    (Path(os.environ["HOME"]) / ".bashrc").unlink(missing_ok=True)
    done = project.run(env=fenced)
    assert done.code == 0, done.out + done.err
    assert project.passed() == ["US-001"]
    assert "Confined in part, by Landlock" in project.ralph("report").out
    assert not _home(project, ".bashrc").exists()
    assert not (project.folder / "conftest.py").exists()


@needs_landlock
def test_what_an_agent_notes_behind_a_fence_is_kept(tmp_path: Path, fenced: dict[str, str]) -> None:
    project = Project(
        tmp_path / "project", agent="echo '- a pattern' >> .ralph/progress.md\n" + FINISH
    )
    assert project.run(env=fenced).code == 0
    assert "- a pattern" in project.read(".ralph/progress.md")


@needs_landlock
def test_a_fence_is_not_what_is_required(tmp_path: Path, fenced: dict[str, str]) -> None:
    project = Project(tmp_path / "project", settings={"safety": {"sandbox": "require"}})
    done = project.run(env=fenced)
    assert done.code == 1
    assert "no namespaces here" in done.err
