"""A git directory that is lent to an agent: git works there, and nothing done in it counts.

It has copies of HEAD, the index, the settings and the refs, and borrows the real objects, which the
agent can only read. Commits that the agent made are taken over as salvage when it is gone: they are
material, and never more than that.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph import files
from ralph.repo import others, refs
from ralph.repo.commit import ref_path
from ralph.repo.refs import SALVAGE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ralph.repo.workspace import GitWorkspace

BORROWED = "borrowed"
OWN = ("HEAD", "index", "config.worktree")
"""Of the checkout that the agent works in."""
SHARED = ("config", "packed-refs", "shallow", "info/exclude", "info/attributes")
CONFIGURED = ("config", "config.worktree")
READ = ("lfs", "modules")
"""What is lent as it is, to be read."""
KINDS = ("heads", "tags", "remotes")
STASH = "refs/stash"
_PLAIN = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
_SHA256 = (
    "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
)
_LOGIN = re.compile(
    rb"(?:\s*\[[^\]\n]*\])?\s*(?:extraheader|password|sslkey|sslcert\w*|cookiefile)\s*=",
    re.IGNORECASE,
)
_SECTION = re.compile(rb"\s*\[")
_CREDENTIAL = re.compile(rb"\s*\[\s*credential\b", re.IGNORECASE)
_IN_ADDRESS = re.compile(rb"(https?://)[^/@\s\"']*@", re.IGNORECASE)
_LONG = 64
_DEEPEST = 5


class Lent(Struct, frozen=True):
    """What was lent, and how it was then."""

    path: Path
    pointer: Path | None
    """A file that says where it is, for a checkout whose `.git` is a file."""
    head: str
    branches: dict[str, str]
    stash: str

    def binds(self, root: Path) -> tuple[tuple[Path, Path], ...]:
        """What the agent may write to, and where it finds it."""
        return ((self.path, self._place(root)),)

    def shown(self, root: Path, common_dir: Path) -> tuple[tuple[Path, Path], ...]:
        """The same for what it may only read."""
        place = self._place(root)
        found = [(common_dir / "objects", place / BORROWED)]
        found += [(common_dir / name, place / name) for name in READ]
        found += [(one, one) for one in alternates(common_dir / "objects")]
        if self.pointer is not None:
            found.append((self.pointer, root / ".git"))
        return tuple((source, target) for source, target in found if source.exists())

    def _place(self, root: Path) -> Path:
        return self.path if self.pointer is not None else root / ".git"


def lend(ws: GitWorkspace, folder: Path) -> Lent:
    """Make it, below `folder`. No process."""
    path, pointer = folder / "git", folder / "git-file"
    shutil.rmtree(path, ignore_errors=True)
    common = ws.repo.common_dir
    for name in ("objects/info", "refs", BORROWED, "info"):
        (path / name).mkdir(parents=True)
    for source, names in ((ws.git_dir, OWN), (common, SHARED)):
        for name in names:
            if (source / name).is_file():
                shutil.copyfile(source / name, path / name)
    for name in CONFIGURED:
        if (data := files.read(path / name)) is not None:
            (path / name).write_bytes(without_logins(data))
    for kind in KINDS:
        if (common / "refs" / kind).is_dir():
            shutil.copytree(common / "refs" / kind, path / "refs" / kind, symlinks=True)
    borrowed = [f"../{BORROWED}", *map(str, alternates(common / "objects"))]
    _write(path / "objects/info/alternates", "".join(f"{one}\n" for one in borrowed))
    linked = (ws.root / ".git").is_file()
    if linked:
        _write(pointer, f"gitdir: {path}\n")
    return Lent(path, pointer if linked else None, *_standing(path))


def without_logins(data: bytes) -> bytes:
    """Settings of git without what opens other machines: an agent works here, and pushes nothing.

    Left out are helpers for credentials, headers and keys, and who an address logs in as.
    """
    kept: list[bytes] = []
    hidden = goes_on = False
    for line in data.splitlines(keepends=True):
        if _SECTION.match(line) and not goes_on:
            hidden = bool(_CREDENTIAL.match(line))
        dropped = hidden or bool(_LOGIN.match(line)) or goes_on
        goes_on = dropped and not hidden and line.rstrip(b"\r\n").endswith(b"\\")
        if not dropped:
            kept.append(_IN_ADDRESS.sub(rb"\1", line))
    return b"".join(kept)


def take_over(ws: GitWorkspace, lent: Lent, name: str) -> Iterator[tuple[str, str]]:
    """Commits that the agent made, kept as salvage: what it called each, and the ref here."""
    if any(not _is_folder(lent.path / name) for name in ("objects", "refs")):
        return  # what is left of it may lead anywhere
    head, branches, stash = _standing(lent.path)
    moved = {b: c for b, c in branches.items() if lent.branches.get(b) != c}
    if stash != lent.stash:
        moved[STASH] = stash
    if refs.symbolic(lent.path) == head and head != lent.head:
        moved["HEAD"] = head  # detached
    if not any(moved.values()):
        return
    _disarm(lent.path, ws.repo.common_dir, head)
    for source, commit in moved.items():
        if not commit or not _is_new(ws, commit):
            continue
        short = source.removeprefix("refs/heads/").removeprefix("refs/")
        target = f"{SALVAGE}{ref_path(f'{name}-{short}')}"
        how = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
        safe = ws.own.set("fetch.fsckObjects=true", "protocol.file.allow=always")
        done = safe.ask("fetch", *how, "--", str(lent.path), f"+{source}:{target}")
        if not done.code:
            yield short, target


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _is_new(ws: GitWorkspace, commit: str) -> bool:
    """Whether the repository does not have it: the agent may have moved to what is there."""
    return bool(ws.own.ask("cat-file", "-e", f"{commit}^{{commit}}").code)


def _standing(path: Path) -> tuple[str, dict[str, str], str]:
    """Where HEAD, the branches and the stash are. No process."""
    branches = others.take(path, "")
    at = refs.symbolic(path) or ""
    head = branches.get(at, "") if at.startswith("refs/") else at
    return head, branches, refs.line(path / STASH) or ""


def _disarm(path: Path, common_dir: Path, head: str) -> None:
    """Leave nothing in it that git would obey: the agent could write to all of it."""
    for name in ("hooks", "info", "objects/info", BORROWED):
        remove = path / name
        if remove.is_symlink():
            remove.unlink()
        shutil.rmtree(remove, ignore_errors=True)
    for name in ("config", "config.worktree", "commondir", "shallow"):
        (path / name).unlink(missing_ok=True)
    _write(path / "config", _SHA256 if len(head) == _LONG else _PLAIN)
    _write(path / "objects/info/alternates", f"{common_dir / 'objects'}\n")


def alternates(objects: Path, depth: int = 0) -> Iterator[Path]:
    """The folders of objects that these objects borrow from."""
    text = (files.read(objects / "info/alternates") or b"").decode("utf-8", "surrogateescape")
    for line in text.splitlines() if depth < _DEEPEST else ():
        if line and not line.startswith("#"):
            found = Path(os.path.normpath(objects / line))
            yield found
            yield from alternates(found, depth + 1)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
