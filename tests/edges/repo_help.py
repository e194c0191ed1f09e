"""Small real repositories for the tests of the repo room."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.repository import begin

from ralph.repo import GitWorkspace, Repo

if TYPE_CHECKING:
    from collections.abc import Collection


def git(folder: Path, *args: str, stdin: bytes = b"") -> str:
    done = subprocess.run(("git", *args), cwd=folder, check=False, capture_output=True, input=stdin)
    assert done.returncode == 0, (args, done.stderr)
    return os.fsdecode(done.stdout).strip("\n")


def put(root: Path, name: str, data: bytes | str) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def commit(root: Path, text: str = "work") -> str:
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", text)
    return git(root, "rev-parse", "HEAD")


def new_repo(folder: Path) -> Path:
    root = folder / "project"
    root.mkdir()
    put(root, "src/app.py", "print(1)\n")
    put(root, "PRD.json", '{"done": false}\n')
    put(root, ".gitignore", "*.log\nbuild/\n")
    begin(root)
    return root


def in_place(
    root: Path, allowed_dirt: Collection[str] = (), branch: str = "ralph/x"
) -> GitWorkspace:
    return GitWorkspace.in_place(
        Repo.open(root),
        branch,
        state_dir=root.parent / "state",
        run="R1",
        allowed_dirt=allowed_dirt,
    )


def in_worktree(root: Path) -> GitWorkspace:
    state = root.parent / "state"
    return GitWorkspace.worktree(
        Repo.open(root), "ralph/x", state / "workspace", state_dir=state, run="R1"
    )


def status(root: Path) -> str:
    return git(root, "status", "--porcelain", "-uall")


def photograph(root: Path) -> dict[str, str]:
    """Every file below the root with its kind, mode and bytes; of .git only the index and HEAD."""
    seen = {}
    for where, folders, names in os.walk(root):
        folders[:] = [f for f in folders if f != ".git"]
        for path in (Path(where) / name for name in (*names, *folders)):
            if path.is_symlink() or path.is_file():
                seen[str(path.relative_to(root))] = _fingerprint(path)
    for name in ("index", "HEAD"):
        seen[f".git/{name}"] = _fingerprint(root / ".git" / name)
    return seen


def _fingerprint(path: Path) -> str:
    if path.is_symlink():
        return f"link {path.readlink()}"
    return f"{path.stat().st_mode:o} {hashlib.sha256(path.read_bytes()).hexdigest()}"
