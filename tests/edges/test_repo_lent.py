"""A git directory that was lent: commits made there are kept aside, nothing planted is obeyed."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from tests.edges.repo_help import commit, git, in_place, in_worktree, new_repo, put

from ralph.repo.diff import text
from ralph.repo.lent import BORROWED, lend, take_over

if TYPE_CHECKING:
    from pathlib import Path

    from ralph.repo import GitWorkspace
    from ralph.repo.lent import Lent


@pytest.fixture
def ws(tmp_path: Path) -> GitWorkspace:
    return in_place(new_repo(tmp_path))


def worked_on(ws: GitWorkspace, lent: Lent, *commands: tuple[str, ...]) -> None:
    """As an agent would between walls: the real objects are where they are lent."""
    (lent.path / BORROWED).rmdir()
    shutil.copytree(ws.repo.common_dir / "objects", lent.path / BORROWED)
    for words in commands:
        git(ws.root, f"--git-dir={lent.path}", f"--work-tree={ws.root}", *words)


def test_it_looks_like_the_real_one(ws: GitWorkspace) -> None:
    lent = lend(ws, ws.state_dir / "lent")
    worked_on(ws, lent)
    seen = git(ws.root, f"--git-dir={lent.path}", f"--work-tree={ws.root}", "status", "-sb")
    assert seen == "## ralph/x"
    assert not (lent.path / "hooks").exists()


def test_of_a_worktree_too(tmp_path: Path) -> None:
    ws = in_worktree(new_repo(tmp_path))
    lent = lend(ws, ws.state_dir / "lent")
    assert lent.pointer is not None
    assert lent.pointer.read_text() == f"gitdir: {lent.path}\n"
    worked_on(ws, lent)
    seen = git(ws.root, f"--git-dir={lent.path}", f"--work-tree={ws.root}", "status", "-sb")
    assert seen == "## ralph/x"


def test_a_lent_one_that_nobody_used_leaves_nothing(ws: GitWorkspace) -> None:
    lent = lend(ws, ws.state_dir / "lent")
    assert list(take_over(ws, lent, "R1/1")) == []


def test_commits_branches_and_a_stash_are_kept(ws: GitWorkspace) -> None:
    lent = lend(ws, ws.state_dir / "lent")
    put(ws.root, "new.py", "x = 1\n")
    worked_on(
        ws,
        lent,
        ("add", "-A"),
        ("commit", "-qm", "mine"),
        ("checkout", "-qb", "other"),
        ("commit", "-q", "--allow-empty", "-m", "theirs"),
    )
    put(ws.root, "src/app.py", "print(2)\n")
    worked = (f"--git-dir={lent.path}", f"--work-tree={ws.root}")
    git(ws.root, *worked, "stash", "-q")
    kept = dict(take_over(ws, lent, "R1/1"))
    assert set(kept) == {"other", "stash"}, "what is in another one is kept with it"
    assert git(ws.root, "log", "-2", "--format=%s", kept["other"]).split() == ["theirs", "mine"]
    assert git(ws.root, "show", f"{kept['stash']}:src/app.py") == "print(2)"
    assert "other" not in git(ws.root, "branch"), "the repository's own branches are as they were"


def test_what_is_planted_in_it_is_not_obeyed(ws: GitWorkspace, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    lent = lend(ws, ws.state_dir / "lent")
    worked_on(ws, lent, ("commit", "-q", "--allow-empty", "-m", "mine"))
    evil = put(lent.path, "hooks/post-upload-pack", f"#!/bin/sh\ntouch {marker}\n")
    evil.chmod(0o755)
    planted = (
        f"[uploadpack]\n\tpackObjectsHook = touch {marker}\n[core]\n\tfsmonitor = touch {marker}\n"
    )
    with (lent.path / "config").open("a") as file:
        file.write(planted)
    assert [name for name, _ in take_over(ws, lent, "R1/1")] == ["ralph/x"]
    assert not marker.exists()


def test_a_link_in_the_place_of_a_folder_is_not_followed(ws: GitWorkspace, tmp_path: Path) -> None:
    precious = put(tmp_path, "precious/info/file", "mine")
    lent = lend(ws, ws.state_dir / "lent")
    worked_on(ws, lent, ("commit", "-q", "--allow-empty", "-m", "mine"))
    shutil.rmtree(lent.path / "objects")
    (lent.path / "objects").symlink_to(tmp_path / "precious")
    assert list(take_over(ws, lent, "R1/1")) == []
    assert precious.read_text() == "mine"


def test_differences_are_told_whatever_attributes_say(ws: GitWorkspace) -> None:
    base = git(ws.root, "rev-parse", "HEAD")
    put(ws.root, ".gitattributes", "*.py -diff\n")
    put(ws.root, "src/app.py", "import os\n")
    put(ws.root, "söurce.py", "hidden = 1\n")
    put(ws.root, "real.bin", b"\0\1\2")
    git(ws.root, "config", "diff.noprefix", "true")
    told = text(ws.own, base, commit(ws.root))
    assert "+import os" in told
    assert "+++ b/söurce.py" in told
    assert "+hidden = 1" in told
    assert "Binary files /dev/null and b/real.bin differ" in told


SETTINGS = b"""\
[core]
\tbare = false
[remote "origin"]
\turl = https://ada:s3cret@example.org/shop.git
\tpushurl = ssh://git@example.org/shop.git
[http "https://example.org/"]
\textraHeader = AUTHORIZATION: basic \\
c2VjcmV0
\tproxy = http://127.0.0.1:1
[credential]
\thelper = store
[credential "https://example.org"]
\tusername = ada
[url "https://ada:s3cret@example.org/"]
\tinsteadOf = shop:
[user]
\tname = Ada
"""


def test_logins_are_not_lent(ws: GitWorkspace, tmp_path: Path) -> None:
    config = ws.repo.common_dir / "config"
    before = config.read_bytes()
    config.write_bytes(before + SETTINGS)
    lent = lend(ws, tmp_path / "lent")
    text = (lent.path / "config").read_text()
    for login in ("s3cret", "c2VjcmV0", "credential", "helper", "username"):
        assert login not in text
    for kept in ("https://example.org/shop.git", "ssh://git@example.org", "proxy", "name = Ada"):
        assert kept in text
    assert config.read_bytes() == before + SETTINGS
    assert "Ada" in git(ws.root, f"--git-dir={lent.path}", "config", "user.name")
