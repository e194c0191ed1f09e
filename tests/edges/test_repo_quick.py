"""Git processes that stay answer as ordinary ones do, and are replaced when they are gone."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest
from tests.edges.repo_help import commit, git, in_place, new_repo, put

from ralph.domain.errors import RepoError
from ralph.repo import diff, refs

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.repo import GitWorkspace
    from ralph.repo.quick import StandingGit

PEOPLE = "%an <%ae> %cn <%ce> %B"


@pytest.fixture
def ws(tmp_path: Path) -> GitWorkspace:
    return in_place(new_repo(tmp_path))


def kill(standing: StandingGit) -> bool:
    """Whether there was something to kill."""
    process = standing._process
    if process is not None:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    return process is not None


def tree_of(ws: GitWorkspace) -> str:
    return git(ws.root, "rev-parse", "HEAD^{tree}").strip()


@pytest.mark.parametrize("text", ["feat: x\n", "feat: no line end", "feat: ü\n\nbody\n\nA: b\n"])
def test_a_commit_is_the_one_that_commit_tree_writes(ws: GitWorkspace, text: str) -> None:
    tree, base = tree_of(ws), ws.head()
    ours, gits = ws.quick.commit(tree, base, text), refs.commit_tree(ws.own, tree, base, text)
    shown = [git(ws.root, "log", "-1", f"--format=%T %P {PEOPLE}", c) for c in (ours, gits)]
    assert shown[0] == shown[1]
    assert git(ws.root, "fsck", "--strict", "--no-dangling") == ""


def test_changes_are_those_of_diff_tree(ws: GitWorkspace) -> None:
    put(ws.root, "src/deep/new file.py", "x\n")
    put(ws.root, "ü\n.txt", "x\n")
    (ws.root / "src/app.py").unlink()
    base = ws.head()
    made = commit(ws.root, "many")
    for _ in range(2):
        assert ws.quick.changes(made, base) == diff.between(ws.own, base, made)


def test_a_git_that_was_killed_is_replaced(ws: GitWorkspace) -> None:
    base, tree, killed = ws.head(), tree_of(ws), []
    for _ in range(4):
        new = ws.quick.commit(tree, base, "x\n")
        assert ws.quick.changes(new, base).files == ()
        ws.quick.land(ws.ref, new, base)
        assert ws.head() == new
        base = new
        standing = (ws.quick._compare, ws.quick._write, ws.quick._move)
        killed.append([kill(one) for one in standing])
    # after a death the ordinary git answers once, then a new one stays
    assert killed == [[True] * 3, [False] * 3, [True] * 3, [False] * 3]


def test_a_branch_that_moved_is_left_where_it_is(ws: GitWorkspace) -> None:
    base = ws.head()
    new = ws.quick.commit(tree_of(ws), base, "x\n")
    moved = commit(ws.root, "by someone else")
    for _ in range(2):
        with pytest.raises(RepoError, match="was moved by someone else"):
            ws.quick.land(ws.ref, new, base)
        assert ws.head() == moved


def test_a_landing_that_was_done_before_its_git_died_is_no_error(ws: GitWorkspace) -> None:
    base = ws.head()
    new = ws.quick.commit(tree_of(ws), base, "x\n")
    ws.quick.land(ws.ref, new, base)
    ws.quick.land(ws.ref, new, base)
    assert ws.head() == new


def test_a_git_that_stays_does_not_look_like_one_at_work(ws: GitWorkspace) -> None:
    from ralph.repo import sweep_locks

    ws.quick.commit(tree_of(ws), ws.head(), "x\n")
    lock = ws.git_dir / "index.lock"
    lock.touch()
    assert sweep_locks(ws.repo, seconds=0) == (str(lock),)
