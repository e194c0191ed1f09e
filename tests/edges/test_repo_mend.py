"""Objects that a power cut left empty or half are out of the way before git writes them again."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from ralph.repo.opening import ASIDE, mend

if TYPE_CHECKING:
    from pathlib import Path


def git(root: Path, *arguments: str, stdin: str = "") -> str:
    done = subprocess.run(
        ("git", *arguments), cwd=root, check=True, capture_output=True, text=True, input=stdin
    )
    return done.stdout.strip()


@pytest.fixture(params=["sha1", "sha256"])
def root(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    git(tmp_path, "init", "-q", f"--object-format={request.param}")
    return tmp_path


def written(root: Path, text: str) -> Path:
    name = git(root, "hash-object", "-w", "--stdin", stdin=text)
    return root / ".git/objects" / name[:2] / name[2:]


def spoil(path: Path, size: int) -> None:
    path.chmod(0o644)
    os.truncate(path, size)


def test_an_empty_object_keeps_git_from_writing_it_again(root: Path) -> None:
    """What this is for."""
    path = written(root, "work\n" * 100)
    spoil(path, 0)
    assert written(root, "work\n" * 100).stat().st_size == 0
    name = path.parent.name + path.name
    assert mend(root / ".git", 0, killed=False) == (name,)
    assert written(root, "work\n" * 100).stat().st_size > 0
    assert (root / ".git" / ASIDE / name).exists(), "nothing is thrown away"


def test_half_objects_go_after_a_kill(root: Path) -> None:
    whole, half = written(root, "whole\n"), written(root, "half\n" * 1000)
    spoil(half, half.stat().st_size // 2)
    assert mend(root / ".git", 0, killed=False) == ()
    assert mend(root / ".git", 0, killed=True) == (half.parent.name + half.name,)
    assert whole.exists()
    assert not half.exists()


def test_what_is_older_than_the_run_is_not_looked_at(root: Path) -> None:
    path = written(root, "old\n")
    spoil(path, 0)
    os.utime(path, (1, 1))
    assert mend(root / ".git", 2, killed=True) == ()
    assert path.exists()
