from __future__ import annotations

import hashlib
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph import files
from ralph.domain.errors import NotARepository, RepoError
from ralph.repo import lock, refs
from ralph.repo.commit import ref_path
from ralph.repo.git import Git, discover

if TYPE_CHECKING:
    from ralph.repo.git import GitResult
    from ralph.repo.refs import Salvage

UNDER_WAY = {
    "MERGE_HEAD": ("merge", "git merge --abort"),
    "rebase-merge": ("rebase", "git rebase --abort"),
    "rebase-apply": ("rebase", "git rebase --abort"),
    "CHERRY_PICK_HEAD": ("cherry-pick", "git cherry-pick --abort"),
    "REVERT_HEAD": ("revert", "git revert --abort"),
    "BISECT_LOG": ("bisect", "git bisect reset"),
}
OWN_ID = "ralph/id"
"""In the git folder, and only where there was another repository before."""
IDENTITY = ("var", "GIT_COMMITTER_IDENT")
NO_GUESS = "user.useConfigOnly=true"
"""Git would make up an identity from the names of the user and the machine."""


class Repo(Struct, frozen=True):
    """The user's repository and the checkout Ralph was started in."""

    root: Path
    git_dir: Path
    common_dir: Path

    @classmethod
    def open(cls, start: Path, *, to_write: bool = True, seconds: float | None = None) -> Repo:
        """The repository around `start`. One process; two more where `to_write` asks for checks."""
        wanted = ("--show-toplevel", "--git-dir", "--git-common-dir")
        done = discover(start, "rev-parse", "--path-format=absolute", *wanted, seconds=seconds)
        if done.code:
            raise _not_usable(start, done.err)
        root, git_dir, common = (Path(os.fsdecode(line)) for line in done.out.splitlines())
        repo = cls(root, git_dir, common)
        if to_write:
            repo.check()
        return repo

    @property
    def git(self) -> Git:
        return Git(self.git_dir, self.root)

    @property
    def project(self) -> str:
        """The same for every checkout of one clone."""
        real = os.fsencode(os.path.realpath(self.common_dir))
        own = files.read(self.common_dir / OWN_ID) or b""
        return hashlib.sha256(real + own).hexdigest()[:16]

    @property
    def is_new(self) -> bool:
        """Whether Ralph has never worked on it."""
        return not lock.path_in(self.common_dir).exists()

    def take_own_id(self) -> None:
        """Be another project than the repository that was at this path before."""
        files.write(self.common_dir / OWN_ID, secrets.token_hex(8))

    def is_on(self, branch: str) -> bool:
        """Whether this branch is checked out here. No process."""
        return refs.symbolic(self.git_dir) == f"refs/heads/{branch}"

    def check(self) -> None:
        """Raise a RepoError if work cannot start here: half-done merges, no commit, no identity."""
        self.check_state()
        check_identity(self.git.set(NO_GUESS).ask(*IDENTITY))

    def check_state(self) -> None:
        for name, (what, way_out) in UNDER_WAY.items():
            if (self.git_dir / name).exists():
                raise RepoError(
                    f"A {what} is under way in {self.root}.",
                    fix=f"Finish it, or give it up with `{way_out}`.",
                )
        if refs.read(self.git, self.common_dir, "HEAD") is None:
            raise RepoError(
                f"The repository {self.root} has no commit yet.",
                fix="Make one: git add -A && git commit -m 'Start'",
            )

    def show(self, commit: str, path: str) -> bytes | None:
        """A file as a commit holds it, or None. One process."""
        done = self.git.ask("cat-file", "blob", f"{commit}:{path}")
        return None if done.code else done.out

    def checkpoint(self, name: str, commit: str) -> Salvage:
        """Give a commit a ref of its own. One process.

        Touches no file, index or branch, so it may run in any thread at any time.
        """
        ref = f"{refs.CHECKPOINTS}{ref_path(name)}"
        self.git.run("update-ref", "-m", "ralph: checkpoint", ref, commit)
        return refs.Salvage(ref, commit)


def check_identity(told: GitResult) -> None:
    """Raise a RepoError unless git told who commits."""
    if told.code:
        raise RepoError(
            "Git does not know who you are, so nothing can be committed.",
            fix="Run `git config --global user.name 'Your Name'` and\n"
            "`git config --global user.email you@example.org`.",
        )


def _not_usable(start: Path, err: str) -> RepoError:
    if "not a git repository" in err or not start.is_dir():
        return NotARepository(
            f"{start} is not inside a git repository.",
            fix="Run `git init` there and make a first commit.",
        )
    if "must be run in a work tree" in err:
        return RepoError(
            f"{start} is a bare repository or a .git folder: there are no files to work on.",
            fix="Start Ralph in a checkout, for example one made by `git worktree add`.",
        )
    first = err.strip().splitlines()[0] if err.strip() else "no message"
    return RepoError(f"Git cannot use {start}: {first}")
