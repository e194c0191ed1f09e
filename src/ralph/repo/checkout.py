from __future__ import annotations

import shutil
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from ralph.domain.errors import GitFailed
from ralph.repo import worktrees
from ralph.repo.beside import beside
from ralph.repo.commit import one_line
from ralph.repo.git import OUTER, Git, split_names
from ralph.repo.repository import Repo

if TYPE_CHECKING:
    from collections.abc import Iterable


DIFFERENCE = ("diff", "--name-only", "-z", "--no-ext-diff", "--no-renames", OUTER)
UNSAFE = ("core.fsync=none", "advice.detachedHead=false")
"""Made again from the repository at any time, so nothing in it need survive a power cut."""


class CleanCheckout(Struct):
    """A work tree of Ralph's own where nothing is but what a commit holds."""

    repo: Repo
    path: Path
    keep: tuple[str, ...] = ()
    """Carried things, as ignore patterns: they stay from one commit to the next."""
    _cleaning: tuple[Path, Future[None]] | None = None

    def clean(self, keep: Iterable[str] = ()) -> None:
        """Begin to remove what earlier checks left; the next `at` waits for it."""
        folder = worktrees.admin(self.repo.common_dir, self.path)
        if folder is not None:
            self._cleaning = folder, beside(partial(self._clean, folder, tuple(keep)))

    def at(self, commit: str, keep: Iterable[str] = ()) -> Path:
        """The files of this commit and no others. Two processes; heals itself when broken."""
        if self._cleaning is None:
            self.clean(keep)
        cleaning, self._cleaning = self._cleaning, None
        try:
            if cleaning is not None:
                cleaning[1].result()
                self._update(cleaning[0], commit)
                return self.path
        except GitFailed:
            pass  # half made, corrupt or locked by a git that was killed
        self._update(self._make(commit), commit)
        return self.path

    def touched(self) -> tuple[str, ...]:
        """Files of the commit that are other ones by now. One process."""
        folder = worktrees.admin(self.repo.common_dir, self.path)
        if folder is None:
            return ()
        done = Git(folder, self.path, settings=UNSAFE).ask(*DIFFERENCE)
        return split_names(done.out) if not done.code else ()

    def _clean(self, folder: Path, keep: tuple[str, ...]) -> None:
        patterns = [part for name in (*self.keep, *keep) for part in ("-e", one_line(name))]
        Git(folder, self.path, settings=UNSAFE).run("clean", "-ffdxq", *patterns)

    def _update(self, folder: Path, commit: str) -> None:
        # Sets every tracked file right, also one that a check changed, and removes what an
        # index that a check wrote to has beyond the commit.
        git = Git(folder, self.path, settings=UNSAFE)
        git.run("checkout", "-q", "--force", "--detach", "--no-recurse-submodules", commit)

    def _make(self, commit: str) -> Path:
        # A link to the user's folders is removed as a link: rmtree does not follow it.
        if self.path.is_symlink() or self.path.is_file():
            self.path.unlink()
        elif self.path.exists():
            shutil.rmtree(self.path)
        what = ("--detach", "--no-checkout", "--force", str(self.path), commit)
        return worktrees.add(self.repo, self.path, *what)
