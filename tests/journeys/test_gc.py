"""What is old goes; what is work stays."""

from __future__ import annotations

import json
import os
import shutil
import time
from typing import TYPE_CHECKING

from tests.support.project import FINISH, PATIENCE, RALPH, Project, wait_until

if TYPE_CHECKING:
    from pathlib import Path

MONTHS = 100 * 86_400


def old(*paths: Path) -> None:
    """As if nobody had touched it for a long time."""
    then = time.time() - MONTHS
    for path in paths:
        os.utime(path, (then, then), follow_symlinks=False)


def state_of(project: Project) -> Path:
    (found,) = (project.home / "projects").iterdir()
    return found


def test_unused_checkouts_go_and_come_back(tmp_path: Path) -> None:
    project = Project(tmp_path, 2)
    assert project.run("--once").code == 0
    state = state_of(project)
    assert (state / "checkout").is_dir()
    assert project.ralph("gc").out == "Nothing to remove.\n"

    old(*state.iterdir(), state)
    tried = project.ralph("gc", "--dry-run")
    assert tried.code == 0
    assert "would go" in tried.out
    assert (state / "checkout").is_dir()

    old(state)
    done = project.ralph("gc")
    assert done.code == 0, done.err
    assert "clean checkouts of" in done.out
    assert " freed." in done.out
    assert not (state / "checkout").exists()
    assert project.git("worktree", "list", "--porcelain").count("worktree ") == 1
    assert project.run().code == 0
    assert project.passed() == ["US-001", "US-002"]


def test_refs_go_only_if_a_branch_has_what_they_hold(tmp_path: Path) -> None:
    project = Project(tmp_path)
    assert project.run().code == 0
    landed = project.git("rev-parse", "ralph/journey")
    project.git("update-ref", "refs/ralph/checkpoint/r/1", landed)
    lost = project.git("commit-tree", f"{landed}^{{tree}}", "-p", landed, "-m", "salvage: same")
    project.git("update-ref", "refs/ralph/salvage/r/same", lost)
    project.write("only-here.txt", "work\n")
    project.git("add", "only-here.txt")
    tree = project.git("write-tree")
    project.git("reset", "-q", "--hard")
    work = project.git("commit-tree", tree, "-p", landed, "-m", "salvage: work")
    project.git("update-ref", "refs/ralph/salvage/r/work", work)
    chain = project.git("commit-tree", f"{landed}^{{tree}}", "-p", work, "-m", "salvage: squashed")
    project.git("update-ref", "refs/ralph/salvage/r/chain", chain)

    found = json.loads(project.ralph("gc", "--days", "0", "--json").out)
    gone = {ref for one in found["removed"] for ref in one["refs"]}
    assert gone == {"refs/ralph/checkpoint/r/1"}
    left = project.refs("refs/ralph/")
    assert "refs/ralph/salvage/r/work" in left, "it is on no branch"
    assert "refs/ralph/salvage/r/chain" in left, "its history is on no branch"
    assert any("not on any branch" in one["why"] for one in found["kept"])


def test_work_that_landed_later_is_not_kept_twice(tmp_path: Path) -> None:
    project = Project(tmp_path)
    base = project.git("rev-parse", "HEAD")
    assert project.run().code == 0
    tree = project.git("rev-parse", "ralph/journey^{tree}")
    commit = project.git("commit-tree", tree, "-p", base, "-m", "salvage: the same work")
    project.git("update-ref", "refs/ralph/salvage/r/1", commit)
    done = project.ralph("gc", "--days", "0")
    assert "1 salvage ref of" in done.out
    assert "refs/ralph/salvage/r/1" not in project.refs("refs/ralph/")


def test_what_a_task_waits_with_stays(tmp_path: Path) -> None:
    """The next attempt gets it back: nobody may take it away meanwhile."""
    project = Project(tmp_path, agent="echo half > work.txt\necho no luck\n", verify="false")
    project.run("--once")
    kept = project.refs("refs/ralph/salvage/")
    project.ralph("gc", "--days", "0")
    assert project.refs("refs/ralph/salvage/") == kept


def test_of_a_repository_that_is_gone_only_work_stays(tmp_path: Path) -> None:
    project = Project(tmp_path, agent=FINISH)
    assert project.run("--worktree").code == 0
    state = state_of(project)
    shutil.rmtree(project.root)
    project.root.mkdir()  # a folder to be in
    assert json.loads(project.ralph("gc", "--json").out)["removed"] == [], "it may come back"
    found = json.loads(project.ralph("gc", "--days", "0", "--json").out)
    assert [one["what"] for one in found["removed"]]
    assert not (state / "checkout").exists()
    assert (state / "workspace").is_dir()
    assert any("may hold work" in one["why"] for one in found["kept"])


def test_a_run_at_work_is_left_alone(tmp_path: Path) -> None:
    slow = 'touch "$state/begun"; sleep 20\n'
    project = Project(tmp_path, agent=slow)
    running = project.start()
    try:
        wait_until((project.state / "begun").exists, "the agent")
        done = project.ralph("gc", "--days", "0")
        assert "Ralph is running there" in done.out
        assert (state_of(project) / "checkout").is_dir()
    finally:
        running.terminate()
        running.communicate(timeout=PATIENCE)


def test_agents_may_only_ask_what_would_go(tmp_path: Path) -> None:
    ask = f'{RALPH} gc > "$state/said" 2>&1; {RALPH} gc --dry-run >> "$state/said" 2>&1\n'
    project = Project(tmp_path, agent=ask + FINISH)
    project.walls = False
    assert project.run().code == 0
    said = (project.state / "said").read_text()
    assert "`ralph gc` is for people" in said
    assert said.endswith("Nothing to remove.\n")
