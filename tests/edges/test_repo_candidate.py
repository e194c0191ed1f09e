from __future__ import annotations

import os
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

from ralph.domain.errors import RepoError
from ralph.repo import GitWorkspace, Repo

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.repo import Candidate

DONE = b'{"done": true}\n'


def make(ws: GitWorkspace, overrides: dict[str, bytes | None] | None = None) -> Candidate:
    return ws.candidate(ws.head(), "feat: x\n", overrides)


def names(root: Path, tree: str) -> set[str]:
    return set(git(root, "ls-tree", "-r", "-z", "--name-only", tree).split("\0")) - {""}


def test_the_candidate_is_made_beside_the_work_tree(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    base = ws.head()
    put(root, "src/new.py", "a\nb\n")
    before = photograph(root)
    made = make(ws, {"PRD.json": DONE})
    assert photograph(root) == before
    assert ws.head() == base == made.parent == git(root, "rev-parse", f"{made.commit}^")
    assert ws.show(made.commit, "PRD.json") == DONE
    assert {(c.path, c.status) for c in made.files} == {("PRD.json", "M"), ("src/new.py", "A")}
    assert not made.empty


def test_landing_leaves_a_clean_status(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, "src/new.py", "a\n")
    made = make(ws, {"PRD.json": DONE})
    assert ws.land(made) == ()
    assert ws.head() == made.commit
    assert ws.landed(made.commit)
    assert (root / "PRD.json").read_bytes() == DONE
    assert status(root) == ""
    assert git(root, "fsck", "--strict") == ""


def test_only_the_overrides_make_an_empty_candidate(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    assert make(ws, {"PRD.json": DONE}).empty
    put(root, "PRD.json", "the agent's own edit")
    assert make(ws, {"PRD.json": DONE}).empty
    put(root, "src/app.py", "print(2)\n")
    assert not make(ws, {"PRD.json": DONE}).empty


def test_every_kind_of_change_is_seen(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    put(root, "gone.txt", "bye\n")
    put(root, "old name.py", "one\ntwo\nthree\nfour\nfive\n")
    put(root, "was-file", "x\n")
    put(root, "run.sh", "#!/bin/sh\n")
    commit(root)
    ws = in_place(root)
    (root / "gone.txt").unlink()
    (root / "old name.py").rename(root / "new name.py")
    (root / "was-file").unlink()
    (root / "was-file").symlink_to("src/app.py")
    (root / "run.sh").chmod(0o755)
    (root / "link").symlink_to("nowhere")
    put(root, "image.bin", bytes(range(256)))
    made = make(ws)
    assert {(c.path, c.old, c.status, c.mode) for c in made.files} == {
        ("gone.txt", "", "D", "000000"),
        ("new name.py", "old name.py", "R", "100644"),
        ("was-file", "", "T", "120000"),
        ("run.sh", "", "M", "100755"),
        ("link", "", "A", "120000"),
        ("image.bin", "", "A", "100644"),
    }
    ws.land(made)
    assert status(root) == ""


ODD = [
    "ümläut.txt",
    "new\nline",
    "-dash",
    " space ",
    'quo"te',
    "back\\slash",
    "*star?[x]",
    "#hash",
    "!bang",
]


@pytest.mark.parametrize("name", [*ODD, os.fsdecode(b"latin-\xe9")])
def test_odd_names_are_committed_or_left_alone(tmp_path: Path, name: str) -> None:
    root = new_repo(tmp_path)
    put(root, f"user {name}", "mine")
    ws = in_place(root)
    assert ws.untracked == (f"user {name}",)
    put(root, name, "work")
    made = make(ws)
    assert [c.path for c in made.files] == [name]
    ws.land(made)
    assert ws.status().changed == ()


def test_the_users_untracked_files_never_enter_a_commit(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    put(root, ".gitignore", "*\n!*/\n!*.py\n!.gitignore\n")  # beats every excludes file
    commit(root)
    put(root, "scratch.py", "mine")
    put(root, "deep/er/notes.py", "mine")
    ws = in_place(root)
    put(root, "scratch.py", "changed by the agent")
    put(root, "deep/work.py", "work")
    put(root, ".ralph/x.py", "ours")
    put(root, ".agent/y.py", "ours")
    made = make(ws)
    assert [c.path for c in made.files] == ["deep/work.py"]
    assert (root / "scratch.py").read_text() == "changed by the agent"


def test_many_untracked_files_are_excluded_by_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ralph.repo.opening.MANY", 3)
    root = new_repo(tmp_path)
    for number in range(6):
        put(root, f"data/{number}", "x")
    ws = in_place(root)
    assert len(ws.untracked) == 6
    put(root, "src/new.py", "x")
    assert [c.path for c in make(ws).files] == ["src/new.py"]


def test_ignored_files_stay_out_and_a_file_ignored_later_leaves(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, "x.log", "ignored")
    put(root, "cache/data", "x")
    assert [c.path for c in make(ws).files] == ["cache/data"]
    put(root, ".gitignore", "*.log\ncache/\n")
    assert [c.path for c in make(ws).files] == [".gitignore"]


def test_the_users_global_ignore_file_still_counts(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    rules = put(tmp_path, "ignore-me", "*.swp")
    git(root, "config", "core.excludesFile", str(rules))
    ws = in_place(root)
    put(root, "a.swp", "x")
    put(root, "a.py", "x")
    assert [c.path for c in make(ws).files] == ["a.py"]


def test_an_ignored_plan_is_written_but_not_committed(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    git(root, "rm", "-q", "--cached", "PRD.json")
    put(root, ".gitignore", "PRD.json\n")
    commit(root)
    ws = in_place(root)
    put(root, "src/new.py", "x")
    made = make(ws, {"PRD.json": DONE})
    assert [c.path for c in made.files] == ["src/new.py"]
    ws.land(made)
    assert (root / "PRD.json").read_bytes() == DONE
    assert status(root) == ""


def test_an_untracked_plan_is_committed_with_its_status(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    put(root, "plan/PRD.json", "{}")
    ws = in_place(root)
    put(root, "src/new.py", "x")
    made = make(ws, {"plan/PRD.json": DONE})
    ws.land(made)
    assert ws.show(made.commit, "plan/PRD.json") == DONE
    assert status(root) == ""


def test_task_trees_under_dot_ralph_are_the_users_plan(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, ".ralph/tasks/a/task.json", "{}")
    put(root, ".ralph/progress.md", "view")
    assert [c.path for c in make(ws).files] == [".ralph/tasks/a/task.json"]


def test_an_override_can_remove_a_file(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    made = make(ws, {"PRD.json": None})
    assert "PRD.json" not in names(root, made.tree)
    assert (root / "PRD.json").exists()
    ws.land(made)
    assert not (root / "PRD.json").exists()
    assert status(root) == ""


def test_line_endings_follow_the_projects_rules(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    put(root, ".gitattributes", "* text=auto eol=crlf\n")
    git(root, "add", "--renormalize", ".")
    commit(root)
    git(root, "rm", "-rq", "--cached", ".")
    git(root, "reset", "-q", "--hard")
    git(root, "config", "core.safecrlf", "true")
    ws = in_place(root)
    put(root, "src/new.py", "a\r\nb\r\n")
    made = make(ws, {"PRD.json": b"{}\r\n"})
    assert ws.show(made.commit, "src/new.py") == b"a\nb\n"
    assert ws.show(made.commit, "PRD.json") == b"{}\n"
    ws.land(made)
    assert (root / "PRD.json").read_bytes() == b"{}\r\n"
    assert status(root) == ""


def test_nested_repositories_are_committed_as_files(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    for name in ("born", "unborn", "empty"):
        (root / name).mkdir()
        git(root / name, "init", "-q")
    put(root, "born/a.py", "a")
    commit(root / "born")
    put(root, "unborn/deep/b.py", "b")
    put(root, "unborn/x.log", "ignored")
    expected = ["born/a.py", "unborn/deep/b.py"]
    assert [c.path for c in make(ws).files] == expected
    put(root, "born/more.py", "m")
    made = make(ws)
    assert [c.path for c in made.files] == ["born/a.py", "born/more.py", "unborn/deep/b.py"]
    ws.land(made)
    assert ws.head() == made.commit


def test_a_nested_repository_of_the_user_is_left_alone(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    (root / "mine").mkdir()
    git(root / "mine", "init", "-q")
    put(root, "mine/file", "x")
    ws = in_place(root)
    assert ws.untracked == ("mine/",)
    put(root, "work.py", "x")
    assert [c.path for c in make(ws).files] == ["work.py"]
    assert (root / "mine/.git").is_dir()


def test_what_the_agent_staged_does_not_matter(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, "half.py", "one\n")
    git(root, "add", "half.py")
    put(root, "half.py", "two\n")
    put(root, "forced.log", "x")
    git(root, "add", "-f", "forced.log")
    made = make(ws)
    assert [c.path for c in made.files] == ["half.py"]
    assert ws.show(made.commit, "half.py") == b"two\n"


def test_a_commit_by_someone_else_meanwhile_stops_the_landing(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, "src/new.py", "agent")
    made = make(ws, {"PRD.json": DONE})
    put(root, "user.txt", "user")
    theirs = commit(root, "by hand")
    before = photograph(root)
    with pytest.raises(RepoError, match="moved by someone else"):
        ws.land(made)
    assert ws.head() == theirs
    assert photograph(root) == before


def test_landing_elsewhere_is_refused(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, "src/new.py", "agent")
    made = make(ws)
    git(root, "switch", "-q", "main")
    with pytest.raises(RepoError, match=r"is on main[\s\S]*git switch ralph/x"):
        ws.land(made)
    assert ws.head() == made.parent


def test_a_plan_edited_while_checks_ran_keeps_the_edit(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, "src/new.py", "x")
    made = make(ws, {"PRD.json": DONE})
    put(root, "PRD.json", "edited by hand")
    assert ws.land(made) == ("PRD.json",)
    assert (root / "PRD.json").read_text() == "edited by hand"
    assert status(root) == " M PRD.json"


def test_a_file_edited_while_checks_ran_shows_as_modified(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, "src/new.py", "checked")
    made = make(ws)
    put(root, "src/new.py", "later!!")
    ws.land(made)
    assert ws.show(made.commit, "src/new.py") == b"checked"
    assert status(root) == " M src/new.py"


def test_landing_an_older_candidate_shows_the_right_index(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, "a.py", "1")
    first = make(ws)
    put(root, "b.py", "2")
    make(ws)
    ws.land(first)
    assert status(root) == "?? b.py"


class Killed(BaseException):
    pass


@pytest.mark.parametrize("step", ["ralph.repo.land._write", "ralph.repo.index.replace_users"])
def test_a_landing_that_was_killed_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    root = new_repo(tmp_path)
    put(root, "notes.txt", "mine")
    ws = in_place(root)
    (root / "src/app.py").unlink()
    put(root, "src/new.py", "x")
    made = make(ws, {"PRD.json": DONE, "extra.json": b"{}"})

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(step, die)
        with pytest.raises(Killed):
            ws.land(made)
    again = GitWorkspace.resume(Repo.open(root), "ralph/x", state_dir=ws.state_dir, run="R2")
    assert again.untracked == ("notes.txt",)
    assert again.landed(made.commit)
    for _ in range(2):
        again.finish_landing(made.commit)
        assert (root / "PRD.json").read_bytes() == DONE
        assert (root / "extra.json").read_bytes() == b"{}"
        assert not (root / "src/app.py").exists()
        assert status(root) == "?? notes.txt"


def test_finishing_a_landing_keeps_edits_made_since(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, "src/new.py", "x")
    made = make(ws, {"PRD.json": DONE})
    ws.land(made)
    put(root, "PRD.json", "edited after the crash")
    put(root, "src/new.py", "edited too")
    ws.finish_landing(made.commit)
    assert (root / "PRD.json").read_text() == "edited after the crash"
    assert (root / "src/new.py").read_text() == "edited too"


def test_a_landing_is_finished_with_a_stale_index_and_edited_files(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, "src/app.py", "print(2)\n")
    made = make(ws, {"PRD.json": DONE})
    git(root, "update-ref", "refs/heads/ralph/x", made.commit)  # killed right after this
    (ws.state_dir / "index").unlink()
    put(root, "src/app.py", "edited after the crash")
    again = GitWorkspace.resume(Repo.open(root), "ralph/x", state_dir=ws.state_dir, run="R2")
    again.finish_landing(made.commit)
    assert (root / "PRD.json").read_bytes() == DONE
    assert (root / "src/app.py").read_text() == "edited after the crash"
    assert status(root) == " M src/app.py"


def test_an_older_candidate_lands_beside_later_edits(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, "src/app.py", "one")
    first = make(ws)
    put(root, "src/app.py", "two")
    make(ws)
    put(root, "src/app.py", "three")
    ws.land(first)
    assert status(root) == " M src/app.py"


def test_a_commit_that_is_not_on_the_branch_has_not_landed(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    first = ws.head()
    put(root, "src/new.py", "x")
    made = make(ws)
    assert not ws.landed(made.commit)
    ws.land(made)
    assert ws.landed(first)
    assert not ws.landed("1" * 40)


def test_a_worktree_leaves_the_users_dirty_tree_byte_for_byte(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    put(root, "src/app.py", "half done")
    put(root, "staged.py", "x")
    git(root, "add", "staged.py")
    put(root, "notes.txt", "mine")
    before = photograph(root)
    ws = in_worktree(root)
    put(ws.root, "src/new.py", "x")
    made = make(ws, {"PRD.json": DONE})
    ws.land(made)
    put(ws.root, "src/bad.py", "x")
    assert ws.salvage("R1/2", "red", base=made.commit)
    ws.restore(made.commit)
    assert photograph(root) == before
    assert git(ws.root, "status", "--porcelain") == ""
    assert git(root, "rev-parse", "ralph/x") == made.commit


def test_planted_hooks_and_monitors_do_not_run(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    script = f"#!/bin/sh\ntouch {tmp_path}/owned\n"
    for hook in ("pre-commit", "post-index-change", "reference-transaction", "post-checkout"):
        put(root, f".git/hooks/{hook}", script).chmod(0o755)
    monitor = put(tmp_path, "monitor", script)
    monitor.chmod(0o755)
    git(root, "config", "core.fsmonitor", str(monitor))
    put(root, "src/new.py", "x")
    made = make(ws, {"PRD.json": DONE})
    ws.land(made)
    ws.status()
    ws.salvage("R1/1", "x")
    assert not (tmp_path / "owned").exists()
