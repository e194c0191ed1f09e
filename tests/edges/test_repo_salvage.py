from __future__ import annotations

import os
import random
import shutil
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
from ralph.repo import GitWorkspace, Repo, list_salvage, restore_salvage

if TYPE_CHECKING:
    from pathlib import Path


def files_only(seen: dict[str, str]) -> dict[str, str]:
    return {name: what for name, what in seen.items() if not name.startswith(".git/")}


def test_salvage_changes_nothing_and_says_where_from(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, "src/app.py", "changed")
    put(root, "staged.py", "one")
    git(root, "add", "staged.py")
    before = photograph(root)
    own = (ws.state_dir / "index").read_bytes()
    saved = ws.salvage("R1/3-T-1", "the checks\nfailed", task="T-1", iteration=3)
    assert saved is not None
    assert photograph(root) == before
    assert (ws.state_dir / "index").read_bytes() == own
    assert saved.ref == "refs/ralph/salvage/R1/3-T-1"
    (listed,) = list_salvage(ws.repo)
    assert (listed.ref, listed.commit, listed.why) == (saved.ref, saved.commit, "the checks failed")
    assert (listed.run, listed.task, listed.iteration) == ("R1", "T-1", 3)
    assert listed.when > 0


def test_nothing_to_keep_is_none(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    put(root, "notes.txt", "mine")
    ws = in_place(root)
    put(root, "x.log", "ignored")
    assert ws.salvage("R1/1", "nothing") is None
    os.utime(root / "notes.txt", (1, 1))
    assert ws.salvage("R1/1", "only touched") is None


def test_a_name_in_use_is_never_taken_over(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    refs = []
    for text in ("one", "two", "three"):
        put(root, "src/app.py", text)
        saved = ws.salvage("R1/1", text)
        assert saved is not None
        refs.append(saved.ref.removeprefix("refs/ralph/salvage/"))
    assert refs == ["R1/1", "R1/1-2", "R1/1-3"]
    assert ws.show("refs/ralph/salvage/R1/1", "src/app.py") == b"one"


def wreck(root: Path) -> None:
    """What a thorough agent may leave behind."""
    put(root, "src/app.py", "broken")
    (root / "PRD.json").unlink()
    put(root, "new/deep/er/file.py", "x")
    put(root, "-odd\nname", "x")
    (root / ".gitignore").chmod(0o755)
    (root / "link").symlink_to("src")
    put(root, "x.log", "ignored")
    git(root, "add", "-A")


def test_restore_takes_away_exactly_the_agents_work(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    put(root, "notes.txt", "mine")
    put(root, "drafts/a.txt", "mine too")
    put(root, "build/out", "ignored before")
    ws = in_place(root)
    before = files_only(photograph(root))
    wreck(root)
    put(root, "notes.txt", "overwritten by the agent")
    shutil.rmtree(root / "drafts")
    put(root, "drafts", "a file in the way")
    saved = ws.salvage("R1/1", "wrecked")
    assert saved is not None
    assert ws.show(saved.commit, "notes.txt") == b"overwritten by the agent"
    ws.restore(ws.head())
    after = files_only(photograph(root))
    assert after.pop("x.log")  # ignored: left alone
    assert after == before
    assert status(root) == "?? drafts/a.txt\n?? notes.txt"


def test_restore_to_a_folder_where_ignored_things_are(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    shutil.rmtree(root / "src")
    put(root, "src", "a file now")
    assert ws.salvage("R1/1", "x")
    ws.restore(ws.head())
    assert (root / "src/app.py").read_text() == "print(1)\n"
    assert status(root) == ""


def test_the_start_of_a_run_is_kept(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    put(root, "notes.txt", "mine")
    put(root, "PRD.json", "edited, not committed")
    ws = in_place(root, {"PRD.json"})
    (listed,) = list_salvage(ws.repo)
    assert listed.ref == "refs/ralph/salvage/R1/start"
    assert ws.show(listed.commit, "notes.txt") == b"mine"
    assert ws.show(listed.commit, "PRD.json") == b"edited, not committed"


def test_too_much_is_not_kept_but_never_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ralph.repo.start.LIMIT", 10)
    root = new_repo(tmp_path)
    put(root, "big.bin", "x" * 11)
    ws = in_place(root)
    assert list_salvage(ws.repo) == ()
    put(root, "src/new.py", "x")
    saved = ws.salvage("R1/1", "x")
    assert saved is not None
    ws.restore(ws.head())
    assert (root / "big.bin").read_text() == "x" * 11
    assert not (root / "src/new.py").exists()


def test_an_allowed_edit_from_before_the_run_survives_a_restore(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    put(root, "PRD.json", "edited by the user")
    ws = in_place(root, {"PRD.json"})
    put(root, "PRD.json", "edited by the agent")
    put(root, "src/app.py", "broken")
    assert ws.salvage("R1/1", "x")
    ws.restore(ws.head())
    assert (root / "PRD.json").read_text() == "edited by the user"
    assert status(root) == " M PRD.json"


def test_an_edit_that_has_landed_is_not_undone_by_a_restore(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    put(root, "PRD.json", "edited by the user")
    ws = in_place(root, {"PRD.json"})
    put(root, "src/app.py", "good")
    ws.land(ws.candidate(ws.head(), "feat: x\n", {"PRD.json": b"done"}))
    put(root, "src/app.py", "bad")
    assert ws.salvage("R1/2", "x")
    ws.restore(ws.head())
    assert (root / "PRD.json").read_text() == "done"
    assert (root / "src/app.py").read_text() == "good"
    assert status(root) == ""


def test_files_to_keep_stay_as_they_are(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, "PRD.json", "edited between iterations")
    put(root, "src/app.py", "bad")
    assert ws.salvage("R1/1", "x")
    ws.restore(ws.head(), keep={"PRD.json"})
    assert (root / "PRD.json").read_text() == "edited between iterations"
    assert status(root) == " M PRD.json"


def test_nested_repositories_leave_but_their_history_is_kept(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    for name in ("born", "unborn", "deep/empty"):
        (root / name).mkdir(parents=True)
        git(root / name, "init", "-q")
    put(root, "born/a.py", "a")
    commit(root / "born")
    put(root, "unborn/b.py", "b")
    saved = ws.salvage("R1/1", "nested")
    assert saved is not None
    assert ws.show(saved.commit, "born/a.py") == b"a"
    assert ws.show(saved.commit, "unborn/b.py") == b"b"
    ws.restore(ws.head())
    assert status(root) == ""
    assert ws.status().changed == ()
    assert not (root / "born").exists()
    assert not (root / "deep").exists()
    assert (
        git(ws.state_dir, f"--git-dir={ws.state_dir}/nested/born", "log", "--format=%s") == "work"
    )


def test_recovery_after_a_kill_knows_what_was_the_users(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    put(root, "notes.txt", "mine")
    state = in_place(root).state_dir
    wreck(root)
    (root / "notes.txt").unlink()
    ws = GitWorkspace.resume(Repo.open(root), "ralph/x", state_dir=state, run="R2")
    assert ws.salvage("R1/1", "killed")
    ws.restore(ws.head())
    assert (root / "notes.txt").read_text() == "mine"
    assert status(root) == "?? notes.txt"
    assert in_place(root).untracked == ("notes.txt",)


def test_recovery_without_a_state_folder_trusts_the_ledgers_list(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    put(root, "notes.txt", "mine")
    state = in_place(root).state_dir
    shutil.rmtree(state)
    put(root, "agent.py", "x")
    ws = GitWorkspace.resume(
        Repo.open(root), "ralph/x", state_dir=state, run="R2", untracked=["notes.txt"]
    )
    assert ws.salvage("R1/1", "killed")
    ws.restore(ws.head())
    assert status(root) == "?? notes.txt"


def test_salvaged_work_is_merged_onto_a_newer_head(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, "src/later.py", "kept\n")
    saved = ws.salvage("R1/1", "not now")
    assert saved is not None
    ws.restore(ws.head())
    put(root, "src/app.py", "print(2)\n")
    ws.land(ws.candidate(ws.head(), "feat: other\n"))
    assert ws.apply(saved.ref)
    assert (root / "src/later.py").read_text() == "kept\n"
    assert (root / "src/app.py").read_text() == "print(2)\n"
    assert [c.path for c in ws.candidate(ws.head(), "feat: x\n").files] == ["src/later.py"]


def test_salvaged_work_can_return_to_an_older_head(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    old = ws.head()
    put(root, "src/app.py", "print(2)\n")
    ws.land(ws.candidate(old, "feat: other\n"))
    put(root, "src/later.py", "kept\n")
    saved = ws.salvage("R1/2", "x")
    assert saved is not None
    ws.restore(old)
    assert ws.apply(saved.ref)
    assert (root / "src/app.py").read_text() == "print(1)\n"
    assert (root / "src/later.py").exists()


def test_a_conflict_changes_nothing(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, "src/app.py", "print('kept')\n")
    saved = ws.salvage("R1/1", "x")
    assert saved is not None
    ws.restore(ws.head())
    put(root, "src/app.py", "print('other')\n")
    ws.land(ws.candidate(ws.head(), "feat: other\n"))
    before = photograph(root)
    assert not ws.apply(saved.ref)
    assert photograph(root) == before


@pytest.mark.parametrize("seed", range(12))
def test_any_tree_comes_back_hash_for_hash(tmp_path: Path, seed: int) -> None:
    root = new_repo(tmp_path)
    chance = random.Random(seed)  # noqa: S311 - the same tree every time
    scribble(root, chance, 12)
    commit(root, "much")
    ws = in_place(root)
    clean = files_only(photograph(root))
    scribble(root, chance, 12)
    wrecked = files_only(photograph(root))
    saved = ws.salvage("R1/1", "random")
    if saved is None:
        assert wrecked == clean
        return
    ws.restore(ws.head())
    assert files_only(photograph(root)) == clean
    index = (root / ".git/index").read_bytes()
    restore_salvage(ws.repo, saved.ref)
    assert files_only(photograph(root)) == wrecked
    assert (root / ".git/index").read_bytes() == index
    tree = git(root, "rev-parse", f"{saved.commit}^{{tree}}")
    git(root, "add", "-A")
    assert git(root, "write-tree") == tree


def scribble(root: Path, chance: random.Random, times: int) -> None:
    """Add, change, delete, chmod and link at random, files and folders in each other's way."""
    for _ in range(times):
        parts = [
            chance.choice(["a", "b", "ü", "-x", "new\nline"]) for _ in range(chance.randint(1, 3))
        ]
        path = root.joinpath(*parts)
        clear_way(root, path)
        what = chance.randrange(5)
        if what == 0:
            path.symlink_to(chance.choice(["a", "../b", "nowhere"]))
        elif what > 1:
            path.write_bytes(chance.randbytes(chance.randint(0, 40)))
            path.chmod(chance.choice([0o644, 0o755]))


def clear_way(root: Path, path: Path) -> None:
    for step in [*reversed(path.relative_to(root).parents), path.relative_to(root)]:
        place = root / step
        if place.is_symlink() or place.is_file():
            place.unlink()
    if path.is_dir():
        shutil.rmtree(path)
    path.parent.mkdir(parents=True, exist_ok=True)


def kept_work(root: Path) -> str:
    ws = in_place(root)
    put(root, "src/app.py", "kept")
    put(root, "extra.py", "kept")
    put(root, "pack/age.py", "kept")
    saved = ws.salvage("R1/1", "x")
    assert saved is not None
    ws.restore(ws.head())
    return saved.ref


@pytest.mark.parametrize("name", ["src/app.py", "loose.txt", "extra.py"])
def test_restoring_over_uncommitted_work_is_refused(tmp_path: Path, name: str) -> None:
    root = new_repo(tmp_path)
    ref = kept_work(root)
    put(root, name, "mine")
    before = photograph(root)
    with pytest.raises(DirtyTree, match=r"git stash --all"):
        restore_salvage(Repo.open(root), ref)
    assert photograph(root) == before


@pytest.mark.parametrize("name", ["extra.py", "extra.py/inside", "pack", "pack/age.py/inside"])
def test_restoring_over_an_ignored_file_is_refused(tmp_path: Path, name: str) -> None:
    root = new_repo(tmp_path)
    ref = kept_work(root)
    put(root, ".git/info/exclude", "extra.py\npack\n")
    put(root, name, "mine")
    assert status(root) == ""
    with pytest.raises(DirtyTree, match=name):
        restore_salvage(Repo.open(root), ref)
    assert (root / name).read_text() == "mine"
    assert status(root) == ""


def test_a_short_name_will_do_and_a_wrong_one_is_said(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ref = kept_work(root)
    assert restore_salvage(Repo.open(root), "R1/1").ref == ref
    with pytest.raises(RepoError, match="ralph salvage list"):
        restore_salvage(Repo.open(root), "R1/9")


def test_a_worktree_that_is_gone_or_broken_is_made_again(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_worktree(root)
    shutil.rmtree(ws.root)
    assert (in_worktree(root).root / "src/app.py").exists()
    (ws.root / ".git").write_text("gitdir: /nowhere\n")
    put(ws.root, "precious.txt", "x")
    again = in_worktree(root)
    assert git(again.root, "status", "--porcelain") == ""
    assert (ws.root.with_name("workspace.broken-1") / "precious.txt").exists()


def test_a_worktree_left_on_another_branch_is_brought_over(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_worktree(root)
    put(ws.root, "work.py", "x")
    again = GitWorkspace.worktree(
        Repo.open(root), "ralph/y", ws.root, state_dir=ws.state_dir, run="R2"
    )
    assert again.status().branch == "ralph/y"
    assert again.status().changed == ()
    (kept,) = list_salvage(ws.repo)
    assert ws.show(kept.commit, "work.py") == b"x"


def test_changes_in_a_worktree_that_is_reused_stay(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_worktree(root)
    put(ws.root, "work.py", "x")
    assert in_worktree(root).foreign_changes() == ("work.py",)
