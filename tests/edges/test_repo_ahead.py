"""What is begun ahead of its time gives what it would have given later."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tests.edges.repo_help import git, in_place, in_worktree, new_repo, put

import ralph.repo
from ralph import files
from ralph.repo import CleanCheckout

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.repo import GitWorkspace

PLAN = {"PRD.json": b'{"done": true}\n'}


def plan_of(ws: GitWorkspace, commit: str) -> bytes | None:
    return ws.show(commit, "PRD.json")


def test_a_plan_that_was_foreseen_is_in_the_candidate(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    ws.foresee(PLAN)
    put(root, "src/app.py", "print(2)\n")
    put(root, "src/new.py", "x\n")
    made = ws.candidate(ws.head(), "feat: x\n", PLAN)
    assert plan_of(ws, made.commit) == PLAN["PRD.json"]
    assert {change.path for change in made.files} == {"PRD.json", "src/app.py", "src/new.py"}
    assert (root / "PRD.json").read_bytes() == b'{"done": false}\n'
    ws.land(made)
    assert git(root, "status", "--porcelain") == ""


def test_a_plan_that_came_out_otherwise_replaces_the_foreseen(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    ws.foresee(PLAN)
    put(root, "src/app.py", "print(2)\n")
    made = ws.candidate(ws.head(), "feat: x\n", {"PRD.json": b"other\n"})
    assert plan_of(ws, made.commit) == b"other\n"


def test_what_was_foreseen_and_did_not_happen_leaves_no_trace(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    ws.foresee(PLAN)
    put(root, "src/app.py", "print(2)\n")
    saved = ws.salvage("R1/1", "red")
    assert saved is not None
    assert plan_of(ws, saved.commit) == b'{"done": false}\n'
    ws.foresee(PLAN)
    assert {change.path for change in ws.changed_files(ws.head())} == {"src/app.py"}
    ws.foresee(PLAN)
    ws.restore(ws.head())
    assert git(root, "status", "--porcelain") == ""


def test_a_plan_staged_ahead_hides_no_change_of_the_same_second_and_size(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    git(root, "config", "core.trustctime", "false")  # the one thing that no test can set
    ws = in_place(root)
    second = 1_700_000_000
    app, index = put(root, "src/app.py", "print(2)\n"), ws.own.index
    assert index is not None
    os.utime(app, (second, second))
    ws.stage()
    os.utime(index, (second, second))
    put(root, "src/app.py", "print(3)\n")
    os.utime(app, (second, second))
    ws.foresee(PLAN)
    made = ws.candidate(ws.head(), "feat: x\n", PLAN)
    assert ws.show(made.commit, "src/app.py") == b"print(3)\n"


def test_a_foreseen_plan_is_no_pattern(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    put(root, "plan*.json", "1\n")
    put(root, "plans.json", "1\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "two")
    ws = in_place(root)
    ws.foresee({"plan*.json": b"2\n"})
    put(root, "plans.json", "2\n")
    made = ws.candidate(ws.head(), "feat: x\n", {"plan*.json": b"2\n"})
    assert {change.path for change in made.files} == {"plan*.json", "plans.json"}


def test_attributes_that_the_agent_changed_apply_to_the_foreseen_plan(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    plan = {"PRD.json": b"one\r\ntwo\r\n"}
    ws.foresee(plan)
    put(root, ".gitattributes", "*.json text\n")
    made = ws.candidate(ws.head(), "feat: x\n", plan)
    assert plan_of(ws, made.commit) == b"one\ntwo\n"


def test_a_file_that_ralph_is_still_writing_is_nobodys_change(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, f"docs/.notes.md.77{files.UNFINISHED}", "half a fi")
    assert ws.foreign_changes() == ()
    put(root, "src/app.py", "print(2)\n")
    made = ws.candidate(ws.head(), "feat: x\n")
    assert [change.path for change in made.files] == ["src/app.py"]


def test_after_a_landing_the_look_at_foreign_changes_is_under_way(tmp_path: Path) -> None:
    ws = in_worktree(new_repo(tmp_path))
    put(ws.root, "src/app.py", "print(2)\n")
    made = ws.candidate(ws.head(), "feat: x\n", PLAN)
    ws.land(made)
    assert ws.foreign_changes() == ()
    put(ws.root, "src/app.py", "print(3)\n")
    assert ws.foreign_changes() == ("src/app.py",)


def test_a_look_of_a_while_ago_is_not_relied_on(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    put(root, "src/app.py", "print(2)\n")
    ws.land(ws.candidate(ws.head(), "feat: x\n", PLAN))
    assert ws.looking is not None
    ws.looking.result()
    put(root, "src/app.py", "print(3)\n")
    ws.look_again()
    assert ws.foreign_changes() == ("src/app.py",)


def test_a_checkout_cleaned_ahead_holds_the_commit_and_nothing_else(tmp_path: Path) -> None:
    root = new_repo(tmp_path)
    ws = in_place(root)
    checkout = CleanCheckout(ws.repo, ws.state_dir / "checkout")
    checkout.clean()  # there is none yet
    checkout.at(ws.head())
    put(checkout.path, "left/over.txt", "x")
    put(checkout.path, "added.txt", "x")
    git(checkout.path, "add", "added.txt")
    git(checkout.path, "rm", "-q", "--cached", "src/app.py")
    put(checkout.path, "src/app.py", "changed")
    checkout.clean()
    put(root, "src/new.py", "x\n")
    made = ws.candidate(ws.head(), "feat: x\n")
    folder = checkout.at(made.commit)
    found = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    assert found == {".git", ".gitignore", "PRD.json", "src/app.py", "src/new.py"}
    assert (folder / "src/app.py").read_text() == "print(1)\n"


def test_the_room_gives_what_it_names_and_nothing_else() -> None:
    for name in ralph.repo.__all__:
        assert getattr(ralph.repo, name).__name__ == name
    assert not hasattr(ralph.repo, "nothing")
