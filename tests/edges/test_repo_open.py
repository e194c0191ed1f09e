from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.edges.repo_help import commit, git, in_place, in_worktree, new_repo, put, status

from ralph.domain.errors import DirtyTree, NotARepository, RepoError
from ralph.repo import Repo

if TYPE_CHECKING:
    from pathlib import Path


def test_finds_the_root_from_below(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    repo = Repo.open(root / "src")
    assert repo.root == root
    assert repo.git_dir == repo.common_dir == root / ".git"
    assert len(repo.project) == 16


def test_checkouts_of_one_clone_are_one_project(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    git(root, "worktree", "add", "-q", "--detach", str(tmp_path / "other"))
    assert Repo.open(tmp_path / "other").project == Repo.open(root).project


def test_no_repository_says_git_init(tmp_path: Path) -> None:
    with pytest.raises(NotARepository, match="git init"):
        Repo.open(tmp_path)
    with pytest.raises(NotARepository):
        Repo.open(tmp_path / "missing")


def test_a_bare_repository_is_refused(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "bare")
    with pytest.raises(RepoError, match="bare"):
        Repo.open(tmp_path / "bare")


def test_no_commit_yet_is_refused_but_can_be_looked_at(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    with pytest.raises(RepoError, match="has no commit yet"):
        Repo.open(tmp_path)
    assert Repo.open(tmp_path, to_write=False).root == tmp_path


def test_a_merge_under_way_is_named(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    git(root, "switch", "-q", "-c", "side")
    put(root, "src/app.py", "side\n")
    commit(root)
    git(root, "switch", "-q", "-")
    put(root, "src/app.py", "main\n")
    commit(root)
    with pytest.raises(AssertionError):
        git(root, "merge", "side")
    with pytest.raises(RepoError, match=r"A merge is under way[\s\S]*git merge --abort"):
        Repo.open(root)


def test_no_identity_names_both_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = new_repo(tmp_path)
    empty = put(tmp_path, "no-identity", "")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(empty))
    with pytest.raises(RepoError, match=r"user\.name[\s\S]*user\.email"):
        Repo.open(root)


def test_a_hostile_environment_is_not_inherited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = new_repo(tmp_path)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "no-index"))
    assert Repo.open(root).root == root


def test_dirt_is_refused_by_name_and_nothing_happens(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    for number in range(5):
        put(root, f"f{number}", "one")
    commit(root)
    for number in range(5):
        put(root, f"f{number}", "two")
    before = git(root, "symbolic-ref", "HEAD")
    with pytest.raises(DirtyTree, match=r"f0, f1, f2 and 2 more[\s\S]*--worktree"):
        in_place(root)
    assert git(root, "symbolic-ref", "HEAD") == before


def test_staged_changes_are_dirt_too(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    put(root, "new.py", "x")
    git(root, "add", "new.py")
    with pytest.raises(DirtyTree, match=r"new\.py"):
        in_place(root)


def test_allowed_dirt_and_untracked_files_are_not(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    put(root, "PRD.json", "edited")
    put(root, "notes.txt", "mine")
    put(root, ".ralph/logs/x.txt", "ours")
    ws = in_place(root, {"PRD.json"})
    assert ws.untracked == ("notes.txt",)
    assert ws.foreign_changes() == ()
    assert ws.status().changed == ("PRD.json",)
    assert git(root, "symbolic-ref", "--short", "HEAD") == "ralph/x"


def test_an_existing_branch_is_switched_to(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    git(root, "switch", "-q", "-c", "ralph/x")
    put(root, "done.py", "1")
    there = commit(root)
    git(root, "switch", "-q", "main")
    ws = in_place(root)
    assert ws.head() == there
    assert (root / "done.py").exists()
    assert status(root) == ""


def test_a_branch_that_was_merged_follows_the_user(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    git(root, "branch", "ralph/x")
    put(root, "later.py", "1")
    later = commit(root)
    ws = in_place(root)
    assert (ws.head(), ws.lacks) == (later, 0)
    assert git(root, "symbolic-ref", "--short", "HEAD") == "ralph/x"
    assert status(root) == ""


def test_a_branch_with_work_of_its_own_stays_and_says_what_it_lacks(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    git(root, "switch", "-q", "-c", "ralph/x")
    put(root, "done.py", "1")
    there = commit(root)
    git(root, "switch", "-q", "main")
    for number in (1, 2):
        put(root, "later.py", str(number))
        commit(root)
    ws = in_place(root)
    assert (ws.head(), ws.lacks, ws.came_from) == (there, 2, "refs/heads/main")
    assert not (root / "later.py").exists()


def test_a_worktree_follows_with_its_files(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    first = in_worktree(root)
    assert first.lacks == 0
    put(root, "later.py", "1")
    later = commit(root)
    ws = in_worktree(root)
    assert (ws.head(), ws.lacks) == (later, 0)
    assert (ws.root / "later.py").read_text() == "1"
    assert ws.status().changed == ()


def test_ralph_s_own_worktree_is_no_other_checkout(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_worktree(root)
    put(ws.root, "done.py", "1")
    ws.land(ws.candidate(ws.head(), "feat: done"))
    here = in_place(root)
    assert (root / "done.py").exists()
    assert here.head() == ws.head()
    git(root, "switch", "-q", "main")
    assert in_worktree(root).status().branch == "ralph/x"


def test_a_switch_that_would_overwrite_an_untracked_file_is_refused(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    git(root, "switch", "-q", "-c", "ralph/x")
    put(root, "notes.txt", "theirs")
    commit(root)
    git(root, "switch", "-q", "main")
    put(root, "notes.txt", "mine")
    with pytest.raises(DirtyTree, match="would lose"):
        in_place(root)
    assert (root / "notes.txt").read_text() == "mine"
    assert git(root, "symbolic-ref", "--short", "HEAD") == "main"


def test_a_detached_head_is_a_fine_place_to_start(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    git(root, "checkout", "-q", "--detach")
    ws = in_place(root)
    assert ws.status().branch == "ralph/x"
    assert ws.head() == git(root, "rev-parse", "HEAD")


def test_a_branch_held_by_another_checkout_is_named(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    git(root, "worktree", "add", "-q", "-b", "ralph/x", str(tmp_path / "other"))
    with pytest.raises(RepoError, match=r"checked out in .*other"):
        in_place(root)


def test_a_branch_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    git(root, "branch", "ralph")
    with pytest.raises(RepoError, match=r"ralph/x cannot be created[\s\S]*repo\.branch"):
        in_place(root)


def test_head_is_read_from_packed_refs_too(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    git(root, "pack-refs", "--all")
    assert not (root / ".git/refs/heads/ralph/x").exists()
    assert ws.head() == git(root, "rev-parse", "HEAD")
