"""Clones of one repository are known as one, wherever they lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.project import Project

from ralph.domain.errors import NotARepository
from ralph.repo.identity import identity

if TYPE_CHECKING:
    from pathlib import Path


def test_clones_share_the_root_and_keep_their_ids(tmp_path: Path) -> None:
    project = Project(tmp_path / "one")
    first = project.git("rev-parse", "HEAD")
    project.write("more.txt", "more")
    project.commit("more")
    project.git("clone", "-q", ".", str(tmp_path / "shop"))
    project.git("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    project.git("-C", str(tmp_path / "bare.git"), "worktree", "add", "-q", str(tmp_path / "tree"))
    project.git("clone", "-q", "--depth=1", f"file://{project.root}", str(tmp_path / "shallow"))

    here, there = identity(project.root), identity(tmp_path / "shop")
    assert (here.root, there.root) == (first, first)
    assert (here.name, there.name) == ("project", "shop")
    assert here.project != there.project
    assert (identity(tmp_path / "tree").name, identity(tmp_path / "tree").root) == ("bare", first)
    assert identity(tmp_path / "shallow").root == "", "it does not reach that far back"


def test_merged_histories_do_not_change_it(tmp_path: Path) -> None:
    project = Project(tmp_path / "one")
    first = project.git("rev-parse", "HEAD")
    project.git("checkout", "-q", "--orphan", "other")
    project.commit("another beginning")
    project.git("checkout", "-q", "main")
    project.git("merge", "-q", "--allow-unrelated-histories", "-X", "ours", "-m", "m", "other")

    assert identity(project.root).root == first


def test_where_no_repository_is(tmp_path: Path) -> None:
    with pytest.raises(NotARepository):
        identity(tmp_path)
    with pytest.raises(NotARepository):
        identity(tmp_path / "gone")
