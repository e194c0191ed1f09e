from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from tests.edges.repo_help import commit, git, new_repo, photograph, put

from ralph.repo import CleanCheckout, Repo

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return new_repo(tmp_path)


@pytest.fixture
def clean(root: Path) -> CleanCheckout:
    return CleanCheckout(Repo.open(root), root.parent / "state" / "checkout")


def head(root: Path) -> str:
    return git(root, "rev-parse", "HEAD")


def found(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()} - {".git"}


def test_holds_what_the_commit_holds_and_follows_it(root: Path, clean: CleanCheckout) -> None:
    first = head(root)
    assert found(clean.at(first)) == {"src/app.py", "PRD.json", ".gitignore"}
    put(root, "src/new.py", "x")
    (root / "PRD.json").unlink()
    second = commit(root)
    assert found(clean.at(second)) == {"src/app.py", "src/new.py", ".gitignore"}
    assert found(clean.at(first)) == {"src/app.py", "PRD.json", ".gitignore"}


def test_what_a_check_left_does_not_survive(root: Path, clean: CleanCheckout) -> None:
    place = clean.at(head(root))
    put(place, "src/__pycache__/app.pyc", "stale")
    put(place, "x.log", "ignored")
    put(place, "src/app.py", "tampered")
    put(place, "inner/file", "x")
    git(place / "inner", "init", "-q")
    (place / "PRD.json").unlink()
    place = clean.at(head(root))
    assert found(place) == {"src/app.py", "PRD.json", ".gitignore"}
    assert (place / "src/app.py").read_text() == "print(1)\n"
    assert not (place / "src/__pycache__").exists()


def test_a_left_over_folder_makes_way_for_a_file(root: Path, clean: CleanCheckout) -> None:
    first = head(root)
    put(root, "out", "a file")
    second = commit(root)
    place = clean.at(first)
    put(place, "out/left/over", "x")
    assert (clean.at(second) / "out").read_text() == "a file"


def test_carried_things_stay(root: Path, clean: CleanCheckout) -> None:
    place = clean.at(head(root))
    put(root.parent, "deps/lib.js", "x")
    (place / "node_modules").symlink_to(root.parent / "deps")
    put(place, ".venv/bin/python", "x")
    put(place, "sub/node_modules/x", "x")
    clean.at(head(root), keep=["/node_modules", "/.venv"])
    assert (place / "node_modules/lib.js").exists()
    assert (place / ".venv/bin/python").exists()
    assert not (place / "sub").exists()


def break_pointer(clean: CleanCheckout) -> None:
    (clean.path / ".git").write_text("gitdir: /nowhere\n")


def break_folder(clean: CleanCheckout) -> None:
    shutil.rmtree(clean.path)


def break_index(clean: CleanCheckout) -> None:
    put(admin(clean), "index", "rubbish")


def break_half_made(clean: CleanCheckout) -> None:
    (admin(clean) / "locked").write_text("initializing")
    (admin(clean) / "HEAD").unlink()


def break_locked(clean: CleanCheckout) -> None:
    put(admin(clean), "index.lock", "")


def break_notes(clean: CleanCheckout) -> None:
    shutil.rmtree(admin(clean))


def break_into_file(clean: CleanCheckout) -> None:
    shutil.rmtree(clean.path)
    clean.path.write_text("a file")


def admin(clean: CleanCheckout) -> Path:
    (folder,) = (clean.repo.common_dir / "worktrees").iterdir()
    return folder


@pytest.mark.parametrize(
    "harm",
    [
        break_pointer,
        break_folder,
        break_index,
        break_half_made,
        break_locked,
        break_notes,
        break_into_file,
    ],
)
def test_heals_itself(root: Path, clean: CleanCheckout, harm: object) -> None:
    clean.at(head(root))
    assert callable(harm)
    harm(clean)
    put(root, "src/new.py", "x")
    wanted = commit(root)
    place = clean.at(wanted)
    assert found(place) == {"src/app.py", "src/new.py", "PRD.json", ".gitignore"}
    assert git(place, "rev-parse", "HEAD") == wanted
    assert len(list((clean.repo.common_dir / "worktrees").iterdir())) == 1


def test_the_users_folders_behind_links_survive_the_healing(
    root: Path, clean: CleanCheckout
) -> None:
    place = clean.at(head(root))
    put(root.parent, "deps/lib.js", "x")
    (place / "node_modules").symlink_to(root.parent / "deps")
    break_pointer(clean)
    clean.at(head(root))
    assert (root.parent / "deps/lib.js").exists()


def test_the_users_repository_does_not_notice(root: Path, clean: CleanCheckout) -> None:
    put(root, "src/app.py", "dirty")
    git(root, "add", "src/app.py")
    before = photograph(root)
    place = clean.at(head(root))
    git(root, "worktree", "prune")
    assert photograph(root) == before
    assert git(root, "branch", "--format=%(refname)") == "refs/heads/main"
    assert found(place)
    put(root, "src/app.py", "more")
    clean.at(commit(root))


def test_a_second_checkout_is_no_trouble(root: Path, clean: CleanCheckout) -> None:
    other = CleanCheckout(clean.repo, root.parent / "other" / "checkout")
    clean.at(head(root))
    assert found(other.at(head(root))) == found(clean.path)
