from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.edges.repo_help import (
    commit,
    git,
    in_place,
    in_worktree,
    new_repo,
    photograph,
    put,
    status,
)

from ralph.domain.errors import DirtyTree, RepoError
from ralph.repo import Repo, list_salvage, restore_salvage, revert_branch, squash
from ralph.repo import git as git_room

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ralph.repo import GitWorkspace
    from ralph.repo.git import GitResult


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The git commands that were run, by name."""
    seen: list[str] = []
    real = git_room._run
    known = {"add", "write-tree", "diff-tree", "commit-tree", "update-ref", "checkout", "clean"}
    known |= {"status", "check-ignore", "rev-parse", "read-tree", "symbolic-ref", "merge-base"}

    def counting(args: tuple[str, ...], *rest: object) -> GitResult:
        seen.append(next((a for a in args if a in known), str(args)))
        return real(args, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(git_room, "_run", counting)
    return seen


def test_an_iteration_takes_six_git_processes(tmp_path: Path, calls: list[str]) -> None:
    from ralph.repo import CleanCheckout

    root = new_repo(tmp_path)
    ws = in_place(root)
    checkout = CleanCheckout(ws.repo, ws.state_dir / "checkout")
    for number in range(2):  # the first asks once whether the plan is ignored
        put(root, "src/app.py", f"print({number})\n")
        calls.clear()
        base, before = ws.head(), ws.config_snapshot()
        ws.restore_config(before)
        assert ws.put_back_head(base, "R1/1") is None
        made = ws.candidate(base, "feat: x\n", {"PRD.json": b"%d" % number})
        assert not calls.count("check-ignore") or not number
        checkout.at(made.commit)
        ws.land(made)
        assert ws.foreign_changes() == ()
    assert sorted(calls) == sorted(
        (
            *("add", "add", "write-tree"),
            *("checkout", "clean"),
            "status",
        )
    )


def test_foreign_commits_are_kept_and_the_branch_put_back(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    base = ws.head()
    put(root, "agent.py", "x")
    forged = commit(root, "feat: done\n\nRalph-Task: T-1")
    assert ws.foreign_commits(base) == forged
    kept = ws.put_back_head(base, "R1/1")
    assert kept is not None
    assert git(root, "rev-parse", f"{kept.commit}^") == forged
    assert ws.head() == base
    assert not ws.landed(forged)
    assert [c.path for c in ws.candidate(base, "feat: x\n").files] == ["agent.py"]


def test_a_reset_branch_comes_back(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    put(root, "more.py", "x")
    base = commit(root)
    ws = in_place(root)
    git(root, "reset", "-q", "--hard", "HEAD~1")
    assert ws.put_back_head(base, "R1/1") is not None
    assert ws.head() == base
    assert [(c.path, c.status) for c in ws.changed_files(base)] == [("more.py", "D")]


@pytest.mark.parametrize(
    "command",
    [
        ("switch", "-q", "main"),
        ("switch", "-q", "-c", "mine"),
        ("checkout", "-q", "--detach"),
    ],
)
def test_a_head_elsewhere_comes_back_without_touching_files(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, "work.py", "x")
    git(root, *command)
    assert ws.put_back_head(ws.head(), "R1/1") is None
    assert ws.status().branch == "ralph/x"
    assert (root / "work.py").exists()


def test_commits_on_a_detached_head_are_kept(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    git(root, "checkout", "-q", "--detach")
    put(root, "work.py", "x")
    lost = commit(root)
    kept = ws.put_back_head(ws.head(), "R1/1")
    assert kept is not None
    assert git(root, "rev-parse", f"{kept.commit}^") == lost
    assert ws.status().branch == "ralph/x"


def test_a_deleted_branch_and_a_broken_head_come_back(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    base = ws.head()
    git(root, "switch", "-q", "main")
    git(root, "branch", "-q", "-D", "ralph/x")
    (root / ".git/HEAD").write_text("rubbish")
    ws.put_back_head(base, "R1/1")
    assert ws.head() == base
    assert git(root, "symbolic-ref", "HEAD") == "refs/heads/ralph/x"


def test_a_merge_the_agent_did_not_finish_is_cleared(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    git(root, "switch", "-q", "-c", "side")
    put(root, "src/app.py", "side\n")
    commit(root)
    git(root, "switch", "-q", "main")
    put(root, "src/app.py", "main\n")
    commit(root)
    ws = in_place(root)
    with pytest.raises(AssertionError):
        git(root, "merge", "side")
    ws.put_back_head(ws.head(), "R1/1")
    Repo.open(root)
    assert ws.salvage("R1/1", "half a merge")
    ws.restore(ws.head())
    assert status(root) == ""


@pytest.mark.parametrize("mode", [in_place, in_worktree])
def test_git_settings_are_put_back(tmp_path: Path, mode: Callable[[Path], GitWorkspace]) -> None:
    root = new_repo(tmp_path)
    ws = mode(root)
    before = ws.config_snapshot()
    assert ws.restore_config(before) == ()
    config = (root / ".git/config").read_bytes()
    git(root, "config", "filter.x.clean", "touch /tmp/owned")
    put(root, ".git/info/attributes", "* filter=x\n")
    changed = ws.restore_config(before)
    assert changed == (".git/config", ".git/info/attributes")
    assert (root / ".git/config").read_bytes() == config
    assert not (root / ".git/info/attributes").exists()


def test_a_settings_file_behind_a_link_is_put_back_as_a_file(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    before = ws.config_snapshot()
    config = root / ".git/config"
    text = config.read_bytes()
    config.unlink()
    config.symlink_to(put(tmp_path, "evil", text + b"[core]\n\tfsmonitor = evil\n"))
    assert ws.restore_config(before) == (".git/config",)
    assert not config.is_symlink()
    assert config.read_bytes() == text
    assert b"evil" in (tmp_path / "evil").read_bytes()


def test_a_link_of_the_users_stays_a_link(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    shared = put(tmp_path, "shared-exclude", "*.tmp\n")
    exclude = root / ".git/info/exclude"
    exclude.unlink()
    exclude.symlink_to(shared)
    ws = in_place(root)
    before = ws.config_snapshot()
    assert ws.restore_config(before) == ()
    exclude.unlink()
    exclude.write_text("changed")
    shared.write_text("changed")
    assert ws.restore_config(before) == (".git/info/exclude",)
    assert exclude.readlink() == shared
    assert shared.read_text() == "*.tmp\n"


def test_the_pointer_of_a_worktree_is_put_back(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_worktree(root)
    before = ws.config_snapshot()
    (ws.root / ".git").unlink()
    (ws.root / ".git").mkdir()
    assert ws.restore_config(before) == (".git",)
    assert git(ws.root, "status", "--porcelain") == ""


def test_diff_stat_counts_new_files(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    assert ws.diff_stat(ws.head()) == ""
    put(root, "new.py", "a\nb\n")
    assert "new.py | 2 ++" in ws.diff_stat(ws.head())


def test_checkpoints_are_refs_and_may_be_moved(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    before = photograph(root)
    made = ws.repo.checkpoint("R1/10", ws.head())
    assert made.ref == "refs/ralph/checkpoint/R1/10"
    assert git(root, "rev-parse", made.ref) == made.commit == ws.head()
    assert ws.repo.checkpoint("R1/10", ws.head()) == made
    assert photograph(root) == before


def three_commits(root: Path) -> list[str]:
    made = []
    for number in range(3):
        put(root, f"f{number}", "x")
        made.append(commit(root, f"feat: {number}"))
    return made


def test_revert_moves_branch_and_files_and_keeps_what_was(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    in_place(root)
    first, _, last = three_commits(root)
    put(root, "notes.txt", "mine")
    kept = revert_branch(Repo.open(root), "ralph/x", first, "R1")
    assert git(root, "rev-parse", "ralph/x") == first
    assert status(root) == "?? notes.txt"
    assert not (root / "f2").exists()
    assert git(root, "rev-parse", f"{kept.commit}^") == last
    (root / "notes.txt").unlink()
    restore_salvage(Repo.open(root), kept.ref)
    assert (root / "f2").exists()


def test_revert_of_a_branch_that_is_not_checked_out(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    in_place(root)
    first, *_ = three_commits(root)
    git(root, "switch", "-q", "main")
    before = photograph(root)
    revert_branch(Repo.open(root), "ralph/x", first, "R1")
    assert git(root, "rev-parse", "ralph/x") == first
    assert photograph(root) == before


def test_revert_in_a_worktree_moves_its_files(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_worktree(root)
    first, *_ = three_commits(ws.root)
    revert_branch(Repo.open(root), "ralph/x", first, "R1")
    assert git(ws.root, "status", "--porcelain") == ""
    assert not (ws.root / "f1").exists()


def test_revert_refuses_a_dirty_tree_and_a_foreign_commit(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    in_place(root)
    first, _, last = three_commits(root)
    put(root, "f0", "changed")
    with pytest.raises(DirtyTree, match="f0"):
        revert_branch(Repo.open(root), "ralph/x", first, "R1")
    with pytest.raises(RepoError, match="is not on"):
        revert_branch(Repo.open(root), "main", last, "R1")
    assert list_salvage(Repo.open(root)) == ()
    with pytest.raises(RepoError, match="no branch"):
        revert_branch(Repo.open(root), "nope", last, "R1")


def test_squash_makes_one_commit_of_the_same_tree(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    base = git(root, "rev-parse", "HEAD")
    in_place(root)
    *_, last = three_commits(root)
    before = photograph(root)
    new, kept = squash(Repo.open(root), "ralph/x", base, "feat: all\n", "R1")
    assert git(root, "rev-parse", "ralph/x") == new
    assert git(root, "log", "--format=%s", f"{base}..ralph/x") == "feat: all"
    assert git(root, "rev-parse", f"{new}^{{tree}}") == git(root, "rev-parse", f"{last}^{{tree}}")
    assert git(root, "rev-parse", f"{kept.commit}^") == last
    assert photograph(root) == before
    assert status(root) == ""
    with pytest.raises(RepoError, match="nothing to squash"):
        squash(Repo.open(root), "ralph/x", new, "feat: all\n", "R1")
