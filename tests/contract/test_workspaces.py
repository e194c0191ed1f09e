"""What a workspace promises the loop, of git's and of the one in memory alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest
from tests.edges.repo_help import in_place, new_repo, put

from ralph.domain.errors import RepoError
from ralph.repo.memory import MemoryRepository, MemoryWorkspace

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.loop.ports import Workspace

APP, PLAN = "src/app.py", "PRD.json"
DONE = {PLAN: b'{"done": true}\n'}


class Opening(Protocol):
    def __call__(self) -> Workspace: ...


@pytest.fixture(params=["git", "memory"])
def opening(request: pytest.FixtureRequest, tmp_path: Path) -> Opening:
    """Opens the workspace of one repository, the first time and again."""
    root = new_repo(tmp_path)
    put(root, "notes.txt", "the user's own\n")
    if request.param == "git":
        return lambda: in_place(root, {PLAN})
    repository = MemoryRepository(root, (".git", "*.log", "build"))
    held = repository.commits[repository.main].files
    ours = {name: data for name, data in held.items() if name != "notes.txt"}
    repository.main = repository.commit("", ours, "start")
    state = tmp_path / "state"
    return lambda: MemoryWorkspace(repository, "ralph/x", state, run="R1", allowed_dirt={PLAN})


@pytest.fixture
def ws(opening: Opening) -> Workspace:
    return opening()


def work(ws: Workspace, text: str = "print(2)\n") -> None:
    put(ws.root, APP, text)
    put(ws.root, "new/more.py", "MORE = 1\n")


def changed(ws: Workspace) -> set[str]:
    return set(ws.status().changed)


def test_a_candidate_changes_nothing_here(ws: Workspace) -> None:
    work(ws)
    head = ws.head()
    made = ws.candidate(head, "feat: work", DONE)
    assert (ws.head(), made.parent, made.empty) == (head, head, False)
    assert {one.path: one.status for one in made.files} == {
        APP: "M",
        PLAN: "M",
        "new/more.py": "A",
    }
    assert (ws.root / PLAN).read_text() == '{"done": false}\n'
    assert ws.show(made.commit, PLAN) == DONE[PLAN]
    assert changed(ws) - {PLAN} == {APP, "new/more.py"}


def test_the_very_candidate_lands(ws: Workspace) -> None:
    work(ws)
    made = ws.candidate(ws.head(), "feat: work", DONE)
    assert not ws.landed(made.commit)
    assert ws.land(made) == ()
    assert ws.head() == made.commit
    assert ws.landed(made.commit)
    assert changed(ws) == set()
    assert (ws.root / PLAN).read_bytes() == DONE[PLAN]


def test_the_same_work_is_the_same_tree(ws: Workspace) -> None:
    work(ws)
    one, other = (ws.candidate(ws.head(), text) for text in ("feat: one", "feat: other"))
    assert (one.tree == other.tree, one.commit == other.commit) == (True, False)


def test_only_the_overrides_make_an_empty_candidate(ws: Workspace) -> None:
    assert ws.candidate(ws.head(), "feat: nothing", DONE).empty
    assert ws.candidate(ws.head(), "feat: nothing").files == ()


def test_a_plan_that_was_edited_meanwhile_keeps_the_edit(ws: Workspace) -> None:
    work(ws)
    made = ws.candidate(ws.head(), "feat: work", DONE)
    put(ws.root, PLAN, "edited\n")
    assert ws.land(made) == (PLAN,)
    assert (ws.root / PLAN).read_text() == "edited\n"
    assert ws.show(ws.head(), PLAN) == DONE[PLAN]


def test_a_branch_that_moved_is_not_landed_on(ws: Workspace) -> None:
    work(ws)
    first, second = (ws.candidate(ws.head(), f"feat: {n}") for n in (1, 2))
    ws.land(first)
    with pytest.raises(RepoError):
        ws.land(second)
    assert ws.head() == first.commit


def test_what_is_the_users_own_is_never_committed_and_comes_back(ws: Workspace) -> None:
    assert ws.untracked == ("notes.txt",)
    work(ws)
    made = ws.candidate(ws.head(), "feat: work")
    assert "notes.txt" not in ws.listing(made.commit)
    (ws.root / "notes.txt").unlink()
    assert ws.bring_back_untracked() == ("notes.txt",)
    assert (ws.root / "notes.txt").read_text() == "the user's own\n"


def test_ignored_files_are_in_no_commit_and_left_alone(ws: Workspace) -> None:
    put(ws.root, "debug.log", "x\n")
    put(ws.root, "build/out.txt", "x\n")
    work(ws)
    assert ws.ignored_among(("debug.log", APP)) == {"debug.log"}
    made = ws.candidate(ws.head(), "feat: work")
    assert {"debug.log", "build/out.txt"}.isdisjoint(ws.listing(made.commit))
    ws.salvage("a", "why")
    ws.restore(ws.head())
    assert (ws.root / "debug.log").exists()


def test_work_is_kept_taken_away_and_brought_back(ws: Workspace) -> None:
    work(ws)
    saved = ws.salvage("R1/1", "it failed", task="A", iteration=1)
    assert saved is not None
    assert (saved.task, saved.iteration) == ("A", 1)
    assert ws.show(saved.ref, APP) == b"print(2)\n"
    ws.restore(ws.head())
    assert (ws.root / APP).read_text() == "print(1)\n"
    assert not (ws.root / "new" / "more.py").exists()
    assert (ws.root / "notes.txt").exists()
    assert ws.apply(saved.ref)
    assert (ws.root / "new" / "more.py").read_text() == "MORE = 1\n"


def test_where_there_is_nothing_to_keep_nothing_is_kept(ws: Workspace) -> None:
    assert ws.salvage("R1/1", "nothing") is None
    put(ws.root, PLAN, "edited\n")
    assert ws.salvage("R1/1", "only the plan", leave_out={PLAN}) is None


def test_a_name_in_use_is_not_taken_over(ws: Workspace) -> None:
    work(ws)
    first = ws.salvage("R1/1", "one")
    work(ws, "print(3)\n")
    second = ws.salvage("R1/1", "two")
    assert first is not None
    assert second is not None
    assert first.ref != second.ref
    assert ws.show(first.ref, APP) == b"print(2)\n"


def test_files_to_keep_stay_as_they_are(ws: Workspace) -> None:
    work(ws)
    put(ws.root, PLAN, "edited\n")
    ws.salvage("R1/1", "why")
    ws.restore(ws.head(), keep={PLAN})
    assert (ws.root / PLAN).read_text() == "edited\n"
    assert (ws.root / APP).read_text() == "print(1)\n"


def test_a_conflict_changes_nothing(ws: Workspace) -> None:
    work(ws)
    saved = ws.salvage("R1/1", "why")
    assert saved is not None
    ws.restore(ws.head())
    put(ws.root, APP, "print(3)\n")
    assert not ws.apply(saved.ref)
    assert (ws.root / APP).read_text() == "print(3)\n"
    assert not (ws.root / "new" / "more.py").exists()


def test_work_that_nobody_kept_cannot_be_brought_back(ws: Workspace) -> None:
    with pytest.raises(RepoError):
        ws.apply("refs/ralph/salvage/none")


def test_a_branch_that_someone_moved_is_put_back_and_kept(ws: Workspace) -> None:
    base = ws.head()
    work(ws)
    ws.land(ws.candidate(base, "feat: mine"))
    kept = ws.put_back_head(base, "R1/1")
    assert kept is not None
    assert ws.head() == base
    assert ws.show(kept.ref, APP) == b"print(2)\n"
    assert [one.message for one in ws.own_commits(base, "R1/1")] == ["feat: mine"]
    assert ws.own_commits(base, "R1/2") == ()
    assert ws.put_back_head(base, "R1/1") is None
    assert (ws.root / APP).read_text() == "print(2)\n"


def test_foreign_changes_are_those_that_nobody_allowed(opening: Opening) -> None:
    ws = opening()
    assert ws.foreign_changes() == ()
    put(ws.root, PLAN, "edited\n")
    put(ws.root, APP, "print(9)\n")
    assert ws.foreign_changes() == (APP,)


def test_what_was_added_and_removed_is_told_without_context(ws: Workspace) -> None:
    base = ws.head()
    work(ws)
    made = ws.candidate(base, "feat: work")
    told = ws.text_diff(base, made.commit).splitlines()
    assert {"-print(1)", "+print(2)", "+MORE = 1"} <= set(told)
    assert ws.search(made.commit, "MORE", (".py",)) == [("new/more.py", "MORE = 1")]
    assert APP in ws.diff_stat(base)
