"""Git repositories that are copied instead of made."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

SUBJECT = "start"
_prepared: dict[str, Path] = {}


def begin(root: Path) -> None:
    """As `git init` with the branch `main` and one commit of all that lies in the folder.

    Folders with the same content get the same repository, made when it is first asked for.
    """
    key = _content(root)
    if key not in _prepared:
        _git(root, "init", "-q", "-b", "main")
        _git(root, "add", "-A")
        _git(root, "commit", "-q", "--allow-empty", "-m", SUBJECT)
        _prepared[key] = Path(_shelf().name, key)
        samples = shutil.ignore_patterns("*.sample")  # of hooks: most of what git lays there
        shutil.copytree(root / ".git", _prepared[key], ignore=samples)
    else:
        shutil.copytree(_prepared[key], root / ".git")
        _git(root, "update-index", "-q", "--refresh")  # these are other files of the same content


def _git(root: Path, *words: str) -> None:
    subprocess.run(("git", *words), cwd=root, check=True, capture_output=True)


@cache
def _shelf() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="repositories-")


def _content(root: Path) -> str:
    """What git would keep of a folder: names, bytes, what may be run, where links lead."""
    found = hashlib.sha256()
    for place, folders, names in os.walk(root):
        folders.sort()
        for name in sorted([*names, *(one for one in folders if Path(place, one).is_symlink())]):
            path = Path(place, name)
            told = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
            mode = b"link" if path.is_symlink() else b"%d" % bool(path.stat().st_mode & 0o100)
            for part in (os.fsencode(path.relative_to(root)), mode, told):
                found.update(b"%d:" % len(part) + part)
    return found.hexdigest()
